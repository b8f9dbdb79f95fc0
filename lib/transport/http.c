#include "transport/http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/trace.h"
#include "transport/http_proxy.h"
#include "transport/http_trust.h"
#include "transport/http_url.h"

enum {
	PROGRESS_MS = 100,
	STALL_MS = 30000,
	RECEIVE_BYTES = 512 << 10,
	RETRY_AFTER_MAX_S = 3600,
};

struct http {
	CURLM *multi;
	enum http_plain plain;
	struct curl_slist *through; /* NULL: as the URL says */
};

/* One request on its way. */
struct transfer {
	const struct http_request *req;
	struct http_response *r;
	struct err *err; /* filled by a callback that ended it */
	bool callback_failed;
	bool through; /* a tunnel: no proxy is asked */
	CURL *easy;
	struct curl_slist *headers;
	char *shown;
	struct http_trust trust;
	int64_t total; /* Content-Length, -1 unknown */
	int64_t window_at_us, window_bytes, told_at_us;
	char curl_error[CURL_ERROR_SIZE];
};

struct http *
http_new(enum http_plain plain)
{
	struct http *h = mem_alloc(sizeof(*h));

	curl_global_init(CURL_GLOBAL_DEFAULT);
	h->multi = curl_multi_init();
	if (h->multi == NULL)
		abort(); /* out of memory: as in mem.h */
	h->plain = plain;
	return h;
}

void
http_free(struct http *h)
{
	if (h == NULL)
		return;
	curl_multi_cleanup(h->multi);
	curl_slist_free_all(h->through);
	free(h);
	curl_global_cleanup();
}

void
http_through(struct http *h, int port)
{
	AUTO_FREE char *to = mem_fmt("::127.0.0.1:%d", port);

	curl_slist_free_all(h->through);
	h->through = curl_slist_append(NULL, to);
	if (h->through == NULL)
		abort(); /* out of memory: as in mem.h */
}

void
http_response_init(struct http_response *r, size_t body_limit)
{
	*r = (struct http_response){
		.retry_after_s = -1, .rate_remaining = -1, .rate_reset = -1};
	buf_init(&r->body, body_limit);
}

void
http_response_done(struct http_response *r)
{
	size_t limit = r->body.limit;

	free(r->content_type);
	free(r->location);
	free(r->link_next);
	buf_done(&r->body);
	http_response_init(r, limit);
}

static int64_t
number_or(const char *s, int64_t fallback)
{
	char *end;
	long long n = strtoll(s, &end, 10);

	return end == s || *end || n < 0 ? fallback : n;
}

/* Seconds, or a date; what can't be used is absent. */
static int64_t
retry_after(const char *s)
{
	int64_t n = number_or(s, -1);

	if (n < 0 && isalpha((unsigned char)*s)) {
		time_t at = curl_getdate(s, NULL);

		if (at < 0)
			return -1;
		n = (int64_t)at - (int64_t)time(NULL);
		n = n > 0 ? n : 0;
	}
	return n > RETRY_AFTER_MAX_S ? RETRY_AFTER_MAX_S : n;
}

static void
note_header(struct transfer *t, const char *name, const char *value)
{
	struct http_response *r = t->r;

	if (strcasecmp(name, "content-type") == 0) {
		free(r->content_type);
		r->content_type = mem_strndup(value, strcspn(value, "; \t"));
		for (char *p = r->content_type; *p; p++)
			*p = (char)tolower((unsigned char)*p);
	} else if (strcasecmp(name, "content-length") == 0) {
		t->total = number_or(value, -1);
	} else if (strcasecmp(name, "link") == 0) {
		free(r->link_next);
		r->link_next = http_url_link_next(value, t->req->url);
	} else if (strcasecmp(name, "retry-after") == 0) {
		r->retry_after_s = retry_after(value);
	} else if (strcasecmp(name, "x-ratelimit-remaining") == 0) {
		r->rate_remaining = number_or(value, -1);
	} else if (strcasecmp(name, "x-ratelimit-reset") == 0) {
		r->rate_reset = number_or(value, -1);
	}
}

static size_t
on_header(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	size_t len = size * n;
	AUTO_FREE char *line = mem_strndup(data, len);
	char *value = strchr(line, ':');

	/*
	 * Over HTTP/1 an answer is whatever comes next: one that the server
	 * sent twice would answer the next request on this connection.
	 */
	if (strncmp(line, "HTTP/1.", 7) == 0)
		curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
	if (value) {
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\r\n")] = '\0';
		note_header(t, line, value);
	}
	return len;
}

static size_t
on_body(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct http_response *r = t->r;
	size_t len = size * n;
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	r->status = (int)status; /* a sink may have to know 200 from 206 */
	r->body_bytes += (int64_t)len;
	if (t->req->sink && status >= 200 && status < 300) {
		t->callback_failed =
			t->req->sink(t->req->sink_arg, data, len, t->err) != 0;
	} else {
		buf_add(&r->body, data, len);
		t->callback_failed =
			buf_check(&r->body, "the answer", t->err) != 0;
	}
	return t->callback_failed ? 0 : len;
}

