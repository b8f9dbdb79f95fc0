#include "stf/stf_lease.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "stf/stf_lease_owner.h"
#include "stf/stf_list.h"
#include "stf/stf_retry.h"
#include "transport/sock.h"

enum {
	IDLE_MIN_MS = 1000,
	IDLE_MAX_MS = 2147483647, /* above, STF's timers run wild */
	WAIT_POLL_MS = 10000,	  /* for a phone that others use */
	URL_TRIES = 8,
	KEEP_AGAIN_MS = 20000, /* each try may take seconds of the walk */
};

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
	free(l->since);
	free(l->endpoint);
	stf_device_done(&l->device);
	stf_lease_init(l, l->stf);
}

static void
add_doubt(struct stf_lease *l)
{
	MEM_GROW(l->doubt, l->doubt_count, l->doubt_room);
	l->doubt[l->doubt_count++] = mem_strdup(l->serial);
}

/*
 * What a 200, or a 403 after a request of ours that got lost, is worth.  Farms
 * before 3.7.3 said yes to two at once; all of them say it before the owner
 * can be read.
 */
static int
confirm(struct stf_lease *l, bool *got, struct deadline dl, struct err *err)
{
	bool yes = l->stf->status == 200;
	enum stf_lease_owner owner;

	if (stf_lease_owner_await(l, l->serial, STF_LEASE_OWNER_SETTLE_MS,
				  &owner, dl, err))
		return -1;
	if (yes && owner == STF_LEASE_OWNER_NONE)
		add_doubt(l);
	l->asked = *got = owner == STF_LEASE_OWNER_ME;
	return 0;
}

/*
 * No answer, or that of a proxy: it may have come through.  True when the same
 * request is worth a second try, which a reservation of ours that did come does
 * not mind.
 */
static int
unanswered(struct stf_lease *l, int *silences, bool *got, bool *again,
	   struct deadline dl, struct err *err)
{
	struct err why = *err;
	bool silent =
		l->stf->status != 504; /* that one is the phone's worker */
	enum stf_lease_owner owner;

	err_clear(err);
	if (stf_lease_owner_await(l, l->serial, l->stf->late_ms, &owner, dl,
				  err))
		return -1;
	*got = owner == STF_LEASE_OWNER_ME;
	if (owner == STF_LEASE_OWNER_OTHER) {
		/* Faster than we: what may still come is refused. */
		*again = l->asked = false;
		return 0;
	}
	*again = !*got && silent && ++*silences < 2;
	if (*got || *again)
		return 0;
	add_doubt(l);
	if (silent)
		l->silence = why;
	l->asked = false;
	return 0;
}

/*
 * One reservation.  0 with *got; *got false: somebody was faster, or the phone
 * does not answer.  -1: nothing more can be done on this farm.
 */
static int
reserve(struct stf_lease *l, bool *got, struct deadline dl, struct err *err)
{
	bool repeated = false, again;
	int silences = 0;

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
			if (unanswered(l, &silences, got, &again, dl, err))
				return -1;
			if (!again)
				return 0;
		} else if (stf_retry_again(l->stf, i, dl, err)) {
			return -1;
		}
		repeated = true;
	}
}

/* `held`: why the caller did not want this one. */
static int
try_device(struct stf_lease *l, const struct stf_lease_ask *ask,
	   const struct stf_device *d, bool *got, struct err *held,
	   struct deadline dl, struct err *err)
{
	size_t doubts = l->doubt_count;

