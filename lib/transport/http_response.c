#include "transport/http.h"

#include <stdlib.h>
#include <string.h>

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
