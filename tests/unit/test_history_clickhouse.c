#include "base/mem.h"
#include "check.h"
#include "fake_http.h"
#include "history/history.h"

/*
 * A ClickHouse of a few lines, which answers what history_clickhouse.c asks,
 * from what it took; and badly, when the test says how.
 */
#define ID_A "20261128T040000Z-1-aaaaaaaa"
#define ID_B "20261129T040000Z-2-bbbbbbbb"
#define ID_C "20261130T040000Z-3-cccccccc"

struct server {
	struct fake_http http;
	bool database, tables;
	bool here[3]; /* the rows of ID_A ... */
	int metrics, doubles, leaks;
	const char *bad_call; /* what has this in it is answered by bad() */
	int bad_times;
	bool bad_effect; /* and done, all the same */
	void (*bad)(struct fake_reply *r);
	char head[16384]; /* of the last request */
	char *large;
};

static const char *const ids[] = {ID_A, ID_B, ID_C};
static struct server srv;

static void
insert(struct server *s, const char *body)
{
	s->leaks += strstr(body, "kept-secret") != NULL;
	if (strstr(body, "patrol_metrics")) {
		s->metrics++;
		return;
	}
	for (int i = 0; i < 3; i++) {
		if (strstr(body, ids[i]) == NULL)
			continue;
		s->doubles += s->here[i];
		s->here[i] = true;
	}
}

static void
rows(struct server *s, const char *body, struct fake_reply *r)
{
	bool all = strstr(body, "LIMIT") != NULL;
	size_t n = 0;

	for (int i = 0; i < 3; i++) {
		if (s->here[i] && (all || strstr(body, ids[i])))
			n += (size_t)snprintf(
				r->text + n, sizeof(r->text) - n, "%s\t%s\n",
				ids[i],
				strstr(body, "record AS")
					? "{\"a\":\"x\\\\\"y\\tz\"}"
					: "");
	}
	(void)snprintf(r->text + n, sizeof(r->text) - n, "~\t\n");
}

static void
exception(struct fake_reply *r, int status, int code, const char *words)
{
	fake_text(r, status,
		  "Code: %d, e.displayText() = DB::Exception: %s, e.what() = "
		  "DB::Exception\n",
		  code, words);
}

static void
answer(struct server *s, const char *body, struct fake_reply *r)
{
	if (strstr(body, "CREATE DATABASE"))
		s->database = true;
	else if (!s->database)
		exception(r, 404, 81, "Database p doesn't exist");
	else if (strstr(body, "CREATE TABLE"))
		s->tables = true;
	else if (!s->tables)
		exception(r, 404, 60, "Table p.patrol_records doesn't exist.");
	else if (strstr(body, "ALTER TABLE"))
		for (int i = 0; i < 3; i++)
			s->here[i] = s->here[i] && !strstr(body, ids[i]);
	else if (strstr(body, "INSERT"))
		insert(s, body);
	else
		rows(s, body, r);
}

static void
handle(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	struct server *s = arg;

	r->type = "text/plain; charset=UTF-8";
	(void)snprintf(s->head, sizeof(s->head), "%s", q->head);
	if (s->bad && s->bad_times > 0 && strstr(q->body, s->bad_call)) {
		s->bad_times--;
		if (s->bad_effect)
			answer(s, q->body, r);
		s->bad(r);
		return;
	}
	answer(s, q->body, r);
}

