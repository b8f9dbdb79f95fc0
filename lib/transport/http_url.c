#include "transport/http_url.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "transport/http.h"

/* What libcurl takes and would fail with again and again. */
static bool
can_be_asked(CURLU *u, const char *url)
{
	enum { LONGEST_HOST = 253 };
	AUTO_BUF struct buf text = BUF_INIT;
	char *host = NULL;
	bool good = true;

	for (const char *p = url; *p; p++)
		good = good && (unsigned char)*p > 0x20 && *p != 0x7f;
	if (good && curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK)
		buf_utf8(&text, host);
	if (host)
		good = strlen(host) <= LONGEST_HOST &&
		       strcmp(text.data, host) == 0;
	curl_free(host);
	return good;
}

static CURLU *
parse(const char *url)
{
	CURLU *u = curl_url();

	if (u == NULL)
		abort(); /* out of memory: as in mem.h */
	if (curl_url_set(u, CURLUPART_URL, url, 0) || !can_be_asked(u, url)) {
		curl_url_cleanup(u);
		return NULL;
	}
	return u;
}

/* One part, owned by the caller; NULL when absent. */
static char *
part(CURLU *u, CURLUPart which, unsigned flags)
{
	char *s = NULL, *copy;

	if (curl_url_get(u, which, &s, flags))
		return NULL;
	copy = mem_strdup(s);
	curl_free(s);
	return copy;
}

static bool
is_web(CURLU *u)
{
	AUTO_FREE char *scheme = part(u, CURLUPART_SCHEME, 0);

	return scheme &&
	       (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
}

char *
http_origin(const char *url)
{
	CURLU *u = parse(url);
	char *origin = NULL;

	if (u == NULL)
		return NULL;
	if (is_web(u)) {
		AUTO_FREE char *scheme = part(u, CURLUPART_SCHEME, 0);
		AUTO_FREE char *host = part(u, CURLUPART_HOST, 0);
		AUTO_FREE char *port =
			part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT);

		origin = mem_fmt("%s://%s:%s", scheme, host ? host : "",
				 port ? port : "");
		for (char *p = origin; *p; p++)
			*p = (char)tolower((unsigned char)*p);
	}
	curl_url_cleanup(u);
	return origin;
}

char *
http_shown(const char *url)
{
	CURLU *u = parse(url);
	char *shown = NULL;

	if (u == NULL)
		return NULL;
	if (is_web(u)) {
		curl_url_set(u, CURLUPART_USER, NULL, 0);
		curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
		curl_url_set(u, CURLUPART_QUERY, NULL, 0);
		curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
		shown = part(u, CURLUPART_URL, 0);
	}
	curl_url_cleanup(u);
	return shown;
}

char *
http_join(const char *base, const char *path)
{
	size_t len = strlen(base);

	while (len > 0 && base[len - 1] == '/')
		len--;
	while (*path == '/')
		path++;
	return mem_fmt("%.*s/%s", (int)len, base, path);
}

bool
http_url_has_user(const char *url)
{
	CURLU *u = parse(url);
	AUTO_FREE char *user = NULL;
	AUTO_FREE char *password = NULL;

	if (u == NULL)
		return false;
	user = part(u, CURLUPART_USER, 0);
	password = part(u, CURLUPART_PASSWORD, 0);
	curl_url_cleanup(u);
	return user || password;
}

bool
http_url_is_loopback(const char *url)
{
	CURLU *u = parse(url);
	AUTO_FREE char *host = NULL;

	if (u == NULL)
		return false;
	host = part(u, CURLUPART_HOST, 0);
	curl_url_cleanup(u);
	return host &&
	       (strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
		(strncmp(host, "127.", 4) == 0 &&
		 strspn(host, "0123456789.") == strlen(host)));
}

static char *
resolve(const char *base, const char *target)
{
	CURLU *u = parse(base);
	char *url = NULL;

	if (u == NULL)
		return NULL;
	if (curl_url_set(u, CURLUPART_URL, target, 0) == CURLUE_OK)
		url = part(u, CURLUPART_URL, 0);
	curl_url_cleanup(u);
	return url;
}

/* Whether the parameters behind <...> say rel="next". */
static bool
says_next(const char *params, size_t len)
{
	AUTO_FREE char *p = mem_strndup(params, len);
	const char *rel = strcasestr(p, "rel=");

	if (rel == NULL)
		return false;
	rel += 4;
	rel += *rel == '"';
	return strncasecmp(rel, "next", 4) == 0 &&
	       !isalnum((unsigned char)rel[4]);
}

char *
http_url_link_next(const char *header, const char *base)
{
	const char *p = header;

	while ((p = strchr(p, '<'))) {
		size_t len = strcspn(++p, ">");
		const char *params = p + len;
		size_t params_len = strcspn(params, "<");

		if (*params == '\0')
			return NULL;
		if (says_next(params, params_len)) {
			AUTO_FREE char *target = mem_strndup(p, len);

			return resolve(base, target);
		}
		p = params + params_len;
	}
	return NULL;
}
