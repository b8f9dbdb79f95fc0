#include "stf/stf_retry.h"

enum { RETRIES = 4, FIRST_MS = 500 };

/* Worth the same request again. */
static bool
passing(const struct stf *s, const struct err *err)
{
	if (err->code == ERR_CANCELLED || err->code == ERR_AUTH ||
	    err->code == ERR_INPUT)
		return false;
	return s->status == 0 || s->status == 429 || s->status >= 500;
}

int
stf_retry_again(const struct stf *s, int tries, struct deadline dl,
		struct err *err)
{
	int64_t ms = (int64_t)FIRST_MS << (tries < 3 ? tries : 3);
	struct err first = *err;

	/* Silence of 25 s, twice, will not end with a third try. */
	if (tries >= (err->code == ERR_TIMEOUT && !s->status ? 1 : RETRIES) ||
	    !passing(s, err) || deadline_left_ms(dl) <= ms)
		return -1;
	err_clear(err);
	if (deadline_pause(dl, ms, err) == 0)
		return 0;
	if (err->code != ERR_CANCELLED)
		*err = first;
	return -1;
}
