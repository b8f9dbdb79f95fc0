#include "github/github.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "transport/http_url.h"

enum {
	CALL_MS = 30000,
	RETRIES = 4,
	BACKOFF_MS = 500,
	RATE_RETRIES = 2,
	WRITE_GAP_MS = 1000, /* GitHub asks for it between two writes */
	MAX_HOPS = 5,
	RATE_MAX_S = 3600, /* a reset later than that is a wrong clock */
};

static const char token_cure[] =
	"give the step `env: GITHUB_TOKEN: ${{ github.token }}` and the job "
	"`permissions: ";

static bool
is_name(const char *s, size_t len)
{
	if (len == 0 || len > 100 ||
	    (s[0] == '.' && len < 3 && s[len - 1] == '.'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("._-", s[i]))
			return false;
	return true;
}

int
github_init(struct github *g, const char *api_url, const char *repository,
	    const struct secret *token, struct err *err)
{
	const char *slash = repository ? strchr(repository, '/') : NULL;
	AUTO_FREE char *origin = NULL;
	size_t len;

	memset(g, 0, sizeof(*g));
	if (!slash || !is_name(repository, (size_t)(slash - repository)) ||
	    !is_name(slash + 1, strlen(slash + 1)))
		return err_set(err, ERR_INPUT,
			       "'%s' is not a repository; set "
			       "GITHUB_REPOSITORY to OWNER/NAME",
			       repository ? repository : "");
	if (!api_url || !*api_url)
		api_url = "https://api.github.com";
	origin = http_origin(api_url);
	if (origin && strncmp(origin, "https:", 6) != 0 &&
	    !http_url_is_loopback(api_url))
		return err_set(err, ERR_INPUT,
			       "GITHUB_API_URL '%s' would send the token in "
			       "the clear; it must be https",
			       api_url);
	if (origin && http_url_has_user(api_url))
		return err_set(err, ERR_INPUT,
			       "GITHUB_API_URL has a user name or a password "
			       "in it; take it out and set GITHUB_TOKEN");
	if (!origin || strpbrk(api_url, "?#"))
		return err_set(err, ERR_INPUT,
			       "GITHUB_API_URL '%.200s' is not a URL such as "
			       "https://api.github.com or "
			       "https://HOST/api/v3",
			       api_url);
	len = strlen(api_url);
	while (len && api_url[len - 1] == '/')
		len--;
	g->api = mem_strndup(api_url, len);
	g->repository = mem_strdup(repository);
	g->token = token;
	g->http = http_new(HTTP_PLAIN_LOOPBACK);
	g->storage = http_new(HTTP_PLAIN_LOOPBACK);
	return 0;
}

void
github_done(struct github *g)
{
	http_free(g->http);
	http_free(g->storage);
	free(g->api);
	free(g->repository);
	memset(g, 0, sizeof(*g));
}

/* The token goes to the API's origin and to no other. */
static bool
same_origin(const struct github *g, const char *url)
{
	AUTO_FREE char *ours = http_origin(g->api);
	AUTO_FREE char *theirs = http_origin(url);

	return theirs && strcmp(ours, theirs) == 0;
}

int
github_once(struct github *g, const char *method, const char *path,
	    const char *body, struct http_response *r, struct deadline dl,
	    struct err *err)
{
	static const char *const headers[] = {
		"Accept: application/vnd.github+json",
		"X-GitHub-Api-Version: 2022-11-28", NULL};
	struct http_request req = {
		.method = method, .headers = headers, .bearer = g->token};
	AUTO_FREE char *url = NULL;

	g->status = 0;
	if (*path == '/')
		url = mem_fmt("%s%s", g->api, path);
	else if (same_origin(g, path))
		url = mem_strdup(path);
	else
		return err_set(
			err, ERR_PROTO,
			"GitHub's answer leads to another host, '%.200s'",
			path);
	req.url = url;
	if (body) {
		req.body = body;
		req.body_len = strlen(body);
		req.content_type = "application/json";
	}
	if (http_do(g->http, &req, r,
		    deadline_cap(dl, g->call_ms ? g->call_ms : CALL_MS), err))
		return -1;
	g->status = r->status;
	return 0;
}

/* GitHub's own sentence, or what came instead. */
static void
add_words(struct buf *b, const struct http_response *r)
{
	AUTO_JSON cJSON *json = NULL;
	struct err bad = ERR_INIT;
	const char *text;

	buf_fmt(b, "HTTP %d", r->status);
	if (json_parse(r->body.data, r->body.len, "answer", &json, &bad)) {
		buf_str(b, ", ");
		http_describe_body(r, b);
		return;
	}
	text = json_str(json, "message", NULL);
	if (text) {
		buf_str(b, " '");
		buf_escaped(b, text, strnlen(text, 200));
		buf_chr(b, '\'');
	}
	text = json_str(cJSON_GetArrayItem(json_get(json, "errors"), 0),
			"message", NULL);
	if (text) {
		buf_str(b, ", '");
		buf_escaped(b, text, strnlen(text, 200));
		buf_chr(b, '\'');
	}
}

static int
rate_limited(struct github *g, const char *what, struct err *err)
{
	time_t at = (time_t)g->limited_until;
	struct tm tm;
	char text[32] = "?";

	if (gmtime_r(&at, &tm))
		(void)strftime(text, sizeof(text), "%H:%M UTC", &tm);
	err_set(err, ERR_REMOTE, "%s: GitHub's rate limit is used up until %s",
		what, text);
	return err_reason(err, "rate_limited");
}

int
github_refused(struct github *g, const struct http_response *r,
	       const char *what, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT_MAX(500);
	const char *needs = g->permission ? g->permission : "actions: read";
	bool token = g->token && g->token->value;

	if (github_rate_wait(g, r, (int64_t)time(NULL)) != -1)
		return rate_limited(g, what, err);
	add_words(&words, r);
	switch (r->status) {
	case 401:
		err_set(err, ERR_AUTH, "%s: %s", what, words.data);
		(void)err_reason(err, "bad_token");
		if (!token)
			return err_hint(err, "%s%s`", token_cure, needs);
		return err_hint(err, "GITHUB_TOKEN has expired or is of "
				     "another server");
	case 403:
		err_set(err, ERR_AUTH, "%s: %s", what, words.data);
		(void)err_reason(err, "forbidden");
		return err_hint(err, "%s%s`", token_cure, needs);
	case 404:
		err_set(err, ERR_NOTFOUND, "%s: %s", what, words.data);
		return err_hint(err,
				"it does not exist in '%s', or the token may "
				"not see it: %s%s`",
				g->repository, token_cure, needs);
	case 410:
		err_set(err, ERR_NOTFOUND, "%s: %s", what, words.data);
		return err_reason(err, "gone");
	default:
		break;
	}
	if (r->status >= 300 && r->status < 400) {
		err_set(err, ERR_PROTO, "%s: HTTP %d leads elsewhere", what,
			r->status);
		return err_hint(err, "was the repository renamed? set "
				     "GITHUB_REPOSITORY");
	}
	if (r->status < 300) {
		err_set(err, ERR_PROTO, "%s: no JSON of GitHub: %s", what,
			words.data);
		return err_hint(err, "check GITHUB_API_URL");
	}
	return err_set(err, ERR_REMOTE, "%s: %s", what, words.data);
}

/* A limit that GitHub tells in words alone. */
static bool
tells_rate_limit(const struct http_response *r)
{
	return strcasestr(r->body.data, "rate limit") != NULL ||
	       strcasestr(r->body.data, "abuse detection") != NULL;
}

int64_t
github_rate_wait(struct github *g, const struct http_response *r, int64_t now)
{
	int64_t wait;

	if (r->status != 403 && r->status != 429)
		return -1;
	if (r->retry_after_s >= 0) {
		wait = r->retry_after_s;
	} else if (r->rate_remaining == 0) {
		wait = r->rate_reset < 0 ? GITHUB_MAX_WAIT_S
					 : r->rate_reset - now + 1;
	} else if (r->status == 429 || tells_rate_limit(r)) {
		wait = GITHUB_MAX_WAIT_S;
	} else {
		return -1;
	}
	/* Clocks differ, and headers may be nonsense. */
	if (wait < 1)
		wait = 1;
	if (wait > RATE_MAX_S)
		wait = RATE_MAX_S;
	g->limited_until = now + wait;
	return wait <= GITHUB_MAX_WAIT_S ? wait : -2;
}

/* Milliseconds until the same request is worth repeating; -1: it is not. */
static int64_t
repeat_in(struct github *g, const struct http_response *r, bool is_read,
	  int tries)
{
	int64_t wait;

	if (r->status == 0 || r->status >= 500)
		return is_read && tries < RETRIES ? (int64_t)BACKOFF_MS << tries
						  : -1;
	wait = github_rate_wait(g, r, (int64_t)time(NULL));
	return wait > 0 && tries < RATE_RETRIES ? wait * 1000 : -1;
}

/* With retries, until an answer of 2xx or 3xx. */
static int
request(struct github *g, const char *method, const char *path,
	const char *body, struct http_response *r, struct deadline dl,
	struct err *err)
{
	bool is_read = strcmp(method, "GET") == 0;

	for (int tries = 0;; tries++) {
		struct err last = ERR_INIT;
		int64_t wait_ms;
		int rc = github_once(g, method, path, body, r, dl, &last);

		if (rc == 0 && r->status >= 200 && r->status < 400)
			return 0;
		if (rc == 0)
			(void)github_refused(g, r, method, &last);
		else
			r->status = 0; /* what was cut is no answer */
		wait_ms = repeat_in(g, r, is_read, tries);
		if (last.code == ERR_CANCELLED || last.code == ERR_INPUT ||
		    (rc && last.code == ERR_PROTO) || wait_ms < 0 ||
		    wait_ms >= deadline_left_ms(dl)) {
			*err = last;
			return -1;
		}
		if (deadline_pause(dl, wait_ms, err))
			return -1;
	}
}

static int
parse_body(struct github *g, const struct http_response *r, const char *what,
	   cJSON **out, struct err *err)
{
	struct err bad = ERR_INIT;

	if (json_parse(r->body.data, r->body.len, "GitHub's answer", out,
		       &bad) == 0)
		return 0;
	return github_refused(g, r, what, err);
}

/* What 302 says: ask there, or the address that was asked for. */
enum found { FOUND_LEADS_ON, FOUND_IS_ANSWER };

/* A renamed repository has moved, on the API's own origin only. */
static bool
has_moved(const struct github *g, const struct http_response *r,
	  enum found found)
{
	if (r->status < 300 || (r->status == 302 && found == FOUND_IS_ANSWER))
		return false;
	return r->location && same_origin(g, r->location);
}

/* A GET at the place where the repository is now. */
static int
read_at(struct github *g, const char *path, enum found found,
	struct http_response *r, struct deadline dl, struct err *err)
{
	AUTO_FREE char *at = mem_strdup(path);

	for (int hop = 0;; hop++) {
		if (request(g, "GET", at, NULL, r, dl, err))
			return -1;
		if (hop == MAX_HOPS || !has_moved(g, r, found))
			return 0;
		free(at);
		at = mem_strdup(r->location);
	}
}

int
github_get(struct github *g, const char *path, cJSON **out, char **next,
	   struct deadline dl, struct err *err)
{
	struct http_response r;
	int rc = -1;

	http_response_init(&r, GITHUB_MAX_BODY);
	if (read_at(g, path, FOUND_LEADS_ON, &r, dl, err))
		goto out;
	if (r.status >= 300) {
		github_refused(g, &r, "GET", err);
		goto out;
	}
	if (next && r.link_next && !same_origin(g, r.link_next)) {
		err_set(err, ERR_PROTO,
			"the next page is on another host, '%.200s'",
			r.link_next);
		goto out;
	}
	if (parse_body(g, &r, "GET", out, err))
		goto out;
	if (next) {
		*next = r.link_next;
		r.link_next = NULL;
	}
	rc = 0;
out:
	http_response_done(&r);
	if (rc)
		return err_wrap(err, "GitHub '%s'", path);
	return 0;
}

/*
 * What people read.  Not the names of branches and labels: a weak password may
 * be a word of those.
 */
static char *
clean_text(const cJSON *body)
{
	static const char *const shown[] = {"title", "body"};
	AUTO_JSON cJSON *o = cJSON_Duplicate(body, true);

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		const char *text = json_str(o, shown[i], NULL);
		AUTO_FREE char *clean = text ? secret_redacted(text) : NULL;

		if (clean)
			json_set_str(o, shown[i], clean);
	}
	return json_text(o);
}

