#include "history/clickhouse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "history/clickhouse_rows.h"
#include "transport/http.h"
#include "transport/http_url.h"

enum {
	NAME_MAX_LEN = 64,
	ANSWER_MAX = 1 << 20, /* of an exception, or a stranger's page */
	HEADERS = 3,
};

/* --- where it is --------------------------------------------------------- */

static bool
is_database(const char *name)
{
	size_t len = strnlen(name, NAME_MAX_LEN + 1);

	if (len == 0 || len > NAME_MAX_LEN || isdigit((unsigned char)*name))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	}
	return true;
}

/* The slash between host and database; NULL: there is none. */
static const char *
last_slash(const char *url)
{
	const char *host = strstr(url, "://");

	return host && host[3] != '/' ? strrchr(host + 3, '/') : NULL;
}

int
clickhouse_check(const char *url, struct err *err)
{
	AUTO_FREE char *origin = http_origin(url);
	const char *slash = last_slash(url);

	if (http_url_has_user(url))
		return err_set(err, ERR_USAGE,
			       "no user and no password belong into the URL; "
			       "set PATROL_CLICKHOUSE_USER and "
			       "PATROL_CLICKHOUSE_PASSWORD");
	if (origin == NULL || strpbrk(url, "?#") ||
	    (strncmp(url, "http://", 7) != 0 &&
	     strncmp(url, "https://", 8) != 0))
		return err_set(err, ERR_USAGE, "'%.200s' is not http(s)", url);
	if (slash == NULL || !is_database(slash + 1))
		return err_set(err, ERR_USAGE,
			       "'%.200s' does not end in a database's name, "
			       "such as http://HOST:8123/patrol",
			       url);
	return 0;
}

void
clickhouse_init(struct clickhouse *c, const char *url, const char *user,
		const struct secret *password)
{
	const char *slash = last_slash(url);

	*c = (struct clickhouse){.user = user, .password = password};
	c->http = http_new(HTTP_PLAIN_ALLOWED);
	c->url = mem_strndup(url, (size_t)(slash - url));
	c->database = mem_strdup(slash + 1);
}

void
clickhouse_done(struct clickhouse *c)
{
	http_free(c->http);
	free(c->url);
	free(c->database);
	*c = (struct clickhouse){.http = NULL};
}

bool
clickhouse_missing(const struct clickhouse *c)
{
	return c->exception == CLICKHOUSE_NO_TABLE ||
	       c->exception == CLICKHOUSE_NO_DATABASE;
}

/* --- refusals ------------------------------------------------------------ */

static int
refused(struct clickhouse *c, const char *words, struct err *err)
{
	enum {
		READ_ONLY = 164,
		UNKNOWN_USER = 192,
		WRONG_PASSWORD = 193,
		NO_PASSWORD = 194,
		CANNOT_WRITE = 75,
		NO_SPACE = 243,
		DATABASE_DENIED = 291,
		DENIED = 497,
		NO_LOGIN = 516,
	};

	err_set(err, ERR_REMOTE, "the server refuses: '%s' (code %d)", words,
		c->exception);
	switch (c->exception) {
	case UNKNOWN_USER:
	case WRONG_PASSWORD:
	case NO_PASSWORD:
	case NO_LOGIN:
		err->code = ERR_AUTH;
		return err_hint(err, "look at PATROL_CLICKHOUSE_USER and "
				     "PATROL_CLICKHOUSE_PASSWORD");
	case READ_ONLY:
	case DATABASE_DENIED:
	case DENIED:
		err->code = ERR_AUTH;
		return err_hint(err,
				"the user '%.60s' has to be allowed to read, "
				"insert, create and alter in the database %s",
				c->user ? c->user : "default", c->database);
	case NO_SPACE:
	case CANNOT_WRITE:
		return err_hint(err, "make room on the server");
	default:
		return -1;
	}
}

