#include "stf/stf_lease.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "stf/stf_list.h"
#include "stf/stf_retry.h"
#include "transport/sock.h"

enum {
	IDLE_MIN_MS = 1000,
	IDLE_MAX_MS = 2147483647, /* above, STF's timers run wild */
	POLL_MS = 500,		  /* STF sends no events to clients */
	LOST_ANSWER_MS = 12000,	  /* a reservation can come so much later */
	WAIT_POLL_MS = 10000,	  /* for a phone that others use */
	URL_TRIES = 8,
	KEEP_AGAIN_MS = 20000, /* each try may take seconds of the walk */
};

enum owner { OWNER_ME, OWNER_NONE, OWNER_OTHER };

void
stf_lease_init(struct stf_lease *l, struct stf *stf)
{
	memset(l, 0, sizeof(*l));
	l->stf = stf;
}

void
stf_lease_done(struct stf_lease *l)
{
	for (size_t i = 0; i < l->doubt_count; i++)
		free(l->doubt[i]);
	free(l->doubt);
	free(l->me);
	free(l->serial);
	free(l->endpoint);
	stf_device_done(&l->device);
	stf_lease_init(l, l->stf);
}

static int
who_am_i(struct stf_lease *l, struct deadline dl, struct err *err)
{
	struct stf_user u;

	if (l->me)
		return 0;
	for (int i = 0; stf_user(l->stf, &u, dl, err); i++)
		if (stf_retry_again(l->stf, i, dl, err))
			return -1;
	l->me = mem_strdup(u.email);
	stf_user_done(&u);
	return 0;
}

/* Whose is it now?  Unknown to us is nobody's: we cannot have it. */
static int
read_owner(struct stf_lease *l, const char *serial, enum owner *owner,
	   struct stf_device *record, struct deadline dl, struct err *err)
{
	struct stf_device d = {.json = NULL};

	for (int i = 0; stf_device(l->stf, serial, &d, dl, err); i++) {
		if (err->code == ERR_NOTFOUND) {
			err_clear(err);
			break;
		}
		if (stf_retry_again(l->stf, i, dl, err))
			return -1;
	}
	if (!d.json || !d.owner_email)
		*owner = OWNER_NONE;
	else
		*owner = strcmp(d.owner_email, l->me) == 0 ? OWNER_ME
							   : OWNER_OTHER;
	if (record && d.json) {
		stf_device_done(record);
		*record = d;
	} else {
		stf_device_done(&d);
	}
	return 0;
}

/* After a lost answer: does the device become ours after all? */
static int
await_owner(struct stf_lease *l, const char *serial, int64_t ms, bool *ours,
	    struct deadline dl, struct err *err)
{
	struct deadline until = deadline_cap(dl, ms);
	enum owner owner;

	*ours = false;
	for (;;) {
		if (read_owner(l, serial, &owner, &l->device, until, err))
			return -1;
		if (owner != OWNER_NONE || deadline_left_ms(until) <= POLL_MS)
			break;
		if (deadline_pause(until, POLL_MS, err))
			return -1;
	}
	*ours = owner == OWNER_ME;
	return 0;
}

static void
add_doubt(struct stf_lease *l)
{
	MEM_GROW(l->doubt, l->doubt_count, l->doubt_room);
	l->doubt[l->doubt_count++] = mem_strdup(l->serial);
}

/* What a 200, or a 403 after a request of ours that got lost, is worth. */
static int
confirm(struct stf_lease *l, bool *got, struct deadline dl, struct err *err)
{
	enum owner owner;

	/* Farms before 3.7.3 said yes to two at once. */
	if (read_owner(l, l->serial, &owner, &l->device, dl, err))
		return -1;
	*got = owner == OWNER_ME;
	l->asked = *got;
	return 0;
}

/*
 * One reservation.  0 with *got; *got false: somebody was faster, or the phone
 * does not answer.  -1: nothing more can be done on this farm.
 */
