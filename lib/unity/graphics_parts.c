#include "unity/graphics_parts.h"

#include <string.h>

#include "unity/positions.h"

/* A state of the two put one behind the other. */
static const struct exact_json *
nth_state(const struct graphics_variant *a, const struct graphics_variant *b,
	  size_t i)
{
	return i < a->count ? a->state[i].node : b->state[i - a->count].node;
}

size_t
graphics_parts_new_states(const struct graphics_variant *into,
			  const struct graphics_variant *from, bool *is_new)
{
	struct positions seen = {NULL, 0, 0};
	size_t count = 0;

	for (size_t i = 0; i < into->count + from->count; i++) {
		const struct exact_json *node = nth_state(into, from, i);
		uint64_t h = exact_json_hash(node);
		size_t at, is = positions_first(&seen, h, &at);

		while (is != POSITIONS_NONE &&
		       !exact_json_same(nth_state(into, from, is), node))
			is = positions_next(&seen, h, &at);
		if (is == POSITIONS_NONE)
			positions_add(&seen, h, i);
		if (i < into->count)
			continue;
		is_new[i - into->count] = is == POSITIONS_NONE;
		count += is == POSITIONS_NONE;
	}
	positions_done(&seen);
	return count;
}

void
graphics_parts_positions(struct positions *x, const struct graphics_states *g)
{
	for (size_t i = 0; i < g->count; i++)
		positions_add(x, exact_json_hash(g->variant[i].hash), i);
}

size_t
graphics_parts_find(const struct graphics_states *g, const struct positions *x,
		    const struct exact_json *hash)
{
	uint64_t h = exact_json_hash(hash);
	size_t at, is = positions_first(x, h, &at);

	while (is != POSITIONS_NONE &&
	       !exact_json_same(g->variant[is].hash, hash))
		is = positions_next(x, h, &at);
	return is;
}

bool
graphics_parts_same_variant(const struct graphics_variant *a,
			    const struct graphics_variant *b)
{
	const struct exact_json *m, *n;

	m = exact_json_get(a->node, "second")->first;
	n = exact_json_get(b->node, "second")->first;
	for (; m && n; m = m->next, n = n->next) {
		if (m->key_len != n->key_len ||
		    memcmp(m->key, n->key, m->key_len) != 0)
			return false;
		if (m->key_len == strlen("graphicsStateInfoSet") &&
		    memcmp(m->key, "graphicsStateInfoSet", m->key_len) == 0)
			continue;
		if (!exact_json_same(m, n))
			return false;
	}
	return !m && !n;
}
