#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>

#include "base/err.h"

/*
 * SHA-256 of what comes in pieces.
 *
 * Large inputs are hashed by a thread of its own, so that hashing costs no
 * time beside reading and writing; bounded memory, and feeding waits only for
 * that thread's arithmetic.  Used by one thread.
 */
struct digest;

enum { DIGEST_HEX = 65 };

struct digest *digest_new(void);
void digest_free(struct digest *d); /* NULL is fine */

void digest_feed(struct digest *d, const void *data, size_t len);
/* Lower-case hex of all that was fed; the digest is empty after. */
int digest_finish(struct digest *d, char hex[DIGEST_HEX], struct err *err);
/* Forget what was fed. */
void digest_reset(struct digest *d);

#endif
