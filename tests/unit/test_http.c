#include "transport/http.h"

#include <pthread.h>
#include <time.h>

#include "base/mem.h"
#include "base/trace.h"
#include "check.h"
#include "fake_http.h"
#include "transport/http_url.h"
#include "transport/sock.h"

enum { LONG_MS = 60000 };

static struct fake_http server;
static struct http *client;
static struct http_response r;
static struct err err;
static struct buf events; /* what was traced */
static char seen_head[16384], seen_body[16384];

/* Answers by path. */
static void
handle(void *arg, const struct fake_request *q, struct fake_reply *reply)
{
	const char *p = q->path;

	(void)arg;
	snprintf(seen_head, sizeof(seen_head), "%s", q->head);
	snprintf(seen_body, sizeof(seen_body), "%s", q->body);
	fake_text(reply, 200, "{\"ok\":true}");
	if (strcmp(p, "/moved") == 0) {
		fake_text(reply, 302, "go away");
		reply->headers = "Location: /elsewhere?x=1\r\n";
	} else if (strcmp(p, "/stall") == 0) {
		fake_text(reply, 200, "0123456789");
		reply->stall_at = 5;
	} else if (strcmp(p, "/silent") == 0) {
		reply->status = -1;
	} else if (strcmp(p, "/cut") == 0) {
		fake_text(reply, 200, "0123456789");
		reply->cut_at = 5;
	} else if (strcmp(p, "/html") == 0) {
		fake_text(reply, 200, "\n <!doctype html><title>Log in");
		reply->type = "Text/HTML; charset=utf-8";
	} else if (strcmp(p, "/error") == 0) {
		fake_text(reply, 503, "not now");
		reply->headers = "Retry-After: 7\r\n"
				 "X-RateLimit-Remaining: 12\r\n"
				 "X-RateLimit-Reset: 1700000000\r\n";
	} else if (strncmp(p, "/headers/", 9) == 0) {
		reply->headers = arg ? *(const char **)arg : NULL;
	}
}

static const char *extra_headers;

static void
tap(void *arg, const char *line)
{
	(void)arg;
	buf_str(&events, line);
}

static void
begin(void)
{
	fake_start(&server, handle, &extra_headers);
	client = http_new(HTTP_PLAIN_LOOPBACK);
	http_response_init(&r, 4096);
	buf_init(&events, 1 << 20);
	trace_tap(tap, NULL);
	err_clear(&err);
	extra_headers = NULL;
}

static void
end(void)
{
	trace_tap(NULL, NULL);
	buf_done(&events);
	http_response_done(&r);
	http_free(client);
	fake_stop(&server);
}

static int
ask(struct http_request q, const char *path, int64_t ms)
{
	AUTO_FREE char *url = http_join(server.url, path);

	q.url = url;
	err_clear(&err);
	return http_do(client, &q, &r, deadline_in(NULL, ms), &err);
}

static int
get(const char *path)
{
	return ask((struct http_request){0}, path, LONG_MS);
}

static void
request_is_as_told(void)
{
	static const char *const headers[] = {"X-One: 1", NULL};
	struct secret token = SECRET_INIT;

	begin();
	secret_set(&token, "bearer-token-1");
	CHECK(ask((struct http_request){.method = "PUT",
					.bearer = &token,
					.headers = headers,
					.content_type = "application/json",
					.body = "{\"a\":1}",
					.body_len = 7,
					.range_from = 100},
		  "/x?q=query-secret", LONG_MS) == 0);
	CHECK(r.status == 200);
	CHECK_STR(r.content_type, "application/json");
	CHECK_STR(r.body.data, "{\"ok\":true}");
	CHECK_HAS(seen_head, "PUT /x?q=query-secret HTTP/1.1");
	CHECK_HAS(seen_head, "\r\nAuthorization: Bearer bearer-token-1");
	CHECK_HAS(seen_head, "\r\nX-One: 1");
	CHECK_HAS(seen_head, "\r\nRange: bytes=100-");
	CHECK(!strstr(seen_head, "Expect:"));
	CHECK_STR(seen_body, "{\"a\":1}");
	CHECK_HAS(events.data, "\"status\":200");
	CHECK(!strstr(events.data, "query-secret"));
	CHECK(!strstr(events.data, "bearer-token"));
	secret_done(&token);
	end();
}

static void
redirect_is_the_callers(void)
{
	AUTO_FREE char *target = NULL;
	struct secret token = SECRET_INIT;

	begin();
	target = mem_fmt("%s/elsewhere?x=1", server.url);
	secret_set(&token, "bearer-token-2");
	CHECK(ask((struct http_request){.bearer = &token}, "/moved", LONG_MS) ==
	      0);
	CHECK(r.status == 302);
	CHECK_STR(r.location, target);
	CHECK(fake_count(&server, "GET /elsewhere") == 0);
	secret_done(&token);
	end();
}

