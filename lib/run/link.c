#include "run/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb_host.h"
#include "adb/adb_shell.h"
#include "adb/adb_wait.h"
#include "base/mem.h"
#include "farm/farm.h"
#include "run/app.h"
#include "stf/stf_choose.h"

enum {
	LOOK_MS = 2000,	 /* a server at hand answers in a few */
	ALIVE_MS = 5000, /* and a phone that works in a moment */
	TRY_MS = 6000,	 /* then the farm may know another address */
	AGAIN_MS = 500,
	TURNS = 3, /* lost again while the app is dialled */
};

/* What the network says; a full disk is none of its words. */
static bool
of_network(int sys)
{
	static const int words[] = {
		0,	   ECONNREFUSED, ECONNRESET,  ECONNABORTED, EPIPE,
		ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (sys == words[i])
			return true;
	}
	return false;
}

bool
link_phone_is_gone(const struct err *err)
{
	return err_is(err, "absent") || err_is(err, "offline") ||
	       err_is(err, "unauthorized");
}

bool
link_may_be_lost(const struct err *err)
{
	if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
		return false;
	if (err_is(err, "control_lost") || err_is(err, "cut") ||
	    err_is(err, "refused") || err_is(err, "not_ready") ||
	    link_phone_is_gone(err))
		return true;
	return err->reason == NULL && of_network(err->sys) &&
	       (err->code == ERR_IO || err->code == ERR_PROTO ||
		err->code == ERR_TIMEOUT);
}

/* The state alone would believe in a connection that is half dead. */
static bool
is_whole(struct run *r, struct deadline dl)
{
	enum adb_host_state state;
	struct err err = ERR_INIT;

	return adb_host_state(&r->adb, r->serial, &state,
			      deadline_cap(dl, LOOK_MS), &err) == 0 &&
	       state == ADB_HOST_DEVICE &&
	       adb_shell_text(&r->dev, "true", NULL, deadline_cap(dl, ALIVE_MS),
			      &err) == 0;
}

static int
mend_server(struct run *r, struct deadline dl, struct err *err)
{
	unsigned version;

	if (adb_host_version(&r->adb, &version, deadline_cap(dl, LOOK_MS),
			     err) == 0)
		return 0;
	if (!r->adb.ours || err->code == ERR_CANCELLED)
		return -1;
	err_clear(err);
	run_say(r, PROGRESS_WARN, "the adb server ended: starting another");
	return adb_server_again(
		&r->adb, deadline_cap(dl, r->set->budget.adb_start_ms), err);
}

static int
journal_again(void *arg, const struct stf_device *d, struct err *err)
{
	struct run *r = arg;

	return lease_journal_take(r->cfg->journal, "stf", d->serial,
				  r->set->stf_url, err);
}

/*
 * The very phone once more: whoever unplugged it ended the lease, and the app
 * on it went on.  Somebody else may have it first.
 */
static int
reserve_again(struct run *r, struct deadline dl, struct err *err)
{
	AUTO_FREE char *serial = mem_strdup(r->lease.serial);
	const struct stf_want want = {.serial = serial};
	const struct stf_lease_ask ask = {
		.want = &want,
		.want_count = 1,
		.idle_ms = r->plan->device.reserve_ms,
		.before = journal_again,
		.arg = r,
	};

	r->unplugged = true;
	r->lease.ours = r->lease.asked = false;
	if (stf_lease_take(&r->lease, &ask, dl, err)) {
		if (err_is(err, "device_busy"))
			return err_reason(err, "lease_lost");
		if (err_is(err, "device_absent"))
			return err_reason(err, "absent");
		return -1;
	}
	r->unplugged = false;
	run_say(r, PROGRESS_WARN, "%s was unplugged; it is back and ours",
		r->lease.serial);
	return 0;
}

static bool
was_unplugged(const struct run *r, const struct err *err)
{
	const struct stf_device *d = &r->lease.device;

	return err_is(err, "lease_lost") && d->json && !d->owner_email &&
	       (!d->present || !d->ready);
}

/* Still ours?  And where is its adb now? */
static int
mend_lease(struct run *r, struct deadline dl, struct err *err)
{
	if (!r->unplugged && stf_lease_check(&r->lease, dl, err)) {
		if (!was_unplugged(r, err))
			return -1;
		err_clear(err);
		r->unplugged = true;
	}
	if (r->unplugged && reserve_again(r, dl, err))
		return -1;
	return stf_lease_connect(&r->lease, dl, err);
}

