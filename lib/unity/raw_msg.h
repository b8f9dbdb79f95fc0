#ifndef RAW_MSG_H
#define RAW_MSG_H

#include "unity/raw_format.h"

/*
 * The messages within a block's payload.  They carry no length: what type is
 * unknown makes the rest of its block unreadable.
 */
enum raw_type {
	RAW_STATE = 0,
	RAW_MARKER = 1,
	RAW_CALLSTACK = 3,
	RAW_STATS = 4,
	RAW_AUDIO = 5,
	RAW_UI_CANVAS = 6,
	RAW_UI_EVENTS = 7,
	RAW_METHOD = 8,
	RAW_NATIVE_TYPE = 10,
	RAW_OBJECT = 11,
	RAW_GFX = 12,
	RAW_THREAD = 33,
	RAW_FRAME = 34,
	RAW_BEGIN = 36,
	RAW_END = 37,
	RAW_SAMPLE = 38,
	RAW_BEGIN_ID = 39,
	RAW_END_ID = 40,
	RAW_SAMPLE_ID = 41,
	RAW_BEGIN_META = 42,
	RAW_END_META = 43,
	RAW_SAMPLE_META = 44,
	RAW_GC_OLD = 52,
	RAW_ASYNC_ANCHOR = 53,
	RAW_ASYNC_META = 54,
	RAW_GPU = 55,
	RAW_CLEANUP = 56,
	RAW_FLOW = 57,
	RAW_CATEGORY = 62,
	RAW_CATEGORY_STATE = 63,
};

enum { RAW_VALUES = 4, RAW_META_MAX = 255 };

/* A value of a sample's metadata; text and blobs point into the payload. */
struct raw_value {
	uint8_t type;	  /* 1 .. 13 */
	uint64_t number;  /* as written, sign extended; floats: their bits */
	const uint8_t *p; /* of text and blobs ... */
	uint32_t have;	  /* ... so many bytes are in this block ... */
	uint32_t len;	  /* ... of so many; have < len: the rest follows */
};

struct raw_msg {
	enum raw_type type;
	uint32_t id;	/* marker, thread's flags, frame index, stats' count,
			   bytes of RAW_GC_OLD */
	uint16_t flags; /* of a marker's definition */
	uint16_t category;
	uint64_t time; /* ticks; for RAW_THREAD its start */
	uint64_t thread;
	const uint8_t *name, *group; /* not NUL-terminated */
	uint32_t name_len, group_len;
	const uint8_t *ints;		    /* RAW_STATS: `id` i32s */
	struct raw_value value[RAW_VALUES]; /* the first ones */
	unsigned values;		    /* how many were filled */
};

/*
 * How one thread's stream is read.  A text or blob at the end of a block goes
 * on at the next block of the same thread, so this lives as long as the
 * thread; zeroed is the beginning.
 */
struct raw_reader {
	uint32_t rest;	 /* bytes of a value that are still to come */
	uint32_t values; /* that follow it */
	bool more; /* the caller's: the payload goes on behind these bytes */
};

enum raw_got {
	RAW_GOT_MSG,  /* *at moved past it */
	RAW_GOT_END,  /* nothing is left */
	RAW_GOT_MORE, /* cut, and `more` is set: give it with what follows */
	RAW_GOT_ODD,  /* the rest of this payload can't be read */
};

/*
 * The begin of a block's payload: what a divided value of the last block
 * still has here is passed over.  Returns where the first message is; the
 * bytes before it belong to that value, but for up to three of padding.
 */
size_t raw_msg_begin(const struct raw_head *head, struct raw_reader *r,
		     const uint8_t *p, size_t len);

/*
 * The message at *at of `len` bytes of a payload, whose first byte lies at a
 * multiple of 4 from the payload's begin.  A message whose values are divided
 * is returned with what is here.
 */
enum raw_got raw_msg_next(const struct raw_head *head, struct raw_reader *r,
			  const uint8_t *p, size_t len, size_t *at,
			  struct raw_msg *m);

/* A whole number in a value, 0 when it is none; negative ones are 0, too. */
uint64_t raw_msg_count(const struct raw_value *v);

/*
 * Bytes of a begin, end or plain sample (types 36 to 38), the commonest
 * messages, which differ in nothing but their type.
 */
static inline size_t
raw_msg_plain(const struct raw_head *head)
{
	return head->aligned ? 20 : 15;
}

#endif
