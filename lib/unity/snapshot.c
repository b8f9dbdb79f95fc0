#include "unity/snapshot.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "unity/snapshot_parts.h"

#define MAGIC_HEADER	0xAEABCDCDu
#define MAGIC_FOOTER	0xABCDCDAEu
#define MAGIC_DIRECTORY 0xCDCDAEABu
#define LAYOUT_VERSION	0x20170724u

enum { FOOTER_BYTES = 12, WINDOW = 8192 };

int
snapshot_bytes(const struct snapshot *s, uint64_t at, void *out, size_t len,
	       struct err *err)
{
	unsigned char *to = out;

	if (at > s->bytes || len > s->bytes - at)
		return snapshot_bad(err,
				    "%zu bytes at %" PRIu64 " lie past the end",
				    len, at);
	while (len) {
		ssize_t n = pread(s->fd, to, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "read");
		if (n == 0)
			return snapshot_bad(err, "it became shorter while it "
						 "was read");
		to += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int
read_u32(const struct snapshot *s, uint64_t at, uint32_t *out, struct err *err)
{
	*out = 0;
	if (snapshot_bytes(s, at, out, sizeof(*out), err))
		return -1;
	*out = le32toh(*out);
	return 0;
}

static int
read_u64(const struct snapshot *s, uint64_t at, uint64_t *out, struct err *err)
{
	*out = 0;
	if (snapshot_bytes(s, at, out, sizeof(*out), err))
		return -1;
	*out = le64toh(*out);
	return 0;
}

bool
snapshot_is_temporary(const char *path)
{
	static const char ending[] = ".tmpsnap";
	size_t n = strlen(path), len = sizeof(ending) - 1;

	return n >= len && strcmp(path + n - len, ending) == 0;
}

/* The file's two ends; where the directory is. */
static int
read_ends(struct snapshot *s, uint64_t *directory, struct err *err)
{
	uint32_t magic = 0;

	if (s->bytes == 0) {
		err_set(err, ERR_INPUT, "the file is empty");
		return err_reason(err, "snapshot_empty");
	}
	if (s->bytes >= sizeof(magic) && read_u32(s, 0, &magic, err))
		return -1;
	if (magic != MAGIC_HEADER) {
		err_set(err, ERR_INPUT, "not a memory snapshot");
		return err_reason(err, "snapshot_not_one");
	}
	if (s->bytes < sizeof(magic) + FOOTER_BYTES)
		magic = 0;
	else if (read_u64(s, s->bytes - FOOTER_BYTES, directory, err) ||
		 read_u32(s, s->bytes - sizeof(magic), &magic, err))
		return -1;
	if (magic != MAGIC_FOOTER) {
		err_set(err, ERR_INPUT,
			"it has no end: the capture was cut off, or is still "
			"being written");
		if (snapshot_is_temporary(s->name))
			err_hint(err, "a .tmpsnap gets its name .snap when it "
				      "is whole");
		return err_reason(err, "snapshot_unfinished");
	}
	return 0;
}

/*
 * Tables of offsets do not overlap.  Were each only bounded by the file, many
 * that are one could keep us reading for hours.
 */
static int
spend_offsets(struct snapshot *s, uint64_t count, struct err *err)
{
	uint64_t most = s->bytes / sizeof(uint64_t);

	if (count > most - s->offsets)
		return snapshot_bad(err, "more offsets than the file has room "
					 "for");
	s->offsets += count;
	return 0;
}

/* Each chunk lies inside the file. */
static int
check_chunks(struct snapshot *s, const struct snapshot_block *b,
	     struct err *err)
{
	uint64_t count = b->bytes / b->chunk + (b->bytes % b->chunk != 0);
	AUTO_FREE uint64_t *window = mem_array(WINDOW, sizeof(*window));

	if (spend_offsets(s, count, err))
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at, len = b->chunk;

		if (i % WINDOW == 0) {
			uint64_t left = count - i;
			size_t n = left < WINDOW ? (size_t)left : WINDOW;

			if (snapshot_bytes(s, b->offsets + i * 8, window, n * 8,
					   err))
				return -1;
		}
		at = le64toh(window[i % WINDOW]);
		if (i + 1 == count)
			len = b->bytes - i * b->chunk;
		if (at > s->bytes || len > s->bytes - at)
			return snapshot_bad(err,
					    "chunk %" PRIu64
					    " lies outside of the file",
					    i);
	}
	return 0;
}

static int
read_blocks(struct snapshot *s, uint64_t section, struct err *err)
{
	uint32_t version, count;

	if (read_u32(s, section, &version, err) ||
	    read_u32(s, section + 4, &count, err))
		return err_wrap(err, "the blocks");
	if (version != LAYOUT_VERSION)
		return snapshot_bad(err,
				    "the blocks are of version %08" PRIx32
				    ", which is not known",
				    version);
	if (count < 1 || count > SNAPSHOT_BLOCKS)
		return snapshot_bad(err, "%" PRIu32 " blocks", count);
	s->block = mem_array(count, sizeof(*s->block));
	s->block_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct snapshot_block *b = &s->block[i];
		uint64_t at;

		if (read_u64(s, section + 8 + (uint64_t)i * 8, &at, err) ||
		    read_u64(s, at, &b->chunk, err) ||
		    read_u64(s, at + 8, &b->bytes, err))
			return err_wrap(err, "block %" PRIu32, i);
		b->offsets = at + 16;
		if (!b->chunk && b->bytes)
			return snapshot_bad(
				err, "block %" PRIu32 " has chunks of 0 bytes",
				i);
		if (!b->chunk)
			b->chunk = 1;
		if (check_chunks(s, b, err))
			return err_wrap(err, "block %" PRIu32, i);
	}
	return 0;
}

