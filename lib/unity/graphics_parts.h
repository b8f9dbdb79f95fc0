#ifndef GRAPHICS_PARTS_H
#define GRAPHICS_PARTS_H

#include "unity/graphics.h"

/* Shared by the parts of the module. */
struct graphics_map_names {
	const char *map;  /* top key */
	const char *ref;  /* what a state calls it */
	const char *word; /* for people */
};
extern const struct graphics_map_names graphics_map_names[GRAPHICS_MAPS];

/* Positions by hash, and the variant with one; POSITIONS_NONE: not there. */
void graphics_parts_positions(struct positions *x,
			      const struct graphics_states *g);
size_t graphics_parts_find(const struct graphics_states *g,
			   const struct positions *x,
			   const struct exact_json *hash);
/* All but their states: the same shader, pass and keywords. */
bool graphics_parts_same_variant(const struct graphics_variant *a,
				 const struct graphics_variant *b);
/*
 * Which states of `from` are not in `into`, each once; fills from->count of
 * `is_new` and returns how many.
 */
size_t graphics_parts_new_states(const struct graphics_variant *into,
				 const struct graphics_variant *from,
				 bool *is_new);

#endif
