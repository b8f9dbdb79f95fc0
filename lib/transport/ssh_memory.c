#include "transport/ssh_memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

static struct ssh_memory_block *
block_of(void *p)
{
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
	/* Libssh2 zeroes what has to be zero. */
	return link_in(
		m, mem_resize(NULL, 1, sizeof(struct ssh_memory_block) + size));
}

void *
ssh_memory_resize(struct ssh_memory *m, void *p, size_t size)
{
	struct ssh_memory_block *b;

	if (p == NULL)
		return ssh_memory_alloc(m, size);
	b = block_of(p);
	link_out(b);
	return link_in(m, mem_resize(b, 1, sizeof(*b) + size));
}

void
ssh_memory_free(struct ssh_memory *m, void *p)
{
	(void)m;
	if (p == NULL)
		return;
	link_out(block_of(p));
	free(block_of(p));
}

void
ssh_memory_done(struct ssh_memory *m)
{
	while (m->first)
		ssh_memory_free(m, m->first->data);
}
