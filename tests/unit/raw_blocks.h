#ifndef RAW_BLOCKS_H
#define RAW_BLOCKS_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* Blocks of raw logs in memory, looked at by the tests' own eyes. */
struct found_block {
	uint64_t thread;
	uint32_t index, next, len;
	const char *payload; /* in the file's bytes */
	unsigned segment;
	int64_t frame; /* of message 34, which is alone; -1: none */
	uint64_t at;   /* its time */
	bool defines;  /* of the global stream, or a thread's name */
};

struct raw_blocks {
	struct found_block *block;
	size_t count, room;
};

static inline uint64_t
raw_blocks_num(const char *p, int size)
{
	uint64_t v = 0;

	memcpy(&v, p, (size_t)size);
	return le64toh(v);
}

static inline size_t
raw_blocks_header(const struct buf *b)
{
	return raw_blocks_num(b->data + 8, 4) >= 0x20211028 ? 56 : 36;
}

/* Adds a file's blocks; false: it does not end with a whole one. */
static inline bool
raw_blocks_add(struct raw_blocks *l, const struct buf *b, unsigned segment)
{
	size_t at = raw_blocks_header(b);
	size_t field = b->data[5] ? 4 : 2;

	while (b->len - at >= 28) {
		const char *p = b->data + at;
		struct found_block k = {
			.index = (uint32_t)raw_blocks_num(p + 4, 4),
			.thread = raw_blocks_num(p + 8, 8),
			.len = (uint32_t)raw_blocks_num(p + 16, 4),
			.payload = p + 20,
			.segment = segment,
			.frame = -1,
		};
		uint64_t type;

		if (raw_blocks_num(p, 4) != 0xB10C7EAD ||
		    k.len > b->len - at - 28 ||
		    raw_blocks_num(p + 24 + k.len, 4) != 0xB10CF007)
			return false;
		k.next = (uint32_t)raw_blocks_num(p + 20 + k.len, 4);
		type = k.len >= 2 ? raw_blocks_num(k.payload, 2) : 0;
		k.defines = k.thread == UINT64_MAX || type == 33;
		if (!k.defines && type == 34 && k.len == field + 12) {
			k.frame = (int64_t)raw_blocks_num(k.payload + field, 4);
			k.at = raw_blocks_num(k.payload + field + 4, 8);
		}
		MEM_GROW(l->block, l->count, l->room);
		l->block[l->count++] = k;
		at += 28 + k.len;
	}
	return at == b->len;
}

static inline bool
raw_blocks_same(const struct found_block *a, const struct found_block *b)
{
	return a->thread == b->thread && a->len == b->len &&
	       memcmp(a->payload, b->payload, a->len) == 0;
}

/* Each thread's blocks are counted without a gap, and their footers fit. */
static inline bool
raw_blocks_whole(const struct raw_blocks *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct found_block *b = &l->block[i];
		size_t before = i;

		while (before > 0 && l->block[before - 1].thread != b->thread)
			before--;
		if (b->next != b->index + 1 ||
		    b->index != (before ? l->block[before - 1].next : 0))
			return false;
	}
	return true;
}

#endif
