#ifndef STF_RETRY_H
#define STF_RETRY_H

#include "base/deadline.h"
#include "base/err.h"
#include "stf/stf.h"

/*
 * After a failed call of `s`, the `tries`-th of its kind from 0: 0 to make it
 * again, after a pause and with `err` empty; -1 to give up, with `err` as it
 * was.
 */
int stf_retry_again(const struct stf *s, int tries, struct deadline dl,
		    struct err *err);

#endif