static int
sink(void *arg, const void *data, size_t len, struct err *e)
{
	struct buf *b = arg;

	buf_add(b, data, len);
	return buf_check(b, "the sink", e);
}

static int64_t last_now, last_total;

static void
progress(void *arg, int64_t now, int64_t total)
{
	(void)arg;
	last_now = now;
	last_total = total;
}

static void
sink_gets_the_body(void)
{
	AUTO_BUF struct buf got = BUF_INIT_MAX(100);
	AUTO_BUF struct buf small = BUF_INIT_MAX(3);
	struct http_request q = {
		.sink = sink, .sink_arg = &got, .progress = progress};

	begin();
	CHECK(ask(q, "/x", LONG_MS) == 0);
	CHECK_STR(got.data, "{\"ok\":true}");
	CHECK(r.body.len == 0 && r.body_bytes == 11);
	CHECK(last_now == 11 && last_total == 11);
	/* What explains a refusal is no data. */
	buf_clear(&got);
	CHECK(ask(q, "/error", LONG_MS) == 0);
	CHECK(got.len == 0 && r.status == 503);
	CHECK_STR(r.body.data, "not now");
	q.sink_arg = &small;
	CHECK(ask(q, "/x", LONG_MS) == -1 && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "the sink is larger than 3 bytes");
	end();
}

static void
stall_is_told(void)
{
	AUTO_BUF struct buf got = BUF_INIT;
	struct http_request q = {
		.sink = sink, .sink_arg = &got, .stall_ms = 100};

	begin();
	CHECK(ask(q, "/stall", LONG_MS) == -1 && err.code == ERR_TIMEOUT);
	CHECK_HAS(err.msg, "the download stalled after 5 bytes");
	CHECK(ask((struct http_request){0}, "/silent", 100) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK_HAS(err.msg, "/silent: out of time");
	end();
}

static void
cut_is_told(void)
{
	begin();
	CHECK(get("/cut") == -1 && err.code == ERR_IO && r.curl_code != 0);
	CHECK_HAS(err.msg, "the connection was cut");
	end();
}

static void
body_is_bounded(void)
{
	begin();
	http_response_done(&r);
	http_response_init(&r, 5);
	CHECK(get("/x") == -1 && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "the answer is larger than 5 bytes");
	end();
}

/* What grows when unpacked could pass every limit. */
static void
nothing_is_unpacked(void)
{
	begin();
	extra_headers = "Content-Encoding: gzip\r\n";
	(void)get("/headers/");
	CHECK(!strstr(seen_head, "Accept-Encoding"));
	end();
}

static void
bodies_are_described(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	begin();
	CHECK(get("/html") == 0);
	CHECK_STR(r.content_type, "text/html");
	http_describe_body(&r, &b);
	CHECK_HAS(b.data, "an HTML page, not JSON");
	buf_clear(&b);
	buf_clear(&r.body);
	http_describe_body(&r, &b);
	CHECK_STR(b.data, "an empty body");
	buf_clear(&b);
	buf_str(&r.body, "\033[2Jhello");
	http_describe_body(&r, &b);
	CHECK_STR(b.data, "'\\x1b[2Jhello'");
	end();
}

static void
retry_after_forms(void)
{
	static const struct {
		const char *value;
		int64_t least, most;
	} rows[] = {
		{"7", 7, 7},
		{"0", 0, 0},
		{"999999", 3600, 3600},
		{"-5", -1, -1},
		{"7.5", -1, -1},
		{"soon", -1, -1},
		{"", -1, -1},
		{"99999999999999999999999", 3600, 3600},
		{"Wed, 21 Oct 2015 07:28:00 GMT", 0, 0},
		{"Fri, 21 Oct 2095 07:28:00 GMT", 3600, 3600},
	};
	time_t soon = time(NULL) + 100;
	char date[64], line[96];
	struct tm tm;

	begin();
	CHECK(get("/error") == 0 && r.retry_after_s == 7);
	CHECK(r.rate_remaining == 12 && r.rate_reset == 1700000000);
	CHECK(get("/x") == 0 && r.retry_after_s == -1);
	CHECK(r.rate_remaining == -1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(line, sizeof(line), "Retry-After: %s\r\n",
			 rows[i].value);
		extra_headers = line;
		CHECK(get("/headers/") == 0);
		if (r.retry_after_s < rows[i].least ||
		    r.retry_after_s > rows[i].most) {
			printf("# '%s' gave %lld\n", rows[i].value,
			       (long long)r.retry_after_s);
			CHECK(false);
		}
	}
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT",
		 gmtime_r(&soon, &tm));
	snprintf(line, sizeof(line), "retry-after: %s\r\n", date);
	CHECK(get("/headers/") == 0);
	CHECK(r.retry_after_s > 0 && r.retry_after_s <= 100);
	end();
}

