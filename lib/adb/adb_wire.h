#ifndef ADB_WIRE_H
#define ADB_WIRE_H

#include <stdint.h>

/* Numbers as adb's protocols have them: little endian, not aligned. */
static inline uint32_t
adb_wire_get32(const void *at)
{
	const unsigned char *p = at;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static inline uint64_t
adb_wire_get64(const void *at)
{
	const unsigned char *p = at;

	return (uint64_t)adb_wire_get32(p) | (uint64_t)adb_wire_get32(p + 4)
						     << 32;
}

static inline void
adb_wire_put32(void *at, uint32_t v)
{
	unsigned char *p = at;

	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

#endif
