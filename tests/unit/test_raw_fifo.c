#include "unity/raw_fifo.h"
#include "unity/raw_segs.h"

#include "check.h"

/* More than both ends hold, pushed and dropped at different speeds. */
static void
records_come_in_their_order(void)
{
	enum { MANY = 5 * RAW_FIFO_PART + 77 };
	struct raw_fifo f;
	struct err err = ERR_INIT;
	uint64_t in = 0, out = 0;
	void *p;

	raw_fifo_init(&f, sizeof(in));
	while (out < MANY) {
		for (int i = 0; i < 3 && in < MANY; i++, in++)
			REQUIRE(raw_fifo_push(&f, &in, &err) == 0);
		for (int i = 0; i < (in < MANY ? 1 : 2) && out < in; i++) {
			REQUIRE(raw_fifo_first(&f, &p, &err) == 0);
			REQUIRE(p && *(uint64_t *)p == out);
			raw_fifo_drop(&f);
			out++;
		}
	}
	CHECK(f.file >= 0); /* it was needed */
	CHECK(raw_fifo_first(&f, &p, &err) == 0 && p == NULL);
	raw_fifo_done(&f);
}

static void
segments_are_ordered_by_their_numbers(void)
{
	CHECK(raw_segs_compare("a/c_9.raw", "a/c_10.raw") < 0);
	CHECK(raw_segs_compare("a/c_010.raw", "a/c_9.raw") > 0);
	CHECK(raw_segs_compare("c.raw", "c_1.raw") != 0);
	CHECK(raw_segs_compare("c_1.raw", "c_01.raw") != 0);
	CHECK(raw_segs_compare("c_1.raw", "c_1.raw") == 0);
	CHECK(raw_segs_compare("9999999999999999999998",
			       "9999999999999999999999") < 0);
}

CHECK_MAIN(CHECK_CASE("records come in their order",
		      records_come_in_their_order),
	   CHECK_CASE("segments are ordered by their numbers",
		      segments_are_ordered_by_their_numbers), )
