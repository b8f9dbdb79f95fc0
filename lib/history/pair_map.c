#include "history/pair_map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 256 };

static uint32_t
hash_of(const char *a, const char *b)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (const char *p = a; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	h = (h ^ 0xff) * 16777619u;
	for (const char *p = b; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	return h;
}

/* Where the pair is or would be; `slots` is a power of two and never full. */
static struct pair_slot *
slot_of(const struct pair_map *m, const char *a, const char *b)
{
	size_t at = hash_of(a, b) & (m->slots - 1);

	while (m->slot[at].a &&
	       (strcmp(m->slot[at].b, b) != 0 || strcmp(m->slot[at].a, a) != 0))
		at = (at + 1) & (m->slots - 1);
	return &m->slot[at];
}

static void
grow(struct pair_map *m)
{
	struct pair_map old = *m;

	if (m->slots && m->count * 2 < m->slots)
		return;
	m->slots = m->slots ? m->slots * 2 : FIRST_SLOTS;
	m->slot = mem_array(m->slots, sizeof(*m->slot));
	for (size_t i = 0; i < old.slots; i++) {
		if (old.slot[i].a)
			*slot_of(m, old.slot[i].a, old.slot[i].b) = old.slot[i];
	}
	free(old.slot);
}

size_t *
pair_map_at(struct pair_map *m, const char *a, const char *b)
{
	struct pair_slot *s;

	grow(m);
	s = slot_of(m, a, b);
	if (s->a == NULL) {
		*s = (struct pair_slot){a, b, 0};
		m->count++;
	}
	return &s->value;
}

void
pair_map_done(struct pair_map *m)
{
	free(m->slot);
	*m = (struct pair_map){.slot = NULL};
}
