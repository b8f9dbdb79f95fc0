#include "farm/devices.h"

#include <string.h>

#include "adb/adb_device.h"
#include "adb/adb_host.h"
#include "adb/adb_key.h"
#include "base/file.h"
#include "base/mem.h"
#include "farm/farm.h"
#include "farm/phone_lock.h"
#include "stf/stf_list.h"

enum {
	USB_MS = 3000, /* until a server of ours has seen what is plugged in */
	USB_LOOK_MS = 100,
	FACTS_MS = 5000,
	STOP_MS = 500,
};

/* --- a farm -------------------------------------------------------------- */

static void
put_text(cJSON *o, const char *key, const char *s)
{
	json_set_str(o, key, s && *s ? s : NULL);
}

static cJSON *
held_by(const struct stf_device *d)
{
	cJSON *o;

	if (d->owner_email == NULL && !d->elsewhere)
		return cJSON_CreateNull();
	o = json_obj();
	json_set_str(o, "name",
		     d->owner_email
			     ? d->owner_name
			     : json_str(d->json, "group.owner.name", NULL));
	json_set_str(o, "email",
		     d->owner_email
			     ? d->owner_email
			     : json_str(d->json, "group.owner.email", NULL));
	return o;
}

/* A phone of this account: which of its runs on this machine has it? */
static void
put_local_run(cJSON *o, const struct settings *set, const struct stf_device *d)
{
	AUTO_BUF struct buf who = BUF_INIT;

	phone_lock_holder(set->state_dir, set->stf_url, d->serial, &who);
	put_text(o, "local_run", who.data);
}

static cJSON *
farm_device(const struct stf_verdict *v, const struct settings *set)
{
	const struct stf_device *d = v->device;
	AUTO_BUF struct buf text = BUF_INIT_MAX(4096);
	cJSON *o = json_obj();

	json_set_str(o, "serial", d->serial);
	put_text(o, "model", d->model);
	put_text(o, "android", d->version);
	put_text(o, "sdk", d->sdk);
	put_text(o, "abi", d->abi);
	json_set_str(o, "state", stf_choose_state_name(v->state));
	json_set(o, "held_by", held_by(d));
	json_set_str(o, "since", d->owner_email ? d->usage_since : NULL);
	put_text(o, "booked_until", stf_device_booked_until(d));
	stf_choose_describe(v, &text);
	json_set_str(o, "description", text.data);
	if (v->state == STF_MINE || v->state == STF_FREE)
		put_local_run(o, set, d);
	return o;
}

static const struct stf_verdict *
verdict_of(const struct stf_choice *c, const struct stf_device *d, size_t *rank)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->item[i].device == d) {
			*rank = i;
			return &c->item[i];
		}
	}
	return NULL;
}

/* What the plan says of one phone. */
static void
put_fit(cJSON *o, const struct stf_choice *fit, const struct stf_device *d)
{
	size_t rank = 0;
	const struct stf_verdict *v = verdict_of(fit, d, &rank);
	AUTO_BUF struct buf why = BUF_INIT_MAX(4096);
	bool fits = v && v->state != STF_NO_MATCH;

	json_set_bool(o, "fits", fits);
	json_set_bool(o, "taken", fits && rank == 0 && fit->free_count > 0);
	if (v && !fits)
		stf_choose_describe(v, &why);
	put_text(o, "mismatch", why.data);
}

/* What a run would do now. */
static cJSON *
choice(const struct stf_choice *fit, const struct plan *plan)
{
	struct err err = ERR_INIT;
	cJSON *o = json_obj();

	json_set_str(o, "plan", plan->file);
	json_set_int(o, "fit", (int64_t)fit->fit_count);
	json_set_int(o, "free", (int64_t)fit->free_count);
	if (fit->free_count > 0) {
		json_set_str(o, "take", fit->item[0].device->serial);
		json_set_str(o, "reason", NULL);
		json_set_str(o, "message", NULL);
		return o;
	}
	stf_choose_error(fit, &err);
	json_set_str(o, "take", NULL);
	json_set_str(o, "reason", err.reason);
	json_set_str(o, "message", err.msg);
	return o;
}

static void
put_devices(cJSON *out, const struct stf_devices *list, const struct plan *plan,
	    const char *me, const struct settings *set)
{
	struct farm_wants any, wants;
	struct stf_choice all, fit;
	cJSON *a = json_arr();

	farm_wants_init(&any, NULL);
	farm_wants_init(&wants, plan);
	stf_choose(list, any.want, any.count, me, &all);
	stf_choose(list, wants.want, wants.count, me, &fit);
	for (size_t i = 0; i < all.count; i++) {
		cJSON *o = farm_device(&all.item[i], set);

		if (plan)
			put_fit(o, &fit, all.item[i].device);
		json_push(a, o);
	}
	json_set(out, "devices", a);
	if (plan)
		json_set(out, "choice", choice(&fit, plan));
	stf_choose_done(&fit);
	stf_choose_done(&all);
	farm_wants_done(&wants);
	farm_wants_done(&any);
}

int
devices_farm(const struct settings *set, const struct plan *plan, cJSON **out,
	     struct deadline dl, struct err *err)
{
	struct stf_devices list;
	struct stf_user user;
	struct ssh_tunnel *tunnel;
	struct stf stf;
	int rc = -1;

