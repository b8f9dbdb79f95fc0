#ifndef OUTCOME_H
#define OUTCOME_H

#include "run/run.h"

/* What `run` and `try` have in common: do it, write it, tell it. */
struct outcome_spec {
	const struct run_config *cfg;
	const char *title; /* of the first line */
	bool notify, quiet;
	/* Has a word on the result before anybody reads it; NULL. */
	void (*judge)(void *arg, struct result *res);
	void *arg;
};

/*
 * With the environment's settings; one that is wrong is an outcome, too.  The
 * exit status, or -1 when not even a folder could be made.
 */
int outcome_of_run(const struct outcome_spec *spec, const struct cancel *cancel,
		   struct err *err);

/* " --name VALUE", quoted for a shell; nothing when `value` is NULL. */
void outcome_option(struct buf *b, const char *name, const char *value);

/* Two patrols in one folder would mix their results; `lock` is closed. */
int outcome_lock(const char *dir, int *lock, struct err *err);

#endif
