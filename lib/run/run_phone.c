#include <stdlib.h>
#include <string.h>

#include "adb/adb_host.h"
#include "adb/adb_install.h"
#include "adb/adb_key.h"
#include "adb/adb_package.h"
#include "adb/adb_wait.h"
#include "base/file.h"
#include "base/mem.h"
#include "farm/farm.h"
#include "run/run_holder.h"
#include "run/run_stage.h"
#include "stf/stf_choose.h"

/* What each undo may take; all together fit TEARDOWN_TOTAL_MS. */
enum {
	UNDO_RELEASE_MS = 3600,
	UNDO_SERVER_MS = 700,
	UNDO_DISCONNECT_MS = 600,
	UNDO_TUNNEL_MS = 100,
};

static int
undo_release(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;

	if (stf_lease_give_back(&r->lease, dl, err))
		return -1;
	if (r->lease.unsure) {
		run_say(r, PROGRESS_WARN,
			"the farm had not answered for %s; `patrol reap` "
			"looks whether it came after all",
			r->lease.serial);
		return 0;
	}
	/* Also those that were asked for and went to somebody else. */
	if (lease_journal_gave(r->cfg->journal, "stf", NULL, err))
		return -1;
	phone_lock_drop_all(&r->locks);
	return 0;
}

static int
undo_tunnel(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;

	(void)dl;
	(void)err;
	ssh_tunnel_close(r->tunnel); /* waits for nobody */
	r->tunnel = NULL;
	return 0;
}

static int
undo_server(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;

	(void)err;
	adb_device_done(&r->dev);
	adb_server_stop(&r->adb, dl);
	return 0;
}

static int
undo_connect(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;

	adb_logcat_free(r->logcat);
	r->logcat = NULL;
	if (!r->adb_connected)
		return 0;
	r->adb_connected = false;
	if (adb_host_disconnect(&r->adb, r->serial, dl, err) && !r->adb.ours)
		return -1;
	err_clear(err); /* our own server ends next, and closes it too */
	return lease_journal_gave(r->cfg->journal, "adb_connect", NULL, err);
}

static int
before_reserve(void *arg, const struct stf_device *d, struct err *err)
{
	struct run *r = arg;

	if (lease_journal_take(r->cfg->journal, "lock", d->serial,
			       r->set->stf_url, err) ||
	    phone_lock_take(&r->locks, r->set->state_dir, r->set->stf_url,
			    d->serial, r->cfg->out, err))
		return -1;
	return lease_journal_take(r->cfg->journal, "stf", d->serial,
				  r->set->stf_url, err);
}

static int
reserve_refused(void *arg, const char *serial, struct err *err)
{
	struct run *r = arg;

	phone_lock_drop(&r->locks, serial);
	return lease_journal_gave(r->cfg->journal, "stf", serial, err) ||
			       lease_journal_gave(r->cfg->journal, "lock",
						  serial, err)
		       ? -1
		       : 0;
}

static void
waiting(void *arg, const char *why)
{
	struct run *r = arg;

	run_waiting(r, 0, r->plan->device.wait_ms, "%s", why);
}

static int
not_taken(struct run *r, const struct stf_want *want, size_t count,
	  struct err *err)
{
	if (err->code == ERR_NOTFOUND && err_is(err, "no_device_fits")) {
		err->code = ERR_INPUT;
		return -1;
	}
	if (err->code != ERR_BUSY)
		return -1;
	run_holder_note(r, want, count, err);
	if (r->plan->device.when_busy == PLAN_BUSY_FAIL)
		return -1;
	return run_skip(r, err->reason ? err->reason : "device_busy", err);
}

static int
open_farm(struct run *r, struct err *err)
{
	/* The last thing to be undone: the others need it for that. */
	if (teardown_push(&r->td, "tunnel", undo_tunnel, r, UNDO_TUNNEL_MS,
			  err) ||
	    farm_open(&r->stf, &r->tunnel, r->set,
		      run_dl(r, r->set->budget.ssh_ms), err))
		return -1;
	r->farm = true;
	stf_lease_init(&r->lease, &r->stf);
	return 0;
}

