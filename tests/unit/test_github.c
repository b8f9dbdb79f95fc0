#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "github/github_artifact.h"
#include "github/github_compare.h"
#include "github/github_run.h"
#include "tests/unit/check.h"
#include "tests/unit/fake_http.h"

enum { BODY = 300000 };
static char body[BODY];

/* GitHub's API and the storage it sends us to, and what goes wrong. */
struct hub {
	struct fake_http api, storage;
	int get_status, get_count; /* the next reads */
	const char *headers;
	const char *text; /* body of those */
	const char *run;  /* a run's JSON */
	int storage_status, storage_count;
	int cut, stall, flip; /* so many downloads */
	bool no_ranges, hops, foreign_next;
	bool renamed; /* to repository 5 */
	int location_count;
	char digest[80];
	char next[256], location[256];
};

static void
artifacts(struct hub *h, const struct fake_request *q, struct fake_reply *r)
{
	if (strstr(q->path, "&name=")) {
		fake_text(r, 200, "{\"total_count\":0,\"artifacts\":[]}");
		if (strstr(q->path, "name=game"))
			fake_text(r, 200,
				  "{\"artifacts\":[{\"id\":9007199254740,"
				  "\"name\":\"game\",\"digest\":%s,"
				  "\"size_in_bytes\":300000,\"expired\":false}"
				  "]}",
				  h->digest);
	} else if (strstr(q->path, "page=2")) {
		fake_text(r, 200,
			  "{\"artifacts\":[{\"id\":2,\"name\":\"build-apk\","
			  "\"digest\":null,\"expires_at\":null}]}");
	} else {
		snprintf(h->next, sizeof(h->next),
			 "Link: <%s/api/v3/repos/o/r/actions/runs/1/artifacts"
			 "?per_page=100&page=2>; rel=\"next\"\r\n",
			 h->foreign_next ? h->storage.url : h->api.url);
		r->headers = h->next;
		fake_text(r, 200,
			  "{\"artifacts\":[{\"id\":1,\"name\":\"log\"},"
			  "{\"id\":3,\"name\":\"old\",\"expired\":true,"
			  "\"expires_at\":\"2024-02-03T00:00:00Z\"}]}");
	}
}

static void
on_api(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	struct hub *h = arg;

	if (h->get_count > 0) {
		h->get_count--;
		r->headers = h->headers;
		if (h->text && *h->text == '<')
			r->type = "text/html";
		fake_text(r, h->get_status, "%s", h->text ? h->text : "{}");
	} else if (h->renamed && strncmp(q->path, "/api/v3/repos/", 14) == 0) {
		snprintf(h->location, sizeof(h->location),
			 "Location: %s/api/v3/repositories/5%s\r\n", h->api.url,
			 q->path + strlen("/api/v3/repos/o/r"));
		r->headers = h->location;
		fake_text(r, 301, "{\"message\":\"Moved Permanently\"}");
	} else if (strncmp(q->path,
			   h->renamed ? "/api/v3/repositories/5/"
				      : "/api/v3/repos/o/r/",
			   h->renamed ? 23 : 18) != 0 ||
		   !strcasestr(q->head, "\r\nAuthorization: Bearer ghs_") ||
		   !strcasestr(q->head, "X-GitHub-Api-Version: 2022-11-28") ||
		   !strcasestr(q->head, "User-Agent: patrol")) {
		fake_text(r, 404, "{\"message\":\"Not Found\"}");
	} else if (strstr(q->path, "/zip")) {
		snprintf(h->location, sizeof(h->location),
			 "Location: %s/signed-%d?sig=SECRET\r\n",
			 h->storage.url, ++h->location_count);
		r->headers = h->location;
		fake_text(r, 302, "{}");
	} else if (strstr(q->path, "/artifacts")) {
		artifacts(h, q, r);
	} else if (strstr(q->path, "/compare/")) {
		fake_text(r, 200,
			  "{\"status\":\"ahead\",\"total_commits\":1,"
			  "\"commits\":[{\"sha\":\"abc\",\"commit\":"
			  "{\"message\":\"one\\n\\ntwo\",\"author\":"
			  "{\"name\":\"N\"}},\"author\":null}]}");
	} else if (strcmp(q->method, "POST") == 0) {
		fake_text(r, 201, "{\"number\":7}");
	} else {
		fake_text(r, 200, "%s", h->run);
	}
}

