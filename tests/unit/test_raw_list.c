#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "raw_bytes.h"
#include "unity/raw_list.h"

#include "check.h"

enum { WORK = 2, DEEP = 3, META = 4, MS = 1000000, LARGE = 17 << 20 };

static char dir[] = "/tmp/raw-list-XXXXXX";

static void
remove_dir(void)
{
	struct err err = ERR_INIT;

	(void)file_remove_tree(dir, &err); /* nobody looks at it any more */
}

static void
begin(struct raw_bytes *r, bool packed)
{
	if (strstr(dir, "XXXXXX")) {
		CHECK(mkdtemp(dir));
		(void)atexit(remove_dir);
	}
	raw_file(r, 0x20220328, packed);
	r->out.limit = r->payload.limit = 64 << 20;
	raw_marker(r, WORK, 1, "Work");
	raw_marker(r, DEEP, 1, "Deep");
	raw_marker(r, META, 1, "Profiler.FrameMetadata");
	raw_block_end(r, 0);
	raw_thread(r, RAW_MAIN, false, "Main Thread");
	raw_block_end(r, 0);
	raw_frame(r, RAW_MAIN, 7, 0);
}

/* The last frame ends, and all of it is read from memory. */
static void
end(struct raw_bytes *r, struct raw_list *l)
{
	struct raw_list_spec spec = {.images = dir, .markers = true};
	struct err err = ERR_INIT;

	raw_frame(r, RAW_MAIN, 8, 100 * MS);
	spec.bytes = (const uint8_t *)r->out.data;
	spec.size = r->out.len;
	CHECK(raw_list_read(l, &spec, NULL, &err) == 0);
	CHECK_STR(err.msg, "");
}

/* The values of a picture up to the last one's length. */
static void
put_picture(struct raw_bytes *r, uint32_t tag, size_t len)
{
	raw_sample(r, 44, META, MS);
	raw_num(&r->payload, 3, 1);
	raw_pad(r);
	raw_num(&r->payload, 11, 1);
	raw_pad(r);
	raw_num(&r->payload, 16, 4);
	buf_str(&r->payload, "who made it, 16B");
	raw_num(&r->payload, 3, 1);
	raw_pad(r);
	raw_num(&r->payload, tag, 4);
	raw_num(&r->payload, 11, 1);
	raw_pad(r);
	raw_num(&r->payload, len, 4);
}

static void
check_file(const char *name, const char *bytes, size_t len)
{
	AUTO_FREE char *path = file_join(dir, name);
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	CHECK(file_read(path, &b, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK(b.len == len && memcmp(b.data, bytes, len) == 0);
}

static const char jpeg[] = "\xff\xd8\xff\xe0 a picture of some bytes";
static const char png[] = "\x89PNG\r\n\x1a\n and another";

static void
pictures_are_written_by_frame_tag_and_number(void)
{
	for (int packed = 0; packed < 2; packed++) {
		struct raw_bytes r;
		struct raw_list l;

		begin(&r, packed);
		put_picture(&r, 5, sizeof(jpeg));
		buf_add(&r.payload, jpeg, sizeof(jpeg));
		raw_pad(&r);
		put_picture(&r, 6, sizeof(png));
		buf_add(&r.payload, png, sizeof(png));
		raw_block_end(&r, RAW_MAIN);
		end(&r, &l);
		CHECK(l.image.written == 2 && l.image.other == 0);
		check_file("frame_7_5_0.jpg", jpeg, sizeof(jpeg));
		check_file("frame_7_6_1.png", png, sizeof(png));
		raw_list_done(&l);
		raw_bytes_done(&r);
	}
}

static void
a_picture_divided_over_blocks_is_whole(void)
{
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, false);
	put_picture(&r, 1, sizeof(jpeg));
	buf_add(&r.payload, jpeg, 12);
	raw_block_end(&r, RAW_MAIN);
	buf_add(&r.payload, jpeg + 12, sizeof(jpeg) - 12);
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	CHECK(l.image.written == 1);
	check_file("frame_7_1_0.jpg", jpeg, sizeof(jpeg));
	raw_list_done(&l);
	raw_bytes_done(&r);
}

static void
what_is_no_picture_is_counted(void)
{
	static const char *const other[] = {"", "\xff\xd8", "GIF89a", "\x89PNG",
					    "<svg/>"};
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, false);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		put_picture(&r, 1, strlen(other[i]));
		buf_str(&r.payload, other[i]);
		raw_pad(&r);
	}
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	CHECK(l.image.written == 0 && l.image.other == 5);
	raw_list_done(&l);
	raw_bytes_done(&r);
}

static void
one_that_is_too_large_is_left_out_and_counted(void)
{
	AUTO_FREE char *much = mem_alloc(LARGE);
	struct raw_bytes r;
	struct raw_list l;

	memcpy(much, jpeg, sizeof(jpeg));
	begin(&r, false);
	put_picture(&r, 2, LARGE);
	buf_add(&r.payload, much, LARGE);
	put_picture(&r, 3, sizeof(png));
	buf_add(&r.payload, png, sizeof(png));
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	CHECK(l.image.too_large == 1);
	CHECK(l.image.written == 1);
	check_file("frame_7_3_0.png", png, sizeof(png));
	raw_list_done(&l);
	raw_bytes_done(&r);
}

static void
one_that_is_cut_is_counted(void)
{
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, false);
	put_picture(&r, 2, 4000);
	buf_add(&r.payload, jpeg, sizeof(jpeg));
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	CHECK(l.image.cut == 1 && l.image.written == 0);
	raw_list_done(&l);
	raw_bytes_done(&r);
}

