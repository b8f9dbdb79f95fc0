#include "stf/stf.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "stf/stf_call.h"

static int
user_parse(const cJSON *json, struct stf_user *out, struct err *err)
{
	const cJSON *keys = json_get(json, "user.adbKeys"), *key;
	const char *email;

	memset(out, 0, sizeof(*out));
	if (json_need_str(json, "user.email", "STF's user", &email, err))
		return -1;
	out->email = mem_strdup(email);
	out->name = mem_strdup(json_str(json, "user.name", email));
	out->admin =
		strcmp(json_str(json, "user.privilege", "user"), "admin") == 0;
	if (!cJSON_IsArray(keys))
		return 0;
	out->fingerprint = mem_array((size_t)cJSON_GetArraySize(keys) + 1,
				     sizeof(*out->fingerprint));
	cJSON_ArrayForEach(key, keys)
	{
		const char *f = json_str(key, "fingerprint", NULL);

		if (f)
			out->fingerprint[out->fingerprint_count++] =
				mem_strdup(f);
	}
	return 0;
}

int
stf_user(struct stf *s, struct stf_user *out, struct deadline dl,
	 struct err *err)
{
	AUTO_JSON cJSON *json = NULL;

	if (stf_call(s, "GET", "/user", NULL, &json, dl, err) == 0)
		return user_parse(json, out, err);
	if (s->status == 500 && !s->answered) {
		struct err second = ERR_INIT;

		/* One failing call is the farm, all of them are the token. */
		if (stf_call(s, "GET", "/devices?fields=serial", NULL, NULL, dl,
			     &second) &&
		    s->status == 500) {
			err->code = ERR_AUTH;
			return err_reason(err, "stale_token");
		}
	}
	return -1;
}

void
stf_user_done(struct stf_user *u)
{
	for (size_t i = 0; i < u->fingerprint_count; i++)
		free(u->fingerprint[i]);
	free(u->fingerprint);
	free(u->email);
	free(u->name);
	memset(u, 0, sizeof(*u));
}

bool
stf_user_has_key(const struct stf_user *u, const char *fingerprint)
{
	for (size_t i = 0; i < u->fingerprint_count; i++)
		if (strcasecmp(u->fingerprint[i], fingerprint) == 0)
			return true;
	return false;
}
