/* Which frames the filter keeps, where one more or less would be wrong. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "raw_blocks.h"
#include "raw_bytes.h"
#include "unity/raw_filter.h"

#include "check.h"

enum { ALLOC = 3, MS = 1000000 };

static char dir[] = "/tmp/patrol-rules-XXXXXX";

static void
remove_dir(void)
{
	struct err err = ERR_INIT;

	(void)file_remove_tree(dir, &err); /* nobody looks at it any more */
}

static void
begin(struct raw_bytes *r)
{
	if (strstr(dir, "XXXXXX")) {
		REQUIRE(mkdtemp(dir));
		(void)atexit(remove_dir);
	}
	raw_file(r, 0x20220328, false);
	raw_marker(r, ALLOC, 17, "GC.Alloc");
	raw_block_end(r, 0);
	raw_thread(r, RAW_MAIN, false, "Main Thread");
	raw_thread(r, RAW_RENDER, false, "Render Thread");
	raw_block_end(r, 0);
}

/* What the filter makes of it, and what it says. */
struct made {
	struct buf out;
	cJSON *said;
};

static void
filter(struct made *m, const struct raw_bytes *r, struct raw_filter_spec spec)
{
	static const size_t most = 64 << 20;
	AUTO_FREE char *out = file_join(dir, "out.raw");
	AUTO_FREE char *summary = file_join(dir, "out.json");
	struct raw_filter_result result;
	struct err err = ERR_INIT;

	if (!spec.src.paths) {
		spec.src.bytes = (const uint8_t *)r->out.data;
		spec.src.size = r->out.len;
	}
	spec.out = out;
	spec.summary = summary;
	buf_init(&m->out, most);
	m->said = NULL;
	CHECK(raw_filter_run(&spec, NULL, NULL, &result, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK(file_read(out, &m->out, &err) == 0);
	CHECK(json_read_file(summary, 1 << 20, &m->said, &err) == 0);
}

static void
made_done(struct made *m)
{
	buf_done(&m->out);
	cJSON_Delete(m->said);
}

/* "1 2 " of the frames' own indices; free() it. */
static char *
kept(const struct made *m)
{
	struct buf b = BUF_INIT;
	const cJSON *f;

	cJSON_ArrayForEach(f, json_get(m->said, "frames"))
	{
		buf_fmt(&b, "%d ", (int)json_int(f, "original_index", -1));
	}
	return buf_take(&b);
}

static void
check_kept(const struct raw_bytes *r, struct raw_filter_spec spec,
	   const char *which)
{
	struct made m;
	AUTO_FREE char *is = NULL;

	filter(&m, r, spec);
	is = kept(&m);
	CHECK_STR(is, which);
	made_done(&m);
}

static const struct raw_filter_spec from_100_ms = {
	.rules = {.by_time = true, .time_ns = 100 * MS}};
static const struct raw_filter_spec from_1000_bytes = {
	.rules = {.by_gc = true, .gc_bytes = 1000}};

static void
a_threshold_is_reached_by_just_that(void)
{
	struct raw_bytes r;

	begin(&r);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_alloc(&r, ALLOC, 1, 999);
	raw_block_end(&r, RAW_MAIN);
	raw_frame(&r, RAW_MAIN, 2, 100 * MS);
	raw_alloc(&r, ALLOC, 101 * MS, 999);
	raw_alloc(&r, ALLOC, 101 * MS, 1);
	raw_block_end(&r, RAW_MAIN);
	raw_frame(&r, RAW_MAIN, 3, 200 * MS - 1);
	raw_frame(&r, RAW_MAIN, 4, 300 * MS);
	check_kept(&r, from_100_ms, "1 3 ");
	check_kept(&r, from_1000_bytes, "2 ");
	raw_bytes_done(&r);
}

/* Frame 3 has no end, since 4 is missing: it is none, and ends the others. */
static void
neighbours_are_on_this_side_of_a_gap(void)
{
	struct raw_filter_spec spec = from_100_ms;
	struct raw_bytes r;
	struct made m;
	AUTO_FREE char *is = NULL;

	begin(&r);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_MAIN, 2, 10 * MS);
	raw_frame(&r, RAW_MAIN, 3, 210 * MS);
	for (unsigned i = 0; i < 5; i++)
		raw_frame(&r, RAW_MAIN, 10 + i, (1000 + i) * (uint64_t)MS);
	raw_frame(&r, RAW_MAIN, 14, 2000 * (uint64_t)MS); /* a twin */
	raw_frame(&r, RAW_MAIN, 15, 2010 * (uint64_t)MS);
	spec.rules.around = 3;
	filter(&m, &r, spec);
	is = kept(&m);
	CHECK_STR(is, "1 2 ");
	CHECK(json_count(m.said, "summary.warnings") == 1);
	CHECK_HAS(json_get(m.said, "summary.warnings")->child->valuestring,
		  "1 frames have no end");
	CHECK(json_int(m.said, "summary.frames", 0) == 7);
	made_done(&m);
	raw_bytes_done(&r);
}

/* Named by mistake: without it there is no frame. */
static void
the_main_thread_can_t_be_left_out(void)
{
	static const char *const omit[] = {"Main Thread", "Render Thread"};
	struct raw_filter_spec spec = from_100_ms;
	struct raw_bytes r;
	struct made m;

	begin(&r);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_RENDER, 1, 1);
	raw_frame(&r, RAW_MAIN, 2, 100 * MS);
	spec.omit = omit;
	spec.omits = 2;
	filter(&m, &r, spec);
	CHECK(json_int(m.said, "summary.kept", 0) == 1);
	CHECK(json_int(m.said, "summary.blocks_omitted", 0) == 1);
	made_done(&m);
	raw_bytes_done(&r);
}

