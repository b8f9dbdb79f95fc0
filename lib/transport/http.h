#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/secret.h"

/*
 * HTTP through libcurl, one request at a time, on curl_multi_poll with the
 * cancel descriptor.  Redirects are never followed here: the caller sees
 * `location` and decides, so no token leaves its origin.  https only, http
 * where the host is loopback or the client allows it.  The proxy variables
 * are obeyed, except for loopback.  CA files: PATROL_CA_FILE, SSL_CERT_FILE,
 * CURL_CA_BUNDLE.  A failed transfer is ERR_IO (ERR_TIMEOUT when late); an
 * HTTP status is no error at this level.
 */
struct http; /* a client: its requests share a connection of HTTP/2 */

enum http_plain { HTTP_PLAIN_LOOPBACK, HTTP_PLAIN_ALLOWED };

struct http *http_new(enum http_plain plain);
void http_free(struct http *h);
/*
 * Connect to this port of 127.0.0.1 instead of what the URL names, as through
 * a tunnel, and to no proxy.  Host header and certificate stay the URL's.
 */
void http_through(struct http *h, int port);

struct http_request {
	const char *method;	     /* "GET" when NULL */
	const char *url;	     /* logged without its query */
	const struct secret *bearer; /* Authorization: Bearer; may be NULL */
	const char *const *headers;  /* "Name: value", NULL-ended; or NULL */
	const char *content_type;    /* of the body */
	const void *body;	     /* NULL: none */
	size_t body_len;
	/* When `url` itself is the secret (a webhook): errors tell host only. */
	bool secret_url;

	/*
	 * Where the body goes: into response.body (bounded by its limit), or
	 * with a status of 2xx to `sink` as it arrives.  A sink that returns
	 * -1 fills `err` and ends the transfer.
	 */
	int (*sink)(void *arg, const void *data, size_t len, struct err *err);
	void *sink_arg;
	/* Told about once in 100 ms: bytes so far, of total (-1: unknown). */
	void (*progress)(void *arg, int64_t now, int64_t total);
	void *progress_arg;
	/* Give up when under 1 KB/s for so long (0: 30 s); ERR_TIMEOUT. */
	int64_t stall_ms;
	int64_t range_from; /* > 0: "Range: bytes=N-" */
	bool http1;	    /* refuse HTTP/2 (retry after a stream reset) */
};

struct http_response {
	int status;
	char *content_type;	/* without parameters, lower case; or NULL */
	char *location;		/* absolute; or NULL */
	char *link_next;	/* absolute, from Link: rel="next"; or NULL */
	int64_t retry_after_s;	/* clamped to 0..3600; -1: absent or unusable */
	int64_t rate_remaining; /* x-ratelimit-remaining; -1: absent */
	int64_t rate_reset;	/* epoch seconds; -1: absent */
	int64_t body_bytes;	/* what arrived, also when sent to a sink */
	int curl_code;		/* for a failed transfer: libcurl's number */
	struct buf body;
};

/* Prepares it with a limit on its body. */
void http_response_init(struct http_response *r, size_t body_limit);
void http_response_done(struct http_response *r);

int http_do(struct http *h, const struct http_request *req,
	    struct http_response *r, struct deadline dl, struct err *err);

/* scheme://host:port of a URL, lower case; free() it.  NULL: not a URL. */
char *http_origin(const char *url);
/* base + "/" + path with exactly one slash between; free() it. */
char *http_join(const char *base, const char *path);
/* The URL without query and user info, for logs; free() it. */
char *http_shown(const char *url);
/* "The body is HTML/empty/…": a few words about a body that is not JSON. */
void http_describe_body(const struct http_response *r, struct buf *out);

#endif
