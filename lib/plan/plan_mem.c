#include "plan/plan_mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CHUNK = 64 << 10, ALIGN = 16 };

struct chunk {
	struct chunk *next;
	size_t used, room;
	_Alignas(ALIGN) char data[];
};

struct slot {
	const char *name;
	int index;
};

struct plan_mem {
	struct chunk *chunk;
	cJSON **json;
	size_t json_count, json_room;
	struct {
		struct slot *slot;
		size_t mask; /* slots - 1, a power of two */
	} names[PLAN_NAMES_KINDS];
};

struct plan_mem *
plan_mem_new(void)
{
	return mem_alloc(sizeof(struct plan_mem));
}

void
plan_mem_free(struct plan_mem *m)
{
	struct chunk *next;

	if (!m)
		return;
	for (struct chunk *c = m->chunk; c; c = next) {
		next = c->next;
		free(c);
	}
	for (size_t i = 0; i < m->json_count; i++)
		cJSON_Delete(m->json[i]);
	free(m->json);
	for (size_t i = 0; i < PLAN_NAMES_KINDS; i++)
		free(m->names[i].slot);
	free(m);
}

static void *
take(struct plan_mem *m, size_t size, size_t align)
{
	struct chunk *c = m->chunk;
	size_t at = c ? (c->used + align - 1) & ~(align - 1) : 0;

	if (!c || at > c->room || c->room - at < size) {
		size_t room = size > CHUNK / 4 ? size : CHUNK;

		c = mem_alloc(sizeof(*c) + room);
		c->room = room;
		/* A large one stands alone: the open chunk stays in front. */
		if (room == size && m->chunk) {
			c->next = m->chunk->next;
			m->chunk->next = c;
		} else {
			c->next = m->chunk;
			m->chunk = c;
		}
		at = 0;
	}
	c->used = at + size;
	return c->data + at;
}

void *
plan_mem_alloc(struct plan_mem *m, size_t size)
{
	return take(m, size, ALIGN);
}

void *
plan_mem_array(struct plan_mem *m, size_t count, size_t size)
{
	/* Counts come from a file of at most 16 MiB: this cannot wrap. */
	return take(m, count * size, ALIGN);
}

char *
plan_mem_dup(struct plan_mem *m, const char *s)
{
	size_t len;
	char *copy;

	if (!s)
		return NULL;
	len = strlen(s) + 1;
	copy = take(m, len, 1);
	memcpy(copy, s, len);
	return copy;
}

char *
plan_mem_fmt(struct plan_mem *m, const char *fmt, ...)
{
	char *made, *copy;
	va_list ap;

	va_start(ap, fmt);
	made = mem_vfmt(fmt, ap);
	va_end(ap);
	copy = plan_mem_dup(m, made);
	free(made);
	return copy;
}

const cJSON *
plan_mem_json(struct plan_mem *m, cJSON *v)
{
	MEM_GROW(m->json, m->json_count, m->json_room);
	m->json[m->json_count++] = v;
	return v;
}

void
plan_mem_names(struct plan_mem *m, enum plan_names kind, size_t count)
{
	size_t slots = 16;

	while (slots < count * 2)
		slots *= 2;
	free(m->names[kind].slot);
	m->names[kind].slot = mem_array(slots, sizeof(struct slot));
	m->names[kind].mask = slots - 1;
}

/* The name's slot, or the free one where it belongs. */
static struct slot *
find_slot(const struct plan_mem *m, enum plan_names kind, const char *name)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */
	size_t at;

	for (const char *s = name; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	at = (size_t)(h ^ h >> 32) & m->names[kind].mask;
	while (m->names[kind].slot[at].name &&
	       strcmp(m->names[kind].slot[at].name, name) != 0)
		at = (at + 1) & m->names[kind].mask;
	return &m->names[kind].slot[at];
}

void
plan_mem_name_add(struct plan_mem *m, enum plan_names kind, const char *name,
		  int index)
{
	struct slot *slot = find_slot(m, kind, name);

	/* The first of two with one name stays; YAML has complained. */
	if (!slot->name)
		*slot = (struct slot){.name = name, .index = index};
}

int
plan_mem_name_find(const struct plan_mem *m, enum plan_names kind,
		   const char *name)
{
	const struct slot *slot;

	if (!m->names[kind].slot)
		return -1;
	slot = find_slot(m, kind, name);
	return slot->name ? slot->index : -1;
}
