#ifndef HTTP_URL_H
#define HTTP_URL_H

#include <stdbool.h>

/* Parts of URLs; http.h declares what callers outside transport use. */

/* Whether a user name or a password stands before the host. */
bool http_url_has_user(const char *url);

/* Whether the host is localhost, 127.x.x.x or ::1. */
bool http_url_is_loopback(const char *url);

/*
 * The target of rel="next" in a Link header, absolute (resolved against
 * `base`); free() it.  NULL when there is none.
 */
char *http_url_link_next(const char *header, const char *base);

#endif