int
run_phone_take(struct run *r, struct buf *note, struct err *err)
{
	struct farm_wants wants;
	struct stf_lease_ask ask = {
		.idle_ms = r->plan->device.reserve_ms,
		.before = before_reserve,
		.refused = reserve_refused,
		.arg = r,
		.wait_ms = r->plan->device.when_busy == PLAN_BUSY_WAIT
				   ? r->plan->device.wait_ms
				   : 0,
		.waiting = waiting,
	};
	int rc;

	if (open_farm(r, err) || teardown_push(&r->td, "lease", undo_release, r,
					       UNDO_RELEASE_MS, err))
		return -1;
	farm_wants_init(&wants, r->plan);
	ask.want = wants.want;
	ask.want_count = wants.count;
	rc = stf_lease_take(&r->lease, &ask,
			    run_dl(r, r->set->budget.take_ms + ask.wait_ms),
			    err);
	if (rc)
		rc = not_taken(r, wants.want, wants.count, err);
	farm_wants_done(&wants);
	if (rc || lease_journal_have(r->cfg->journal, "stf", r->lease.serial,
				     r->lease.since, err))
		return -1;
	/* From here the plan's deadline runs. */
	r->dl = deadline_in(r->cancel, r->plan->limits.deadline_ms);
	r->dl_fixed = true;
	run_holder_device(r, &r->lease.device);
	run_holder_booking(r);
	buf_fmt(note, "%s, serial %s", r->lease.device.model,
		r->lease.device.serial);
	return 0;
}

/* The one key: given, or one of ours in the state folder. */
static int
open_key(struct run *r, struct adb_key *key, char **path, struct err *err)
{
	*path = r->set->adb_key ? mem_strdup(r->set->adb_key)
				: file_join(r->set->state_dir, "adbkey");
	if (r->set->adb_key == NULL && r->farm)
		run_say(r, PROGRESS_WARN,
			"PATROL_ADB_KEY is not set: using %s; on "
			"throw-away runners each day registers a new "
			"key",
			*path);
	if (adb_key_ensure(*path, key, err) == 0)
		return 0;
	if (r->set->adb_key == NULL)
		return -1;
	err->code = ERR_INPUT;
	return err_hint(err, "set PATROL_ADB_KEY to an adb private key, or to "
			     "a path where one can be made");
}

static int
start_server(struct run *r, enum adb_server_usb usb, const char *key,
	     struct err *err)
{
	struct adb_server_spec spec = {
		.state_dir = r->set->state_dir, .key_path = key, .usb = usb};

	if (teardown_push(&r->td, "adb server", undo_server, r, UNDO_SERVER_MS,
			  err))
		return -1;
	return adb_server_start(&r->adb, &spec,
				run_dl(r, r->set->budget.adb_start_ms), err);
}

static void
changed(void *arg, const char *words)
{
	struct run *r = arg;

	run_waiting(r, 0, r->set->budget.adb_connect_ms, "adb: %s", words);
}

char *
run_phone_server(const struct run *r)
{
	return mem_fmt("%s:%d", r->adb.host, r->adb.port);
}

static int
wait_device(struct run *r, const char *address, const char *fingerprint,
	    struct err *err)
{
	struct adb_wait_spec spec = {.serial = r->serial,
				     .address = address,
				     .fingerprint = fingerprint,
				     .changed = changed,
				     .arg = r};
	struct deadline dl = run_dl(r, r->set->budget.adb_connect_ms);

	if (teardown_push(&r->td, "adb disconnect", undo_connect, r,
			  UNDO_DISCONNECT_MS, err))
		return -1;
	/* A server that is not ours outlives us, with what it connected. */
	if (address && !r->adb.ours) {
		AUTO_FREE char *server = run_phone_server(r);

		if (lease_journal_take(r->cfg->journal, "adb_connect", address,
				       server, err))
			return -1;
	}
	r->adb_connected = address != NULL;
	if (adb_wait_device(&r->adb, &spec, dl, err))
		return -1;
	return adb_device_init(&r->dev, &r->adb, r->serial, dl, err);
}

static int
connect_farm(struct run *r, struct err *err)
{
	struct deadline dl = run_dl(r, r->set->budget.take_ms);
	AUTO_FREE char *path = NULL;
	struct adb_key key = {0};
	int rc = -1;

	if (open_key(r, &key, &path, err))
		return -1;
	if (stf_lease_key(&r->lease, key.public_text, "patrol", dl, err) ||
	    stf_lease_connect(&r->lease, dl, err) ||
	    start_server(r, ADB_SERVER_NO_USB, path, err))
		goto out;
	if (farm_reach(r->tunnel, r->lease.endpoint, &r->serial, err))
		goto out;
	rc = wait_device(r, r->serial, key.fingerprint, err);
out:
	adb_key_done(&key);
	return rc;
}

