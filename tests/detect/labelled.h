#ifndef LABELLED_H
#define LABELLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "series/series.h"

/*
 * The public series of tests/data/series with what is known of them: where
 * people, or the one who planted it, say that a new level begins.
 */
enum labelled_group {
	LABELLED_CONTROL, /* nothing planted on real noise */
	LABELLED_STEP,
	LABELLED_CREEP,
	LABELLED_MOZILLA, /* locked by the maintainers */
	LABELLED_HISTORY, /* of CI: truth is what published detectors agree on */
	LABELLED_OTHER,
};

enum { LABELLED_TRUTHS = 8 };

struct labelled {
	struct series series;
	enum labelled_group group;
	size_t truth[LABELLED_TRUTHS]; /* indices of points of the file */
	size_t truth_count;
	double to_noise; /* size / noise of what was planted */
	double rate;	 /* of a creep, share a run */
	size_t length;	 /* of a creep, runs */
};

/* All *.json of `dir`, by name; done and free() them. */
int labelled_read(const char *dir, struct labelled **out, size_t *count,
		  struct err *err);
void labelled_done(struct labelled *l, size_t count);

#endif