static void
on_storage(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	static char flipped[BODY];
	struct hub *h = arg;
	const char *range = strcasestr(q->head, "\r\nrange: bytes=");
	long from = range ? strtol(range + 15, NULL, 10) : 0;

	if (strcasestr(q->head, "\r\nauthorization:")) {
		fake_text(r, 400, "<Error><Code>InvalidArgument</Code>");
	} else if (h->hops) {
		r->headers = "Location: /again\r\n";
		fake_text(r, 302, " ");
	} else if (h->storage_count > 0) {
		h->storage_count--;
		r->type = "application/xml";
		fake_text(r, h->storage_status,
			  "<Error><Code>AccessDenied</Code>");
	} else {
		if (h->no_ranges)
			from = 0;
		r->type = "application/zip; x=y";
		r->status = from ? 206 : 200;
		r->body = body + from;
		r->body_len = (size_t)(BODY - from);
		if (h->flip-- > 0) {
			memcpy(flipped, body, BODY);
			flipped[1000] ^= 1;
			r->body = flipped;
		}
		if (h->cut-- > 0)
			r->cut_at = BODY / 4;
		else if (h->stall-- > 0)
			r->stall_at = BODY / 8;
	}
}

struct bench {
	struct hub hub;
	struct secret token;
	struct github g;
	struct err err;
	char dir[64], path[128];
};

static void
start(struct bench *b)
{
	char url[128];

	/* Once: another bench may be sending it. */
	for (int i = 0; i < BODY && !body[BODY - 1]; i++)
		body[i] = (char)(i * 7 % 251);
	b->token = (struct secret)SECRET_INIT;
	secret_set(&b->token, "ghs_secrettoken");
	fake_start(&b->hub.storage, on_storage, &b->hub);
	fake_start(&b->hub.api, on_api, &b->hub);
	snprintf(url, sizeof(url), "%s/api/v3/", b->hub.api.url);
	CHECK(github_init(&b->g, url, "o/r", &b->token, &b->err) == 0);
	snprintf(b->dir, sizeof(b->dir), "/tmp/test_github.XXXXXX");
	CHECK(mkdtemp(b->dir) != NULL);
	snprintf(b->path, sizeof(b->path), "%s/a.zip", b->dir);
	snprintf(b->hub.digest, sizeof(b->hub.digest), "null");
}

static void
stop(struct bench *b)
{
	struct err err = ERR_INIT;

	github_done(&b->g);
	fake_stop(&b->hub.api);
	fake_stop(&b->hub.storage);
	secret_done(&b->token);
	CHECK(file_remove_tree(b->dir, &err) == 0);
}

static struct deadline
in(int64_t ms)
{
	return deadline_in(NULL, ms);
}

static void
run_with_nulls(void)
{
	struct bench b = {
		.hub.run = "{\"id\":30000000001,\"head_sha\":\"f00\","
			   "\"status\":\"completed\",\"conclusion\":null,"
			   "\"head_branch\":null,\"name\":null,\"new\":{},"
			   "\"run_attempt\":2,\"html_url\":\"https://h/r\"}"};
	struct github_run run;

	start(&b);
	CHECK(github_run_get(&b.g, "30000000001", &run, in(5000), &b.err) == 0);
	CHECK_STR(run.id, "30000000001");
	CHECK(!run.head_branch && !run.conclusion && run.attempt == 2);
	CHECK(github_run_judge(&run, NULL) == GITHUB_RUN_OPEN);
	CHECK(github_run_judge(&run, "30000000001") == GITHUB_RUN_OWN);
	github_run_done(&run);
	CHECK(github_run_get(&b.g, "1/../2", &run, in(5000), &b.err) == -1);
	CHECK(b.err.code == ERR_INPUT);
	stop(&b);
}

