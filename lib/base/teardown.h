#ifndef TEARDOWN_H
#define TEARDOWN_H

#include <stddef.h>

#include "base/deadline.h"
#include "base/err.h"

/*
 * What has to be undone outside the process, last in first out.
 *
 * Push before you act: an undo must accept "never happened".  Each has its own
 * budget, and all together must fit into TEARDOWN_TOTAL_MS, because that is
 * what GitHub leaves between SIGINT and SIGKILL; a push that would pass it is
 * refused, so the promise is checked when the step is set up and not when it
 * is late.  An undo never hears the first signal.
 */
enum { TEARDOWN_MAX = 16, TEARDOWN_TOTAL_MS = 8000 };

typedef int (*teardown_fn)(void *arg, struct deadline dl, struct err *err);

struct teardown_step {
	const char *name; /* static */
	teardown_fn fn;
	void *arg; /* lives until the step has run */
	int64_t budget_ms;
};

struct teardown {
	struct teardown_step step[TEARDOWN_MAX];
	size_t count;
	int64_t total_ms;
	const struct cancel *cancel;
};

void teardown_init(struct teardown *td, const struct cancel *cancel);

/* One of that name and argument that is there already is enough. */
int teardown_push(struct teardown *td, const char *name, teardown_fn fn,
		  void *arg, int64_t budget_ms, struct err *err);

/* Run and remove the step of this name and argument, when it is there. */
int teardown_now(struct teardown *td, const char *name, const void *arg,
		 struct err *err);
/* Forget it without running: it was undone on the normal way. */
void teardown_forget(struct teardown *td, const char *name, const void *arg);

/*
 * Run all that is left.  `report` hears each step with its error, code
 * ERR_NONE when it went well.  Returns how many failed.
 */
size_t teardown_run(struct teardown *td,
		    void (*report)(void *arg, const char *name,
				   const struct err *err),
		    void *arg);

#endif
