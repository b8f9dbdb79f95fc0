#ifndef REAP_H
#define REAP_H

#include "base/deadline.h"
#include "base/err.h"
#include "plan/settings.h"
#include "report/progress.h"

/*
 * Give back what dead runs still hold, by their lease journals: a run that
 * was killed with SIGKILL left one.  Only what is ours is released.
 */
struct reap_count {
	size_t runs;  /* dead runs found */
	size_t given; /* things given back, or gone already */
	size_t left;  /* things that could not be given back */
	size_t alive; /* runs that still live, left alone */
};

/*
 * Tries all and counts; the first failure is in `err` and -1 returned.  A
 * dead run that left no result.json gets one that says that it was killed.
 */
int reap_dead(const struct settings *set, struct progress *progress,
	      struct reap_count *count, struct deadline dl, struct err *err);

/* What people call a kind of thing in a lease journal. */
const char *reap_word(const char *what);

/* What a killed run may have left in its folder, besides results. */
int reap_clear_folder(const char *out_dir, struct err *err);

#endif
