#include "unity/exact_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "unity/positions.h"

enum { CHUNK_NODES = 512 };

struct exact_json_chunk {
	struct exact_json_chunk *before;
	struct exact_json node[CHUNK_NODES];
};

static struct exact_json *
new_node(struct exact_json_doc *doc)
{
	if (!doc->chunk || doc->used == CHUNK_NODES) {
		struct exact_json_chunk *c = mem_alloc(sizeof(*c));

		c->before = doc->chunk;
		doc->chunk = c;
		doc->used = 0;
	}
	doc->count++;
	return &doc->chunk->node[doc->used++];
}

static int
bad(const struct exact_json_doc *doc, const char *what, struct err *err)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < doc->at; i++) {
		column++;
		if (doc->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return err_set(err, ERR_INPUT, "%zu:%zu: %s", line, column,
		       doc->at >= doc->len ? "it ends in the middle" : what);
}

/* The next byte that is no white space; 0 at the end. */
static char
peek(struct exact_json_doc *doc)
{
	while (doc->at < doc->len && strchr(" \t\r\n", doc->text[doc->at]) &&
	       doc->text[doc->at])
		doc->at++;
	return doc->at < doc->len ? doc->text[doc->at] : '\0';
}

static int
scan_string(struct exact_json_doc *doc, const char **text, size_t *len,
	    struct err *err)
{
	size_t from;

	if (peek(doc) != '"')
		return bad(doc, "not a string", err);
	from = ++doc->at;
	for (; doc->at < doc->len; doc->at++) {
		unsigned char c = (unsigned char)doc->text[doc->at];

		if (c == '"') {
			*text = doc->text + from;
			*len = doc->at++ - from;
			return 0;
		}
		if (c < 0x20)
			return bad(doc, "a control byte in a string", err);
		if (c == '\\' && ++doc->at < doc->len &&
		    (!doc->text[doc->at] ||
		     !strchr("\"\\/bfnrtu", doc->text[doc->at])))
			return bad(doc, "an unknown escape", err);
	}
	return bad(doc, "", err);
}

static size_t
digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= '0' && s[n] <= '9')
		n++;
	return n;
}

/* The length of a number as JSON has it; 0: none. */
static size_t
number_length(const char *s, size_t len)
{
	size_t at = len && *s == '-', n = digits(s + at, len - at);

	if (n == 0 || (n > 1 && s[at] == '0'))
		return 0;
	at += n;
	if (at < len && s[at] == '.') {
		n = digits(s + at + 1, len - at - 1);
		if (n == 0)
			return 0;
		at += n + 1;
	}
	if (at < len && (s[at] == 'e' || s[at] == 'E')) {
		at++;
		at += at < len && (s[at] == '+' || s[at] == '-');
		n = digits(s + at, len - at);
		if (n == 0)
			return 0;
		at += n;
	}
	return at;
}

static size_t
word_length(const char *s, size_t len)
{
	static const char *const word[] = {"true", "false", "null"};

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++) {
		size_t n = strlen(word[i]);

		if (n <= len && memcmp(s, word[i], n) == 0)
			return n;
	}
	return 0;
}

static int
scan_scalar(struct exact_json_doc *doc, struct exact_json *v, struct err *err)
{
	const char *s = doc->text + doc->at;
	size_t left = doc->len - doc->at;

	v->type = EXACT_JSON_NUMBER;
	v->len = number_length(s, left);
	if (!v->len) {
		v->type = EXACT_JSON_WORD;
		v->len = word_length(s, left);
	}
	if (!v->len)
		return bad(doc, "not a JSON value", err);
	v->text = s;
	doc->at += v->len;
	return 0;
}

static int scan_value(struct exact_json_doc *doc, int depth,
		      struct exact_json *v, struct err *err);

/* Behind the bracket that opens it. */
static int
scan_members(struct exact_json_doc *doc, int depth, struct exact_json *v,
	     struct err *err)
{
	const char close = v->type == EXACT_JSON_OBJECT ? '}' : ']';
	struct exact_json **tail = &v->first;

	if (depth > EXACT_JSON_DEPTH)
		return bad(doc, "too many levels", err);
	for (char c = peek(doc); c != close; c = peek(doc)) {
		struct exact_json *member;

		if (v->count) {
			if (c != ',')
				return bad(doc, "a comma is missing", err);
			doc->at++;
		}
		if (doc->count >= EXACT_JSON_VALUES)
			return bad(doc, "too many values", err);
		member = new_node(doc);
		if (v->type == EXACT_JSON_OBJECT) {
			if (scan_string(doc, &member->key, &member->key_len,
					err))
				return -1;
			if (peek(doc) != ':')
				return bad(doc, "a colon is missing", err);
			doc->at++;
		}
		if (scan_value(doc, depth, member, err))
			return -1;
		*tail = member;
		tail = &member->next;
		v->count++;
	}
	doc->at++;
	return 0;
}

static int
scan_value(struct exact_json_doc *doc, int depth, struct exact_json *v,
	   struct err *err)
{
	switch (peek(doc)) {
	case '{':
	case '[':
		v->type = doc->text[doc->at] == '{' ? EXACT_JSON_OBJECT
						    : EXACT_JSON_ARRAY;
		doc->at++;
		return scan_members(doc, depth + 1, v, err);
	case '"':
		v->type = EXACT_JSON_STRING;
		return scan_string(doc, &v->text, &v->len, err);
	default:
		return scan_scalar(doc, v, err);
	}
}