static int
take_device(struct run *r, struct deadline dl, struct err *err)
{
	struct adb_device found;

	if (adb_device_init(&found, &r->adb, r->serial, dl, err))
		return -1;
	found.shell = r->dev.shell;
	found.sdk = r->dev.sdk;
	adb_device_done(&r->dev);
	r->dev = found;
	return adb_shell_text(&r->dev, "true", NULL, deadline_cap(dl, ALIVE_MS),
			      err);
}

/* Whatever the server believes of the old connection: a new one. */
static int
mend_device(struct run *r, struct deadline dl, struct err *err)
{
	struct adb_wait_spec spec = {0};
	AUTO_FREE char *reached = NULL;

	if (r->adb_connected &&
	    adb_host_disconnect(&r->adb, r->serial, dl, err))
		return -1;
	if (r->farm && farm_reach(r->tunnel, r->lease.endpoint, &reached, err))
		return -1;
	if (reached && strcmp(r->serial, reached) != 0) {
		free(r->serial);
		r->serial = reached;
		reached = NULL;
	}
	spec.serial = r->serial;
	spec.address = r->adb_connected ? r->serial : NULL;
	if (adb_wait_device(&r->adb, &spec, deadline_cap(dl, TRY_MS), err))
		return -1;
	return take_device(r, dl, err);
}

static int
mend_once(struct run *r, struct deadline dl, struct err *err)
{
	if (mend_server(r, dl, err) || (r->farm && mend_lease(r, dl, err)))
		return -1;
	return mend_device(r, dl, err);
}

int
link_mend(struct run *r, struct deadline dl, struct err *err)
{
	int64_t budget_ms = r->set->budget.phone_lost_ms;
	struct deadline limit = deadline_cap(dl, budget_ms);
	int64_t start_us = deadline_now_us();

	if (!r->unplugged && is_whole(r, limit))
		return 0;
	if (deadline_check(dl, err))
		return -1;
	run_say(r, PROGRESS_WARN, "the way to the phone is lost");
	while (mend_once(r, limit, err)) {
		struct err why = *err;

		if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
			return -1;
		run_waiting(r, (deadline_now_us() - start_us) / 1000, budget_ms,
			    "%s", why.msg);
		err_clear(err);
		if (deadline_pause(limit, AGAIN_MS, err) == 0)
			continue;
		if (err->code == ERR_TIMEOUT && deadline_left_ms(dl) > 0) {
			*err = why;
			err_wrap(err, "the phone was lost for %.0f s",
				 (double)budget_ms / 1000);
			err->reason = why.reason ? why.reason : "offline";
		}
		return -1;
	}
	run_say(r, PROGRESS_OK, "the way to the phone is found again, %s",
		r->serial);
	return 1;
}

static int
not_ours(struct run *r, struct err *err, const char *why)
{
	app_disconnect(r);
	err_set(err, ERR_IO, "%s", why);
	return err_reason(err, "control_lost");
}

int
link_find_app(struct run *r, struct deadline dl, struct err *err)
{
	AUTO_FREE char *session = mem_strdup(r->session);
	int64_t pid = r->session_pid;
	int mended = 0;

	app_disconnect(r);
	for (int turn = 0;; turn++) {
		struct err why;
		int rc = link_mend(r, dl, err);

		if (rc < 0)
			return -1;
		mended |= rc;
		/* Whole, and dialled in vain: then it is the app. */
		if (turn > 0 && (rc == 0 || turn == TURNS))
			return not_ours(r, err, "the app does not answer");
		if (app_connect(r, r->set->budget.reconnect_ms, dl, err) == 0)
			break;
		why = *err;
		if (err->code == ERR_CANCELLED || err->code == ERR_AUTH ||
		    err_is(err, "lease_lost") || deadline_left_ms(dl) == 0)
			return -1;
		run_say(r, PROGRESS_WARN, "%s", why.msg);
		err_clear(err);
	}
	if (session && strcmp(session, r->session) == 0 &&
	    r->session_pid == pid)
		return mended;
	return not_ours(r, err, "the app started anew by itself");
}
