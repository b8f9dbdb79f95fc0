#ifndef HTTP_TRUST_H
#define HTTP_TRUST_H

#include <curl/curl.h>

/* Whom http.c believes, and who it was that it did not believe. */
struct http_trust {
	char *issuer; /* of the certificate that was refused, or NULL */
};

/* Give `e` the CA file of the environment; `t` must outlive its transfer. */
void http_trust_set(CURL *e, struct http_trust *t);
void http_trust_done(struct http_trust *t);

#endif