int
exact_json_parse(struct exact_json_doc *doc, const char *text, size_t len,
		 struct err *err)
{
	memset(doc, 0, sizeof(*doc));
	doc->text = text;
	doc->len = len;
	doc->root = new_node(doc);
	if (scan_value(doc, 0, doc->root, err) == 0 &&
	    (peek(doc) == '\0' && doc->at >= doc->len))
		return 0;
	if (err->code == ERR_NONE)
		(void)bad(doc, "more follows behind the value", err);
	exact_json_done(doc);
	return -1;
}

void
exact_json_done(struct exact_json_doc *doc)
{
	while (doc->chunk) {
		struct exact_json_chunk *before = doc->chunk->before;

		free(doc->chunk);
		doc->chunk = before;
	}
	doc->root = NULL;
}

const struct exact_json *
exact_json_get(const struct exact_json *v, const char *key)
{
	size_t len = strlen(key);

	if (!v || v->type != EXACT_JSON_OBJECT)
		return NULL;
	for (const struct exact_json *m = v->first; m; m = m->next)
		if (m->key_len == len && memcmp(m->key, key, len) == 0)
			return m;
	return NULL;
}

static bool
same_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

bool
exact_json_same(const struct exact_json *a, const struct exact_json *b)
{
	const struct exact_json *m, *n;

	if (a->type != b->type || a->count != b->count ||
	    !same_bytes(a->text, a->len, b->text, b->len))
		return false;
	for (m = a->first, n = b->first; m; m = m->next, n = n->next)
		if (!same_bytes(m->key, m->key_len, n->key, n->key_len) ||
		    !exact_json_same(m, n))
			return false;
	return true;
}

/* The type stands for the punctuation. */
static uint64_t
hash_value(uint64_t h, const struct exact_json *v)
{
	char type = (char)(1 + (int)v->type);

	h = positions_hash(h, &type, 1);
	h = positions_hash(h, v->text, v->len);
	for (const struct exact_json *m = v->first; m; m = m->next) {
		h = positions_hash(h, m->key, m->key_len);
		h = hash_value(h, m);
	}
	return h;
}

uint64_t
exact_json_hash(const struct exact_json *v)
{
	return hash_value(POSITIONS_HASH, v);
}

bool
exact_json_u64(const struct exact_json *v, uint64_t *out)
{
	uint64_t n = 0;

	if (!v || v->type != EXACT_JSON_NUMBER || v->len == 0)
		return false;
	for (size_t i = 0; i < v->len; i++) {
		unsigned digit = (unsigned)(unsigned char)v->text[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			return false;
	}
	*out = n;
	return true;
}

bool
exact_json_i64(const struct exact_json *v, int64_t *out)
{
	struct exact_json abs;
	uint64_t n;

	if (!v || v->type != EXACT_JSON_NUMBER || v->len == 0)
		return false;
	abs = *v;
	if (*v->text == '-') {
		abs.text++;
		abs.len--;
	}
	if (!exact_json_u64(&abs, &n) || n > INT64_MAX)
		return false;
	*out = *v->text == '-' ? -(int64_t)n : (int64_t)n;
	return true;
}

char *
exact_json_string(const struct exact_json *v)
{
	AUTO_BUF struct buf quoted = BUF_INIT_MAX(1 << 20);
	AUTO_JSON cJSON *undone = NULL;
	struct err ignored = ERR_INIT; /* raw text is the answer then */
	const char *s;

	if (!v || !v->text)
		return mem_strdup("");
	if (v->type != EXACT_JSON_STRING || !memchr(v->text, '\\', v->len))
		return mem_strndup(v->text, v->len);
	buf_chr(&quoted, '"');
	buf_add(&quoted, v->text, v->len);
	buf_chr(&quoted, '"');
	if (json_parse(quoted.data, quoted.len, "string", &undone, &ignored))
		return mem_strndup(v->text, v->len);
	s = cJSON_GetStringValue(undone);
	return mem_strdup(s ? s : "");
}

void
exact_json_line(struct buf *out, int level)
{
	buf_chr(out, '\n');
	for (int i = 0; i < level; i++)
		buf_str(out, "    ");
}

static void
write_members(const struct exact_json *v, int level, struct buf *out)
{
	bool object = v->type == EXACT_JSON_OBJECT;

	buf_chr(out, object ? '{' : '[');
	for (const struct exact_json *m = v->first; m; m = m->next) {
		exact_json_line(out, level + 1);
		if (object) {
			buf_chr(out, '"');
			buf_add(out, m->key, m->key_len);
			buf_str(out, "\": ");
		}
		exact_json_write(m, level + 1, out);
		if (m->next)
			buf_chr(out, ',');
	}
	if (v->first)
		exact_json_line(out, level);
	buf_chr(out, object ? '}' : ']');
}

void
exact_json_write(const struct exact_json *v, int level, struct buf *out)
{
	switch (v->type) {
	case EXACT_JSON_OBJECT:
	case EXACT_JSON_ARRAY:
		write_members(v, level, out);
		break;
	case EXACT_JSON_STRING:
		buf_chr(out, '"');
		buf_add(out, v->text, v->len);
		buf_chr(out, '"');
		break;
	default:
		buf_add(out, v->text, v->len);
	}
}
