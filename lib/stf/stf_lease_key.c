#include "stf/stf_lease.h"
#include "stf/stf_retry.h"

enum { SETTLE_MS = 5000, POLL_MS = 500 };

static int
has_key(struct stf_lease *l, const char *fingerprint, bool *has,
	struct deadline dl, struct err *err)
{
	struct stf_user u;

	for (int i = 0; stf_user(l->stf, &u, dl, err); i++)
		if (stf_retry_again(l->stf, i, dl, err))
			return -1;
	*has = stf_user_has_key(&u, fingerprint);
	stf_user_done(&u);
	return 0;
}

int
stf_lease_key(struct stf_lease *l, const char *publickey, const char *title,
	      struct deadline dl, struct err *err)
{
	struct deadline settle;
	char fingerprint[48];
	bool has;

	if (stf_key_fingerprint(publickey, fingerprint, err) ||
	    has_key(l, fingerprint, &has, dl, err))
		return -1;
	if (has)
		return 0;
	for (int i = 0; stf_register_key(l->stf, publickey, title, dl, err);
	     i++)
		if (stf_retry_again(l->stf, i, dl, err))
			return err_wrap(err, "register the adb key %s",
					fingerprint);
	settle = deadline_cap(dl, SETTLE_MS);
	for (;;) {
		if (has_key(l, fingerprint, &has, dl, err))
			return -1;
		if (has || deadline_left_ms(settle) <= POLL_MS)
			break;
		if (deadline_pause(dl, POLL_MS, err))
			return -1;
	}
	if (has)
		return 0;
	err_set(err, ERR_AUTH,
		"the farm said yes to adb key %s and did not add it to "
		"the account '%s'",
		fingerprint, l->me);
	(void)err_reason(err, "adb_key_elsewhere");
	return err_hint(err, "another account of the farm has this key: "
			     "remove it there, or set PATROL_ADB_KEY to a key "
			     "of this account's own");
}