static int
reserve(struct stf_lease *l, bool *got, struct deadline dl, struct err *err)
{
	bool repeated = false;

	*got = false;
	l->asked = true;
	for (int i = 0;; i++) {
		if (stf_reserve(l->stf, l->serial, l->idle_ms, dl, err) == 0)
			return confirm(l, got, dl, err);
		log_debug("reserve '%s': %s", l->serial, err->msg);
		if (l->stf->status == 403 || l->stf->status == 404) {
			err_clear(err);
			if (repeated)
				return confirm(l, got, dl, err);
			/*
			 * Taken since we looked; if by this very account then
			 * by another run of it, which keeps it.
			 */
			l->asked = false;
			return 0;
		}
		if (err->code == ERR_CANCELLED)
			return -1;
		if (l->stf->status == 0 || l->stf->status == 502 ||
		    l->stf->status == 504) {
			err_clear(err);
			if (await_owner(l, l->serial, LOST_ANSWER_MS, got, dl,
					err))
				return -1;
			if (!*got)
				add_doubt(l);
			l->asked = *got;
			return 0;
		}
		if (stf_retry_again(l->stf, i, dl, err))
			return -1;
		repeated = true;
	}
}

static int
try_device(struct stf_lease *l, const struct stf_lease_ask *ask,
	   const struct stf_device *d, bool *got, struct deadline dl,
	   struct err *err)
{
	size_t doubts = l->doubt_count;

	free(l->serial);
	l->serial = mem_strdup(d->serial);
	if (ask->before && ask->before(ask->arg, d, err))
		return -1;
	if (reserve(l, got, dl, err))
		return err_wrap(err, "reserve device '%s'", l->serial);
	/* Then it may be another run's, of this very account. */
	if (!*got && doubts == l->doubt_count && ask->refused &&
	    ask->refused(ask->arg, l->serial, err))
		return -1;
	l->ours = *got;
	l->keep_at_us = deadline_now_us() + l->idle_ms * 1000 / 3;
	return 0;
}

static int
list_devices(struct stf_lease *l, struct stf_devices *list, struct deadline dl,
	     struct err *err)
{
	for (int i = 0; stf_devices(l->stf, STF_TARGET_USER, list, dl, err);
	     i++)
		if (stf_retry_again(l->stf, i, dl, err))
			return -1;
	return 0;
}

/* Why nothing was had, when devices looked free a moment ago. */
static int
lost_all(struct stf_lease *l, size_t tried, struct err *err)
{
	if (l->doubt_count) {
		err_set(err, ERR_BUSY,
			"device '%s' did not answer the farm when it was "
			"reserved",
			l->doubt[l->doubt_count - 1]);
		(void)err_reason(err, "device_not_responding");
		return err_hint(err, "its worker in STF hangs: ask the "
				     "farm's admin to restart it");
	}
	err_set(err, ERR_BUSY,
		"%zu free devices were taken by others while we asked", tried);
	return err_reason(err, "device_busy");
}

/* One look at the farm.  ERR_BUSY: nothing to have now. */
static int
look(struct stf_lease *l, const struct stf_lease_ask *ask, struct deadline dl,
     struct err *err)
{
	struct stf_devices list;
	struct stf_choice choice;
	bool got = false;
	int rc = 0;

	if (list_devices(l, &list, dl, err))
		return -1;
	stf_choose(&list, ask->want, ask->want_count, l->me, &choice);
	for (size_t i = 0; i < choice.free_count && rc == 0 && !got; i++)
		rc = try_device(l, ask, choice.item[i].device, &got, dl, err);
	if (rc == 0 && !got && choice.free_count) {
		rc = lost_all(l, choice.free_count, err);
	} else if (rc == 0 && !got) {
		if (choice.fit_count == 0) {
			stf_choose_done(&choice);
			stf_list_add_booked(l->stf, &list, dl);
			stf_choose(&list, ask->want, ask->want_count, l->me,
				   &choice);
		}
		rc = stf_choose_error(&choice, err);
	}
	stf_choose_done(&choice);
	stf_devices_done(&list);
	return rc;
}

int
stf_lease_take(struct stf_lease *l, const struct stf_lease_ask *ask,
	       struct deadline dl, struct err *err)
{
	struct deadline until = deadline_cap(dl, ask->wait_ms);
	int64_t poll_ms = ask->wait_ms / 10;