static void
link_gives_the_next_page(void)
{
	static const struct {
		const char *header, *next;
	} rows[] = {
		{"<https://h/p?page=2>; rel=\"next\"", "https://h/p?page=2"},
		{"<https://h/1>; rel=\"prev\", <https://h/3>; rel=\"next\"",
		 "https://h/3"},
		{"</p?page=2>; rel=next", "https://base/p?page=2"},
		{"<x>; title=\"a\"; REL=\"Next\"", "https://base/a/x"},
		{"<https://h/1>; rel=\"last\"", NULL},
		{"<https://h/1>; rel=\"nextish\"", NULL},
		{"<https://h/1", NULL},
		{"", NULL},
	};
	AUTO_FREE char *target = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *next = http_url_link_next(rows[i].header,
						"https://base/a/b?c=d");

		if (rows[i].next)
			CHECK_STR(next, rows[i].next);
		else
			CHECK(!next);
		free(next);
	}
	begin();
	extra_headers = "Link: </p2>; rel=\"next\"\r\n";
	CHECK(get("/headers/") == 0);
	target = http_join(server.url, "/p2");
	CHECK_STR(r.link_next, target);
	end();
}

static void
loopback_is_never_proxied(void)
{
	static const char *const names[] = {"http_proxy", "all_proxy",
					    "ALL_PROXY", "no_proxy"};
	struct err e = ERR_INIT;
	AUTO_FREE char *proxy = NULL;
	int listener, port;

	REQUIRE(sock_listen(&listener, &port, &e) == 0);
	proxy = mem_fmt("http://127.0.0.1:%d", port);
	for (int i = 0; i < 3; i++)
		(void)setenv(names[i], proxy, 1);
	(void)setenv("no_proxy", "example.org", 1);
	begin();
	CHECK(get("/x") == 0 && r.status == 200);
	CHECK(fake_count(&server, "GET /x") == 1);
	CHECK(deadline_wait(deadline_in(NULL, 1), listener, POLLIN, &e) == -1);
	end();
	for (int i = 0; i < 4; i++)
		(void)unsetenv(names[i]);
	close(listener);
}