	if (farm_open(&stf, &tunnel, set, dl, err))
		return -1;
	if (stf_user(&stf, &user, dl, err))
		goto out;
	if (stf_devices(&stf, STF_TARGET_USER, &list, dl, err) == 0) {
		stf_list_add_booked(&stf, &list, dl);
		*out = json_obj();
		json_set_str(*out, "source", "stf");
		json_set_str(*out, "at", set->stf_url);
		json_set_str(*out, "user", user.email);
		put_devices(*out, &list, plan, user.email, set);
		stf_devices_done(&list);
		rc = 0;
	}
	stf_user_done(&user);
out:
	if (rc)
		farm_explain(tunnel, err);
	farm_close(&stf, &tunnel);
	return rc;
}

/* --- an adb server ------------------------------------------------------- */

/* What only the phone itself knows; a phone that does not answer is fine. */
static void
put_facts(cJSON *o, const struct adb_server *server, const char *serial,
	  struct deadline dl)
{
	struct adb_device_facts facts;
	struct adb_device dev = {0};
	struct err err = ERR_INIT;

	dl = deadline_cap(dl, FACTS_MS);
	if (adb_device_init(&dev, server, serial, dl, &err))
		return;
	if (adb_device_facts(&dev, &facts, dl, &err) == 0) {
		put_text(o, "model", facts.model);
		put_text(o, "android", facts.release);
		put_text(o, "abi", facts.abis);
		put_text(o, "serialno", facts.serialno);
		if (facts.sdk > 0)
			json_set_int(o, "sdk", facts.sdk);
		adb_device_facts_done(&facts);
	}
	adb_device_done(&dev);
}

static const char *
adb_description(const struct adb_host_device *d)
{
	switch (d->state) {
	case ADB_HOST_DEVICE:
		return "ready for work";
	case ADB_HOST_UNAUTHORIZED:
		return "accept the question about the key on the phone";
	case ADB_HOST_OFFLINE:
		return "does not answer: unplug it and plug it in again";
	case ADB_HOST_NO_PERMISSION:
		return "this user may not open it: look at the udev rules";
	default:
		return d->state_text;
	}
}

static void
put_adb_devices(cJSON *out, const struct adb_server *server,
		const struct adb_host_list *list, struct deadline dl)
{
	cJSON *a = json_arr();

	for (size_t i = 0; i < list->count; i++) {
		const struct adb_host_device *d = &list->item[i];
		cJSON *o = json_obj();

		json_set_str(o, "serial", d->serial);
		json_set_str(o, "state", d->state_text);
		if (d->state == ADB_HOST_DEVICE)
			put_facts(o, server, d->serial, dl);
		if (json_get(o, "model") == NULL)
			put_text(o, "model", d->model);
		json_set_str(o, "description", adb_description(d));
		json_push(a, o);
	}
	json_set(out, "devices", a);
}

/* A server that we started needs a moment to see what is plugged in. */
static int
list_adb(const struct adb_server *server, struct adb_host_list *list,
	 struct deadline dl, struct err *err)
{
	struct deadline usb = deadline_cap(dl, USB_MS);
	struct err over = ERR_INIT;

	for (;;) {
		if (adb_host_devices(server, list, dl, err))
			return -1;
		if (list->count > 0 || !server->ours)
			return 0;
		if (deadline_pause(usb, USB_LOOK_MS, &over))
			return deadline_check(dl, err);
		adb_host_list_done(list);
	}
}

/* The server that runs, else one of ours with the key in the state folder. */
static int
open_server(struct adb_server *server, const struct settings *set,
	    const char *address, struct deadline dl, struct err *err)
{
	AUTO_FREE char *key = NULL;
	struct adb_server_spec spec = {.state_dir = set->state_dir,
				       .usb = ADB_SERVER_USB};
	struct adb_key k = {0};

	if (adb_server_join(server, address, dl, err) == 0)
		return 0;
	if (err->code != ERR_NOTFOUND || address)
		return -1;
	err_clear(err);
	key = set->adb_key ? mem_strdup(set->adb_key)
			   : file_join(set->state_dir, "adbkey");
	if (file_mkdirs(set->state_dir, err) || adb_key_ensure(key, &k, err))
		return -1;
	adb_key_done(&k);
	spec.key_path = key;
	return adb_server_start(server, &spec, dl, err);
}

int
devices_adb(const struct settings *set, const char *address, cJSON **out,
	    struct deadline dl, struct err *err)
{
	struct adb_server server = {0};
	struct adb_host_list list = {0};
	AUTO_FREE char *at = NULL;
	int rc = -1;

	if (open_server(&server, set, address, dl, err) == 0 &&
	    list_adb(&server, &list, dl, err) == 0) {
		at = mem_fmt("%s:%d%s", server.host, server.port,
			     server.ours ? " (ours)" : "");
		*out = json_obj();
		json_set_str(*out, "source", "adb");
		json_set_str(*out, "at", at);
		put_adb_devices(*out, &server, &list, dl);
		rc = 0;
	}
	adb_host_list_done(&list);
	adb_server_stop(&server, deadline_grace(NULL, STOP_MS));
	return rc;
}
