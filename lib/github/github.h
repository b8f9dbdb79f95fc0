#ifndef GITHUB_H
#define GITHUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "base/secret.h"
#include "transport/http.h"

/*
 * GitHub's REST API, also of a GitHub Enterprise Server.
 *
 * Calls retry what is worth it (HTML error pages, 5xx, a short rate limit)
 * within their deadline.  Errors: ERR_AUTH: 401, or 403/404 where the token
 * lacks a permission; ERR_NOTFOUND: 404 and 410; ERR_REMOTE: refused, with
 * reason rate_limited when the limit lasts longer than we wait; ERR_PROTO:
 * the answer is no JSON of GitHub.  After a call g->status has the HTTP
 * status, 0 when none came.
 */
struct github {
	struct http *http;	    /* the API's */
	struct http *storage;	    /* knows no token */
	char *api;		    /* no slash behind */
	char *repository;	    /* "owner/name" */
	const struct secret *token; /* borrowed; may be NULL */
	const char *permission;	    /* static: the cure of a refusal names it;
				   NULL: "actions: read" */
	int status;
	int64_t limited_until; /* epoch s, set with rate_limited */
	int64_t wrote_us;      /* monotonic, of the last write */
	int64_t stall_ms;      /* of a download; 0: 30 s */
	int64_t call_ms;       /* of one request; 0: 30 s */
	int64_t ask_ms; /* of one question, its retries included; 0: dl */
};

enum {
	GITHUB_MAX_BODY = 16 << 20,
	GITHUB_MAX_PAGES = 50,
	GITHUB_MAX_WAIT_S = 60, /* longer rate limits are an error */
};

/*
 * `api_url`: GITHUB_API_URL; NULL or "": https://api.github.com.
 * `repository`: "owner/name", checked.
 */
int github_init(struct github *g, const char *api_url, const char *repository,
		const struct secret *token, struct err *err);
void github_done(struct github *g);

/*
 * GET, `path` being "/repos/..." or an absolute URL on the API's origin.
 * `next`: absolute URL of the next page or NULL; free() it; may be NULL.
 * A next page on another origin is ERR_PROTO.
 */
int github_get(struct github *g, const char *path, cJSON **out, char **next,
	       struct deadline dl, struct err *err);

/*
 * POST, PATCH, PUT, DELETE.  At least one second after the one before, as
 * GitHub asks.  `out` may be NULL, and *out is NULL for an empty answer; one
 * that is no JSON is an error in any case.
 * Secrets in the "title" and the "body" of `body` are sent as ***.
 */
int github_send(struct github *g, const char *method, const char *path,
		const cJSON *body, cJSON **out, struct deadline dl,
		struct err *err);

/* "/repos/OWNER/NAME" and `tail`, which begins with a slash; free() it. */
char *github_path(const struct github *g, const char *tail);
/* The two above; `needs`, "issues: write", is what a refusal's cure names. */
int github_ask(struct github *g, const char *needs, const char *path,
	       cJSON **out, char **next, struct deadline dl, struct err *err);
int github_tell(struct github *g, const char *needs, const char *method,
		const char *tail, const cJSON *body, cJSON **out,
		struct deadline dl, struct err *err);

/* GET that is answered by a redirect: where to, not followed; free() it. */
int github_location(struct github *g, const char *path, char **location,
		    struct deadline dl, struct err *err);

/* One request without a retry, redirects not followed; any status is 0. */
int github_once(struct github *g, const char *method, const char *path,
		const char *body, struct http_response *r, struct deadline dl,
		struct err *err);
/* Fill `err` from an answer that is a refusal; always -1. */
int github_refused(struct github *g, const struct http_response *r,
		   const char *what, struct err *err);

/*
 * How long to wait before the same request is repeated, in seconds; -1: it is
 * no rate limit; -2: too long to wait.  `now` is epoch seconds.
 */
int64_t github_rate_wait(struct github *g, const struct http_response *r,
			 int64_t now);

#endif
