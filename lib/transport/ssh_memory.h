#ifndef SSH_MEMORY_H
#define SSH_MEMORY_H

#include <stddef.h>

/*
 * The memory of one session of libssh2, all of which goes with it: libssh2
 * 1.10 forgets the public key at each login that had to wait for an answer,
 * and whatever an unfinished call holds.
 *
 * Blocks as large as a packet are kept for the next one: libssh2 allocates
 * each packet anew, and a thread's heap that shrinks and grows by one costs
 * more in page faults than its copy.
 */
struct ssh_memory_block {
	struct ssh_memory_block *next, **link; /* who points at us */
	size_t room;			       /* of data */
	max_align_t data[];
};

enum { SSH_MEMORY_PACKET = 40 << 10, SSH_MEMORY_SPARE = 16 };

struct ssh_memory {
	struct ssh_memory_block *first;
	struct ssh_memory_block *spare; /* free ones of a packet's room */
	size_t spares;
};

void *ssh_memory_alloc(struct ssh_memory *m, size_t size);
void *ssh_memory_resize(struct ssh_memory *m, void *p, size_t size);
void ssh_memory_free(struct ssh_memory *m, void *p);
void ssh_memory_done(struct ssh_memory *m); /* all of it */

#endif