static int
read_single(const struct snapshot *s, uint64_t at, struct snapshot_chapter *c,
	    struct err *err)
{
	uint32_t size;

	if (read_u32(s, at, &size, err) || read_u64(s, at + 4, &c->start, err))
		return -1;
	c->count = 1;
	c->size = c->bytes = size;
	return 0;
}

static int
read_constant(const struct snapshot *s, uint64_t at, struct snapshot_chapter *c,
	      struct err *err)
{
	uint32_t size, count;

	if (read_u32(s, at, &size, err) || read_u32(s, at + 4, &count, err))
		return -1;
	c->size = size;
	c->count = count;
	c->bytes = (uint64_t)size * count;
	return 0;
}

/* No element of a dynamic array ends before it begins. */
static int
check_ends(struct snapshot *s, const struct snapshot_chapter *c,
	   struct err *err)
{
	AUTO_FREE uint64_t *window = mem_array(WINDOW, sizeof(*window));
	uint64_t before = 0;

	if (spend_offsets(s, c->count + 1, err))
		return -1;
	for (uint64_t i = 0; i <= c->count; i += WINDOW) {
		uint64_t left = c->count + 1 - i;
		size_t n = left < WINDOW ? (size_t)left : WINDOW;

		if (snapshot_bytes(s, c->offset + i * 8, window, n * 8, err))
			return -1;
		for (size_t k = 0; k < n; k++) {
			uint64_t end = le64toh(window[k]);

			if (end < before)
				return snapshot_bad(err,
						    "row %" PRIu64
						    " ends before it begins",
						    i + k - 1);
			before = end;
		}
	}
	return 0;
}

static int
read_dynamic(struct snapshot *s, uint64_t at, struct snapshot_chapter *c,
	     struct err *err)
{
	uint32_t count;

	if (read_u32(s, at, &count, err))
		return -1;
	c->count = count;
	c->offset = at + 4;
	if (read_u64(s, c->offset + c->count * 8, &c->bytes, err))
		return -1;
	return check_ends(s, c, err);
}

static int
read_chapter(struct snapshot *s, uint64_t at, struct snapshot_chapter *c,
	     struct err *err)
{
	unsigned char head[6] = {0};
	const struct snapshot_block *b;
	int rc = 0;

