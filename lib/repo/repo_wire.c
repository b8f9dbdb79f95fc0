#include "repo/repo_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "repo/repo_stream.h"
#include "transport/http.h"

enum { CHUNK = 64 << 10 };

struct repo_wire {
	const struct repo_remote *remote;
	const struct repo_login *login;
	const char *service;
	const struct repo_stream *stream; /* NULL: http */
	void *self;
	struct http *http;
};

int
repo_wire_open(struct repo_wire **out, const struct repo_remote *remote,
	       const struct repo_login *login, const char *service,
	       struct deadline dl, struct err *err)
{
	struct repo_wire *w = mem_alloc(sizeof(*w));
	int rc = 0;

	w->remote = remote;
	w->login = login;
	w->service = service;
	switch (remote->kind) {
	case REPO_REMOTE_HTTP:
		w->http = http_new(HTTP_PLAIN_LOOPBACK);
		break;
	case REPO_REMOTE_FILE:
		rc = repo_stream_file_open(&w->self, remote, service, err);
		w->stream = &repo_stream_file;
		break;
	case REPO_REMOTE_SSH:
		rc = repo_stream_ssh_open(&w->self, remote, login, service, dl,
					  err);
		w->stream = &repo_stream_ssh;
		break;
	}
	if (rc) {
		free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void
repo_wire_close(struct repo_wire *w)
{
	if (w == NULL)
		return;
	if (w->stream)
		w->stream->close(w->self);
	http_free(w->http);
	free(w);
}

/* --- streams ------------------------------------------------------------- */

static int
ended_early(struct repo_wire *w, struct err *err)
{
	AUTO_BUF struct buf said = BUF_INIT_MAX(REPO_STREAM_WORDS);
	AUTO_BUF struct buf clean = BUF_INIT;

	w->stream->words(w->self, &said);
	while (said.len && (said.data[said.len - 1] == '\n' ||
			    said.data[said.len - 1] == '\r'))
		buf_truncate(&said, said.len - 1);
	buf_escaped(&clean, said.data, said.len < 300 ? said.len : 300);
	if (clean.len == 0)
		err_set(err, ERR_REMOTE, "the server ended %s early",
			w->service);
	else
		err_set(err, ERR_REMOTE, "the server says '%s'", clean.data);
	return err_hint(err, "does the repository exist there, and may we use "
			     "it?");
}

/* Give what it takes of a request; its end is told once. */
static int
give(struct repo_wire *w, const char *data, size_t len, size_t *given,
     bool *ended, struct err *err)
{
	ssize_t n = 0;

	if (*given < len) {
		n = w->stream->write(w->self, data + *given, len - *given, err);
		if (n < 0)
			return -1;
		*given += (size_t)n;
	}
	if (*given == len && !*ended) {
		*ended = true;
		return w->stream->write_end(w->self, err);
	}
	return n > 0;
}

/* `request` NULL: only listen. */
static int
converse(struct repo_wire *w, const char *request, size_t len,
	 repo_wire_hear *hear, void *arg, struct deadline dl, struct err *err)
{
	AUTO_FREE char *chunk = mem_alloc(CHUNK);
	bool ended = request == NULL;
	size_t given = ended ? len : 0;

	for (;;) {
		int rc, gave = give(w, request, len, &given, &ended, err);
		ssize_t n;

		if (gave < 0)
			return -1;
		n = w->stream->read(w->self, chunk, CHUNK, err);
		if (n == REPO_STREAM_ENDED)
			return ended_early(w, err);
		if (n == -1)
			return -1;
		if (n > 0) {
			rc = hear(arg, chunk, (size_t)n, err);
			if (rc)
				return rc < 0 ? -1 : 0;
		} else if (!gave &&
			   w->stream->wait(w->self, given < len, dl, err)) {
			return -1;
		}
		if (deadline_check(dl, err))
			return -1;
	}
}

/* --- HTTP ---------------------------------------------------------------- */

/* What comes is heard until it is enough. */
struct hearing {
	repo_wire_hear *hear;
	void *arg;
	int rc;
};

static int
sink(void *arg, const void *data, size_t len, struct err *err)
{
	struct hearing *h = arg;

	if (h->rc == REPO_PKT_MORE)
		h->rc = h->hear(h->arg, data, len, err);
	return h->rc < 0 ? -1 : 0;
}

static int
refused(const struct repo_wire *w, const struct http_response *r,
	struct err *err)
{
	const char *name = w->login->token_name ? w->login->token_name
						: "the token's setting";
	bool token = w->login->token && w->login->token->value;

	switch (r->status) {
	case 401:
	case 403:
		err_set(err, ERR_AUTH, "HTTP %d for %s", r->status, w->service);
		(void)err_reason(err,
				 r->status == 401 ? "bad_token" : "forbidden");
		if (!token)
			return err_hint(err, "it wants a token: set %s", name);
		return err_hint(err,
				"the token of %s has expired or may not do "
				"this: it needs `contents: write`",
				name);
	case 404:
		err_set(err, ERR_NOTFOUND, "HTTP 404");
		return err_hint(err,
				"the repository is not there, or the token of "
				"%s may not see it",
				name);
	default:
		break;
	}
	if (r->status >= 300 && r->status < 400) {
		err_set(err, ERR_REMOTE, "HTTP %d leads elsewhere", r->status);
		return err_hint(err, "was the repository renamed? give its "
				     "new address");
	}
	err_set(err, ERR_REMOTE, "HTTP %d for %s", r->status, w->service);
	return err_hint(err, "the server's fault; try again later");
}

/* "Authorization: Basic ...", as git itself logs in with a token. */
static char *
authorization(const struct repo_login *login)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *both = NULL;

	if (login->token == NULL || login->token->value == NULL)
		return NULL;
	both = mem_fmt("x-access-token:%s", login->token->value);
	buf_base64(&b, both, strlen(both));
	secret_register(b.data);
	return mem_fmt("Authorization: Basic %s", b.data);
}

static int
call(struct repo_wire *w, struct http_request *req, const char *accept,
     struct hearing *h, struct deadline dl, struct err *err)
{
	AUTO_FREE char *auth = authorization(w->login);
	/* Some servers answer a browser with a page. */
	const char *headers[] = {"User-Agent: git/2.0 (patrol)", accept, auth,
				 NULL};
	struct http_response r;
	int rc;

