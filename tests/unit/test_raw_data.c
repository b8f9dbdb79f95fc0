/* The frames of the editor's .data, in each version's layout. */
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "raw_bytes.h"
#include "unity/raw_list.h"

#include "check.h"

static char dir[] = "/tmp/patrol-data-XXXXXX";

/* A frame of 16.5 ms that began at `start`. */
static void
put_frame(struct buf *b, uint32_t version, uint32_t index, uint64_t start)
{
	const bool is_short = version < 0x20191122;
	const uint32_t size = is_short ? 40 : 44;

	raw_num(b, version, 4);
	raw_num(b, size, 4);
	for (int i = 0; i < (version >= 0x20211028 ? 5 : 1); i++)
		raw_num(b, 7, 4);
	raw_num(b, index, 4);
	raw_num(b, index + 100, 4);
	raw_num(b, start, is_short ? 4 : 8);
	raw_num(b, 16500, 4);
	for (uint32_t i = is_short ? 16 : 20; i < size - 4; i += 4)
		raw_num(b, 0xF1F2F3F4, 4);
	raw_num(b, 0xAFAFAFAF, 4);
}

static void
each_layout_is_read(void)
{
	static const struct {
		uint32_t version;
		uint64_t start, is_ns;
	} of[] = {
		{0x20181101, 4000000000, 4000000000000},
		{0x20180306, 5000, 5000000},
		{0x20191122, 5000000000, 5000000000000},
		{0x20210412, 5000000000, 5000000000},
		{0x20220328, 5000000000, 5000000000},
	};
	AUTO_FREE char *path = NULL;
	struct err err = ERR_INIT;

	REQUIRE(mkdtemp(dir));
	path = file_join(dir, "x.data");
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const char *paths[] = {path};
		struct raw_list_spec spec = {.paths = paths, .count = 1};

		for (int cut = 0; cut < 2; cut++) {
			AUTO_BUF struct buf b = BUF_INIT;
			struct raw_list l;

			put_frame(&b, of[i].version, 3, of[i].start);
			put_frame(&b, of[i].version, 4, of[i].start + 1);
			if (!cut)
				raw_num(&b, 0xDEADFEED, 4);
			REQUIRE(file_write_raw(path, b.data, b.len, &err) == 0);
			CHECK(raw_list_read(&l, &spec, NULL, &err) == 0);
			CHECK(l.data && l.cut == cut);
			REQUIRE(l.count == 2);
			CHECK(l.row[1].index == 4 && l.row[1].ordinal == 1);
			CHECK(l.row[0].start_ns == of[i].is_ns);
			CHECK(l.row[0].ns == 16500000 && !l.row[0].has_gc);
			raw_list_done(&l);
		}
	}
	CHECK(file_remove_tree(dir, &err) == 0);
}

CHECK_MAIN(CHECK_CASE("each version's layout is read", each_layout_is_read), )
