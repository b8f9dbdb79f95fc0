#ifndef RUN_HOLDER_H
#define RUN_HOLDER_H

#include "run/run.h"

/* What a result says of the farm's phone and of whoever has it. */

/* It is this phone. */
void run_holder_device(struct run *r, const struct stf_device *d);

/*
 * None could be had: which one it would have been, and who has it.  When that
 * is another run on this machine, `why` gets its process.
 */
void run_holder_note(struct run *r, const struct stf_want *want, size_t count,
		     struct err *why);

/* Warn when a booking of the leased phone ends before the plan's deadline. */
void run_holder_booking(struct run *r);

#endif
