#include "transport/ssh_memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

static struct ssh_memory_block *
block_of(void *p)
{
	/* The analyzer takes every block for one that was freed before. */
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	return (void *)((char *)p - offsetof(struct ssh_memory_block, data));
}

static void *
link_in(struct ssh_memory *m, struct ssh_memory_block *b)
{
	b->next = m->first;
	b->link = &m->first;
	if (b->next)
		b->next->link = &b->next;
	m->first = b;
	return b->data;
}

static void
link_out(struct ssh_memory_block *b)
{
	*b->link = b->next;
	if (b->next)
		b->next->link = b->link;
}

void *
ssh_memory_alloc(struct ssh_memory *m, size_t size)
{
	struct ssh_memory_block *b = m->spare;
	size_t room = size;

	if (size > SSH_MEMORY_PACKET / 4 && size <= SSH_MEMORY_PACKET) {
		room = SSH_MEMORY_PACKET;
		if (b) {
			m->spare = b->next;
			m->spares--;
			return link_in(m, b);
		}
	}
	/* Libssh2 zeroes what has to be zero. */
	b = mem_resize(NULL, 1, sizeof(*b) + room);
	b->room = room;
	return link_in(m, b);
}

void *
ssh_memory_resize(struct ssh_memory *m, void *p, size_t size)
{
	struct ssh_memory_block *b;

	if (p == NULL)
		return ssh_memory_alloc(m, size);
	b = block_of(p);
	link_out(b);
	b = mem_resize(b, 1, sizeof(*b) + size);
	b->room = size;
	return link_in(m, b);
}

void
ssh_memory_free(struct ssh_memory *m, void *p)
{
	struct ssh_memory_block *b;

	if (p == NULL)
		return;
	b = block_of(p);
	link_out(b);
	if (b->room != SSH_MEMORY_PACKET || m->spares == SSH_MEMORY_SPARE) {
		free(b);
		return;
	}
	b->next = m->spare;
	m->spare = b;
	m->spares++;
}

void
ssh_memory_done(struct ssh_memory *m)
{
	while (m->first)
		ssh_memory_free(m, m->first->data);
	while (m->spare) {
		struct ssh_memory_block *b = m->spare;

		m->spare = b->next;
		free(b);
	}
	m->spares = 0;
}
