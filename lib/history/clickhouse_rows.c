#include "history/clickhouse_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	WORDS_MAX = 300,
	FIRST_MAX = 4096, /* an id, or an exception's text */
};

void
clickhouse_rows_init(struct clickhouse_rows *r, size_t most, history_see *see,
		     void *see_arg)
{
	*r = (struct clickhouse_rows){
		.see = see, .see_arg = see_arg, .most = most};
	r->now.most = FIRST_MAX;
	buf_init(&r->now.text, FIRST_MAX + most + 2);
	buf_init(&r->held.text, FIRST_MAX + most + 2);
}

void
clickhouse_rows_done(struct clickhouse_rows *r)
{
	buf_done(&r->now.text);
	buf_done(&r->held.text);
}

/* --- exceptions ---------------------------------------------------------- */

static const char *
find(const char *in, size_t len, const char *what)
{
	return memmem(in, len, what, strlen(what));
}

int
clickhouse_rows_exception(const char *text, size_t len, struct buf *words)
{
	static const char *const end[] = {", e.what()", " (version ", "\n"};
	const char *at = find(text, len, "Code: "), *own;
	char *behind;
	long code;
	size_t n;

	if (at == NULL || !isdigit((unsigned char)at[6]))
		return 0;
	code = strtol(at + 6, &behind, 10);
	n = len - (size_t)(behind - text);
	/* DB::Exception, DB::ErrnoException, DB::NetException, ... */
	own = find(behind, n, "Exception: ");
	if (own == NULL || code <= 0 || code > 100000)
		return 0;
	own += strlen("Exception: ");
	n = len - (size_t)(own - text);
	for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++) {
		const char *stop = find(own, n, end[i]);

		if (stop)
			n = (size_t)(stop - own);
	}
	buf_escaped(words, own, n < WORDS_MAX ? n : WORDS_MAX);
	return (int)code;
}

/* What came is no row, or no end: an exception, or a stranger's words. */
static int
no_rows(struct clickhouse_rows *r, const char *what, struct err *err)
{
	const struct buf *text = &r->now.text;
	AUTO_BUF struct buf words = BUF_INIT_MAX(4 * WORDS_MAX + 1);
	int code;

	if (r->has_held && text->len == 0)
		text = &r->held.text;
	code = clickhouse_rows_exception(text->data, text->len, &words);
	if (code == 0 && r->has_held)
		code = clickhouse_rows_exception(r->held.text.data,
						 r->held.text.len, &words);
	if (code)
		return err_set(err, ERR_REMOTE,
			       "the server broke off its answer: '%s' "
			       "(code %d)",
			       words.data, code);
	if (text->len == 0 || r->has_held)
		return err_set(err, ERR_PROTO, "%s", what);
	buf_escaped(&words, text->data, strnlen(text->data, 80));
	err_set(err, ERR_PROTO, "%s: '%s'", what, words.data);
	return err_hint(err, "does ClickHouse's HTTP interface listen there?");
}

/* --- rows ---------------------------------------------------------------- */

static int
show_held(struct clickhouse_rows *r, struct err *err)
{
	const struct clickhouse_row *h = &r->held;

	if (!r->has_held)
		return 0;
	r->has_held = false;
	return r->see(r->see_arg, h->text.data, h->text.data + h->second,
		      h->text.len - h->second, err);
}

static int
end_of_row(struct clickhouse_rows *r, struct err *err)
{
	struct clickhouse_row whole = r->now;

	if (whole.second == 0)
		return no_rows(r, "the answer is not made of rows", err);
	if (show_held(r, err))
		return -1;
	r->now = r->held;
	buf_clear(&r->now.text);
	r->now.second = 0;
	r->now.most = FIRST_MAX;
	r->held = whole;
	r->ended = strcmp(whole.text.data, CLICKHOUSE_ROWS_END) == 0;
	r->has_held = !r->ended;
	return 0;
}

static char
unescaped(char c)
{
	static const char from[] = "0bfnrt", to[] = "\0\b\f\n\r\t";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : c;
}

static int
mark(struct clickhouse_rows *r, char c, struct err *err)
{
	struct clickhouse_row *row = &r->now;

	if (c == '\n')
		return end_of_row(r, err);
	if (c == '\\') {
		r->escaped = true;
		return 0;
	}
	if (row->second)
		return no_rows(r, "a row has more than two columns", err);
	buf_chr(&row->text, '\0');
	row->second = row->text.len;
	row->most = row->second + r->most + 1;
	return 0;
}

/* What is too long is kept from its beginning. */
static void
keep(struct clickhouse_row *row, const char *data, size_t len)
{
	size_t room = row->most - row->text.len;

	buf_add(&row->text, data, len < room ? len : room);
}

int
clickhouse_rows_feed(struct clickhouse_rows *r, const char *data, size_t len,
		     struct err *err)
{
	for (size_t i = 0; i < len;) {
		size_t from;
		char c;

		if (r->ended)
			return err_set(err, ERR_PROTO,
				       "more comes behind the answer's end");
		if (r->escaped) {
			r->escaped = false;
			c = unescaped(data[i++]);
			keep(&r->now, &c, 1);
		}
		from = i;
		while (i < len && data[i] != '\t' && data[i] != '\n' &&
		       data[i] != '\\')
			i++;
		keep(&r->now, data + from, i - from);
		if (i < len && mark(r, data[i++], err))
			return -1;
	}
	return 0;
}

int
clickhouse_rows_finish(struct clickhouse_rows *r, struct err *err)
{
	if (r->ended)
		return 0;
	return no_rows(r, "the answer ends in the middle", err);
}
