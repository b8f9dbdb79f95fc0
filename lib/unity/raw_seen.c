#include "unity/raw_seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

void
raw_seen_done(struct raw_seen *s)
{
	free(s->slot);
	*s = (struct raw_seen){0};
}

void
raw_seen_begin(struct raw_seen_hash *h)
{
	*h = (struct raw_seen_hash){0x243F6A8885A308D3ULL,
				    0x13198A2E03707344ULL, 0};
}

static uint64_t
mix(uint64_t h, uint64_t v, uint64_t by)
{
	h = (h ^ v) * by;
	return h ^ (h >> 29);
}

void
raw_seen_bytes(struct raw_seen_hash *h, const uint8_t *p, size_t len)
{
	h->len += len;
	while (len > 0) {
		size_t n = len < 8 ? len : 8;
		uint64_t v = 0;

		memcpy(&v, p, n);
		h->a = mix(h->a, v, 0x9E3779B97F4A7C15ULL);
		h->b = mix(h->b, v, 0xC2B2AE3D27D4EB4FULL);
		p += n;
		len -= n;
	}
}

static size_t
slot_of(const struct raw_seen *s, const uint64_t v[2])
{
	size_t i = (size_t)(v[0] >> 20) & (s->slots - 1);

	while ((s->slot[i][0] || s->slot[i][1]) &&
	       (s->slot[i][0] != v[0] || s->slot[i][1] != v[1]))
		i = (i + 1) & (s->slots - 1);
	return i;
}

static void
grow(struct raw_seen *s)
{
	struct raw_seen old = *s;

	s->slots = old.slots ? old.slots * 2 : FIRST_SLOTS;
	s->slot = mem_array(s->slots, sizeof(*s->slot));
	for (size_t i = 0; i < old.slots; i++) {
		if (old.slot[i][0] || old.slot[i][1])
			memcpy(s->slot[slot_of(s, old.slot[i])], old.slot[i],
			       sizeof(*s->slot));
	}
	free(old.slot);
}

bool
raw_seen_add(struct raw_seen *s, const struct raw_seen_hash *h)
{
	uint64_t v[2] = {mix(h->a, h->len, 0x9E3779B97F4A7C15ULL),
			 mix(h->b, h->len, 0xC2B2AE3D27D4EB4FULL) | 1};
	size_t i;

	if (s->count * 2 >= s->slots && s->count < RAW_SEEN_MAX)
		grow(s);
	i = slot_of(s, v);
	if (s->slot[i][0] || s->slot[i][1])
		return true;
	if (s->count >= RAW_SEEN_MAX)
		return false;
	memcpy(s->slot[i], v, sizeof(v));
	s->count++;
	return false;
}
