#ifndef COMPARE_VIEW_H
#define COMPARE_VIEW_H

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
 * Those of the key of record `at`, up to that one, which is the last; and the
 * days on which the game was not started, which have no key.
 */
void compare_view_of(const struct compare_runs *runs, size_t at,
		     struct compare_view *out);
void compare_view_done(struct compare_view *v);

/* A run as a comparison names one. */
cJSON *compare_view_run(const struct compare_view *v, size_t run);

#endif
