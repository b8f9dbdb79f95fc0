#ifndef RAW_SCAN_H
#define RAW_SCAN_H

#include "base/buf.h"
#include "unity/raw_content.h"
#include "unity/raw_frames.h"
#include "unity/raw_seen.h"
#include "unity/raw_src.h"
#include "unity/raw_threads.h"

/*
 * A recording, block by block, in one pass: whose each one is, to which frame
 * it belongs, and what its content adds to that frame.  `patrol filter` and
 * `patrol frames` are two users of it.
 *
 * Opened are the heads of blocks, payloads that begin like a frame or a
 * thread's name (both are seen with the head), definitions, and of bound
 * threads what `look` asks for.
 */
enum raw_kind {
	RAW_KIND_DEFINE, /* definitions */
	RAW_KIND_EARLY,	 /* of a thread that has begun no frame yet */
	RAW_KIND_BEGIN,	 /* the main thread begins a frame */
	RAW_KIND_FRAME,	 /* of a frame of its thread */
	RAW_KIND_LOOSE,	 /* of a thread that knows no frames */
	RAW_KIND_OMIT,	 /* of a thread that is left out */
};

struct raw_item {
	struct raw_block block;
	uint32_t segment;
	enum raw_kind kind;
	size_t thread; /* its number in raw_scan.threads */
	bool begins;   /* a thread's begin of a frame, whose index is: */
	uint32_t frame;
	bool placed;	  /* `ordinal` is known; else `since` is when */
	uint64_t ordinal; /* BEGIN, FRAME: of its frame; LOOSE: the last ... */
	uint64_t since;	  /* ... and first that it may reach into */
	bool again;	  /* DEFINE: the same as one of an earlier segment */
};

/* Told of things on the way; each may be NULL. */
struct raw_watch {
	void *arg;
	void (*marker)(void *arg, const struct raw_msg *m);
	/* Messages of a bound thread's block, if `look_all`. */
	void (*message)(void *arg, struct raw_thread *t,
			const struct raw_msg *m);
	/* Bytes at a block's begin that belong to a divided value. */
	void (*rest)(void *arg, struct raw_thread *t, const uint8_t *p,
		     size_t len);
	/* A bound thread begins its next frame. */
	void (*begins)(void *arg, struct raw_thread *t, uint64_t time);
	bool look_all;
};

struct raw_scan_spec {
	struct raw_src_spec src;
	unsigned look;		 /* enum raw_look */
	const char *const *omit; /* names of threads */
	bool omit_asked;	 /* by the caller: one that is none is told */
	size_t omits;
	struct raw_watch watch;
};

struct raw_scan {
	struct raw_scan_spec spec;
	struct raw_src *src;
	struct raw_head head;
	uint8_t head_bytes[RAW_HEAD_MAX];
	struct raw_threads threads;
	struct raw_frames frames;
	struct raw_content content;
	struct raw_seen seen;

	bool open;		/* a segment is */
	uint64_t at;		/* the next block's head in it */
	struct raw_block block; /* read already, its footer is not */
	bool has_block;
	unsigned ticking;
	size_t holding; /* the thread that raw_scan_passed() waited for */

	/* For the summary. */
	uint64_t bytes_in, blocks, segments, empty_segments;
	uint64_t touched; /* bytes of payloads that were opened */
	uint64_t lost;	  /* bytes behind the last whole block */
	uint64_t lost_at;
	char *lost_in;	   /* the segment's name, NULL: none */
	bool lost_damaged; /* there was no block, rather than half of one */
	uint64_t footers;  /* that did not fit their block's index */
	uint64_t first_time, last_time; /* of the main thread's frames */
};

int raw_scan_open(const struct raw_scan_spec *spec, const struct cancel *cancel,
		  struct raw_scan **scan, struct err *err);
void raw_scan_free(struct raw_scan *s);

/* The next whole block; *more is false at the end of the last segment. */
int raw_scan_next(struct raw_scan *s, struct raw_item *item, bool *more,
		  struct err *err);

/* Whether all threads that take part have left the frame `ordinal`. */
bool raw_scan_passed(struct raw_scan *s, uint64_t ordinal);

/* Place an item that was ahead of the main thread; see raw_frames_find(). */
enum raw_found raw_scan_place(const struct raw_scan *s, struct raw_item *item);

/* Begins of the main thread after which a straggler is waited for no more. */
enum { RAW_LATE = 16, RAW_AHEAD = 64 };

#endif
