#ifndef CONFIRM_H
#define CONFIRM_H

#include "run/run.h"

/*
 * What is suspect of a tour, while the phone is still ours: its values beside
 * those of the days before.
 */
struct confirm;
void confirm_done(struct confirm *c);

/* Does the plan want it, and is there a history? */
bool confirm_wanted(const struct run *r);
/*
 * A stage: read the history before the phone is taken.  One that can't be read
 * is a warning, and then nothing is suspect.
 */
int confirm_read(struct run *r, struct buf *note, struct err *err);

/*
 * A list of {"metric": "load" | "settle", "subject", "value", "baseline",
 * "limit", "least"}, NULL when nothing is; the caller deletes it.  Under
 * "least" a value is as much better as "limit" is worse.
 */
cJSON *confirm_suspects(struct run *r);

#endif
