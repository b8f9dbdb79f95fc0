/* What is found within payloads: allocations and waits. */
#include "unity/raw_content.h"

#include "raw_bytes.h"
#include "unity/raw_list.h"

#include "check.h"

enum { ALLOC = 3, COUNTER, VSYNC, TARGET, OTHER, MS = 1000000 };

static void
begin(struct raw_bytes *r, uint32_t version, bool packed)
{
	raw_file(r, version, packed);
	raw_marker(r, ALLOC, 17, "GC.Alloc");
	raw_marker(r, COUNTER, 23, "GC Allocated In Frame");
	raw_marker(r, VSYNC, 18, "Whatever waits for it");
	raw_marker(r, TARGET, 16, "WaitForTargetFPS");
	raw_marker(r, OTHER, 17, "GC.Collect");
	raw_block_end(r, 0);
	raw_thread(r, RAW_MAIN, false, "Main Thread");
	raw_block_end(r, 0);
	raw_frame(r, RAW_MAIN, 7, 0);
}

static void
end(struct raw_bytes *r, struct raw_list *l)
{
	struct raw_list_spec spec = {.bytes = (const uint8_t *)r->out.data,
				     .size = r->out.len};
	struct err err = ERR_INIT;

	CHECK(raw_list_read(l, &spec, NULL, &err) == 0);
	CHECK_STR(err.msg, "");
}

static void
put_value(struct raw_bytes *r, unsigned type, uint64_t v, int bytes)
{
	raw_num(&r->payload, type, 1);
	raw_pad(r);
	raw_num(&r->payload, v, bytes);
}

/* A sample's values, and behind them plain ones as many as are skipped. */
static void
put_sample(struct raw_bytes *r, uint32_t marker, unsigned type, uint64_t v,
	   int bytes, unsigned values)
{
	raw_sample(r, 44, marker, MS);
	raw_num(&r->payload, values, 1);
	raw_pad(r);
	put_value(r, type, v, bytes);
	for (unsigned i = 1; i < values; i++)
		put_value(r, 3, 1000, 4);
	for (int i = 0; i < 9; i++)
		raw_sample(r, 36 + (unsigned)i % 3, OTHER, MS);
}

static void
allocations_are_of_each_whole_number(void)
{
	static const struct {
		unsigned type;
		int bytes;
		uint64_t v, is;
	} of[] = {{3, 4, 100, 100},
		  {2, 4, 100, 100},
		  {4, 8, 100, 100},
		  {5, 8, 1ULL << 40, 1ULL << 40},
		  {2, 4, (uint32_t)-100, 0},
		  {4, 8, (uint64_t)-100, 0},
		  {6, 4, 100, 0},
		  {7, 8, 100, 0},
		  {1, 4, 100, 0}};

	/* In both layouts, of the main thread and of another one. */
	for (size_t n = 0; n < 4 * sizeof(of) / sizeof(of[0]); n++) {
		const uint64_t thread = n & 2 ? RAW_RENDER : RAW_MAIN;
		const size_t i = n / 4;
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, 0x20220328, n & 1);
		raw_frame(&r, RAW_RENDER, 7, 1);
		for (unsigned values = 1; values <= 2; values++)
			put_sample(&r, ALLOC, of[i].type, of[i].v, of[i].bytes,
				   values);
		put_sample(&r, OTHER, 3, 7, 4, 1);
		put_sample(&r, ALLOC, 3, 1, 4, 1);
		raw_block_end(&r, thread);
		raw_frame(&r, RAW_MAIN, 8, 100 * MS);
		end(&r, &l);
		REQUIRE(l.count == 1);
		CHECK(l.row[0].gc_bytes == 2 * of[i].is + 1);
		CHECK(l.scan->content.odd_blocks == 0);
		CHECK_STR(l.gc_source, "samples");
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

/* The last value of the counter is the frame's, and of other threads none. */
static void
the_counter_comes_before_samples(void)
{
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, 0x20220328, false);
	put_sample(&r, ALLOC, 3, 100, 4, 1);
	put_sample(&r, COUNTER, 4, 300, 8, 1);
	put_sample(&r, COUNTER, 4, 400, 8, 1);
	raw_block_end(&r, RAW_MAIN);
	raw_thread(&r, RAW_RENDER, false, "Render");
	raw_block_end(&r, 0);
	raw_frame(&r, RAW_RENDER, 7, 1);
	put_sample(&r, COUNTER, 4, 900, 8, 1);
	raw_block_end(&r, RAW_RENDER);
	raw_frame(&r, RAW_MAIN, 8, 100 * MS);
	end(&r, &l);
	REQUIRE(l.count == 1);
	CHECK(l.row[0].gc_bytes == 400);
	CHECK_STR(l.gc_source, "counter");
	raw_list_done(&l);
	raw_bytes_done(&r);
}