	if (poll_ms > WAIT_POLL_MS)
		poll_ms = WAIT_POLL_MS;
	if (poll_ms < POLL_MS)
		poll_ms = POLL_MS;
	l->idle_ms = ask->idle_ms < IDLE_MIN_MS	  ? IDLE_MIN_MS
		     : ask->idle_ms > IDLE_MAX_MS ? IDLE_MAX_MS
						  : ask->idle_ms;
	if (who_am_i(l, dl, err))
		return -1;
	while (look(l, ask, dl, err)) {
		if (err->code != ERR_BUSY || deadline_left_ms(until) <= POLL_MS)
			return -1;
		if (ask->waiting)
			ask->waiting(ask->arg, err->msg);
		err_clear(err);
		if (poll_ms > deadline_left_ms(until))
			poll_ms = deadline_left_ms(until);
		if (deadline_pause(dl, poll_ms, err))
			return -1;
	}
	return 0;
}

static int
lost(struct stf_lease *l, enum owner owner, struct err *err)
{
	const struct stf_device *d = &l->device;

	err_set(err, ERR_REMOTE, "the farm took device '%s' back: it is %s%s",
		l->serial, owner == OWNER_OTHER ? "now held by " : "nobody's",
		owner == OWNER_OTHER ? d->owner_email : "");
	(void)err_reason(err, "lease_lost");
	return err_hint(err, "an idle timeout, a booking, an admin or a "
			     "restart of the phone ends a reservation");
}

int
stf_lease_check(struct stf_lease *l, struct deadline dl, struct err *err)
{
	enum owner owner;

	if (read_owner(l, l->serial, &owner, &l->device, dl, err))
		return err_wrap(err, "check who holds device '%s'", l->serial);
	return owner == OWNER_ME ? 0 : lost(l, owner, err);
}

int64_t
stf_lease_keep_due_ms(const struct stf_lease *l)
{
	int64_t left = (l->keep_at_us - deadline_now_us() + 999) / 1000;

	return left < 0 ? 0 : left;
}

int
stf_lease_keep(struct stf_lease *l, struct deadline dl, struct err *err)
{
	AUTO_FREE char *endpoint = NULL;
	struct err why = ERR_INIT;
	int64_t again_ms = l->idle_ms / 10 < KEEP_AGAIN_MS ? l->idle_ms / 10
							   : KEEP_AGAIN_MS;

	if (stf_remote_connect(l->stf, l->serial, &endpoint, dl, err) == 0) {
		l->keep_at_us = deadline_now_us() + l->idle_ms * 1000 / 3;
		return 0;
	}
	l->keep_at_us = deadline_now_us() + again_ms * 1000;
	if ((l->stf->status == 403 || l->stf->status == 404) &&
	    stf_lease_check(l, dl, &why) && why.code == ERR_REMOTE)
		*err = why;
	return err_wrap(err, "keep device '%s'", l->serial);
}

int
stf_lease_connect(struct stf_lease *l, struct deadline dl, struct err *err)
{
	AUTO_FREE char *endpoint = NULL;
	AUTO_FREE char *host = NULL;
	int port;

	for (int i = 0; !endpoint; i++) {
		if (i == URL_TRIES) {
			err_set(err, ERR_REMOTE,
				"the farm gives no adb address for device "
				"'%s'",
				l->serial);
			return err_reason(err, "no_remote_url");
		}
		if (stf_remote_connect(l->stf, l->serial, &endpoint, dl, err)) {
			if (l->stf->status == 403 || l->stf->status == 404) {
				err_clear(err);
				if (stf_lease_check(l, dl, err))
					return -1;
				continue; /* ours, and not ready yet */
			}
			if (stf_retry_again(l->stf, i, dl, err))
				return err_wrap(err, "connect device '%s'",
						l->serial);
		} else if (!endpoint && deadline_pause(dl, POLL_MS, err)) {
			return -1;
		}
	}
	if (sock_split(endpoint, &host, &port, err))
		return err_wrap(err, "the farm's adb address of '%s'",
				l->serial);
	free(l->endpoint);
	l->endpoint = endpoint;
	endpoint = NULL;
	l->keep_at_us = deadline_now_us() + l->idle_ms * 1000 / 3;
	return 0;
}