static void
samples_deeper_than_the_stack_end_nothing_else(void)
{
	enum { DEPTH = 700 };
	const struct raw_self_row *row;
	struct raw_bytes r;
	struct raw_list l;
	uint64_t time = MS;
	size_t count;

	begin(&r, false);
	raw_sample(&r, 36, WORK, time);
	for (int i = 0; i < DEPTH; i++)
		raw_sample(&r, 36, DEEP, ++time);
	for (int i = 0; i < DEPTH; i++)
		raw_sample(&r, 37, DEEP, ++time);
	raw_sample(&r, 37, WORK, ++time);
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	row = raw_self_of(&l.self, 0, &count);
	REQUIRE(count == 2);
	CHECK(row[0].marker == DEEP && row[0].self == 2 * DEPTH - 1);
	CHECK(row[1].marker == WORK && row[1].self == 2);
	CHECK(row[1].total == 2 * DEPTH + 1);
	CHECK_STR(raw_self_name(&l.self, DEEP), "Deep");
	raw_list_done(&l);
	raw_bytes_done(&r);
}

static void
one_that_is_divided_before_its_bytes_is_counted(void)
{
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, false);
	put_picture(&r, 1, sizeof(jpeg));
	buf_truncate(&r.payload, r.payload.len - 8); /* type and length */
	raw_block_end(&r, RAW_MAIN);
	raw_num(&r.payload, 11, 1);
	raw_pad(&r);
	raw_num(&r.payload, sizeof(jpeg), 4);
	buf_add(&r.payload, jpeg, sizeof(jpeg));
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	CHECK(l.image.written == 0 && l.image.cut == 1);
	CHECK(l.scan->content.odd_blocks == 0);
	raw_list_done(&l);
	raw_bytes_done(&r);
}

/* All messages behind an odd one are of 32 bytes, as a window has them. */
static void
behind_what_is_odd_nothing_is_read(void)
{
	enum { OTHER = 9, SIZE = 32, MANY = 3 * RAW_WINDOW / SIZE };
	static const char zeros[SIZE - 4];
	struct raw_bytes r;
	struct raw_list l;

	begin(&r, false);
	raw_marker(&r, META + 1, 1, "GC.Alloc");
	raw_block_end(&r, 0);
	for (int main = 0; main < 2; main++) {
		raw_type(&r, 200); /* nothing that is known */
		buf_add(&r.payload, zeros, sizeof(zeros));
		for (int i = 1; i < MANY; i++) {
			if (main)
				raw_alloc(&r, META + 1, MS, 1000);
			else
				raw_marker(&r, OTHER, 1, "twelve bytes");
			REQUIRE(r.payload.len == (size_t)SIZE * (i + 1));
		}
		raw_block_end(&r, main ? RAW_MAIN : 0);
	}
	raw_alloc(&r, META + 1, MS, 5);
	raw_block_end(&r, RAW_MAIN);
	end(&r, &l);
	REQUIRE(l.count == 1);
	CHECK(l.row[0].has_gc && l.row[0].gc_bytes == 5);
	CHECK(l.scan->content.odd_blocks == 2);
	CHECK(raw_self_name(&l.self, OTHER) == NULL);
	raw_list_done(&l);
	raw_bytes_done(&r);
}

static void
shares_are_of_the_edges_too(void)
{
	struct raw_row row[4];
	struct raw_list l = {.row = row, .count = 4};

	for (size_t i = 0; i < 4; i++)
		row[i] = (struct raw_row){.ns = (4 - i) * 10};
	CHECK(raw_list_quantile(&l, 0) == 10);
	CHECK(raw_list_quantile(&l, 0.25) == 10);
	CHECK(raw_list_quantile(&l, 0.26) == 20);
	CHECK(raw_list_quantile(&l, 0.5) == 20);
	CHECK(raw_list_quantile(&l, 0.9) == 40);
	CHECK(raw_list_quantile(&l, 1) == 40);
	CHECK(raw_list_between(&l, 10, 40) == 3);
	CHECK(raw_list_between(&l, 11, 41) == 3);
	CHECK(raw_list_share_over(&l, 40) == 0);
	CHECK(raw_list_share_over(&l, 39) > 0.399 &&
	      raw_list_share_over(&l, 39) < 0.401);
}

CHECK_MAIN(CHECK_CASE("pictures are written by frame, tag and number",
		      pictures_are_written_by_frame_tag_and_number),
	   CHECK_CASE("a picture divided over blocks is whole",
		      a_picture_divided_over_blocks_is_whole),
	   CHECK_CASE("what is no picture is counted",
		      what_is_no_picture_is_counted),
	   CHECK_CASE("one that is too large is left out and counted",
		      one_that_is_too_large_is_left_out_and_counted),
	   CHECK_CASE("one that is cut is counted", one_that_is_cut_is_counted),
	   CHECK_CASE("one that is divided before its bytes is counted",
		      one_that_is_divided_before_its_bytes_is_counted),
	   CHECK_CASE("behind what is odd nothing is read in its block",
		      behind_what_is_odd_nothing_is_read),
	   CHECK_CASE("shares and counts are of the edges, too",
		      shares_are_of_the_edges_too),
	   CHECK_CASE("samples deeper than the stack end nothing else",
		      samples_deeper_than_the_stack_end_nothing_else), )
