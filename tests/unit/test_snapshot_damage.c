#include "unity/snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include "fixtures/unity_snap.h"
#include "tests/unit/check.h"
#include "tests/unit/snap_made.h"

/* A small, whole file and where its parts lie. */
struct whole {
	struct made *m;
	struct unity_box_places at;
	struct buf bytes;
};

static int
whole_init(struct whole *w)
{
	static const struct unity_box_shape shape = {
		.chunk_bytes = 512, .order = UNITY_BOX_INTERLEAVED};
	struct err err = ERR_INIT;

	w->m = made_new(17, 5);
	w->m->s.objects = 20;
	w->m->s.heaps = 3;
	buf_init(&w->bytes, 1 << 20);
	if (unity_snap_write(w->m->path, &w->m->s, &shape, &w->at, &err) == 0 &&
	    file_read(w->m->path, &w->bytes, &err) == 0)
		return 0;
	printf("# %s\n", err.msg);
	return -1;
}

static void
whole_done(struct whole *w)
{
	buf_done(&w->bytes);
	made_free(w->m);
}

static void
put(const char *path, const char *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	CHECK(close(fd) == 0);
}

/* "" when it is complete. */
static const char *
reason_of(const char *path)
{
	struct snapshot *s = mem_alloc(sizeof(*s));
	struct err err = ERR_INIT;
	int rc = snapshot_open(s, path, &err);

	if (rc == 0)
		snapshot_done(s);
	free(s);
	if (rc && (err.code != ERR_INPUT || !err.reason || !err.msg[0]))
		return "no reason";
	return rc ? err.reason : "";
}

static void
put_number(struct buf *b, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_chr(b, (char)(n >> 8 * i));
}

/*
 * `rows` offsets in one block's table, which is that of all `blocks`, and in
 * one array, which is that of all `entries`.
 */
static const char *
reason_of_shared(const char *path, uint64_t rows, uint64_t blocks,
		 uint64_t entries)
{
	AUTO_BUF struct buf b = BUF_INIT;
	uint64_t section, single, array, directory;

	put_number(&b, 0xAEABCDCD, 8);
	put_number(&b, 1, 8); /* the block at 8: chunks of one byte */
	put_number(&b, rows, 8);
	for (uint64_t i = 0; i < rows; i++)
		put_number(&b, i % 4, 8);
	section = b.len;
	put_number(&b, 0x20170724, 4);
	put_number(&b, blocks, 4);
	for (uint64_t i = 0; i < blocks; i++)
		put_number(&b, 8, 8);
	single = b.len;
	put_number(&b, 1, 2);
	put_number(&b, 0, 4);
	put_number(&b, 4, 4);
	put_number(&b, 0, 8);
	array = b.len;
	put_number(&b, 3, 2);
	put_number(&b, 0, 4);
	put_number(&b, rows, 4);
	for (uint64_t i = 0; i <= rows; i++)
		put_number(&b, i, 8);
	directory = b.len;
	put_number(&b, 0xCDCDAEAB, 4);
	put_number(&b, 0x20170724, 4);
	put_number(&b, section, 8);
	put_number(&b, entries + 1, 4);
	put_number(&b, single, 8);
	for (uint64_t i = 0; i < entries; i++)
		put_number(&b, array, 8);
	put_number(&b, directory, 8);
	put_number(&b, 0xABCDCDAE, 4);
	put(path, b.data, b.len);
	return reason_of(path);
}

static void
a_table_is_of_one_block_only(void)
{
	struct made *m = made_new(17, 5);

	CHECK_STR(reason_of_shared(m->path, 1000, 1, 1), "");
	CHECK_STR(reason_of_shared(m->path, 1000, 100, 1), "snapshot_damaged");
	CHECK_STR(reason_of_shared(m->path, 1000, 1, 100), "snapshot_damaged");
	made_free(m);
}

static void
a_file_cut_anywhere_is_unfinished(void)
{
	struct whole w;
	size_t n;

	REQUIRE(whole_init(&w) == 0);
	CHECK_STR(reason_of(w.m->path), "");
	for (n = w.bytes.len - 1; n > 0; n--) {
		const char *why;

		REQUIRE(truncate(w.m->path, (off_t)n) == 0);
		why = reason_of(w.m->path);
		/* Of the first bytes nobody knows what they are. */
		if (strcmp(why, "snapshot_unfinished") != 0 &&
		    (n >= 4 || strcmp(why, "snapshot_not_one") != 0)) {
			printf("# %zu of %zu bytes: %s\n", n, w.bytes.len, why);
			REQUIRE(0);
		}
	}
	REQUIRE(truncate(w.m->path, 0) == 0);
	CHECK_STR(reason_of(w.m->path), "snapshot_empty");
	whole_done(&w);
}

struct damage {
	const char *what;
	uint64_t at;
	uint64_t value;
	int size;
	const char *reason;
};

static void
try_damage(const struct whole *w, const struct damage *d)
{
	char *copy = mem_dup(w->bytes.data, w->bytes.len);
	const char *why;

	REQUIRE(d->at + (uint64_t)d->size <= w->bytes.len);
	for (int i = 0; i < d->size; i++)
		copy[d->at + (uint64_t)i] = (char)(d->value >> 8 * i);
	put(w->m->path, copy, w->bytes.len);
	why = reason_of(w->m->path);
	if (strcmp(why, d->reason) != 0)
		printf("# %s\n", d->what);
	CHECK_STR(why, d->reason);
	free(copy);
}