	req->headers = headers;
	req->sink = sink;
	req->sink_arg = h;
	http_response_init(&r, CHUNK);
	rc = http_do(w->http, req, &r, dl, err);
	if (rc == 0 && (r.status < 200 || r.status > 299))
		rc = refused(w, &r, err);
	if (rc == 0 && h->rc == REPO_PKT_MORE) {
		err_set(err, ERR_PROTO,
			"an answer that is cut, or none of "
			"git's");
		rc = err_hint(err, "is the remote's address right?");
	}
	http_response_done(&r);
	return rc;
}

static int
greeting(struct repo_wire *w, struct hearing *h, struct deadline dl,
	 struct err *err)
{
	AUTO_FREE char *url =
		mem_fmt("%s/info/refs?service=%s", w->remote->url, w->service);
	AUTO_FREE char *accept =
		mem_fmt("Accept: application/x-%s-advertisement", w->service);
	struct http_request req = {.url = url};

	return call(w, &req, accept, h, dl, err);
}

static int
ask(struct repo_wire *w, const void *request, size_t len, struct hearing *h,
    struct deadline dl, struct err *err)
{
	AUTO_FREE char *url = mem_fmt("%s/%s", w->remote->url, w->service);
	AUTO_FREE char *type = mem_fmt("application/x-%s-request", w->service);
	AUTO_FREE char *accept =
		mem_fmt("Accept: application/x-%s-result", w->service);
	struct http_request req = {
		.method = "POST",
		.url = url,
		.content_type = type,
		.body = request,
		.body_len = len,
	};

	return call(w, &req, accept, h, dl, err);
}

struct greeting {
	struct repo_pkt pkt;
	struct repo_pkt_refs *refs;
};

static int
see_greeting(void *arg, const void *data, size_t len, struct err *err)
{
	struct greeting *g = arg;

	return repo_pkt_feed(&g->pkt, data, len, repo_pkt_see_ref, g->refs,
			     err);
}

int
repo_wire_refs(struct repo_wire *w, struct repo_pkt_refs *refs,
	       struct deadline dl, struct err *err)
{
	struct greeting g = {.refs = refs};
	struct hearing h = {.hear = see_greeting, .arg = &g};
	int rc;

	repo_pkt_init(&g.pkt);
	rc = w->stream ? converse(w, NULL, 0, see_greeting, &g, dl, err)
		       : greeting(w, &h, dl, err);
	repo_pkt_done(&g.pkt);
	return rc;
}

int
repo_wire_ask(struct repo_wire *w, const void *request, size_t len,
	      repo_wire_hear *hear, void *arg, struct deadline dl,
	      struct err *err)
{
	struct hearing h = {.hear = hear, .arg = arg};

	return w->stream ? converse(w, request, len, hear, arg, dl, err)
			 : ask(w, request, len, &h, dl, err);
}
