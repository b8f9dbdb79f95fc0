#ifndef RAW_FORMAT_H
#define RAW_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

/*
 * Unity's raw profiler log (.raw): a session header, then blocks to the end.
 * What is known of it, and how well, is in docs/raw-log.md.  Little endian
 * throughout; a block's payload is aligned to 4 from its own start when the
 * header says so.
 */

enum {
	RAW_HEAD_MIN = 36,    /* header before 2022.2 */
	RAW_HEAD_MAX = 56,    /* header from then on */
	RAW_BLOCK_HEAD = 20,  /* before a block's payload */
	RAW_BLOCK_FOOT = 8,   /* behind it */
	RAW_BLOCK_EXTRA = 28, /* both */
	RAW_PEEK = 32,	      /* of a payload, kept with its head */
	RAW_VERSION_2018_2 = 0x20180123,
	RAW_VERSION_2018_3 = 0x20181101,
	RAW_VERSION_2021_2 = 0x20210412,
	RAW_VERSION_LONG = 0x20211028,	 /* from here on the header is 56 */
	RAW_VERSION_ENTITY = 0x20260108, /* ids of objects are 8 bytes */
};

#define RAW_MAGIC	0x55334450U
#define RAW_BLOCK_MAGIC 0xB10C7EADU
#define RAW_FOOT_MAGIC	0xB10CF007U
#define RAW_GLOBAL	UINT64_MAX /* the stream of definitions */

struct raw_head {
	bool aligned;
	uint16_t platform;
	uint32_t version;      /* a date in hex */
	uint64_t numer, denom; /* ns = ticks * numer / denom; denom > 0 */
	uint64_t main_thread;
	uint32_t unity[5]; /* major, minor, patch, type (0 a 1 b 2 f 3 p),
			      number; zeros when the header is the short one */
	size_t size;	   /* RAW_HEAD_MIN or RAW_HEAD_MAX */
	bool known;	   /* a version whose messages we know */
};

struct raw_block {
	uint64_t at;	 /* where its head lies in its segment */
	uint64_t thread; /* RAW_GLOBAL: definitions */
	uint32_t index;
	uint32_t len;		/* of the payload */
	uint32_t footer;	/* index of the thread's next block */
	uint8_t peek[RAW_PEEK]; /* the payload's beginning ... */
	uint32_t peeked;	/* ... so much of it */
};

static inline uint16_t
raw_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
raw_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static inline uint64_t
raw_u64(const uint8_t *p)
{
	return raw_u32(p) | (uint64_t)raw_u32(p + 4) << 32;
}

static inline void
raw_put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* The whole of a block: head, payload and footer. */
static inline uint64_t
raw_block_size(uint32_t len)
{
	return (uint64_t)len + RAW_BLOCK_EXTRA;
}

/*
 * Read a session header of the first `len` bytes of a file named `what`.
 * ERR_INPUT says what the file is instead: empty, big endian, the editor's
 * .data, an older log, cut short, or nothing of Unity's profiler.
 */
int raw_format_head(const uint8_t *p, size_t len, const char *what,
		    struct raw_head *head, struct err *err);

/* Whether these are the first bytes of the profiler's .data (not a log). */
bool raw_format_is_data(const uint8_t *p, size_t len);

/* Whether two segments can be of one recording. */
bool raw_format_same(const struct raw_head *a, const struct raw_head *b);

/* Unity's releases of this protocol: "2022.2 to 6000.4"; never NULL. */
const char *raw_format_releases(uint32_t version);

/* Ticks of the log's clock in ns, exact; what passes 64 bit is capped. */
uint64_t raw_format_ns(const struct raw_head *head, uint64_t ticks);
/* ... of `end` minus `start`, 0 when it is negative. */
uint64_t raw_format_span_ns(const struct raw_head *head, uint64_t start,
			    uint64_t end);

#endif