static void
each_damage_has_its_reason(void)
{
	static const char bad[] = "snapshot_damaged";
	struct whole w;

	REQUIRE(whole_init(&w) == 0);
	{
		uint64_t size = w.at.size, dir = w.at.directory;
		uint64_t single = w.at.chapter[0], fixed = w.at.chapter[13];
		uint64_t varied = w.at.chapter[5], block = w.at.block[13];
		const struct damage all[] = {
			{"signature", 0, 'P', 1, "snapshot_not_one"},
			{"last byte", size - 1, 0, 1, "snapshot_unfinished"},
			{"footer past the end", size - 12, size, 8, bad},
			{"footer overflows", size - 12, UINT64_MAX - 3, 8, bad},
			{"directory's signature", dir, 1, 4, bad},
			{"directory's version", dir + 4, 0x20170725, 4, bad},
			{"blocks past the end", dir + 8, size, 8, bad},
			{"too long a directory", dir + 16, 1 << 30, 4, bad},
			{"all ones of it", dir + 16, UINT32_MAX, 4, bad},
			{"a chapter past the end", dir + 20, size - 1, 8, bad},
			{"a chapter far out", dir + 20, UINT64_MAX, 8, bad},
			{"blocks' version", w.at.section, 9, 4, bad},
			{"no blocks", w.at.section + 4, 0, 4, bad},
			{"too many blocks", w.at.section + 4, 70000, 4, bad},
			{"a block outside", w.at.section + 8, size, 8, bad},
			{"chunks of 0", block, 0, 8, bad},
			{"a block too large", block + 8, 1ULL << 40, 8, bad},
			{"chunk outside", block + 16, size, 8, bad},
			{"chunk half out", block + 16, size - 4, 8, bad},
			{"chunk far out", block + 16, UINT64_MAX, 8, bad},
			{"unknown format", single, 9, 2, bad},
			{"no such block", single + 2, w.at.blocks, 4, bad},
			{"single too long", single + 6, 1 << 20, 4, bad},
			{"single outside", single + 10, UINT64_MAX, 8, bad},
			{"element of 2^31", fixed + 6, 1U << 31, 4, bad},
			{"too many", fixed + 10, 1 << 20, 4, bad},
			{"one more than 7", fixed + 10, 21, 4, bad},
			{"one less than 7", fixed + 10, 19, 4, bad},
			{"n of a varied one", varied + 6, 1 << 28, 4, bad},
			{"end past the block", varied + 10 + 56, 1 << 20, 8,
			 bad},
			{"ends that fall", varied + 10 + 24, 0, 8, bad},
		};

		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			try_damage(&w, &all[i]);
	}
	whole_done(&w);
}

/* Each byte that is no content, flipped: an answer and no harm. */
static void
a_flipped_byte_does_no_harm(void)
{
	struct whole w;
	unsigned told = 0;
	int fd;

	REQUIRE(whole_init(&w) == 0);
	fd = open(w.m->path, O_WRONLY | O_CLOEXEC);
	for (size_t i = w.at.chapter[0]; i < w.bytes.len; i++) {
		char was = w.bytes.data[i];
		char is = (char)(was ^ 0x81);
		struct snapshot *s = mem_alloc(sizeof(*s));
		struct err err = ERR_INIT;
		cJSON *sum = NULL;

		CHECK(pwrite(fd, &is, 1, (off_t)i) == 1);
		if (snapshot_open(s, w.m->path, &err) == 0) {
			(void)snapshot_summary(s, &sum, &err); /* below */
			snapshot_done(s);
		}
		CHECK(sum || (err.code && err.msg[0]));
		told += !sum;
		cJSON_Delete(sum);
		free(s);
		CHECK(pwrite(fd, &was, 1, (off_t)i) == 1);
	}
	CHECK(close(fd) == 0);
	CHECK(told > 1000);
	CHECK_STR(reason_of(w.m->path), "");
	whole_done(&w);
}

static void
a_file_that_shrinks_is_an_error(void)
{
	struct whole w;
	struct snapshot *s = mem_alloc(sizeof(*s));
	struct err err = ERR_INIT;
	cJSON *sum = NULL;

	REQUIRE(whole_init(&w) == 0);
	REQUIRE(snapshot_open(s, w.m->path, &err) == 0);
	REQUIRE(truncate(w.m->path, 1000) == 0);
	CHECK(snapshot_summary(s, &sum, &err) == -1 && !sum);
	CHECK_HAS(err.msg, w.m->path);
	printf("# %s\n", err.msg);
	snapshot_done(s);
	free(s);
	whole_done(&w);
}

CHECK_MAIN(CHECK_CASE("a snapshot cut at any byte is unfinished",
		      a_file_cut_anywhere_is_unfinished),
	   CHECK_CASE("each damage has its reason", each_damage_has_its_reason),
	   CHECK_CASE("a table of offsets is of one block and one array only",
		      a_table_is_of_one_block_only),
	   CHECK_CASE("a flipped byte does no harm",
		      a_flipped_byte_does_no_harm),
	   CHECK_CASE("a snapshot that shrinks while it is read is an error",
		      a_file_that_shrinks_is_an_error), )