/* Only segments repeat what was written before. */
static void
a_definition_twice_in_a_file_stays(void)
{
	struct raw_bytes r;
	struct made m;

	begin(&r);
	raw_marker(&r, ALLOC, 17, "GC.Alloc");
	raw_block_end(&r, 0);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_MAIN, 2, 100 * MS);
	filter(&m, &r, from_100_ms);
	CHECK(m.out.len == r.out.len &&
	      memcmp(m.out.data, r.out.data, m.out.len) == 0);
	CHECK(json_int(m.said, "summary.definitions_repeated", -1) == 0);
	made_done(&m);
	raw_bytes_done(&r);
}

static void
a_footer_that_does_not_fit_is_mended_and_told(void)
{
	struct raw_bytes r, odd;
	struct made m;

	begin(&r);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_MAIN, 2, 100 * MS);
	begin(&odd);
	raw_frame(&odd, RAW_MAIN, 1, 0);
	odd.out.data[odd.out.len - 8] ^= 0x40;
	raw_frame(&odd, RAW_MAIN, 2, 100 * MS);
	filter(&m, &odd, from_100_ms);
	CHECK(m.out.len == r.out.len &&
	      memcmp(m.out.data, r.out.data, m.out.len) == 0);
	REQUIRE(json_count(m.said, "summary.warnings") == 1);
	CHECK_HAS(json_get(m.said, "summary.warnings")->child->valuestring,
		  "1 blocks have a footer that does not fit");
	made_done(&m);
	raw_bytes_done(&r);
	raw_bytes_done(&odd);
}

/* Blocks of a thread whose frame the main thread never begins. */
static void
a_frame_that_never_comes_is_told(void)
{
	struct raw_bytes r;
	struct made m;

	begin(&r);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_RENDER, 100000, 1);
	for (unsigned i = 2; i < 200; i++)
		raw_frame(&r, RAW_MAIN, i, i * (uint64_t)100 * MS);
	filter(&m, &r, from_100_ms);
	CHECK(json_int(m.said, "summary.kept", 0) == 198);
	CHECK(json_int(m.said, "summary.blocks_dropped", 0) == 1);
	REQUIRE(json_count(m.said, "summary.warnings") == 1);
	CHECK_HAS(json_get(m.said, "summary.warnings")->child->valuestring,
		  "1 blocks are of frames that the main thread does not");
	made_done(&m);
	raw_bytes_done(&r);
}

/* A frame is kept with its own begin's, its blocks' and the end's bytes. */
static void
the_limit_counts_what_comes_late(void)
{
	struct raw_filter_spec spec = from_100_ms;
	struct raw_bytes r;
	size_t whole;

	begin(&r);
	raw_frame(&r, RAW_RENDER, 2, 1); /* before the main thread does */
	raw_sample(&r, 36, ALLOC, 5);
	raw_block_end(&r, RAW_RENDER);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_MAIN, 2, 100 * MS);
	raw_sample(&r, 37, ALLOC, 150 * MS);
	raw_block_end(&r, RAW_RENDER);
	raw_frame(&r, RAW_MAIN, 3, 200 * MS);
	whole = r.out.len;
	for (size_t max = whole; max > 60; max--) {
		struct made m;

		spec.max_output = max;
		filter(&m, &r, spec);
		CHECK(m.out.len <= max);
		CHECK(json_int(m.said, "summary.bytes_out", 0) ==
		      (int64_t)m.out.len);
		if (max == whole)
			CHECK(m.out.len == whole);
		made_done(&m);
	}
	raw_bytes_done(&r);
}

