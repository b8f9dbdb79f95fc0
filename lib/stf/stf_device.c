#include "stf/stf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stf/stf_call.h"

int
stf_device_parse(cJSON *json, struct stf_device *out, struct err *err)
{
	struct stf_device d = {.json = json};
	const char *serial = NULL;

	if (json_need_str(json, "serial", "STF's device", &serial, err)) {
		cJSON_Delete(json);
		return -1;
	}
	d.serial = serial;
	d.model = stf_call_trimmed(json_str(json, "model", ""));
	d.version = json_str(json, "version", "");
	d.sdk = json_str(json, "sdk", "");
	d.abi = json_str(json, "abi", "");
	d.owner_email = json_str(json, "owner.email", NULL);
	d.owner_name = json_str(json, "owner.name", d.owner_email);
	d.usage_since = json_str(json, "usageChangedAt", NULL);
	d.usage = json_str(json, "usage", NULL);
	d.group_class = json_str(json, "group.class", NULL);
	d.group_stop = json_str(json, "group.lifeTime.stop", NULL);
	d.present = json_bool(json, "present", false);
	d.ready = json_bool(json, "ready", false);
	d.using = json_bool(json, "using", false);
	d.status = (int)json_int(json, "status", 0);
	*out = d;
	return 0;
}

const char *
stf_device_booked_until(const struct stf_device *d)
{
	if (d->group_class == NULL || strcmp(d->group_class, "standard") == 0 ||
	    strcmp(d->group_class, "bookable") == 0)
		return NULL;
	return d->group_stop;
}

void
stf_device_done(struct stf_device *d)
{
	free(d->model);
	cJSON_Delete(d->json);
	memset(d, 0, sizeof(*d));
}

int
stf_devices_parse(cJSON *list, struct stf_devices *out, struct err *err)
{
	cJSON *one;

	memset(out, 0, sizeof(*out));
	if (!cJSON_IsArray(list))
		return err_set(err, ERR_PROTO,
			       "STF's answer has no list 'devices'");
	while ((one = cJSON_DetachItemFromArray(list, 0))) {
		struct stf_device d;
		struct err odd = ERR_INIT;

		if (out->count == STF_MAX_DEVICES) {
			cJSON_Delete(one);
			stf_devices_done(out);
			return err_set(err, ERR_PROTO,
				       "STF lists more than %d devices",
				       STF_MAX_DEVICES);
		}
		/* What has no serial cannot be asked for: not a device. */
		if (stf_device_parse(one, &d, &odd))
			continue;
		MEM_GROW(out->item, out->count, out->room);
		out->item[out->count++] = d;
	}
	return 0;
}

int
stf_devices(struct stf *s, enum stf_target target, struct stf_devices *out,
	    struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *json = NULL;

	if (stf_call(s, "GET",
		     target == STF_TARGET_BOOKABLE ? "/devices?target=bookable"
						   : "/devices",
		     NULL, &json, dl, err))
		return -1;
	return stf_devices_parse(
		cJSON_GetObjectItemCaseSensitive(json, "devices"), out, err);
}

void
stf_devices_done(struct stf_devices *l)
{
	for (size_t i = 0; i < l->count; i++)
		stf_device_done(&l->item[i]);
	free(l->item);
	memset(l, 0, sizeof(*l));
}

int
stf_device(struct stf *s, const char *serial, struct stf_device *out,
	   struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = stf_call_path("/devices/", serial, "");
	AUTO_JSON cJSON *json = NULL;
	cJSON *one;

	if (stf_call(s, "GET", path, NULL, &json, dl, err))
		return -1;
	one = cJSON_DetachItemFromObjectCaseSensitive(json, "device");
	if (!one)
		return err_set(err, ERR_PROTO,
			       "STF's answer about '%s' has no 'device'",
			       serial);
	return stf_device_parse(one, out, err);
}
