#ifndef RAW_BYTES_H
#define RAW_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* A few bytes of a raw log, put down by hand: only what a test needs. */
enum { RAW_MAIN = 0x51, RAW_RENDER = 0x52, RAW_LOADER = 0x53 };

struct raw_bytes {
	struct buf out;	    /* the file */
	struct buf payload; /* of the block that is being built */
	bool packed;
	uint32_t version;
	uint32_t index[4]; /* of the next block: global, main, render, loader */
};

static inline void
raw_num(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_chr(b, (char)(v >> 8 * i));
}

static inline void
raw_pad(struct raw_bytes *r)
{
	while (!r->packed && r->payload.len % 4)
		buf_chr(&r->payload, 0);
}

static inline void
raw_type(struct raw_bytes *r, unsigned type)
{
	raw_num(&r->payload, type, 2);
	raw_pad(r);
}

static inline void
raw_text(struct raw_bytes *r, const char *s)
{
	raw_num(&r->payload, strlen(s), 4);
	buf_str(&r->payload, s);
	raw_pad(r);
}

static inline void
raw_file(struct raw_bytes *r, uint32_t version, bool packed)
{
	*r = (struct raw_bytes){.packed = packed, .version = version};
	buf_init(&r->out, 1 << 20);
	buf_init(&r->payload, 1 << 20);
	raw_num(&r->out, 0x55334450, 4);
	raw_num(&r->out, 1, 1);
	raw_num(&r->out, !packed, 1);
	raw_num(&r->out, 11, 2);
	raw_num(&r->out, version, 4);
	raw_num(&r->out, 1, 8);
	raw_num(&r->out, 1, 8);
	raw_num(&r->out, RAW_MAIN, 8);
	for (unsigned i = 0; version >= 0x20211028 && i < 5; i++)
		raw_num(&r->out, i + 1, 4);
}

static inline void
raw_bytes_done(struct raw_bytes *r)
{
	buf_done(&r->out);
	buf_done(&r->payload);
}

/* Put the payload down as a block of `thread`; 0 is the global stream. */
static inline void
raw_block_end(struct raw_bytes *r, uint64_t thread)
{
	uint32_t *index = &r->index[thread ? thread - RAW_MAIN + 1 : 0];

	raw_pad(r);
	raw_num(&r->out, 0xB10C7EAD, 4);
	raw_num(&r->out, *index, 4);
	raw_num(&r->out, thread ? thread : UINT64_MAX, 8);
	raw_num(&r->out, r->payload.len, 4);
	buf_add(&r->out, r->payload.data, r->payload.len);
	raw_num(&r->out, ++*index, 4);
	raw_num(&r->out, 0xB10CF007, 4);
	buf_clear(&r->payload);
}

static inline void
raw_marker(struct raw_bytes *r, uint32_t id, unsigned category,
	   const char *name)
{
	raw_type(r, 1);
	raw_num(&r->payload, id, 4);
	raw_num(&r->payload, 0, 2);
	raw_num(&r->payload, category, 2);
	raw_text(r, name);
	raw_num(&r->payload, 0, 1);
	raw_pad(r);
}

static inline void
raw_thread(struct raw_bytes *r, uint64_t id, bool independent, const char *name)
{
	raw_type(r, 33);
	raw_num(&r->payload, id, 8);
	if (r->version >= 0x20180123)
		raw_num(&r->payload, 0, 8);
	raw_num(&r->payload, independent, 4);
	raw_text(r, "");
	raw_text(r, name);
}

static inline void
raw_frame(struct raw_bytes *r, uint64_t thread, uint32_t index, uint64_t time)
{
	raw_type(r, 34);
	raw_num(&r->payload, index, 4);
	raw_num(&r->payload, time, 8);
	raw_block_end(r, thread);
}

static inline void
raw_sample(struct raw_bytes *r, unsigned type, uint32_t marker, uint64_t time)
{
	raw_type(r, type);
	raw_num(&r->payload, 0, 1);
	raw_pad(r);
	raw_num(&r->payload, marker, 4);
	raw_num(&r->payload, time, 8);
}

static inline void
raw_alloc(struct raw_bytes *r, uint32_t marker, uint64_t time, uint32_t size)
{
	raw_sample(r, 44, marker, time);
	raw_num(&r->payload, 1, 1);
	raw_pad(r);
	raw_num(&r->payload, 3, 1);
	raw_pad(r);
	raw_num(&r->payload, size, 4);
}

#endif
