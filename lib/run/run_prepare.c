#include <stdlib.h>
#include <string.h>

#include "adb/adb_power.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/app_log.h"
#include "run/run_stage.h"

enum { UNDO_AWAKE_MS = 500 };

static int
undo_awake(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;
	int before = r->stay_awake;

	if (before == -2)
		return 0;
	r->stay_awake = -2;
	/* It was tried; a phone that is lost is not asked again for this. */
	if (lease_journal_gave(r->cfg->journal, "stay_awake", NULL, err))
		return -1;
	return adb_power_restore(&r->dev, before, dl, err);
}

static void
put_str(cJSON *o, const char *key, const char *value)
{
	if (value == NULL || *value == '\0')
		return;
	json_set_str(o, key, value);
}

static void
note_facts(struct run *r)
{
	const struct adb_device_facts *f = &r->facts;
	cJSON *o = result_object(&r->res, "device");
	AUTO_FREE char *abi = mem_strndup(f->abis, strcspn(f->abis, ","));

	/* STF knows the model by the name the plan matched. */
	if (!r->farm)
		put_str(o, "model", f->model);
	put_str(o, "os", f->release);
	put_str(o, "build", f->build);
	put_str(o, "abi", abi);
	if (f->sdk > 0)
		json_set_int(o, "sdk", f->sdk);
	r->vars.device = json_str(o, "model", f->model);
}

static int
check_fit(struct run *r, struct err *err)
{
	const struct apk_manifest *m = &r->manifest;
	const struct adb_device_facts *f = &r->facts;

	if (m->package == NULL)
		return 0; /* --attach without an APK */
	if (f->abis[0] && !apk_manifest_runs_on(m, f->abis)) {
		err_set(err, ERR_INPUT,
			"the APK has native code for %s%s, the phone runs %s",
			m->abi[0], m->abi_count > 1 ? " and others" : "",
			f->abis);
		return err_reason(err, "wrong_abi");
	}
	if (f->sdk > 0 && m->min_sdk > f->sdk) {
		err_set(err, ERR_INPUT,
			"the APK wants Android API %d, the phone has %d",
			m->min_sdk, f->sdk);
		return err_reason(err, "sdk_too_old");
	}
	return 0;
}

static int
start_logcat(struct run *r, struct err *err)
{
	AUTO_FREE char *path = file_join(r->cfg->out, "logs/logcat.txt");
	struct adb_logcat_spec spec = {
		.path = path, .line = app_log_read, .arg = r};
	cJSON *log = json_obj();

	if (adb_logcat_start(&r->logcat, &r->dev, &spec,
			     run_dl(r, r->set->budget.shell_ms), err)) {
		cJSON_Delete(log);
		return err_wrap(err, "logcat");
	}
	json_set_str(log, "file", "logs/logcat.txt");
	json_push(result_array(&r->res, "logs"), log);
	return 0;
}

/* How it was, for the undo and for reap. */
static int
note_awake(struct run *r, int before, struct err *err)
{
	AUTO_FREE char *server = run_phone_server(r);
	AUTO_FREE char *detail =
		r->farm	      ? mem_fmt("%d of %s", before, r->lease.serial)
		: r->adb.ours ? mem_fmt("%d", before)
			      : mem_fmt("%d at %s", before, server);

	if (lease_journal_take(r->cfg->journal, "stay_awake", r->serial, detail,
			       err))
		return -1;
	r->stay_awake = before;
	return 0;
}

int
run_prepare(struct run *r, struct buf *note, struct err *err)
{
	struct deadline dl = run_dl(r, r->set->budget.ready_ms);
	int before;

	/* It may be entered again: what was found first counts. */
	adb_device_facts_done(&r->facts);
	if (adb_device_ready(&r->dev, dl, err) ||
	    adb_device_facts(&r->dev, &r->facts, dl, err))
		return -1;
	note_facts(r);
	if (check_fit(r, err))
		return -1;
	if (teardown_push(&r->td, "stay awake", undo_awake, r, UNDO_AWAKE_MS,
			  err) ||
	    adb_power_wake(&r->dev, dl, err) ||
	    adb_power_setting(&r->dev, &before, dl, err))
		return -1;
	if (r->stay_awake == -2 && note_awake(r, before, err))
		return -1;
	if (adb_power_stay_awake(&r->dev, dl, err) ||
	    (r->logcat == NULL && start_logcat(r, err)))
		return -1;
	buf_fmt(note, "%s, Android %s", r->facts.model, r->facts.release);
	return 0;
}
