#ifndef RUN_AFTER_H
#define RUN_AFTER_H

#include "run/run.h"

/*
 * What is made of the files once the phone is back: nobody waits for it any
 * more.  Nothing here fails a day; `note` says what became of it, and true
 * that something is wrong.
 */
struct run_after {
	const char *stage;
	bool (*wanted)(const struct run *r);
	bool (*make)(struct run *r, struct buf *note);
};
extern const struct run_after run_after_compare, run_after_history,
	run_after_issues, run_after_merge;

/* What run_after_history writes into the folder. */
#define RUN_AFTER_COMPARISON "comparison.json"

#endif