/* A begin that shares its block, as none should, is as large as that. */
static void
a_large_end_is_counted_whole(void)
{
	struct raw_filter_spec spec = from_100_ms;
	struct raw_bytes r;
	struct made m;

	begin(&r);
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_type(&r, 34);
	raw_num(&r.payload, 2, 4);
	raw_num(&r.payload, 100 * MS, 8);
	for (int i = 0; i < 100; i++)
		raw_sample(&r, 38, ALLOC, 100 * MS);
	raw_block_end(&r, RAW_MAIN);
	raw_frame(&r, RAW_MAIN, 3, 110 * MS);
	spec.max_output = 1500;
	filter(&m, &r, spec);
	CHECK(m.out.len <= 1500);
	CHECK(json_int(m.said, "summary.kept", -1) == 0);
	made_done(&m);
	spec.max_output = r.out.len;
	check_kept(&r, spec, "1 ");
	raw_bytes_done(&r);
}

/*
 * Frame `index` of blocks of many sizes, all of them other bytes; that is more
 * than a pipe's bytes that are held in memory.
 */
static void
put_large(struct raw_bytes *r, uint32_t index)
{
	static const size_t sizes[] = {100,	   70000,  65536 - 28, 65536,
				       65536 - 24, 300000, 4,	       1500000};
	uint32_t x = 1;

	raw_frame(r, RAW_MAIN, index, 10 * MS);
	raw_frame(r, RAW_RENDER, index, 10 * MS);
	for (int i = 0; r->out.len < (20 << 20); i++) {
		for (size_t k = 0; k < sizes[i % 8]; k += 4) {
			x = x * 1664525 + 1013904223;
			raw_num(&r->payload, x, 4);
		}
		/* No begin of a frame. */
		r->payload.data[0] = 38;
		r->payload.data[1] = 0;
		raw_block_end(r, i % 3 ? RAW_MAIN : RAW_RENDER);
	}
	raw_frame(r, RAW_MAIN, index + 1, 210 * MS);
}

static void *
feed(void *arg)
{
	const struct raw_bytes *r = arg;
	AUTO_FREE char *path = file_join(dir, "pipe");
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	struct err err = ERR_INIT;

	CHECK(fd >= 0);
	CHECK(file_write_all(fd, r->out.data, r->out.len, path, &err) == 0);
	CHECK(close(fd) == 0);
	return NULL;
}

/* Numbers are replaced and bytes are held, however a block is copied. */
static void
large_blocks_are_copied_whole(void)
{
	AUTO_FREE char *file = NULL, *pipe = NULL;
	const char *path = NULL;
	struct raw_filter_spec spec = from_100_ms;
	struct raw_bytes r, is;
	struct err err = ERR_INIT;

	begin(&r);
	begin(&is);
	r.out.limit = r.payload.limit = is.out.limit = is.payload.limit = 64
									  << 20;
	raw_frame(&r, RAW_MAIN, 1, 0);
	raw_frame(&r, RAW_RENDER, 1, 0);
	raw_sample(&r, 38, ALLOC, 1);
	raw_block_end(&r, RAW_MAIN);
	put_large(&r, 2);
	put_large(&is, 1);
	file = file_join(dir, "in.raw");
	pipe = file_join(dir, "pipe");
	REQUIRE(file_write_raw(file, r.out.data, r.out.len, &err) == 0);
	REQUIRE(mkfifo(pipe, 0600) == 0);
	for (int from = 0; from < 3; from++) {
		pthread_t thread;
		struct made m;

		path = from == 1 ? file : pipe;
		spec.src.paths = from ? &path : NULL;
		spec.src.count = from ? 1 : 0;
		/* Which is no reason to have its other end as well. */
		spec.src.consume = from == 2;
		if (from == 2)
			REQUIRE(pthread_create(&thread, NULL, feed, &r) == 0);
		filter(&m, &r, spec);
		if (from == 2)
			CHECK(pthread_join(thread, NULL) == 0);
		CHECK(m.out.len == is.out.len);
		CHECK(memcmp(m.out.data, is.out.data, is.out.len) == 0);
		made_done(&m);
	}
	raw_bytes_done(&r);
	raw_bytes_done(&is);
}

CHECK_MAIN(CHECK_CASE("a threshold is reached by just that",
		      a_threshold_is_reached_by_just_that),
	   CHECK_CASE("neighbours are on this side of a gap",
		      neighbours_are_on_this_side_of_a_gap),
	   CHECK_CASE("the main thread can't be left out",
		      the_main_thread_can_t_be_left_out),
	   CHECK_CASE("a definition twice in a file stays",
		      a_definition_twice_in_a_file_stays),
	   CHECK_CASE("a footer that does not fit is mended and told",
		      a_footer_that_does_not_fit_is_mended_and_told),
	   CHECK_CASE("a frame that never comes is told",
		      a_frame_that_never_comes_is_told),
	   CHECK_CASE("the limit counts what comes late",
		      the_limit_counts_what_comes_late),
	   CHECK_CASE("an end that is large is counted whole",
		      a_large_end_is_counted_whole),
	   CHECK_CASE("large blocks are copied whole, from memory, a file and "
		      "a pipe",
		      large_blocks_are_copied_whole), )