/* "adb" or "adb:SERIAL": the server that runs already, else one of ours. */
static int
connect_local(struct run *r, struct err *err)
{
	const char *serial = strchr(r->cfg->device, ':');
	const char *address = NULL;
	AUTO_FREE char *path = NULL;
	struct adb_key key = {0};
	enum adb_host_state state;
	struct deadline dl = run_dl(r, r->set->budget.adb_connect_ms);
	int rc = -1;

	if (adb_server_join(&r->adb, r->cfg->adb_server,
			    run_dl(r, r->set->budget.adb_start_ms), err)) {
		if (err->code != ERR_NOTFOUND || r->cfg->adb_server)
			return -1;
		err_clear(err);
		if (open_key(r, &key, &path, err) ||
		    start_server(r, ADB_SERVER_USB, path, err))
			goto out;
	}
	if (serial) {
		r->serial = mem_strdup(serial + 1);
		if (adb_host_state(&r->adb, r->serial, &state, dl, err))
			goto out;
		if (state == ADB_HOST_ABSENT && strchr(r->serial, ':'))
			address = r->serial;
	} else if (adb_wait_choose(&r->adb, &r->serial, dl, err)) {
		goto out;
	}
	rc = wait_device(r, address, key.public_text ? key.fingerprint : NULL,
			 err);
out:
	adb_key_done(&key);
	return rc;
}

int
run_phone_connect(struct run *r, struct buf *note, struct err *err)
{
	cJSON *o = result_object(&r->res, "device");

	if (r->farm ? connect_farm(r, err) : connect_local(r, err))
		return -1;
	if (!r->dl_fixed) {
		if (r->plan)
			r->dl = deadline_in(r->cancel,
					    r->plan->limits.deadline_ms);
		r->dl_fixed = true;
		json_set_str(o, "serial", r->serial);
		json_set_str(o, "farm", "adb");
	}
	buf_fmt(note, "%s%s", r->serial,
		r->adb.ours ? "" : " at the adb server that runs already");
	if (r->tunnel) {
		struct ssh_tunnel_state s;

		ssh_tunnel_state(r->tunnel, &s);
		buf_fmt(note, " through %s", s.who);
	}
	return 0;
}

static void
install_progress(void *arg, enum adb_install_phase phase, int64_t now,
		 int64_t total)
{
	struct run *r = arg;
	struct err err = ERR_INIT;

	/* Hundreds of megabytes can take longer than the idle timeout. */
	(void)run_tend(r, &err);
	if (phase == ADB_INSTALL_SENDING)
		progress_bytes(r->progress, "install", now, total);
	else
		run_waiting(r, 0, r->set->budget.install_ms,
			    "install: all sent, waiting for the phone");
}

static int
grant(struct run *r, struct err *err)
{
	size_t n = r->plan ? r->plan->app.grant.count : 0;

	for (size_t i = 0; i < n; i++) {
		const char *permission = r->plan->app.grant.item[i];
		int granted;

		if (adb_package_grant(&r->dev, r->package, permission, &granted,
				      run_dl(r, r->set->budget.shell_ms), err))
			return err_wrap(err, "grant %s", permission);
		if (!granted)
			run_say(r, PROGRESS_WARN, "%s could not be granted",
				permission);
	}
	return 0;
}

int
run_phone_install(struct run *r, struct buf *note, struct err *err)
{
	AUTO_FREE const char **apk =
		mem_array(r->apk.count, sizeof(const char *));
	struct adb_install_spec spec = {
		.apk = apk,
		.apk_count = r->apk.count,
		.reinstall = true,
		.test_only = true,
		.grant = true,
		.downgrade = r->manifest.debuggable,
		.progress = install_progress,
		.arg = r,
	};
	struct adb_install_result res;

	for (size_t i = 0; i < r->apk.count; i++)
		apk[i] = r->apk.file[i].path;
	if (adb_install_apk(&r->dev, &spec, &res,
			    run_dl(r, r->set->budget.install_ms), err))
		return -1;
	buf_fmt(note, "by %s", res.method);
	if (grant(r, err))
		return -1;
	r->clearing = file_remove_begin(r->work_dir);
	return 0;
}

int
run_phone_check(struct run *r, struct buf *note, struct err *err)
{
	if (!r->farm ||
	    stf_lease_check(&r->lease, run_dl(r, r->set->budget.shell_ms),
			    err) == 0)
		return 0;
	if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
		return -1;
	/* Not knowing is no reason to throw away what was measured. */
	result_error(&r->res, err, "check");
	buf_fmt(note, "could not tell: %s", err->msg);
	err_clear(err);
	return 0;
}