	if (snapshot_bytes(s, at, head, sizeof(head), err))
		return -1;
	c->format = (enum snapshot_format)(head[0] | head[1] << 8);
	if (c->format == SNAPSHOT_ABSENT)
		return 0;
	memcpy(&c->block, head + 2, sizeof(c->block));
	c->block = le32toh(c->block);
	if (c->format == SNAPSHOT_SINGLE)
		rc = read_single(s, at + 6, c, err);
	else if (c->format == SNAPSHOT_CONSTANT)
		rc = read_constant(s, at + 6, c, err);
	else if (c->format == SNAPSHOT_DYNAMIC)
		rc = read_dynamic(s, at + 6, c, err);
	else
		return snapshot_bad(err, "format %d is not known",
				    (int)c->format);
	if (rc)
		return -1;
	if (c->block >= s->block_count)
		return snapshot_bad(err, "block %" PRIu32 " of %" PRIu32,
				    c->block, s->block_count);
	b = &s->block[c->block];
	if (c->start > b->bytes || c->bytes > b->bytes - c->start)
		return snapshot_bad(err,
				    "it lies outside of block %" PRIu32
				    ", which has %" PRIu64 " bytes",
				    c->block, b->bytes);
	return 0;
}

static int
read_directory(struct snapshot *s, uint64_t at, struct err *err)
{
	uint32_t magic, version, count;
	uint64_t section;

	if (read_u32(s, at, &magic, err) ||
	    read_u32(s, at + 4, &version, err) ||
	    read_u64(s, at + 8, &section, err) ||
	    read_u32(s, at + 16, &count, err))
		return err_wrap(err, "the directory");
	if (magic != MAGIC_DIRECTORY || version != LAYOUT_VERSION)
		return snapshot_bad(err, "no directory where the end says");
	if (count > s->bytes / 8)
		return snapshot_bad(err, "%" PRIu32 " entries", count);
	if (read_blocks(s, section, err))
		return -1;
	s->entries = count;
	for (uint32_t i = 0; i < count && i < SNAPSHOT_ENTRIES; i++) {
		uint64_t where;

		if (read_u64(s, at + 20 + (uint64_t)i * 8, &where, err) ||
		    (where && read_chapter(s, where, &s->chapter[i], err)))
			return err_wrap(err, "entry %" PRIu32, i);
	}
	return 0;
}

/* Arrays whose rows belong together; what is empty was not captured. */
static int
check_groups(const struct snapshot *s, struct err *err)
{
	static const struct {
		int first, last;
	} group[] = {
		{5, 6},	  {7, 14},  {16, 17}, {18, 19}, {22, 30}, {31, 34},
		{35, 38}, {39, 45}, {46, 51}, {70, 72}, {73, 80}, {83, 87},
	};

	for (size_t i = 0; i < sizeof(group) / sizeof(*group); i++) {
		const struct snapshot_chapter *is = NULL;

		for (int e = group[i].first; e <= group[i].last; e++) {
			const struct snapshot_chapter *c = &s->chapter[e];

			if (c->format == SNAPSHOT_ABSENT || c->count == 0)
				continue;
			if (is && is->count != c->count)
				return snapshot_bad(
					err,
					"entry %d has %" PRIu64
					" rows where its group has %" PRIu64,
					e, c->count, is->count);
			is = c;
		}
	}
	return 0;
}

static int
open_all(struct snapshot *s, struct err *err)
{
	uint64_t directory = 0;
	uint32_t version = 0;
	size_t got;

	if (read_ends(s, &directory, err) ||
	    read_directory(s, directory, err) || check_groups(s, err) ||
	    snapshot_single(s, SNAPSHOT_VERSION, &version, sizeof(version),
			    &got, err))
		return -1;
	if (got != sizeof(version))
		return snapshot_bad(err, "it tells no version");
	s->version = le32toh(version);
	return 0;
}

int
snapshot_open(struct snapshot *s, const char *path, struct err *err)
{
	struct stat st;

	memset(s, 0, sizeof(*s));
	s->name = mem_strdup(path);
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &st)) {
		(void)err_sys(err, "open '%s'", path);
		snapshot_done(s);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		(void)err_set(err, ERR_INPUT,
			      "'%s' is no regular file; a snapshot is read "
			      "from its end",
			      path);
		snapshot_done(s);
		return -1;
	}
	s->bytes = (uint64_t)st.st_size;
	if (open_all(s, err)) {
		(void)err_wrap(err, "%s", path);
		snapshot_done(s);
		return -1;
	}
	return 0;
}

void
snapshot_done(struct snapshot *s)
{
	if (s->fd >= 0)
		(void)close(s->fd); /* only read */
	s->fd = -1;
	free(s->name);
	free(s->block);
	s->name = NULL;
	s->block = NULL;
}