static void
add_header(struct transfer *t, const char *line)
{
	struct curl_slist *more = curl_slist_append(t->headers, line);

	if (more == NULL)
		abort(); /* out of memory: as in mem.h */
	t->headers = more;
}

static void
set_method_and_body(struct transfer *t)
{
	const struct http_request *req = t->req;
	const char *method = req->method ? req->method : "GET";
	CURL *e = t->easy;

	if (req->body || strcmp(method, "POST") == 0) {
		curl_easy_setopt(e, CURLOPT_POST, 1L);
		/*
		 * On a connection used before libcurl repeats what got no
		 * answer, silently; what a POST does is not done twice.
		 */
		curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)req->body_len);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS,
				 req->body ? req->body : "");
	}
	if (strcmp(method, "GET") != 0 || req->body)
		curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, method);
	if (req->content_type) {
		AUTO_FREE char *line =
			mem_fmt("Content-Type: %s", req->content_type);

		add_header(t, line);
	} else {
		add_header(t, "Content-Type:");
	}
	add_header(t, "Expect:");
}

static void
set_headers(struct transfer *t)
{
	const struct http_request *req = t->req;

	for (const char *const *h = req->headers; h && *h; h++)
		add_header(t, *h);
	if (req->bearer && req->bearer->value) {
		char *line =
			mem_fmt("Authorization: Bearer %s", req->bearer->value);

		add_header(t, line);
		explicit_bzero(line, strlen(line));
		free(line);
	}
	if (req->range_from > 0) {
		AUTO_FREE char *line = mem_fmt("Range: bytes=%lld-",
					       (long long)req->range_from);

		add_header(t, line);
	}
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void
set_up(struct transfer *t, const struct http *h)
{
	CURL *e = t->easy;

	curl_easy_setopt(e, CURLOPT_URL, t->req->url);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR,
			 h->plain == HTTP_PLAIN_ALLOWED ||
					 http_url_is_loopback(t->req->url)
				 ? "http,https"
				 : "https");
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	/* Else a resolver that hangs is joined, far past the deadline. */
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->curl_error);
	curl_easy_setopt(e, CURLOPT_USERAGENT, "patrol/" PATROL_VERSION);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
	/* What a proxy says on the way is not the answer. */
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
	curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	if (t->req->http1)
		curl_easy_setopt(e, CURLOPT_HTTP_VERSION,
				 (long)CURL_HTTP_VERSION_1_1);
	http_trust_set(e, &t->trust);
	if (h->through) {
		curl_easy_setopt(e, CURLOPT_CONNECT_TO, h->through);
		curl_easy_setopt(e, CURLOPT_PROXY, "");
	} else {
		http_proxy_set(e);
	}
	set_method_and_body(t);
	set_headers(t);
}

/* Progress to tell, and a body that has stopped flowing. */
static int
look(struct transfer *t, struct err *err)
{
	const struct http_request *req = t->req;
	int64_t now = deadline_now_us();
	int64_t stall_ms = req->stall_ms ? req->stall_ms : STALL_MS;

	if (req->progress && now - t->told_at_us >= PROGRESS_MS * 1000) {
		t->told_at_us = now;
		req->progress(req->progress_arg, t->r->body_bytes, t->total);
	}
	if (now - t->window_at_us < stall_ms * 1000)
		return 0;
	/* A byte a millisecond is a kilobyte a second. */
	if (req->sink && t->r->body_bytes - t->window_bytes < stall_ms)
		return err_set(err, ERR_TIMEOUT,
			       "the download stalled after %lld bytes",
			       (long long)t->r->body_bytes);
	t->window_at_us = now;
	t->window_bytes = t->r->body_bytes;
	return 0;
}

static int
drive(struct http *h, struct transfer *t, struct deadline dl, CURLcode *code,
      struct err *err)
{
	for (;;) {
		struct curl_waitfd extra = {.fd = -1,
					    .events = CURL_WAIT_POLLIN};
		int64_t left = deadline_left_ms(dl);
		int running = 0, queued;
		CURLMsg *msg;

		if (curl_multi_perform(h->multi, &running))
			return err_set(err, ERR_IO, "libcurl gave up");
		while ((msg = curl_multi_info_read(h->multi, &queued))) {
			if (msg->msg == CURLMSG_DONE) {
				*code = msg->data.result;
				return 0;
			}
		}
		if (deadline_check(dl, err) || look(t, err))
			return -1;
		if (dl.cancel)
			extra.fd = dl.cancel->fd[dl.level - 1];
		if (left > PROGRESS_MS)
			left = PROGRESS_MS;
		if (curl_multi_poll(h->multi, &extra, dl.cancel ? 1 : 0,
				    (int)left, NULL))
			return err_set(err, ERR_IO, "libcurl gave up");
	}
}