static void
run_that_goes_on(void)
{
	struct bench b = {.hub.run = "{\"id\":1,\"head_sha\":\"f\","
				     "\"status\":\"in_progress\"}"};
	struct github_run run;

	start(&b);
	CHECK(github_run_wait(&b.g, "1", "2", &run, in(1500), &b.err) == -1);
	CHECK(b.err.code == ERR_TIMEOUT);
	CHECK_STR(b.err.reason, "run_not_completed");
	err_clear(&b.err);
	CHECK(github_run_wait(&b.g, "1", "1", &run, in(1500), &b.err) == 0);
	github_run_done(&run);
	stop(&b);
}

static void
html_502_is_repeated(void)
{
	struct bench b = {.hub = {.get_status = 502,
				  .get_count = 2,
				  .text = "<html>Unicorn!</html>",
				  .run = "{\"id\":1,\"head_sha\":\"f\","
					 "\"status\":\"completed\","
					 "\"conclusion\":\"success\"}"}};
	struct github_run run;

	start(&b);
	CHECK(github_run_get(&b.g, "1", &run, in(9000), &b.err) == 0);
	CHECK(github_run_judge(&run, NULL) == GITHUB_RUN_SUCCESS);
	github_run_done(&run);
	CHECK(fake_count(&b.hub.api, "GET") == 3);
	b.hub.get_count = 1;
	b.hub.get_status = 200;
	CHECK(github_run_get(&b.g, "1", &run, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_PROTO);
	CHECK_HAS(b.err.msg, "HTML");
	stop(&b);
}

static void
short_limits_are_waited_for(void)
{
	struct bench b = {.hub = {.get_status = 403,
				  .get_count = 1,
				  .headers = "Retry-After: 1\r\n",
				  .text = "{\"message\":\"You have exceeded "
					  "a secondary rate limit\"}"}};
	AUTO_JSON cJSON *body_json = json_obj();
	AUTO_JSON cJSON *out = NULL;
	int64_t at;

	start(&b);
	at = deadline_now_us();
	json_set_str(body_json, "title", "t");
	CHECK(github_send(&b.g, "POST", "/repos/o/r/issues", body_json, &out,
			  in(9000), &b.err) == 0);
	CHECK(deadline_now_us() - at >= 1000000);
	CHECK(json_int(out, "number", 0) == 7);
	/* At least a second between two writes. */
	CHECK(github_send(&b.g, "POST", "/repos/o/r/issues", body_json, NULL,
			  in(9000), &b.err) == 0);
	CHECK(deadline_now_us() - at >= 2000000);
	stop(&b);
}

static void
long_limits_are_an_error(void)
{
	char headers[128];
	struct bench b = {
		.hub = {.get_status = 403, .get_count = 9, .headers = headers}};
	struct github_run run;

	snprintf(headers, sizeof(headers),
		 "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: %lld\r\n",
		 (long long)time(NULL) + 3000);
	start(&b);
	CHECK(github_run_get(&b.g, "1", &run, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_REMOTE);
	CHECK_STR(b.err.reason, "rate_limited");
	CHECK_HAS(b.err.msg, "UTC");
	CHECK(fake_count(&b.hub.api, "GET") == 1);
	stop(&b);
}

static void
nonsense_limits_are_clamped(void)
{
	static const struct {
		int status;
		int64_t retry, remaining, reset, wait;
	} cases[] = {
		{200, -1, 0, 5000, -1},	     {403, -1, -1, -1, -1},
		{403, 3, -1, -1, 3},	     {403, 0, -1, -1, 1},
		{429, -1, -1, -1, 60},	     {403, -1, 0, 900, 1},
		{403, -1, 0, 1010, 11},	     {403, -1, 0, -1, 60},
		{403, -1, 0, 300000000, -2}, {429, 3600, -1, -1, -2},
	};
	struct github g = {.status = 0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct http_response r;

		http_response_init(&r, 1000);
		r.status = cases[i].status;
		r.retry_after_s = cases[i].retry;
		r.rate_remaining = cases[i].remaining;
		r.rate_reset = cases[i].reset;
		CHECK(github_rate_wait(&g, &r, 1000) == cases[i].wait);
		CHECK(g.limited_until <= 1000 + 3600);
		http_response_done(&r);
	}
}

static void
page_two_has_it(void)
{
	struct bench b = {.hub.run = ""};
	struct github_artifact a;

	start(&b);
	CHECK(github_artifact_find(&b.g, "1", "*-apk", &a, in(9000), &b.err) ==
	      0);
	CHECK_STR(a.id, "2");
	CHECK(!a.digest && !a.expires_at && a.size_bytes == -1);
	github_artifact_done(&a);
	CHECK(github_artifact_find(&b.g, "1", "game", &a, in(9000), &b.err) ==
	      0);
	CHECK_STR(a.id, "9007199254740");
	github_artifact_done(&a);
	CHECK(github_artifact_find(&b.g, "1", "nope", &a, in(9000), &b.err) ==
	      -1);
	CHECK(b.err.code == ERR_NOTFOUND);
	CHECK_STR(b.err.reason, "no_artifact");
	CHECK_HAS(b.err.msg, "'log', 'old', 'build-apk'");
	err_clear(&b.err);
	CHECK(github_artifact_find(&b.g, "1", "ol?", &a, in(9000), &b.err) ==
	      -1);
	CHECK_STR(b.err.reason, "artifact_expired");
	CHECK_HAS(b.err.msg, "2024-02-03");
	err_clear(&b.err);
	CHECK(github_artifact_find(&b.g, "1", NULL, &a, in(9000), &b.err) ==
	      -1);
	CHECK(b.err.code == ERR_INPUT);
	CHECK_STR(b.err.reason, "several_artifacts");
	stop(&b);
}

static void
next_page_elsewhere(void)
{
	struct bench b = {.hub.foreign_next = true};
	struct github_artifact a;

	start(&b);
	CHECK(github_artifact_find(&b.g, "1", "*-apk", &a, in(9000), &b.err) ==
	      -1);
	CHECK(b.err.code == ERR_PROTO);
	CHECK(fake_count(&b.hub.storage, "") == 0);
	stop(&b);
}

/* A download with one fault; checks what every good one has. */
static int
download(struct bench *b, const char *digest)
{
	struct github_artifact a = {.id = (char *)"5",
				    .name = (char *)"game",
				    .digest = (char *)digest,
				    .size_bytes = BODY};
	struct github_artifact_file f;
	struct buf got;
	int rc;

	b->g.stall_ms = 300;
	rc = github_artifact_download(&b->g, &a, b->path, NULL, NULL, &f,
				      in(9000), &b->err);
	CHECK(fake_count(&b->hub.storage, "GET") ==
	      fake_count(&b->hub.storage, "GET /"));
	for (int i = 0; i < b->hub.storage.log_count; i++)
		CHECK(!strstr(b->hub.storage.log[i], "+auth"));
	if (rc) {
		struct stat st;

		CHECK(stat(b->path, &st) == -1); /* no half file */
		return -1;
	}
	buf_init(&got, BODY + 1);
	CHECK(file_read(b->path, &got, &b->err) == 0);
	CHECK(got.len == BODY && memcmp(got.data, body, BODY) == 0);
	CHECK(f.bytes == BODY && f.verified == (digest != NULL));
	CHECK_STR(f.content_type, "application/zip");
	buf_done(&got);
	github_artifact_file_done(&f);
	return 0;
}

static const char *
right_digest(void)
{
	static char hex[65];
	struct bench b = {.hub.run = ""};
	struct github_artifact a = {
		.id = (char *)"5", .name = (char *)"g", .size_bytes = -1};
	struct github_artifact_file f;

	if (*hex)
		return hex;
	start(&b);
	CHECK(github_artifact_download(&b.g, &a, b.path, NULL, NULL, &f,
				       in(9000), &b.err) == 0);
	memcpy(hex, f.sha256, sizeof(hex));
	github_artifact_file_done(&f);
	stop(&b);
	return hex;
}

static void
renamed_repository(void)
{
	struct bench b = {.hub = {.renamed = true,
				  .run = "{\"id\":1,\"head_sha\":\"f\","
					 "\"status\":\"completed\"}"}};
	struct github_run run;

	start(&b);
	REQUIRE(github_run_get(&b.g, "1", &run, in(9000), &b.err) == 0);
	github_run_done(&run);
	CHECK(download(&b, NULL) == 0);
	if (b.err.code)
		printf("# %s\n", b.err.msg);
	stop(&b);
}

static void
plain_download(void)
{
	struct bench b = {.hub.run = ""};

	start(&b);
	CHECK(download(&b, NULL) == 0);
	CHECK(download(&b, right_digest()) == 0);
	CHECK(fake_count(&b.hub.api, "GET") == 2);
	stop(&b);
}

static void
expired_url(void)
{
	struct bench b = {.hub = {.storage_status = 403, .storage_count = 2}};

	start(&b);
	CHECK(download(&b, right_digest()) == 0);
	/* Each try with an address of its own. */
	CHECK(fake_count(&b.hub.storage, "GET /signed-1?") == 1);
	CHECK(fake_count(&b.hub.storage, "GET /signed-3?") == 1);
	stop(&b);
}

static void
always_expired_url(void)
{
	struct bench b = {
		.hub = {.storage_status = 403, .storage_count = 1000}};

	start(&b);
	CHECK(download(&b, NULL) == -1);
	CHECK(b.err.code == ERR_REMOTE);
	CHECK_STR(b.err.reason, "signed_url_expired");
	CHECK_HAS(b.err.msg, "AccessDenied");
	CHECK(!strstr(b.err.msg, "SECRET"));
	CHECK(fake_count(&b.hub.storage, "GET") < 20);
	stop(&b);
}

static void
cut_and_stalled(void)
{
	for (int i = 0; i < 4; i++) {
		struct bench b = {.hub = {.cut = i & 1 ? 2 : 0,
					  .stall = i & 1 ? 0 : 1,
					  .no_ranges = i >= 2}};

		start(&b);
		CHECK(download(&b, right_digest()) == 0);
		stop(&b);
	}
}

static void
wrong_bytes(void)
{
	struct bench b = {.hub.flip = 1};

	start(&b);
	CHECK(download(&b, right_digest()) == 0); /* the second is right */
	unlink(b.path);
	b.hub.flip = 2;
	CHECK(download(&b, right_digest()) == -1);
	CHECK(b.err.code == ERR_REMOTE);
	CHECK_STR(b.err.reason, "digest_mismatch");
	stop(&b);
}

static void
endless_hops(void)
{
	struct bench b = {.hub.hops = true};

	start(&b);
	CHECK(download(&b, NULL) == -1);
	CHECK_HAS(b.err.msg, "redirects more than 5 times");
	CHECK(fake_count(&b.hub.storage, "GET") == 5);
	stop(&b);
}

static void
gone_artifact(void)
{
	struct bench b = {.hub = {.get_status = 410, .get_count = 1}};

	start(&b);
	CHECK(download(&b, NULL) == -1);
	CHECK(b.err.code == ERR_NOTFOUND);
	CHECK_STR(b.err.reason, "artifact_expired");
	stop(&b);
}

static void
refusals_name_the_cure(void)
{
	static const struct {
		int status;
		enum err_code code;
		const char *has;
	} cases[] = {
		{401, ERR_AUTH, "GITHUB_TOKEN"},
		{403, ERR_AUTH, "permissions: actions: read"},
		{404, ERR_NOTFOUND, "o/r"},
		{422, ERR_REMOTE, "Bad thing"},
		{301, ERR_PROTO, "renamed"},
	};
	struct bench b = {.hub.text = "{\"message\":\"Bad thing\"}"};
	struct github_run run;

	start(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b.hub.get_status = cases[i].status;
		b.hub.get_count = 1;
		CHECK(github_run_get(&b.g, "1", &run, in(9000), &b.err) == -1);
		CHECK(b.err.code == cases[i].code);
		CHECK_HAS(b.err.msg, cases[i].has);
		CHECK(!strstr(b.err.msg, "ghs_secret"));
		err_clear(&b.err);
	}
	stop(&b);
}

static void
settings(void)
{
	static const struct {
		const char *url, *repo, *api;
	} cases[] = {
		{NULL, "o/r", "https://api.github.com"},
		{"", "o/r.x_y-z", "https://api.github.com"},
		{"https://h/api/v3//", "o/r", "https://h/api/v3"},
		{"h/api", "o/r", NULL},
		{"http://h/api", "o/r", NULL},
		{"https://me:word@h/api", "o/r", NULL},
		{"https://h\xff/", "o/r", NULL},
		{NULL, "o", NULL},
		{NULL, "o/..", NULL},
		{NULL, "o/r/x", NULL},
		{NULL, NULL, NULL},
		{NULL, "o/r?x", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		struct github g;

		if (github_init(&g, cases[i].url, cases[i].repo, NULL, &err)) {
			CHECK(!cases[i].api && err.code == ERR_INPUT);
			continue;
		}
		CHECK_STR(g.api, cases[i].api);
		github_done(&g);
	}
}

static void
compare(void)
{
	struct bench b = {.hub.run = ""};
	struct github_compare c;

	start(&b);
	CHECK(github_compare(&b.g, "a", "b", &c, in(9000), &b.err) == 0);
	CHECK(c.count == 1 && c.complete);
	CHECK_STR(c.item[0].subject, "one");
	CHECK_STR(c.item[0].author, "N");
	github_compare_done(&c);
	stop(&b);
}

CHECK_MAIN(CHECK_CASE("a renamed repository is followed, to its artifact too",
		      renamed_repository),
	   CHECK_CASE("a run may have nulls", run_with_nulls),
	   CHECK_CASE("a run that goes on is waited for, unless it is ours",
		      run_that_goes_on),
	   CHECK_CASE("an HTML error page is asked again",
		      html_502_is_repeated),
	   CHECK_CASE("a short rate limit is waited for",
		      short_limits_are_waited_for),
	   CHECK_CASE("a long rate limit is an error with its end",
		      long_limits_are_an_error),
	   CHECK_CASE("nonsense in rate limits is clamped",
		      nonsense_limits_are_clamped),
	   CHECK_CASE("artifacts are found on every page", page_two_has_it),
	   CHECK_CASE("a next page on another host is refused",
		      next_page_elsewhere),
	   CHECK_CASE("the storage never sees the token", plain_download),
	   CHECK_CASE("an expired address is replaced by a new one",
		      expired_url),
	   CHECK_CASE("addresses that always expire are an error",
		      always_expired_url),
	   CHECK_CASE("a cut or stalled download goes on", cut_and_stalled),
	   CHECK_CASE("wrong bytes are downloaded once more", wrong_bytes),
	   CHECK_CASE("redirects end", endless_hops),
	   CHECK_CASE("an artifact that is gone has expired", gone_artifact),
	   CHECK_CASE("a refusal names its cure", refusals_name_the_cure),
	   CHECK_CASE("settings are checked", settings),
	   CHECK_CASE("a comparison lists the commits", compare), )