static struct history *
open_it(const struct history_access *access)
{
	struct err err = ERR_INIT;
	struct history *h = NULL;
	AUTO_FREE char *url = NULL;

	srv = (struct server){.bad_call = ""};
	fake_start(&srv.http, handle, &srv);
	url = mem_fmt("clickhouse:%s/p", srv.http.url);
	if (history_open(&h, url, access, &err)) {
		printf("# %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	return h;
}

static void
close_it(struct history *h)
{
	history_close(h);
	fake_stop(&srv.http);
	free(srv.large);
}

static const struct history_access nobody = {.state_dir = "."};

static void
badly(const char *call, int times, void (*bad)(struct fake_reply *))
{
	srv.bad_call = call;
	srv.bad_times = times;
	srv.bad = bad;
}

static int
add_all(struct history *h, size_t *added, struct err *err)
{
	static char text[] = "{\"schema_version\":1,\"metrics\":[{\"name\":"
			     "\"load\",\"values\":{\"a>b\":1.5}}],"
			     "\"title\":\"a kept-secret\"}";
	struct history_entry e[3];

	for (int i = 0; i < 3; i++)
		e[i] = (struct history_entry){mem_strdup(ids[i]), text,
					      sizeof(text) - 1};
	err_clear(err);
	*added = 99;
	int rc = history_add(h, e, 3, added, deadline_in(NULL, 20000), err);

	for (int i = 0; i < 3; i++)
		free(e[i].id);
	return rc;
}

static int
count_one(void *arg, const char *id, const char *text, size_t len,
	  struct err *err)
{
	struct buf *b = arg;

	(void)err;
	buf_fmt(b, "%.8s:", id);
	buf_add(b, text, len);
	buf_chr(b, '\n');
	return 0;
}

static int
read_all(struct history *h, struct buf *out, struct err *err)
{
	char *id[] = {mem_strdup(ID_A), mem_strdup(ID_B), mem_strdup(ID_C)};
	int rc;

	err_clear(err);
	rc = history_read(h, id, 3, count_one, out, deadline_in(NULL, 20000),
			  err);
	for (int i = 0; i < 3; i++)
		free(id[i]);
	return rc;
}

/* --- good days ----------------------------------------------------------- */

static void
first_add_makes_it(void)
{
	struct history *h = open_it(&nobody);
	struct history_ids list;
	struct err err = ERR_INIT;
	size_t added;

	secret_register("kept-secret");
	CHECK(history_list(h, 0, &list, deadline_in(NULL, 20000), &err) == 0);
	CHECK(list.count == 0);
	CHECK(!srv.database);
	CHECK(add_all(h, &added, &err) == 0 && added == 3);
	CHECK(srv.database && srv.tables && srv.metrics == 1);
	CHECK(add_all(h, &added, &err) == 0 && added == 0);
	CHECK(srv.metrics == 1 && srv.doubles == 0 && srv.leaks == 0);
	CHECK(history_list(h, 2, &list, deadline_in(NULL, 20000), &err) == 0);
	REQUIRE(list.count == 2);
	CHECK_STR(list.item[0], ID_B);
	history_ids_done(&list);
	close_it(h);
}

static void
records_come_back(void)
{
	struct history *h = open_it(&nobody);
	AUTO_BUF struct buf got = BUF_INIT;
	struct err err = ERR_INIT;
	size_t added;
	char *gone = mem_strdup(ID_B);

	CHECK(read_all(h, &got, &err) == 0 && got.len == 0);
	CHECK(add_all(h, &added, &err) == 0);
	CHECK(history_remove(h, &gone, 1, deadline_in(NULL, 20000), &err) == 0);
	CHECK(history_remove(h, &gone, 1, deadline_in(NULL, 20000), &err) == 0);
	CHECK(read_all(h, &got, &err) == 0);
	CHECK_STR(got.data, "20261128:{\"a\":\"x\\\"y\tz\"}\n"
			    "20261130:{\"a\":\"x\\\"y\tz\"}\n");
	free(gone);
	close_it(h);
}

static void
log_in_headers(void)
{
	struct secret password = SECRET_INIT;
	struct history_access access = {.clickhouse_user = "me",
					.clickhouse_password = &password};
	struct history *h = open_it(&access);
	struct history_ids list;
	struct err err = ERR_INIT;

	secret_set(&password, "geheimnis");
	CHECK(history_list(h, 0, &list, deadline_in(NULL, 20000), &err) == 0);
	CHECK_HAS(srv.head, "POST / HTTP/1.1");
	CHECK_HAS(srv.head, "X-ClickHouse-User: me");
	CHECK_HAS(srv.head, "X-ClickHouse-Key: geheimnis");
	access.clickhouse_user = NULL;
	history_close(h);
	fake_stop(&srv.http);
	h = open_it(&access);
	CHECK(history_list(h, 0, &list, deadline_in(NULL, 20000), &err) == 0);
	CHECK_HAS(srv.head, "X-ClickHouse-User: default");
	secret_set(&password, "two\r\nX-More: lines");
	CHECK(history_list(h, 0, &list, deadline_in(NULL, 20000), &err) == -1);
	CHECK_HAS(err.msg, "PATROL_CLICKHOUSE_PASSWORD");
	CHECK(strstr(err.msg, "lines") == NULL);
	secret_done(&password);
	close_it(h);
}

/* --- bad ones ------------------------------------------------------------ */

static void
wrong_password(struct fake_reply *r)
{
	exception(r, 401, 193, "Wrong password for user me");
}

static void
no_rights(struct fake_reply *r)
{
	exception(r, 500, 164, "Cannot create table in readonly mode");
}

static void
no_room(struct fake_reply *r)
{
	fake_text(r, 500,
		  "Code: 75, e.displayText() = DB::ErrnoException: Cannot "
		  "write to file /x, errno: 28, strerror: No space left on "
		  "device, e.what() = DB::ErrnoException\n");
}

static void
login_page(struct fake_reply *r)
{
	fake_text(r, 200, "<html><body>Who are you?\n</body></html>\n");
}

static void
gateway(struct fake_reply *r)
{
	fake_text(r, 502, "<html>\n<h1>502 Bad Gateway</h1></html>");
}

static void
redirect(struct fake_reply *r)
{
	r->headers = "Location: http://127.0.0.1:1/elsewhere\r\n";
	fake_text(r, 302, "");
}

static void
no_end(struct fake_reply *r)
{
	fake_text(r, 200, ID_A "\t{}\n" ID_B "\t{}\n");
}

static void
broken_between(struct fake_reply *r)
{
	fake_text(r, 200,
		  ID_A "\t{}\n" ID_B "\t{}\nCode: 241, e.displayText() = "
		       "DB::Exception: Memory limit (total) exceeded, "
		       "e.what() = DB::Exception\n");
}

static void
broken_within(struct fake_reply *r)
{
	fake_text(r, 200,
		  ID_A "\t{}\n" ID_B "\t{\"cCode: 241, e.displayText() = "
		       "DB::Exception: Memory limit (total) exceeded: "
		       "(at row 2)\n, e.what() = DB::Exception\n");
}

static void
cut(struct fake_reply *r)
{
	no_end(r);
	r->cut_at = 40;
}

static void
silence(struct fake_reply *r)
{
	r->status = -1;
}

static void
columns(struct fake_reply *r)
{
	fake_text(r, 200, ID_A "\t{}\tmore\n~\t\n");
}

static void
long_row(struct fake_reply *r)
{
	enum { SIZE = 100000000 };
	static const char end[] = "\n" ID_B "\t{}\n~\t\n";

	srv.large = malloc(SIZE);
	memset(srv.large, 'x', SIZE);
	memcpy(srv.large, ID_A "\t", sizeof(ID_A));
	memcpy(srv.large + SIZE - sizeof(end) + 1, end, sizeof(end) - 1);
	r->body = srv.large;
	r->body_len = SIZE;
}

/* What is asked for is answered so, and what is said then. */
static void
told(void (*bad)(struct fake_reply *), enum err_code code, const char *words)
{
	struct history *h = open_it(&nobody);
	AUTO_BUF struct buf got = BUF_INIT;
	struct err err = ERR_INIT;
	size_t added;

	CHECK(add_all(h, &added, &err) == 0);
	badly("SELECT", 1, bad);
	CHECK(read_all(h, &got, &err) == -1);
	CHECK(err.code == code);
	CHECK_HAS(err.msg, words);
	CHECK_HAS(err.msg, "history clickhouse:http");
	/* Nothing that is no whole record was shown. */
	CHECK(got.len == 0 || strcmp(got.data, "20261128:{}\n") == 0);
	close_it(h);
}

static void
answers_told(void)
{
	told(wrong_password, ERR_AUTH, "PATROL_CLICKHOUSE_PASSWORD");
	told(no_rights, ERR_AUTH, "has to be allowed to");
	told(no_room, ERR_REMOTE, "No space left on device' (code 75); make");
	told(login_page, ERR_PROTO, "does ClickHouse's HTTP interface listen");
	told(gateway, ERR_IO, "HTTP 502 with an HTML page");
	told(redirect, ERR_PROTO, "leads to 'http://127.0.0.1:1/elsewhere'");
}

static void
half_answers(void)
{
	told(no_end, ERR_PROTO, "ends in the middle");
	told(broken_between, ERR_REMOTE, "'Memory limit (total) exceeded'");
	told(broken_within, ERR_REMOTE, "'Memory limit (total) exceeded: ");
	told(cut, ERR_IO, "cut");
	told(columns, ERR_PROTO, "two columns");
}

static int
measure_one(void *arg, const char *id, const char *text, size_t len,
	    struct err *err)
{
	(void)text;
	(void)err;
	buf_fmt(arg, "%s %zu\n", id, len);
	return 0;
}

static void
long_rows(void)
{
	struct history *h = open_it(&nobody);
	AUTO_BUF struct buf got = BUF_INIT;
	AUTO_FREE char *want =
		mem_fmt(ID_A " %d\n" ID_B " 2\n", HISTORY_RECORD_MAX + 1);
	struct err err = ERR_INIT;
	char a[] = ID_A, b[] = ID_B, *id[] = {a, b};

	badly("SELECT", 1, long_row);
	CHECK(history_read(h, id, 2, measure_one, &got,
			   deadline_in(NULL, 60000), &err) == 0);
	CHECK_STR(got.data, want);
	close_it(h);
}

static void
silent_server(void)
{
	struct history *h = open_it(&nobody);
	struct history_ids list;
	struct err err = ERR_INIT;

	badly("SELECT", 1, silence);
	CHECK(history_list(h, 0, &list, deadline_in(NULL, 200), &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	close_it(h);
}

/* --- adding, disturbed --------------------------------------------------- */

static void
drop(struct fake_reply *r)
{
	fake_text(r, 200, "more than what is sent");
	r->cut_at = 1;
}

static void
add_again(void)
{
	static const char *const calls[] = {"SELECT", "patrol_metrics FORMAT",
					    "patrol_records FORMAT"};

	for (int i = 0; i < 9; i++) {
		struct history *h = open_it(&nobody);
		struct err err = ERR_INIT;
		size_t added;

		srv.database = srv.tables = true;
		badly(calls[i % 3], 1, i < 6 ? drop : gateway);
		srv.bad_effect = i >= 3;
		CHECK(add_all(h, &added, &err) == 0 && added == 3);
		CHECK(srv.here[0] && srv.here[1] && srv.here[2]);
		CHECK(srv.doubles == 0);
		CHECK(srv.metrics > 0);
		close_it(h);
	}
}

static void
add_refused(void)
{
	struct history *h = open_it(&nobody);
	struct err err = ERR_INIT;
	size_t added;

	badly("CREATE TABLE", 1, no_rights);
	srv.database = true;
	CHECK(add_all(h, &added, &err) == -1 && added == 0);
	CHECK_HAS(err.msg, "make its tables");
	CHECK_HAS(err.msg, "has to be allowed to");
	/* A page in place of "done" is no success. */
	srv.tables = true;
	badly("INSERT", 1, login_page);
	CHECK(add_all(h, &added, &err) == -1 && added == 0);
	CHECK_HAS(err.msg, "does ClickHouse's HTTP interface listen");
	CHECK(!srv.here[0]);
	close_it(h);
}

static void
down(void)
{
	struct history *h = open_it(&nobody);
	struct history_ids list;
	struct err err = ERR_INIT;

	fake_stop(&srv.http);
	CHECK(history_list(h, 0, &list, deadline_in(NULL, 20000), &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK_HAS(err.msg, "is the server up");
	history_close(h);
}

/* --- where it is --------------------------------------------------------- */

static void
urls(void)
{
	static const char *const good[] = {
		"http://127.0.0.1:8123/patrol", "https://ch.example/path/a_1",
		"http://[::1]:8123/default", "http://ch:8123/p"};
	static const char *const wrong[] = {
		"",
		"http://127.0.0.1:8123",
		"http://127.0.0.1:8123/",
		"http://h/a`b",
		"http://h/a';DROP",
		"http://h/a b",
		"http://h/1st",
		"http://h/p?user=x",
		"http://h/p#x",
		"ftp://h/p",
		"file:///p",
		"h:8123/p",
		"http:///p",
		"http://h/"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaa",
	};
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		AUTO_FREE char *url = mem_fmt("clickhouse:%s", good[i]);

		CHECK(history_check(url, &err) == 0);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		AUTO_FREE char *url = mem_fmt("clickhouse:%s", wrong[i]);

		err_clear(&err);
		CHECK(history_check(url, &err) == -1);
		CHECK(err.code == ERR_USAGE && err_is(&err, "bad_setting"));
	}
	err_clear(&err);
	CHECK(history_check("clickhouse:http://me:geheim@h/p", &err) == -1);
	CHECK_HAS(err.msg, "PATROL_CLICKHOUSE_PASSWORD");
	CHECK(strstr(err.msg, "geheim") == NULL);
}

CHECK_MAIN(
	CHECK_CASE("the first add makes database and tables, an add that is "
		   "repeated adds nothing",
		   first_add_makes_it),
	CHECK_CASE("records come back byte for byte, without removed ones",
		   records_come_back),
	CHECK_CASE("user and password are in headers, and nowhere else",
		   log_in_headers),
	CHECK_CASE("refusals and strangers' answers are told with their cure",
		   answers_told),
	CHECK_CASE("half an answer is never taken for all of it", half_answers),
	CHECK_CASE("a row of 100 MB is shown cut, and the next one whole",
		   long_rows),
	CHECK_CASE("a silent server is left in time", silent_server),
	CHECK_CASE("an add that is cut is done again, and doubles nothing",
		   add_again),
	CHECK_CASE("an add that is refused says so", add_refused),
	CHECK_CASE("a server that is down is told", down),
	CHECK_CASE("what is no URL of a database is refused, passwords unseen",
		   urls), )