static void
plain_http_stays_at_home(void)
{
	static const struct {
		const char *url;
		bool loopback;
	} rows[] = {
		{"http://127.0.0.1:1/", true},
		{"http://127.8.9.1/", true},
		{"http://localhost/", true},
		{"http://[::1]:80/", true},
		{"http://127.0.0.1.example.org/", false},
		{"http://localhost.example.org/", false},
		{"http://192.0.2.1/", false},
		{"http://example.org/127.0.0.1", false},
		{"http://127.0.0.1@192.0.2.1/", false},
		{"nonsense", false},
	};
	struct http_request q = {.url = "http://192.0.2.1/x?y=1"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK(http_url_is_loopback(rows[i].url) == rows[i].loopback);
	begin();
	CHECK(http_do(client, &q, &r, deadline_in(NULL, LONG_MS), &err) == -1);
	CHECK_HAS(err.msg, "only https is allowed there");
	q.url = "file:///etc/passwd";
	CHECK(http_do(client, &q, &r, deadline_in(NULL, LONG_MS), &err) == -1);
	CHECK_HAS(err.msg, "is not an http(s) URL");
	end();
}

static void *
raise_now(void *arg)
{
	deadline_cancel_raise(arg, 1);
	return NULL;
}

static void
cancel_wakes(void)
{
	AUTO_FREE char *url = NULL;
	struct http_request q = {0};
	struct cancel c;
	pthread_t t;

	begin();
	url = http_join(server.url, "/silent");
	q.url = url;
	REQUIRE(deadline_cancel_init(&c, &err) == 0);
	REQUIRE(pthread_create(&t, NULL, raise_now, &c) == 0);
	CHECK(http_do(client, &q, &r, deadline_in(&c, 3600000), &err) == -1);
	CHECK(err.code == ERR_CANCELLED);
	pthread_join(t, NULL);
	deadline_cancel_done(&c);
	end();
}

static void
secret_url_is_never_told(void)
{
	static const char *const paths[] = {"/silent", "/cut", "/html", "/x"};
	struct http_request q = {.secret_url = true};

	begin();
	for (size_t i = 0; i < 4; i++) {
		(void)ask(q, paths[i], 50);
		CHECK(!strstr(err.msg, paths[i]));
		CHECK(!strstr(events.data, paths[i]));
	}
	q.url = "not a url of ours";
	CHECK(http_do(client, &q, &r, deadline_in(NULL, LONG_MS), &err) == -1);
	CHECK(!strstr(err.msg, "ours"));
	/* Neither user info nor a query is told of any. */
	q = (struct http_request){.url = "http://me:pw-1@127.0.0.1:1/a?k=v-1"};
	CHECK(http_do(client, &q, &r, deadline_in(NULL, LONG_MS), &err) == -1);
	CHECK_HAS(err.msg, "GET http://127.0.0.1:1/a: ");
	CHECK(!strstr(events.data, "pw-1") && !strstr(events.data, "v-1"));
	end();
}

/* Keeps a connection open for a second request, and says if one came. */
static void *
patient_server(void *arg)
{
	struct fake_http *f = arg;
	struct fake_request *q = calloc(1, sizeof(*q));
	const char *answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

	for (int i = 0; i < 2; i++) {
		int fd = accept(f->listener, NULL, NULL);

		while (fd >= 0 && fake_receive(fd, q)) {
			f->log_count++;
			if (strcmp(q->path, "/second") == 0)
				snprintf(f->url, sizeof(f->url), "%d", i);
			fake_send(fd, answer, strlen(answer));
		}
		close(fd);
	}
	free(q);
	return NULL;
}

static void
an_answer_is_the_requests(void)
{
	struct http_request q = {0};
	char first[80], second[80];
	pthread_t thread;

	begin();
	fake_stop(&server);
	fake_listen(&server);
	snprintf(first, sizeof(first), "%s/first", server.url);
	snprintf(second, sizeof(second), "%s/second", server.url);
	pthread_create(&thread, NULL, patient_server, &server);
	q.url = first;
	CHECK(http_do(client, &q, &r, deadline_in(NULL, LONG_MS), &err) == 0);
	q.url = second;
	CHECK(http_do(client, &q, &r, deadline_in(NULL, LONG_MS), &err) == 0);
	http_free(client);
	client = http_new(HTTP_PLAIN_LOOPBACK);
	shutdown(server.listener, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(server.listener);
	CHECK(server.log_count == 2);
	CHECK_STR(server.url, "1"); /* the second connection */
	server.log_count = 0;
	fake_start(&server, handle, &extra_headers);
	end();
}

static void
parts_of_urls(void)
{
	char *s = http_origin("HTTPS://API.Example.org/x?y");

	CHECK_STR(s, "https://api.example.org:443");
	free(s);
	CHECK(!http_origin("ftp://h/"));
	CHECK(!http_origin("no url"));
	s = http_shown("https://u:p@h:8443/a/b?q=1#f");
	CHECK_STR(s, "https://h:8443/a/b");
	free(s);
	s = http_join("https://h/api///", "//v1/x");
	CHECK_STR(s, "https://h/api/v1/x");
	free(s);
}

CHECK_MAIN(CHECK_CASE("a request is sent as told, its query is not logged",
		      request_is_as_told),
	   CHECK_CASE("a redirect is not followed", redirect_is_the_callers),
	   CHECK_CASE("a sink gets the body of a success only",
		      sink_gets_the_body),
	   CHECK_CASE("a stalled download and a silent server end in time",
		      stall_is_told),
	   CHECK_CASE("a connection that is cut is told", cut_is_told),
	   CHECK_CASE("a body is bounded", body_is_bounded),
	   CHECK_CASE("no compressed body is asked for", nothing_is_unpacked),
	   CHECK_CASE("a body that is no JSON is described",
		      bodies_are_described),
	   CHECK_CASE("Retry-After is read in each form and clamped",
		      retry_after_forms),
	   CHECK_CASE("Link gives the next page", link_gives_the_next_page),
	   CHECK_CASE("loopback never goes through a proxy",
		      loopback_is_never_proxied),
	   CHECK_CASE("plain http is refused beyond loopback",
		      plain_http_stays_at_home),
	   CHECK_CASE("a signal wakes a request at once", cancel_wakes),
	   CHECK_CASE("a secret URL is in no error and no trace",
		      secret_url_is_never_told),
	   CHECK_CASE("what comes after an answer answers no other request",
		      an_answer_is_the_requests),
	   CHECK_CASE("URLs are taken apart and joined", parts_of_urls), )
