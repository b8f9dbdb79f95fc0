#ifndef ISSUE_MARKER_H
#define ISSUE_MARKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

/*
 * By what a registered regression is found again, in a comment of HTML that
 * the issue's page does not show:
 *
 *	<!-- patrol:regression v1 range=1f9a04c2e7b1 series=0c2...,77a... -->
 *	<!-- patrol:run 4242-20261130 -->
 *
 * A range is a digest of the phone, its system, Unity and route (the key of
 * the series) and of the two builds between which it got worse; a series one of
 * the title, the phone's model, the metric and its subject, so that it stays
 * what it is when the phone gets a new system.
 *
 * A run is named by its build and day, or by its record's id when its build is
 * not known: a run that compares itself has no record yet.
 */
enum { ISSUE_MARKER_DIGITS = 12, ISSUE_MARKER_MOST = 128 };

struct issue_marker_set {
	char (*item)[ISSUE_MARKER_DIGITS + 1];
	size_t count, room;
};

struct issue_marker {
	struct issue_marker_set range, series;
};

void issue_marker_done(struct issue_marker *m);

/* `step`: of a series of the comparison. */
void issue_marker_range(struct issue_marker *m, const cJSON *comparison,
			const cJSON *step);
void issue_marker_series(struct issue_marker *m, const cJSON *comparison,
			 const cJSON *series);
/* What `from` has and `into` has not; was there any? */
bool issue_marker_merge(struct issue_marker *into,
			const struct issue_marker *from);
/* How many of a's are in b. */
size_t issue_marker_common(const struct issue_marker_set *a,
			   const struct issue_marker_set *b);

/*
 * Does `told` name all ranges and series of `wanted`?  Of series that are too
 * many to be named, the ranges tell it.
 */
bool issue_marker_covers(const struct issue_marker *told,
			 const struct issue_marker *wanted);

/* What a run of a comparison is called in a marker; free() it. */
char *issue_marker_run(const cJSON *run);

/*
 * One line each.  More than ISSUE_MARKER_MOST of a kind are not written; of
 * `run` only what an id may have.
 */
void issue_marker_write(struct buf *out, const struct issue_marker *m);
void issue_marker_write_run(struct buf *out, const char *run);

/*
 * The first marker of `body`; false: it has none.  `offset`, `size`: where it
 * is, without the line's end; may be NULL.
 */
bool issue_marker_read(const char *body, struct issue_marker *out,
		       size_t *offset, size_t *size);
bool issue_marker_has_run(const char *body, const char *run);

#endif
