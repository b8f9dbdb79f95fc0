#ifndef GRAPHICS_INDEX_H
#define GRAPHICS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash table of positions in an array that somebody else holds.  The caller
 * compares: two things may have one hash.
 *
 *	for (i = graphics_index_first(x, h, &at); i != GRAPHICS_NONE;
 *	     i = graphics_index_next(x, h, &at))
 *		if (same(array[i], thing)) ...
 */
struct graphics_index {
	struct graphics_index_slot *slot;
	size_t room, count;
};

#define GRAPHICS_NONE ((size_t)-1)

void graphics_index_done(struct graphics_index *x);
void graphics_index_add(struct graphics_index *x, uint64_t hash,
			size_t position);
size_t graphics_index_first(const struct graphics_index *x, uint64_t hash,
			    size_t *at);
size_t graphics_index_next(const struct graphics_index *x, uint64_t hash,
			   size_t *at);

#endif