/* Number 32 of the frame statistics; what is 0 or negative is none. */
static void
old_statistics_count_kib(void)
{
	static const struct {
		uint32_t kib;
		unsigned count;
		uint64_t is;
	} of[] = {{5, 40, 5120},
		  {5, 33, 5120},
		  {5, 32, 0},
		  {0, 40, 0},
		  {0x80000005, 40, 0}};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, 0x20191122, false);
		raw_type(&r, 4);
		raw_num(&r.payload, 0, 4);
		raw_num(&r.payload, of[i].count, 4);
		for (unsigned k = 0; k < of[i].count; k++)
			raw_num(&r.payload, k == 32 ? of[i].kib : 99, 4);
		raw_block_end(&r, RAW_MAIN);
		raw_frame(&r, RAW_MAIN, 8, 100 * MS);
		end(&r, &l);
		REQUIRE(l.count == 1);
		CHECK(l.row[0].has_gc == (of[i].is > 0));
		CHECK(l.row[0].gc_bytes == of[i].is);
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

/* What waits for the display is known by its category, too. */
static void
waits_are_no_busy_time(void)
{
	static const uint32_t marker[] = {VSYNC, TARGET, OTHER};

	for (int i = 0; i < 3; i++) {
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, 0x20220328, false);
		/* One within itself is one wait, and all within it is it. */
		raw_sample(&r, 36, marker[i], 10 * MS);
		raw_sample(&r, 36, marker[i], 20 * MS);
		raw_sample(&r, 36, VSYNC, 21 * MS);
		raw_sample(&r, 37, VSYNC, 22 * MS);
		raw_sample(&r, 37, marker[i], 30 * MS);
		raw_sample(&r, 37, marker[i], 40 * MS);
		raw_block_end(&r, RAW_MAIN);
		raw_frame(&r, RAW_MAIN, 8, 100 * MS);
		end(&r, &l);
		REQUIRE(l.count == 1 && l.row[0].ns == 100 * MS);
		if (marker[i] == TARGET)
			CHECK(l.row[0].busy_ns == 70 * MS);
		if (marker[i] == OTHER)
			CHECK(l.row[0].busy_ns == 99 * MS);
		if (marker[i] == VSYNC)
			CHECK(l.row[0].busy_ns == 70 * MS);
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

static void
a_wait_over_a_begin_is_of_both_frames(void)
{
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, 0x20220328, false);
	raw_sample(&r, 36, TARGET, 60 * MS);
	raw_block_end(&r, RAW_MAIN);
	raw_frame(&r, RAW_MAIN, 8, 100 * MS);
	raw_sample(&r, 37, TARGET, 110 * MS);
	raw_block_end(&r, RAW_MAIN);
	raw_frame(&r, RAW_MAIN, 9, 200 * MS);
	end(&r, &l);
	REQUIRE(l.count == 2);
	CHECK(l.row[0].busy_ns == 60 * MS && l.row[1].busy_ns == 90 * MS);
	raw_list_done(&l);
	raw_bytes_done(&r);
}