/* An answer that is no success. */
static int
judge(struct clickhouse *c, const struct http_response *r, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT;

	c->exception =
		clickhouse_rows_exception(r->body.data, r->body.len, &words);
	if (c->exception)
		return refused(c, words.data, err);
	http_describe_body(r, &words);
	err_set(err, ERR_PROTO, "HTTP %d with %s", r->status, words.data);
	if (r->status == 401 || r->status == 403)
		err->code = ERR_AUTH;
	if (r->location)
		return err_hint(err, "it leads to '%.200s'; name that",
				r->location);
	if (r->status >= 500) {
		err->code = ERR_IO;
		return err_hint(err, "is the server behind it down?");
	}
	return err_hint(err, "does ClickHouse's HTTP interface listen there?");
}

/* --- requests ------------------------------------------------------------ */

/* "Name: value"; free() it after wiping.  NULL: no value. */
static int
header(char **out, const char *name, const char *value, const char *setting,
       struct err *err)
{
	*out = NULL;
	if (value == NULL)
		return 0;
	for (const char *p = value; *p; p++) {
		if (iscntrl((unsigned char)*p))
			return err_set(err, ERR_INPUT,
				       "%s has a line break or another "
				       "control character in it",
				       setting);
	}
	*out = mem_fmt("%s: %s", name, value);
	return 0;
}

static void
wipe(char **line)
{
	if (*line)
		explicit_bzero(*line, strlen(*line));
	free(*line);
}

static int
post(struct clickhouse *c, struct http_request *req, struct http_response *r,
     struct deadline dl, struct err *err)
{
	AUTO_FREE char *url = mem_fmt("%s/", c->url);
	__attribute__((cleanup(wipe))) char *user = NULL;
	__attribute__((cleanup(wipe))) char *key = NULL;
	const char *password = c->password ? c->password->value : NULL;
	/* A password without a user is not taken for the default's. */
	const char *name = c->user || !password ? c->user : "default";
	const char *lines[HEADERS] = {NULL};
	size_t n = 0;

	c->exception = 0;
	if (header(&user, "X-ClickHouse-User", name, "PATROL_CLICKHOUSE_USER",
		   err) ||
	    header(&key, "X-ClickHouse-Key", password,
		   "PATROL_CLICKHOUSE_PASSWORD", err))
		return -1;
	if (user)
		lines[n++] = user;
	if (key)
		lines[n++] = key;
	req->method = "POST";
	req->url = url;
	req->headers = lines;
	req->content_type = "text/plain; charset=utf-8";
	if (http_do(c->http, req, r, dl, err) == 0)
		return 0;
	if (err->code == ERR_IO)
		(void)err_hint(err, "is the server up, and is the URL right?");
	return -1;
}

int
clickhouse_do(struct clickhouse *c, const struct buf *statement,
	      struct deadline dl, struct err *err)
{
	struct http_request req = {.body = statement->data,
				   .body_len = statement->len};
	struct http_response r;
	int rc;

	http_response_init(&r, ANSWER_MAX);
	rc = post(c, &req, &r, dl, err);
	if (rc == 0 && (r.status != 200 || r.body.len))
		rc = judge(c, &r, err);
	http_response_done(&r);
	return rc;
}

static int
feed(void *arg, const void *data, size_t len, struct err *err)
{
	return clickhouse_rows_feed(arg, data, len, err);
}

int
clickhouse_select(struct clickhouse *c, const char *select, history_see *see,
		  void *arg, struct deadline dl, struct err *err)
{
	AUTO_FREE char *text =
		mem_fmt("SELECT id, text FROM (%s UNION ALL "
			"SELECT '" CLICKHOUSE_ROWS_END "' AS id, '' AS text) "
			"ORDER BY id FORMAT TabSeparated",
			select);
	struct clickhouse_rows rows;
	struct http_request req = {.body = text,
				   .body_len = strlen(text),
				   .sink = feed,
				   .sink_arg = &rows};
	struct http_response r;
	int rc;

	http_response_init(&r, ANSWER_MAX);
	clickhouse_rows_init(&rows, HISTORY_RECORD_MAX, see, arg);
	rc = post(c, &req, &r, dl, err);
	if (rc == 0 && r.status != 200)
		rc = judge(c, &r, err);
	else if (rc == 0)
		rc = clickhouse_rows_finish(&rows, err);
	clickhouse_rows_done(&rows);
	http_response_done(&r);
	return rc;
}
