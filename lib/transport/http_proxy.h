#ifndef HTTP_PROXY_H
#define HTTP_PROXY_H

#include <curl/curl.h>

/* Proxies: as the environment says, and loopback always direct. */
void http_proxy_set(CURL *e);

/*
 * The variable whose proxy this URL may go through, or NULL; for a hint, so
 * NO_PROXY is not looked at.
 */
const char *http_proxy_variable(const char *url);

#endif
