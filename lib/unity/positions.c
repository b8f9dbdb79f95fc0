#include "unity/positions.h"

#include <stdlib.h>

#include "base/mem.h"

struct positions_slot {
	uint64_t hash;
	size_t position_1; /* 0: free */
};

/* Keys of a file may be chosen so that they meet; mixed, they spread. */
static size_t
place(const struct positions *x, uint64_t hash)
{
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdu;
	hash ^= hash >> 33;
	return (size_t)hash & (x->room - 1);
}

static void
put(struct positions *x, struct positions_slot s)
{
	size_t i = place(x, s.hash);

	while (x->slot[i].position_1)
		i = (i + 1) & (x->room - 1);
	x->slot[i] = s;
}

static void
grow(struct positions *x)
{
	struct positions old = *x;

	x->room = old.room ? old.room * 2 : 64;
	x->slot = mem_array(x->room, sizeof(*x->slot));
	for (size_t i = 0; i < old.room; i++)
		if (old.slot[i].position_1)
			put(x, old.slot[i]);
	free(old.slot);
}

void
positions_done(struct positions *x)
{
	free(x->slot);
	x->slot = NULL;
	x->room = x->count = 0;
}

void
positions_add(struct positions *x, uint64_t hash, size_t position)
{
	if (x->count * 2 >= x->room)
		grow(x);
	put(x, (struct positions_slot){hash, position + 1});
	x->count++;
}

static size_t
look(const struct positions *x, uint64_t hash, size_t *at)
{
	for (; x->slot[*at].position_1; *at = (*at + 1) & (x->room - 1))
		if (x->slot[*at].hash == hash)
			return x->slot[*at].position_1 - 1;
	return POSITIONS_NONE;
}

size_t
positions_first(const struct positions *x, uint64_t hash, size_t *at)
{
	*at = 0;
	if (!x->room)
		return POSITIONS_NONE;
	*at = place(x, hash);
	return look(x, hash, at);
}

size_t
positions_next(const struct positions *x, uint64_t hash, size_t *at)
{
	*at = (*at + 1) & (x->room - 1);
	return look(x, hash, at);
}

uint64_t
positions_hash(uint64_t h, const void *bytes, size_t len)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < len; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	return h;
}
