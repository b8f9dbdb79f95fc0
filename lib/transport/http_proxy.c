#include "transport/http_proxy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "transport/http_url.h"

void
http_proxy_set(CURL *e)
{
	const char *env = getenv("no_proxy");
	AUTO_FREE char *list = NULL;

	if (env == NULL)
		env = getenv("NO_PROXY");
	list = mem_fmt("%s%slocalhost,127.0.0.1,127.0.0.0/8,::1",
		       env ? env : "", env && *env ? "," : "");
	curl_easy_setopt(e, CURLOPT_NOPROXY,
			 env && strcmp(env, "*") == 0 ? "*" : list);
}

const char *
http_proxy_variable(const char *url)
{
	/* libcurl reads http_proxy in small letters alone. */
	static const char *const names[] = {"http_proxy",  "https_proxy",
					    "HTTPS_PROXY", "all_proxy",
					    "ALL_PROXY",   NULL};
	size_t from = strncasecmp(url, "https:", 6) == 0 ? 1 : 0;

	if (http_url_is_loopback(url))
		return NULL;
	for (size_t i = from; names[i]; i++) {
		const char *v = getenv(names[i]);

		if (from == 0 && i > 0 && strcasestr(names[i], "https"))
			continue;
		if (v && *v)
			return names[i];
	}
	return NULL;
}