	free(l->serial);
	l->serial = mem_strdup(d->serial);
	free(l->since);
	l->since = NULL;
	if (ask->before && ask->before(ask->arg, d, err)) {
		if (err->code != ERR_BUSY)
			return -1;
		*held = *err;
		err_clear(err);
		return 0;
	}
	if (reserve(l, got, dl, err))
		return err_wrap(err, "reserve device '%s'", l->serial);
	/* Then it may be another run's, of this very account. */
	if (!*got && doubts == l->doubt_count && ask->refused &&
	    ask->refused(ask->arg, l->serial, err))
		return -1;
	l->ours = *got;
	l->lost = false;
	l->keep_at_us = deadline_now_us() + l->idle_ms * 1000 / 3;
	return *got ? stf_lease_owner_since(l, dl, err) : 0;
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
lost_all(struct stf_lease *l, size_t tried, const struct err *held,
	 struct err *err)
{
	if (l->silence.code != ERR_NONE) {
		*err = l->silence; /* that is the farm, not the phone */
		return err_wrap(err, "reserve device '%s'", l->serial);
	}
	if (l->doubt_count) {
		err_set(err, ERR_BUSY,
			"device '%s' did not answer the farm when it was "
			"reserved",
			l->doubt[l->doubt_count - 1]);
		(void)err_reason(err, "device_not_responding");
		return err_hint(err, "its worker in STF hangs: ask the "
				     "farm's admin to restart it");
	}
	if (held->code != ERR_NONE) {
		*err = *held;
		return -1;
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
	struct err held = ERR_INIT;
	bool got = false;
	int rc = 0;

	if (list_devices(l, &list, dl, err))
		return -1;
	stf_choose(&list, ask->want, ask->want_count, l->me, &choice);
	for (size_t i = 0; i < choice.free_count && rc == 0 && !got; i++)
		rc = try_device(l, ask, choice.item[i].device, &got, &held, dl,
				err);
	if (rc == 0 && !got && choice.free_count) {
		rc = lost_all(l, choice.free_count, &held, err);
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
	if (poll_ms < STF_LEASE_OWNER_POLL_MS)
		poll_ms = STF_LEASE_OWNER_POLL_MS;
	l->idle_ms = ask->idle_ms < IDLE_MIN_MS	  ? IDLE_MIN_MS
		     : ask->idle_ms > IDLE_MAX_MS ? IDLE_MAX_MS
						  : ask->idle_ms;
	if (stf_lease_owner_me(l, dl, err))
		return -1;
	while (look(l, ask, dl, err)) {
		if (err->code != ERR_BUSY ||
		    deadline_left_ms(until) <= STF_LEASE_OWNER_POLL_MS)
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
lost(struct stf_lease *l, enum stf_lease_owner owner, struct err *err)
{
	const struct stf_device *d = &l->device;

	const char *who = owner == STF_LEASE_OWNER_NONE ? "nobody's"
			  : stf_lease_owner_is_another(l, d)
				  ? "now held by another run of "
				  : "now held by ";

	l->lost = true;
	err_set(err, ERR_REMOTE, "the farm took device '%s' back: it is %s%s",
		l->serial, who,
		owner == STF_LEASE_OWNER_OTHER ? d->owner_email : "");
	(void)err_reason(err, "lease_lost");
	return err_hint(err, "an idle timeout, a booking, an admin or a "
			     "restart of the phone ends a reservation");
}

int
stf_lease_check(struct stf_lease *l, struct deadline dl, struct err *err)
{
	enum stf_lease_owner owner;

	if (stf_lease_owner_read(l, l->serial, &owner, &l->device, dl, err))
		return err_wrap(err, "check who holds device '%s'", l->serial);
	if (owner != STF_LEASE_OWNER_ME)
		return lost(l, owner, err);
	l->lost = false;
	return 0;
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
		} else if (!endpoint &&
			   deadline_pause(dl, STF_LEASE_OWNER_POLL_MS, err)) {
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
	enum stf_lease_owner owner;

	if (doubtful &&
	    stf_lease_owner_await(l, serial, deadline_left_ms(dl) / 2, &owner,
				  dl, err))
		return -1;
	for (;;) {
		struct err failed = ERR_INIT;
		/* Leave time to see whether a lost answer was a yes. */
		struct deadline half =
			deadline_cap(dl, deadline_left_ms(dl) / 2 + 1);

		if (stf_lease_owner_read(l, serial, &owner, NULL, dl,
					 &failed) == 0) {
			if (owner != STF_LEASE_OWNER_ME) {
				if (doubtful && owner == STF_LEASE_OWNER_NONE)
					l->unsure = true;
				return 0;
			}
			if (stf_release(l->stf, serial, half, &failed) == 0)
				return 0;
		}
		log_debug("release '%s': %s", serial, failed.msg);
		if (is_final(&failed) ||
		    deadline_left_ms(dl) <= STF_LEASE_OWNER_POLL_MS) {
			*err = failed;
			return -1;
		}
		if (deadline_pause(dl, STF_LEASE_OWNER_POLL_MS / 2, err))
			return -1;
	}
}

int
stf_lease_give_back(struct stf_lease *l, struct deadline dl, struct err *err)
{
	struct err ignored = ERR_INIT; /* releasing closes it anyway */

	/* What is another's by now is not ours to close. */
	if (l->endpoint && l->ours && !l->lost)
		(void)stf_remote_disconnect(
			l->stf, l->serial,
			deadline_cap(dl, deadline_left_ms(dl) / 4), &ignored);
	free(l->endpoint);
	l->endpoint = NULL;
	l->unsure = false;
	if (l->asked && release(l, l->serial, !l->ours, dl, err))
		return err_wrap(err, "release device '%s'", l->serial);
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
stf_lease_reap(struct stf *stf, const char *serial, const char *since,
	       int64_t age_ms, struct deadline dl, struct err *err)
{
	struct stf_lease l;
	enum stf_lease_owner owner; /* give_back reads it again */
	int rc;

	stf_lease_init(&l, stf);
	l.serial = mem_strdup(serial);
	l.since = mem_strdup(since);
	l.asked = l.ours = true;
	rc = stf_lease_owner_me(&l, dl, err);
	if (rc == 0 && since == NULL && age_ms >= 0 && age_ms < stf->late_ms)
		rc = stf_lease_owner_await(&l, serial, stf->late_ms - age_ms,
					   &owner, dl, err);
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
	enum stf_lease_owner owner;
	int rc;

	stf_lease_init(&l, stf);
	rc = stf_lease_owner_me(&l, dl, err);
	if (rc == 0)
		rc = stf_lease_owner_read(&l, serial, &owner, NULL, dl, err);
	if (rc == 0)
		*mine = owner == STF_LEASE_OWNER_ME;
	stf_lease_done(&l);
	return rc;
}
