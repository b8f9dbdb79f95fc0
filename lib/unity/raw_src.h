#ifndef RAW_SRC_H
#define RAW_SRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"

/*
 * The bytes of a recording: segments one after another, each read once from
 * its begin to its end, and what lies behind for as long as it is held.
 * Files are read where they lie.  A pipe's bytes are held in memory up to a
 * limit and then in a nameless file in TMPDIR.
 */
struct raw_src;

enum { RAW_WINDOW = 256 << 10 }; /* the most that raw_src_at() gives */

struct raw_src_spec {
	const char *const *paths; /* raw_segs.h */
	size_t count;
	const uint8_t *bytes; /* not NULL: one recording in memory instead */
	size_t size;
	bool follow;  /* until a first signal: wait for more at the end */
	bool consume; /* delete what was read and is no longer held */
	size_t ahead; /* bytes worth reading at once */
	/* Called before the window moves, for what is used of it; or NULL. */
	int (*moving)(void *arg, struct err *err);
	void *arg;
};

/*
 * What `spec` points to has to live as long.  With `follow` a first signal is
 * the end of the input and no error; without, and on a second one, it is
 * ERR_CANCELLED.
 */
int raw_src_open(const struct raw_src_spec *spec, const struct cancel *cancel,
		 struct raw_src **src, struct err *err);
void raw_src_free(struct raw_src *s);

/* Go to the next segment; *more is false when there is none. */
int raw_src_next(struct raw_src *s, bool *more, struct err *err);

const char *raw_src_name(const struct raw_src *s); /* of this segment */
uint32_t raw_src_segment(const struct raw_src *s); /* its number, from 0 */
size_t raw_src_unread(const struct raw_src *s);	   /* the most ever seen */

/*
 * The bytes at `at` of this segment: *got is `need` (up to RAW_WINDOW) or
 * more, and less only at the segment's end.  *p lives until the next call.
 */
int raw_src_at(struct raw_src *s, uint64_t at, size_t need, const uint8_t **p,
	       size_t *got, struct err *err);

/*
 * Whether all of `len` bytes at `at` are there, without reading them where
 * that can be known.  Waits when the input is followed.
 */
int raw_src_has(struct raw_src *s, uint64_t at, uint64_t len, bool *has,
		struct err *err);

/* How many bytes this segment has as far as we know. */
uint64_t raw_src_size(const struct raw_src *s);

/* Copy bytes of a segment that are held. */
int raw_src_copy(struct raw_src *s, uint32_t segment, uint64_t at, void *to,
		 size_t len, struct err *err);
/* The same where they are in memory anyway, else NULL. */
const uint8_t *raw_src_held(const struct raw_src *s, uint32_t segment,
			    uint64_t at, size_t len);
/* The descriptor of a segment that is a file, -1 when it is a pipe. */
int raw_src_fd(const struct raw_src *s, uint32_t segment);

/* Nothing before `at` of `segment` is needed any more. */
int raw_src_release(struct raw_src *s, uint32_t segment, uint64_t at,
		    struct err *err);

/* All is written: with `consume` the last segments go, too. */
int raw_src_finish(struct raw_src *s, struct err *err);

/* For loops that do not wait: ERR_CANCELLED after a signal. */
int raw_src_check(struct raw_src *s, struct err *err);

/*
 * Until `fd` can be written to, where that may be never: a pipe, a terminal.
 * ERR_CANCELLED by the signal that ends the input, too, where that is one.
 */
int raw_src_wait_out(struct raw_src *s, int fd, struct err *err);

/* Whether bytes that were read can't be read again: `consume`. */
bool raw_src_deleted(const struct raw_src *s);

/* Whether the caller of a followed input told us to stop. */
bool raw_src_stopped(const struct raw_src *s);

#endif
