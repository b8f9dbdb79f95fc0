#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/snapshot_parts.h"

enum { BUF_BYTES = 256 << 10, OFFSETS = 4096 };

void
snapshot_cursor_init(struct snapshot_cursor *k, const struct snapshot *s,
		     enum snapshot_entry entry)
{
	memset(k, 0, sizeof(*k));
	k->s = s;
	k->c = &s->chapter[entry];
	k->at = k->c->start;
}

void
snapshot_cursor_done(struct snapshot_cursor *k)
{
	free(k->buf);
	free(k->chunk);
	free(k->end);
	k->buf = NULL;
	k->chunk = NULL;
	k->end = NULL;
}

/* Where in the file byte `at` of the block lies, and how many follow it. */
static int
place(struct snapshot_cursor *k, uint64_t at, uint64_t *file, uint64_t *run,
      struct err *err)
{
	const struct snapshot_block *b = &k->s->block[k->c->block];
	uint64_t count = b->bytes / b->chunk + (b->bytes % b->chunk != 0);
	uint64_t i = at / b->chunk, in = at % b->chunk;

	if (!k->chunk)
		k->chunk = mem_array(OFFSETS, sizeof(*k->chunk));
	if (i < k->chunk_first || i >= k->chunk_first + k->chunk_have) {
		uint64_t left = count - i;
		size_t n = left < OFFSETS ? (size_t)left : OFFSETS;

		if (snapshot_bytes(k->s, b->offsets + i * 8, k->chunk, n * 8,
				   err))
			return -1;
		k->chunk_first = i;
		k->chunk_have = n;
	}
	*file = le64toh(k->chunk[i - k->chunk_first]) + in;
	*run = b->chunk - in;
	if (*run > b->bytes - at)
		*run = b->bytes - at;
	return 0;
}

/* Bytes of the block, from as many chunks as it takes. */
static int
block_bytes(struct snapshot_cursor *k, uint64_t at, void *out, size_t len,
	    struct err *err)
{
	unsigned char *to = out;

	while (len) {
		uint64_t file, run;
		size_t n = len;

		if (place(k, at, &file, &run, err))
			return -1;
		if (n > run)
			n = (size_t)run;
		if (snapshot_bytes(k->s, file, to, n, err))
			return -1;
		to += n;
		at += n;
		len -= n;
	}
	return 0;
}

/* Makes the window hold `len` bytes (at most BUF_BYTES) from `at` on. */
static int
window(struct snapshot_cursor *k, uint64_t at, size_t len, struct err *err)
{
	uint64_t end = k->c->start + k->c->bytes;
	size_t n;

	if (k->buf && at >= k->at && at + len <= k->at + k->have)
		return 0;
	if (!k->buf)
		k->buf = mem_alloc(BUF_BYTES);
	n = end - at < BUF_BYTES ? (size_t)(end - at) : BUF_BYTES;
	k->have = 0;
	if (block_bytes(k, at, k->buf, n, err))
		return -1;
	k->at = at;
	k->have = n;
	return 0;
}

static uint64_t
number(const unsigned char *p, size_t size)
{
	uint64_t n = 0;

	for (size_t i = size; i-- > 0;)
		n = n << 8 | p[i];
	return n;
}

int
snapshot_cursor_numbers(struct snapshot_cursor *k, uint64_t *out, size_t max,
			size_t *got, struct err *err)
{
	size_t size = (size_t)k->c->size, n = 0;

	if (k->c->format != SNAPSHOT_CONSTANT ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return snapshot_bad(err,
				    "an array of numbers has elements of "
				    "%zu bytes",
				    size);
	while (n < max && k->row < k->c->count) {
		uint64_t at = k->c->start + k->row * size;
		uint64_t left = k->c->count - k->row;
		const unsigned char *p;
		size_t here;

		if (window(k, at, size, err))
			return -1;
		p = k->buf + (at - k->at);
		here = (k->have - (size_t)(at - k->at)) / size;
		if (here > left)
			here = (size_t)left;
		if (here > max - n)
			here = max - n;
		for (size_t i = 0; i < here; i++, p += size) {
			uint64_t v;

			if (size == 8) {
				memcpy(&v, p, 8);
				out[n + i] = le64toh(v);
			} else {
				out[n + i] = number(p, size);
			}
		}
		n += here;
		k->row += here;
	}
	*got = n;
	return 0;
}

int
snapshot_cursor_number(struct snapshot_cursor *k, uint64_t *out,
		       struct err *err)
{
	size_t got = 0;

	if (snapshot_cursor_numbers(k, out, 1, &got, err))
		return -1;
	if (!got)
		return snapshot_bad(err, "row %" PRIu64 " of %" PRIu64, k->row,
				    k->c->count);
	return 0;
}

/* Offset i of a dynamic array, from a window of them. */
static int
offset(struct snapshot_cursor *k, uint64_t i, uint64_t *out, struct err *err)
{
	if (!k->end)
		k->end = mem_array(OFFSETS, sizeof(*k->end));
	if (i < k->end_first || i >= k->end_first + k->end_have) {
		uint64_t left = k->c->count + 1 - i;
		size_t n = left < OFFSETS ? (size_t)left : OFFSETS;

		if (snapshot_bytes(k->s, k->c->offset + i * 8, k->end, n * 8,
				   err))
			return -1;
		k->end_first = i;
		k->end_have = n;
	}
	*out = le64toh(k->end[i - k->end_first]);
	return 0;
}

int
snapshot_cursor_string(struct snapshot_cursor *k, char *text, size_t room,
		       uint64_t *len, struct err *err)
{
	uint64_t from, to;
	size_t n;

	if (k->c->format != SNAPSHOT_DYNAMIC || k->row >= k->c->count)
		return snapshot_bad(err, "row %" PRIu64 " of %" PRIu64, k->row,
				    k->c->count);
	if (offset(k, k->row, &from, err) || offset(k, k->row + 1, &to, err))
		return -1;
	if (from > to || to > k->c->bytes)
		return snapshot_bad(err,
				    "row %" PRIu64 " lies outside of its "
				    "array",
				    k->row);
	k->row++;
	*len = to - from;
	if (!room)
		return 0;
	n = *len < room - 1 ? (size_t)*len : room - 1;
	if (n <= BUF_BYTES) {
		if (n && window(k, k->c->start + from, n, err))
			return -1;
		if (n)
			memcpy(text, k->buf + (k->c->start + from - k->at), n);
	} else if (block_bytes(k, k->c->start + from, text, n, err)) {
		return -1;
	}
	text[n] = '\0';
	return 0;
}

int
snapshot_single(const struct snapshot *s, enum snapshot_entry entry, void *out,
		size_t room, size_t *got, struct err *err)
{
	struct snapshot_cursor k;
	int rc;

	snapshot_cursor_init(&k, s, entry);
	*got = 0;
	if (k.c->format != SNAPSHOT_SINGLE)
		return 0;
	*got = k.c->size < room ? (size_t)k.c->size : room;
	rc = block_bytes(&k, k.c->start, out, *got, err);
	snapshot_cursor_done(&k);
	return rc;
}
