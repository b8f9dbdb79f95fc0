#include "unity/raw_threads.h"

#include <stdlib.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 32, NAME_MAX_BYTES = 200 };

void
raw_threads_done(struct raw_threads *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->item[i].name);
		free(t->item[i].group);
	}
	free(t->item);
	free(t->slot);
	*t = (struct raw_threads){0};
}

static size_t
home(const struct raw_threads *t, uint64_t id)
{
	return (size_t)((id * 0x9E3779B97F4A7C15ULL) >> 32) & (t->slots - 1);
}

/* The slot that has `id`, or the free one where it belongs. */
static uint32_t *
slot_of(const struct raw_threads *t, uint64_t id)
{
	size_t i = home(t, id);

	while (t->slot[i] && t->item[t->slot[i] - 1].id != id)
		i = (i + 1) & (t->slots - 1);
	return &t->slot[i];
}

static void
grow(struct raw_threads *t)
{
	t->slots = t->slots ? t->slots * 2 : FIRST_SLOTS;
	free(t->slot);
	t->slot = mem_array(t->slots, sizeof(*t->slot));
	for (size_t i = 0; i < t->count; i++)
		*slot_of(t, t->item[i].id) = (uint32_t)i + 1;
}

int
raw_threads_get(struct raw_threads *t, uint64_t id, size_t *number,
		struct err *err)
{
	uint32_t *slot;

	if (t->recent < t->count && t->item[t->recent].id == id) {
		*number = t->recent;
		return 0;
	}
	if (t->count * 2 >= t->slots)
		grow(t);
	slot = slot_of(t, id);
	if (!*slot) {
		if (t->count >= RAW_THREADS_MAX)
			return err_set(err, ERR_INPUT,
				       "it has more than %d threads: it is "
				       "damaged",
				       RAW_THREADS_MAX);
		MEM_GROW(t->item, t->count, t->room);
		t->item[t->count] = (struct raw_thread){.id = id};
		*slot = (uint32_t)++t->count;
	}
	*number = t->recent = *slot - 1;
	return 0;
}

static void
set_text(char **into, const uint8_t *p, uint32_t len)
{
	free(*into);
	*into = mem_strndup((const char *)p,
			    len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES);
}

void
raw_threads_info(struct raw_thread *t, const struct raw_msg *m)
{
	set_text(&t->group, m->group, m->group_len);
	set_text(&t->name, m->name, m->name_len);
	t->loose = (m->id & 1) && !t->main;
}
