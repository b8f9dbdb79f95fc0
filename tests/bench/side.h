#ifndef SIDE_H
#define SIDE_H

#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"

/* What the benchmarks in C share: two ways of one thing, side by side. */

enum { SIDE_ROUNDS = 9 };

_Noreturn void side_fail(const struct err *err);
struct deadline side_soon(void);

/*
 * Become a child of a farm with a folder in memory; returns in that child.
 * `scenario` is the text of its file, or NULL.  The folder's path is
 * returned; side_done() removes it.
 */
char *side_farm(char **argv, const char *scenario);
void side_done(char *dir);

/* A command that must succeed; its output is dropped. */
void side_spawn(const char *const *argv, const char *const *env);

struct side {
	void (*ours)(void *arg);
	void (*theirs)(void *arg);
	void (*before)(void *arg); /* each, not counted; may be NULL */
	void *arg;
	int repeat; /* so often in a round */
};

struct side_times {
	double ours_us, theirs_us; /* medians of SIDE_ROUNDS in turns */
};

struct side_times side_compare(const struct side *s);

/* The largest memory that this process has had so far. */
double side_peak_mib(void);

#endif
