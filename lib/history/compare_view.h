#ifndef COMPARE_VIEW_H
#define COMPARE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "history/compare.h"

/* The runs of one key.  Records and words are borrowed. */
struct compare_view {
	const cJSON **record; /* the oldest first */
	const char *
		*invalid; /* of each: why it does not count; NULL: it does */
	size_t count;
};

/*
 * Those of the key and title of record `at`, up to that one, which is the last,
 * `most` at most; and the days on which the game was not started, which have no
 * key.  What others share the store takes no place of theirs.
 */
void compare_view_of(const struct compare_runs *runs, size_t at, size_t most,
		     struct compare_view *out);
/*
 * The same for pictures, with the runs of other keys that have the title of
 * run `at`: why those do not count says which part of the key is another.
 * *own: the first run that has the key; out->count when there is none.
 */
void compare_view_wide(const struct compare_runs *runs, size_t at,
		       struct compare_view *out, size_t *own);
/* Is it why_invalid of a run of another key? */
bool compare_view_is_other(const char *invalid);
/*
 * How warm a phone usually begins, before this run: within `reach` of `median`,
 * in °C.  False: too few runs tell.
 */
bool compare_view_start(const struct compare_view *v, size_t run,
			double *median, double *reach);
void compare_view_done(struct compare_view *v);

/* A run as a comparison names one. */
cJSON *compare_view_run(const struct compare_view *v, size_t run);

#endif
