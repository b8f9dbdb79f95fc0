#ifndef RAW_SEEN_H
#define RAW_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which runs of bytes were there before, by a digest of 128 bits.  At most
 * RAW_SEEN_MAX are known, further ones count as new.
 */
enum { RAW_SEEN_MAX = 1 << 18 };

struct raw_seen {
	uint64_t (*slot)[2];
	size_t slots, count;
};

struct raw_seen_hash {
	uint64_t a, b;
	uint64_t len;
};

void raw_seen_done(struct raw_seen *s);
void raw_seen_begin(struct raw_seen_hash *h);
/* In pieces; bytes are only the same as others in pieces of the same sizes. */
void raw_seen_bytes(struct raw_seen_hash *h, const uint8_t *p, size_t len);
/* Whether it was there; it is from now on. */
bool raw_seen_add(struct raw_seen *s, const struct raw_seen_hash *h);

#endif
