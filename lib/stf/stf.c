#include "stf/stf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stf/stf_call.h"
#include "transport/http_url.h"

int
stf_init(struct stf *s, const char *url, const struct secret *token,
	 struct err *err)
{
	static const char suffix[] = "/api/v1";
	AUTO_FREE char *origin = NULL;
	size_t len;

	memset(s, 0, sizeof(*s));
	origin = url ? http_origin(url) : NULL;
	if (origin && http_url_has_user(url))
		return err_set(err, ERR_INPUT,
			       "STF_URL has a user name or a password in it; "
			       "take it out and set STF_TOKEN");
	if (!origin || strpbrk(url, "?#"))
		return err_set(err, ERR_INPUT,
			       "'%.200s' is not the URL of an STF farm; "
			       "expected https://HOST[:PORT][/PATH]",
			       url ? url : "");
	len = strlen(url);
	while (len && url[len - 1] == '/')
		len--;
	if (len > sizeof(suffix) - 1 &&
	    strncmp(url + len - (sizeof(suffix) - 1), suffix,
		    sizeof(suffix) - 1) == 0)
		len -= sizeof(suffix) - 1;
	s->api = mem_fmt("%.*s%s", (int)len, url, suffix);
	/* Farms on a LAN often have no TLS: the user's URL decides. */
	s->http = http_new(HTTP_PLAIN_ALLOWED);
	s->token = token;
	s->call_ms = STF_CALL_MS;
	s->late_ms = STF_LATE_MS;
	return 0;
}

void
stf_done(struct stf *s)
{
	http_free(s->http);
	free(s->api);
	memset(s, 0, sizeof(*s));
}

int
stf_reserve(struct stf *s, const char *serial, int64_t idle_ms,
	    struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *body = json_obj();

	json_set_str(body, "serial", serial);
	json_set_int(body, "timeout", idle_ms);
	return stf_call(s, "POST", "/user/devices", body, NULL, dl, err);
}

int
stf_release(struct stf *s, const char *serial, struct deadline dl,
	    struct err *err)
{
	AUTO_FREE char *path = stf_call_path("/user/devices/", serial, "");

	return stf_call(s, "DELETE", path, NULL, NULL, dl, err);
}

int
stf_remote_connect(struct stf *s, const char *serial, char **endpoint,
		   struct deadline dl, struct err *err)
{
	AUTO_FREE char *path =
		stf_call_path("/user/devices/", serial, "/remoteConnect");
	AUTO_JSON cJSON *json = NULL;
	const char *url;

	if (stf_call(s, "POST", path, NULL, &json, dl, err))
		return -1;
	url = json_str(json, "remoteConnectUrl", "");
	*endpoint = *url ? stf_call_trimmed(url) : NULL;
	return 0;
}

int
stf_remote_disconnect(struct stf *s, const char *serial, struct deadline dl,
		      struct err *err)
{
	AUTO_FREE char *path =
		stf_call_path("/user/devices/", serial, "/remoteConnect");

	return stf_call(s, "DELETE", path, NULL, NULL, dl, err);
}