int
github_send(struct github *g, const char *method, const char *path,
	    const cJSON *body, cJSON **out, struct deadline dl, struct err *err)
{
	AUTO_FREE char *text = body ? clean_text(body) : NULL;
	int64_t gap_us = g->wrote_us + WRITE_GAP_MS * 1000 - deadline_now_us();
	AUTO_JSON cJSON *answer = NULL;
	struct http_response r;
	int rc;

	if (g->wrote_us && gap_us > 0 &&
	    deadline_pause(dl, (gap_us + 999) / 1000, err))
		return -1;
	http_response_init(&r, GITHUB_MAX_BODY);
	rc = request(g, method, path, text, &r, dl, err);
	g->wrote_us = deadline_now_us();
	if (rc == 0 && r.status >= 300)
		rc = github_refused(g, &r, method, err);
	/* Also when nobody wants it: a page of another server did nothing. */
	if (rc == 0 && r.body.len)
		rc = parse_body(g, &r, method, &answer, err);
	http_response_done(&r);
	if (rc)
		return err_wrap(err, "GitHub '%s'", path);
	if (out) {
		*out = answer;
		answer = NULL;
	}
	return 0;
}

char *
github_path(const struct github *g, const char *tail)
{
	return mem_fmt("/repos/%s%s", g->repository, tail);
}

