#ifndef POSITIONS_H
#define POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash table of positions in an array that somebody else holds.  The caller
 * compares: two things may have one hash.
 *
 *	for (i = positions_first(x, h, &at); i != POSITIONS_NONE;
 *	     i = positions_next(x, h, &at))
 *		if (same(array[i], thing)) ...
 */
struct positions {
	struct positions_slot *slot;
	size_t room, count;
};

#define POSITIONS_NONE ((size_t)-1)

void positions_done(struct positions *x);
void positions_add(struct positions *x, uint64_t hash, size_t position);
size_t positions_first(const struct positions *x, uint64_t hash, size_t *at);
size_t positions_next(const struct positions *x, uint64_t hash, size_t *at);

/* FNV-1a of bytes, behind those that `h` is the hash of. */
#define POSITIONS_HASH 0xcbf29ce484222325u /* of none */
uint64_t positions_hash(uint64_t h, const void *bytes, size_t len);

#endif
