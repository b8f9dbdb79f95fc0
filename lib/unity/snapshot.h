#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

/*
 * A memory snapshot of Unity's Memory Profiler, a `.snap` file.  The container
 * as we know it is in docs/snapshot.md.  Read with pread, a window at a time:
 * memory does not grow with the file, and one that shrinks under us is an
 * error and no signal.
 */
enum {
	SNAPSHOT_ENTRIES = 1024, /* of the directory that are looked at */
	SNAPSHOT_BLOCKS = 65536,
};

/* Entries of the directory, by Unity's number; docs/snapshot.md has all. */
enum snapshot_entry {
	SNAPSHOT_VERSION = 0,
	SNAPSHOT_DATE = 1,
	SNAPSHOT_CAPTURE_FLAGS = 3,
	SNAPSHOT_TYPE_NAME = 5,
	SNAPSHOT_OBJECT_TYPE = 7,
	SNAPSHOT_OBJECT_ID = 10,
	SNAPSHOT_OBJECT_SIZE = 13,
	SNAPSHOT_HEAP_START = 18,
	SNAPSHOT_HEAP_BYTES = 19,
	SNAPSHOT_ROOT_AREA = 36,
	SNAPSHOT_ROOT_SIZE = 38,
	SNAPSHOT_ALLOCATION_SIZE = 43,
	SNAPSHOT_TARGET = 59,
	SNAPSHOT_STATS = 60,
	SNAPSHOT_GRAPHICS_SIZE = 71,
	SNAPSHOT_ALLOCATOR_NAME = 73,
	SNAPSHOT_ALLOCATOR_USED = 75,
	SNAPSHOT_ALLOCATOR_RESERVED = 76,
	SNAPSHOT_REGION_SIZE = 84,
	SNAPSHOT_REGION_RESIDENT = 85,
	SNAPSHOT_REGION_TYPE = 86,
};

enum snapshot_format {
	SNAPSHOT_ABSENT,
	SNAPSHOT_SINGLE,   /* one run of bytes */
	SNAPSHOT_CONSTANT, /* count elements of `size` bytes */
	SNAPSHOT_DYNAMIC,  /* count elements, each as long as it likes */
};

struct snapshot_chapter {
	enum snapshot_format format;
	uint32_t block;
	uint64_t count;	 /* elements; 1 for a single */
	uint64_t size;	 /* bytes of one; of the single; 0 for dynamic */
	uint64_t start;	 /* in the block */
	uint64_t bytes;	 /* of all elements */
	uint64_t offset; /* in the file: of a dynamic array's offsets */
};

/* Bytes that lie in chunks all over the file. */
struct snapshot_block {
	uint64_t chunk; /* bytes of each but the last */
	uint64_t bytes;
	uint64_t offsets; /* in the file: where each chunk lies */
};

struct snapshot {
	int fd;
	char *name;
	uint64_t bytes; /* of the file */
	struct snapshot_block *block;
	uint32_t block_count;
	struct snapshot_chapter chapter[SNAPSHOT_ENTRIES];
	uint32_t entries; /* in the file; more than we know is fine */
	uint32_t version; /* of the snapshot's format */
	uint64_t offsets; /* of chunks and rows, that were looked at */
};

/*
 * Open and check it: header, footer, directory, each chunk and chapter in its
 * range, arrays of one kind equally long.  ERR_INPUT with one of the reasons
 * snapshot_empty, snapshot_not_one, snapshot_unfinished (no footer: the
 * capture was cut off) or snapshot_damaged.
 */
int snapshot_open(struct snapshot *s, const char *path, struct err *err);
/* By its name, .tmpsnap, which Unity changes once the capture is whole. */
bool snapshot_is_temporary(const char *path);
void snapshot_done(struct snapshot *s);

/* A reader of one chapter, from its beginning to its end. */
struct snapshot_cursor {
	const struct snapshot *s;
	const struct snapshot_chapter *c;
	uint64_t row;	      /* the next one */
	uint64_t at;	      /* in the block: where `buf` begins */
	size_t have;	      /* bytes in `buf` */
	unsigned char *buf;   /* a window of the block's bytes */
	uint64_t *chunk;      /* a window of its chunks' offsets */
	uint64_t chunk_first; /* which chunk that begins with */
	size_t chunk_have;
	uint64_t next; /* offset of that row in a dynamic array */
	uint64_t *end; /* a window of a dynamic array's offsets */
	uint64_t end_first;
	size_t end_have;
};

void snapshot_cursor_init(struct snapshot_cursor *k, const struct snapshot *s,
			  enum snapshot_entry entry);
void snapshot_cursor_done(struct snapshot_cursor *k);
/*
 * The next element of a constant array as a number (1, 2, 4 or 8 bytes, no
 * sign).  ERR_INPUT past the end or for elements of another size.
 */
int snapshot_cursor_number(struct snapshot_cursor *k, uint64_t *out,
			   struct err *err);
/* Up to `max` of them at once; none at the end. */
int snapshot_cursor_numbers(struct snapshot_cursor *k, uint64_t *out,
			    size_t max, size_t *got, struct err *err);
/* How long the next element of a dynamic array is. */
int snapshot_cursor_length(struct snapshot_cursor *k, uint64_t *len,
			   struct err *err);
/* The first bytes of an element, not terminated. */
struct snapshot_text {
	const char *text;
	size_t len;
};
/*
 * The next elements of a dynamic array, up to `max` of them, of each at most
 * `most` bytes (some KiB); none at the end.  They are the cursor's until its
 * next call.
 */
int snapshot_cursor_texts(struct snapshot_cursor *k, size_t most,
			  struct snapshot_text *out, size_t max, size_t *got,
			  struct err *err);
/* Bytes of a single, from its beginning; how many there were. */
int snapshot_single(const struct snapshot *s, enum snapshot_entry entry,
		    void *out, size_t room, size_t *got, struct err *err);

/*
 * Totals, as docs/schema/snapshot.schema.json says; the caller owns it.
 * Whose bytes are whose is not decided as the editor's window does.
 */
int snapshot_summary(const struct snapshot *s, cJSON **out, struct err *err);
/* Summaries of two: by type and by area, the largest growth first. */
cJSON *snapshot_compare(const cJSON *a, const cJSON *b);

#endif