/* A proxy's page in between is no word of the farm about our token. */
static bool
is_final(const struct err *err)
{
	return err->code == ERR_CANCELLED ||
	       (err->code == ERR_AUTH && !err_is(err, "login_page"));
}

/*
 * Release one device for as long as it is ours.  An admin's token could take
 * it from anybody: the owner is read before each try.
 */
static int
release(struct stf_lease *l, const char *serial, bool doubtful,
	struct deadline dl, struct err *err)
{
	enum owner owner;
	bool ours;

	if (doubtful) {
		if (await_owner(l, serial, deadline_left_ms(dl) / 2, &ours, dl,
				err))
			return -1;
		if (!ours)
			return 0;
	}
	for (;;) {
		struct err failed = ERR_INIT;
		/* Leave time to see whether a lost answer was a yes. */
		struct deadline half =
			deadline_cap(dl, deadline_left_ms(dl) / 2 + 1);

		if (read_owner(l, serial, &owner, NULL, dl, &failed) == 0) {
			if (owner != OWNER_ME)
				return 0;
			l->released =
				stf_release(l->stf, serial, half, &failed) == 0;
			if (l->released)
				return 0;
		}
		log_debug("release '%s': %s", serial, failed.msg);
		if (is_final(&failed) || deadline_left_ms(dl) <= POLL_MS) {
			*err = failed;
			return -1;
		}
		if (deadline_pause(dl, POLL_MS / 2, err))
			return -1;
	}
}

int
stf_lease_give_back(struct stf_lease *l, struct deadline dl, struct err *err)
{
	struct err ignored = ERR_INIT; /* releasing closes it anyway */

	if (l->endpoint && l->ours)
		(void)stf_remote_disconnect(
			l->stf, l->serial,
			deadline_cap(dl, deadline_left_ms(dl) / 4), &ignored);
	free(l->endpoint);
	l->endpoint = NULL;
	l->released = false;
	if (l->asked && release(l, l->serial, !l->ours, dl, err))
		return err_wrap(err, "release device '%s'", l->serial);
	/* Cut off in the middle, and not ours so far. */
	l->unsure = l->asked && !l->ours && !l->released;
	l->asked = l->ours = false;
	while (l->doubt_count) {
		char *serial = l->doubt[l->doubt_count - 1];

		if (release(l, serial, true, dl, err))
			return err_wrap(err, "release device '%s'", serial);
		free(serial);
		l->doubt_count--;
	}
	return 0;
}

int
stf_lease_undo(void *arg, struct deadline dl, struct err *err)
{
	return stf_lease_give_back(arg, dl, err);
}

int
stf_lease_reap(struct stf *stf, const char *serial, int64_t age_ms,
	       struct deadline dl, struct err *err)
{
	struct stf_lease l;
	bool ours;
	int rc;

	stf_lease_init(&l, stf);
	l.serial = mem_strdup(serial);
	l.asked = l.ours = true;
	rc = who_am_i(&l, dl, err);
	if (rc == 0 && age_ms >= 0 && age_ms < LOST_ANSWER_MS)
		rc = await_owner(&l, serial, LOST_ANSWER_MS - age_ms, &ours, dl,
				 err);
	if (rc == 0)
		rc = stf_lease_give_back(&l, dl, err);
	stf_lease_done(&l);
	return rc;
}

int
stf_lease_is_mine(struct stf *stf, const char *serial, bool *mine,
		  struct deadline dl, struct err *err)
{
	struct stf_lease l;
	enum owner owner;
	int rc;

	stf_lease_init(&l, stf);
	rc = who_am_i(&l, dl, err);
	if (rc == 0)
		rc = read_owner(&l, serial, &owner, NULL, dl, err);
	if (rc == 0)
		*mine = owner == OWNER_ME;
	stf_lease_done(&l);
	return rc;
}