int
github_ask(struct github *g, const char *needs, const char *path, cJSON **out,
	   char **next, struct deadline dl, struct err *err)
{
	const char *before = g->permission;
	int rc;

	g->permission = needs;
	rc = github_get(g, path, out, next, dl, err);
	g->permission = before;
	return rc;
}

int
github_tell(struct github *g, const char *needs, const char *method,
	    const char *tail, const cJSON *body, cJSON **out,
	    struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = github_path(g, tail);
	const char *before = g->permission;
	int rc;

	g->permission = needs;
	rc = github_send(g, method, path, body, out, dl, err);
	g->permission = before;
	return rc;
}

int
github_location(struct github *g, const char *path, char **location,
		struct deadline dl, struct err *err)
{
	struct http_response r;
	int rc;

	http_response_init(&r, GITHUB_MAX_BODY);
	rc = read_at(g, path, FOUND_IS_ANSWER, &r, dl, err);
	if (rc == 0 && has_moved(g, &r, FOUND_IS_ANSWER))
		rc = github_refused(g, &r, "GET", err);
	if (rc == 0 && (r.status < 300 || !r.location))
		rc = err_set(err, ERR_PROTO,
			     "HTTP %d without an address to download from",
			     r.status);
	if (rc == 0) {
		*location = r.location;
		r.location = NULL;
	}
	http_response_done(&r);
	if (rc)
		return err_wrap(err, "GitHub '%s'", path);
	return 0;
}