static enum err_code
transfer_code(CURLcode code)
{
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		return ERR_TIMEOUT;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
		return ERR_PROTO; /* another try changes nothing */
	default:
		return ERR_IO;
	}
}

static int
transfer_failed(const struct transfer *t, CURLcode code, struct err *err)
{
	const char *text =
		t->curl_error[0] ? t->curl_error : curl_easy_strerror(code);
	const char *proxy =
		t->through ? NULL : http_proxy_variable(t->req->url);
	long port = 0;

	if (t->callback_failed)
		return -1; /* the callback has filled it */
	/* Bytes that are no HTTP have the same number as a refused scheme. */
	curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_PORT, &port);
	if (code == CURLE_UNSUPPORTED_PROTOCOL && port > 0)
		code = CURLE_WEIRD_SERVER_REPLY;
	t->r->curl_code = (int)code;
	err_set(err, transfer_code(code), "%s", text);
	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
		err_reason(err, "tls");
		if (t->trust.issuer)
			err_hint(err, "the certificate is from '%.200s'",
				 t->trust.issuer);
		return err_hint(err, "if a proxy of yours signs with its own "
				     "CA, name it in PATROL_CA_FILE");
	case CURLE_SSL_CACERT_BADFILE:
		return err_hint(err, "look at PATROL_CA_FILE, SSL_CERT_FILE, "
				     "CURL_CA_BUNDLE");
	case CURLE_UNSUPPORTED_PROTOCOL:
		return err_hint(err, "only https is allowed there");
	case CURLE_WEIRD_SERVER_REPLY:
		return err_hint(err, "what answers there is no HTTP server");
	case CURLE_PARTIAL_FILE:
		return err_hint(err, "the connection was cut");
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_RECV_ERROR: /* among others, a proxy's 407 */
	case CURLE_PROXY:
		if (proxy == NULL)
			return -1;
		return err_hint(err,
				"the proxy is that of %s; hosts that "
				"need none go into NO_PROXY",
				proxy);
	default:
		return -1;
	}
}

static void
trace_request(const struct transfer *t, int64_t start_us, const struct err *err)
{
	trace_begin("http.request");
	trace_str("method", t->req->method ? t->req->method : "GET");
	trace_str("url", t->shown);
	trace_int("status", t->r->status);
	trace_int("bytes", t->r->body_bytes);
	trace_int("ms", (deadline_now_us() - start_us) / 1000);
	if (err->code)
		trace_str("error", err->msg);
	trace_end();
	log_debug("%s %s: %d, %lld bytes",
		  t->req->method ? t->req->method : "GET", t->shown,
		  t->r->status, (long long)t->r->body_bytes);
}

int
http_do(struct http *h, const struct http_request *req, struct http_response *r,
	struct deadline dl, struct err *err)
{
	int64_t start_us = deadline_now_us();
	struct transfer t = {.req = req,
			     .r = r,
			     .err = err,
			     .total = -1,
			     .window_at_us = start_us};
	CURLcode code = CURLE_OK;
	long status = 0;
	char *location = NULL;
	int rc = -1;

	http_response_done(r);
	t.shown =
		req->secret_url ? http_origin(req->url) : http_shown(req->url);
	if (t.shown == NULL)
		return err_set(err, ERR_INPUT, "'%s' is not an http(s) URL",
			       req->secret_url ? "***" : req->url);
	t.easy = curl_easy_init();
	if (t.easy == NULL)
		abort(); /* out of memory: as in mem.h */
	t.through = h->through != NULL;
	set_up(&t, h);
	if (curl_multi_add_handle(h->multi, t.easy)) {
		err_set(err, ERR_IO, "libcurl gave up");
		goto out;
	}
	rc = drive(h, &t, dl, &code, err);
	curl_easy_getinfo(t.easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(t.easy, CURLINFO_REDIRECT_URL, &location);
	r->status = (int)status;
	r->location = mem_strdup(location);
	if (rc == 0 && code != CURLE_OK)
		rc = transfer_failed(&t, code, err);
	if (rc == 0 && req->progress)
		req->progress(req->progress_arg, r->body_bytes, t.total);
	curl_multi_remove_handle(h->multi, t.easy);
out:
	trace_request(&t, start_us, rc ? err : &(struct err)ERR_INIT);
	if (rc)
		err_wrap(err, "%s %s", req->method ? req->method : "GET",
			 t.shown);
	curl_easy_cleanup(t.easy);
	curl_slist_free_all(t.headers);
	http_trust_done(&t.trust);
	free(t.shown);
	return rc;
}

void
http_describe_body(const struct http_response *r, struct buf *out)
{
	const char *body = r->body.data;

	body += strspn(body, " \t\r\n");
	if (*body == '\0') {
		buf_str(out, "an empty body");
	} else if (*body == '<') {
		buf_str(out, "an HTML page, not JSON (a login page or a "
			     "proxy in between?)");
	} else {
		buf_str(out, "'");
		buf_escaped(out, body, strnlen(body, 80));
		buf_str(out, "'");
	}
}
