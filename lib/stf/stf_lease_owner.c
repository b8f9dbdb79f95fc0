#include "stf/stf_lease_owner.h"

#include <string.h>

#include "base/mem.h"
#include "stf/stf_retry.h"

enum { FIRST_POLL_MS = 50 };

int
stf_lease_owner_me(struct stf_lease *l, struct deadline dl, struct err *err)
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

bool
stf_lease_owner_is_another(const struct stf_lease *l,
			   const struct stf_device *d)
{
	return l->since && d->usage_since &&
	       strcmp(d->serial, l->serial) == 0 &&
	       strcmp(d->usage_since, l->since) != 0;
}

int
stf_lease_owner_read(struct stf_lease *l, const char *serial,
		     enum stf_lease_owner *owner, struct stf_device *record,
		     struct deadline dl, struct err *err)
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
		*owner = STF_LEASE_OWNER_NONE;
	else
		*owner = strcmp(d.owner_email, l->me) == 0 &&
					 !stf_lease_owner_is_another(l, &d)
				 ? STF_LEASE_OWNER_ME
				 : STF_LEASE_OWNER_OTHER;
	if (record && d.json) {
		stf_device_done(record);
		*record = d;
	} else {
		stf_device_done(&d);
	}
	return 0;
}

/* It failed for want of the time of `until`, and `dl` has more. */
static bool
cut_short(const struct err *err, struct deadline until, struct deadline dl)
{
	return err->code == ERR_TIMEOUT &&
	       deadline_left_ms(until) <= FIRST_POLL_MS &&
	       deadline_left_ms(dl) > FIRST_POLL_MS;
}

int
stf_lease_owner_await(struct stf_lease *l, const char *serial, int64_t ms,
		      enum stf_lease_owner *owner, struct deadline dl,
		      struct err *err)
{
	struct deadline until = deadline_cap(dl, ms);
	enum stf_lease_owner now;

	for (int64_t poll_ms = FIRST_POLL_MS;; poll_ms *= 2) {
		if (poll_ms > STF_LEASE_OWNER_POLL_MS)
			poll_ms = STF_LEASE_OWNER_POLL_MS;
		if (stf_lease_owner_read(l, serial, &now, &l->device, until,
					 err) == 0 &&
		    (now != STF_LEASE_OWNER_NONE ||
		     deadline_left_ms(until) <= poll_ms))
			break;
		if (err->code == ERR_NONE &&
		    deadline_pause(until, poll_ms, err) == 0)
			continue;
		/* A farm too slow to say it has not said yes. */
		if (!cut_short(err, until, dl))
			return -1;
		err_clear(err);
		now = STF_LEASE_OWNER_NONE;
		break;
	}
	*owner = now;
	return 0;
}

int
stf_lease_owner_since(struct stf_lease *l, struct deadline dl, struct err *err)
{
	struct deadline until = deadline_cap(dl, STF_LEASE_OWNER_SETTLE_MS);
	const struct stf_device *d = &l->device;
	enum stf_lease_owner owner = STF_LEASE_OWNER_ME;

	while (owner == STF_LEASE_OWNER_ME && json_get(d->json, "usage") &&
	       !d->usage && deadline_left_ms(until) > FIRST_POLL_MS) {
		if (deadline_pause(until, FIRST_POLL_MS, err) ||
		    stf_lease_owner_read(l, l->serial, &owner, &l->device,
					 until, err)) {
			if (!cut_short(err, until, dl))
				return -1;
			err_clear(err);
			break;
		}
	}
	if (owner == STF_LEASE_OWNER_ME && d->usage && d->usage_since)
		l->since = mem_strdup(d->usage_since);
	return 0;
}
