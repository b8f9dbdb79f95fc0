#ifndef RAW_SEGS_H
#define RAW_SEGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/err.h"

/*
 * The names of a recording's segments, in the order of their numbers
 * ("cap_9.raw" before "cap_10.raw").  Of a folder its *.raw files are meant,
 * also those that come while it is followed.
 */
struct raw_segs;

/* "-" is stdin, then the only name.  ERR_INPUT: no file is named. */
int raw_segs_open(const char *const *paths, size_t count, bool follow,
		  struct raw_segs **segs, struct err *err);
void raw_segs_free(struct raw_segs *s);

/*
 * The name after the last one taken, NULL when there is none (yet); looks
 * into the folders again.  It is the caller's to free.
 */
int raw_segs_next(struct raw_segs *s, char **path, struct err *err);

/* How many there are behind the last one taken. */
int raw_segs_unread(struct raw_segs *s, size_t *count, struct err *err);

/* ERR_USAGE when `out`, which may be NULL, is a file that is one of them. */
int raw_segs_spare(const char *const *paths, size_t count, const char *out,
		   struct err *err);

/* Wait until something happens to the files, for a while at most. */
int raw_segs_wait(struct raw_segs *s, struct deadline dl, struct err *err);

/* Names with their numbers compared as numbers. */
int raw_segs_compare(const char *a, const char *b);

#endif