/* How patrol writes one: the same index again, or one that is missing. */
static void
a_wait_goes_on_over_no_gap(void)
{
	for (uint32_t gap = 0; gap < 2; gap++) {
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, 0x20220328, false);
		raw_sample(&r, 36, TARGET, 8 * MS);
		raw_block_end(&r, RAW_MAIN);
		raw_frame(&r, RAW_MAIN, 8, 10 * MS);
		raw_frame(&r, RAW_MAIN, gap ? 20 : 8, 1000 * MS);
		raw_frame(&r, RAW_MAIN, gap ? 21 : 9, 1020 * MS);
		end(&r, &l);
		REQUIRE(l.count == 2);
		CHECK(l.row[0].ns == 10 * MS && l.row[0].busy_ns == 8 * MS);
		CHECK(l.row[1].ns == 20 * MS && l.row[1].busy_ns == 20 * MS);
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

/* What came between the two begins of one index is of the frame itself. */
static void
a_twin_leaves_its_sums_to_the_frame(void)
{
	for (int counts = 0; counts < 2; counts++) {
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, 0x20220328, false);
		raw_frame(&r, RAW_MAIN, 8, 10 * MS);
		raw_frame(&r, RAW_RENDER, 8, 10 * MS);
		put_sample(&r, ALLOC, 3, 100, 4, 1);
		raw_block_end(&r, RAW_RENDER);
		if (counts)
			put_sample(&r, COUNTER, 4, 30, 8, 1);
		raw_sample(&r, 36, TARGET, 11 * MS);
		raw_sample(&r, 37, TARGET, 12 * MS);
		raw_block_end(&r, RAW_MAIN);
		raw_frame(&r, RAW_MAIN, 8, 1000 * MS);
		raw_frame(&r, RAW_MAIN, 9, 1020 * MS);
		end(&r, &l);
		REQUIRE(l.count == 2);
		CHECK(l.row[0].gc_bytes == 0 &&
		      l.row[1].gc_bytes == (counts ? 30 : 100));
		CHECK(l.row[1].busy_ns == 19 * MS && l.row[1].threads == 2);
		CHECK(l.row[0].threads == 1);
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

/* The render thread may be in a frame before the main one is. */
static void
a_thread_ahead_is_of_the_frame_to_come(void)
{
	for (uint32_t first = 7; first; first = first == 7 ? UINT32_MAX : 0) {
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, 0x20220328, false);
		raw_frame(&r, RAW_MAIN, first + (first == 7), 10 * MS);
		raw_frame(&r, RAW_RENDER, first + 1 + (first == 7), 11 * MS);
		put_sample(&r, ALLOC, 3, 100, 4, 1);
		raw_block_end(&r, RAW_RENDER);
		raw_frame(&r, RAW_MAIN, first + 1 + (first == 7), 20 * MS);
		raw_frame(&r, RAW_MAIN, first + 2 + (first == 7), 30 * MS);
		end(&r, &l);
		REQUIRE(l.count >= 2);
		CHECK(l.row[l.count - 2].gc_bytes == 0);
		CHECK(l.row[l.count - 1].gc_bytes == 100);
		CHECK(l.row[l.count - 1].index == first + 1 + (first == 7));
		CHECK(l.row[l.count - 1].threads == 2);
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

CHECK_MAIN(CHECK_CASE("allocations are of each whole number",
		      allocations_are_of_each_whole_number),
	   CHECK_CASE("the counter comes before samples",
		      the_counter_comes_before_samples),
	   CHECK_CASE("old statistics count KiB", old_statistics_count_kib),
	   CHECK_CASE("waits are no busy time", waits_are_no_busy_time),
	   CHECK_CASE("a wait over a begin is of both frames",
		      a_wait_over_a_begin_is_of_both_frames),
	   CHECK_CASE("a wait goes on over no gap", a_wait_goes_on_over_no_gap),
	   CHECK_CASE("a twin leaves its sums to the frame",
		      a_twin_leaves_its_sums_to_the_frame),
	   CHECK_CASE("a thread ahead is of the frame to come, also where "
		      "indices begin anew",
		      a_thread_ahead_is_of_the_frame_to_come), )
