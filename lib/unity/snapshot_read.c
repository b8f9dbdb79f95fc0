#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/snapshot_parts.h"

enum { BUF_BYTES = 64 << 10, OFFSETS = 4096 };

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

/* A window is no larger than what it can hold: an overrun shows then. */
static size_t
at_most(uint64_t left, size_t room)
{
	return left < room ? (size_t)left : room;
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
		k->chunk =
			mem_array(at_most(count, OFFSETS), sizeof(*k->chunk));
	if (i < k->chunk_first || i >= k->chunk_first + k->chunk_have) {
		size_t n = at_most(count - i, OFFSETS);

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

static int
move_window(struct snapshot_cursor *k, uint64_t at, struct err *err)
{
	uint64_t end = k->c->start + k->c->bytes;
	size_t n;

	if (!k->buf)
		k->buf = mem_alloc(at_most(k->c->bytes, BUF_BYTES));
	n = at_most(end - at, BUF_BYTES);
	k->have = 0;
	if (block_bytes(k, at, k->buf, n, err))
		return -1;
	k->at = at;
	k->have = n;
	return 0;
}

/*
 * Makes the window hold `len` bytes (at most BUF_BYTES) from `at` on.  Called
 * for each row, and nearly always it does already.
 */
static inline int
window(struct snapshot_cursor *k, uint64_t at, size_t len, struct err *err)
{
	if (at >= k->at && at + len <= k->at + k->have)
		return 0;
	return move_window(k, at, err);
}

static void
widen(uint64_t *out, const unsigned char *p, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++, p += size) {
		uint32_t four;
		uint16_t two;

		if (size == 8) {
			memcpy(&out[i], p, 8);
			out[i] = le64toh(out[i]);
		} else if (size == 4) {
			memcpy(&four, p, 4);
			out[i] = le32toh(four);
		} else if (size == 2) {
			memcpy(&two, p, 2);
			out[i] = le16toh(two);
		} else {
			out[i] = *p;
		}
	}
}

/* Numbers that are as wide as ours go past the window. */
static int
wide_numbers(struct snapshot_cursor *k, uint64_t *out, size_t count,
	     struct err *err)
{
	if (block_bytes(k, k->c->start + k->row * 8, out, count * 8, err))
		return -1;
	for (size_t i = 0; i < count; i++)
		out[i] = le64toh(out[i]);
	k->row += count;
	return 0;
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
	if (size == 8 && max > 1) {
		uint64_t left = k->c->count - k->row;

		*got = left < max ? (size_t)left : max;
		return wide_numbers(k, out, *got, err);
	}
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
		widen(out + n, p, size, here);
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

static int
move_ends(struct snapshot_cursor *k, uint64_t i, struct err *err)
{
	size_t n = at_most(k->c->count + 1 - i, OFFSETS);

	if (!k->end)
		k->end = mem_array(at_most(k->c->count + 1, OFFSETS),
				   sizeof(*k->end));
	k->end_have = 0;
	if (snapshot_bytes(k->s, k->c->offset + i * 8, k->end, n * 8, err))
		return -1;
	k->end_first = i;
	k->end_have = n;
	return 0;
}

/* Offset i of a dynamic array, from a window of them. */
static inline int
offset(struct snapshot_cursor *k, uint64_t i, uint64_t *out, struct err *err)
{
	if (i - k->end_first >= k->end_have && move_ends(k, i, err))
		return -1;
	*out = le64toh(k->end[i - k->end_first]);
	return 0;
}

/* Where the next element begins and how long it is; goes on to the next. */
static inline int
next_row(struct snapshot_cursor *k, uint64_t *from, uint64_t *len,
	 struct err *err)
{
	uint64_t to;

	if (k->c->format != SNAPSHOT_DYNAMIC || k->row >= k->c->count)
		return snapshot_bad(err, "row %" PRIu64 " of %" PRIu64, k->row,
				    k->c->count);
	if ((k->row == 0 && offset(k, 0, &k->next, err)) ||
	    offset(k, k->row + 1, &to, err))
		return -1;
	*from = k->next;
	if (*from > to || to > k->c->bytes)
		return snapshot_bad(err,
				    "row %" PRIu64 " lies outside of its "
				    "array",
				    k->row);
	k->row++;
	k->next = to;
	*len = to - *from;
	return 0;
}

int
snapshot_cursor_length(struct snapshot_cursor *k, uint64_t *len,
		       struct err *err)
{
	uint64_t from;

	return next_row(k, &from, len, err);
}

static int
first_text(struct snapshot_cursor *k, size_t most, struct snapshot_text *out,
	   struct err *err)
{
	uint64_t from = 0, all = 0;

	if (next_row(k, &from, &all, err))
		return -1;
	*out = (struct snapshot_text){"", all < most ? (size_t)all : most};
	if (out->len && window(k, k->c->start + from, out->len, err))
		return -1;
	if (out->len)
		out->text = (const char *)k->buf + (k->c->start + from - k->at);
	return 0;
}

/* Those behind it that lie in the same windows; what is odd waits for later. */
static size_t
more_texts(struct snapshot_cursor *k, size_t most, struct snapshot_text *out,
	   size_t max)
{
	const char *buf = (const char *)k->buf;
	uint64_t first = k->at - k->c->start, from = k->next;
	size_t n = 0;

	while (n < max && k->row + n < k->c->count) {
		uint64_t i = k->row + n + 1 - k->end_first;
		uint64_t to, len;

		if (i >= k->end_have)
			break;
		to = le64toh(k->end[i]);
		if (from > to || to > k->c->bytes)
			break;
		len = to - from < most ? to - from : most;
		if (from < first || from - first + len > k->have)
			break;
		out[n++] = (struct snapshot_text){buf + (from - first),
						  (size_t)len};
		from = to;
	}
	k->row += n;
	k->next = from;
	return n;
}

int
snapshot_cursor_texts(struct snapshot_cursor *k, size_t most,
		      struct snapshot_text *out, size_t max, size_t *got,
		      struct err *err)
{
	assert(most <= BUF_BYTES && max > 0);
	*got = 0;
	if (k->row >= k->c->count)
		return 0;
	if (first_text(k, most, out, err))
		return -1;
	*got = 1;
	if (k->buf)
		*got += more_texts(k, most, out + 1, max - 1);
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
