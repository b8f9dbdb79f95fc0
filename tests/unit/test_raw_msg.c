#include "raw_bytes.h"
#include "unity/raw_format.h"
#include "unity/raw_msg.h"

#include "check.h"

static struct raw_head
head_of(const struct raw_bytes *r)
{
	struct raw_head h = {0};
	struct err err = ERR_INIT;

	CHECK(raw_format_head((uint8_t *)r->out.data, r->out.len, "x", &h,
			      &err) == 0);
	return h;
}

static void
the_header_is_read_in_both_lengths(void)
{
	static const uint32_t versions[] = {0x20171110, 0x20191122, 0x20220328,
					    0x20260108};

	for (size_t i = 0; i < 4; i++) {
		struct raw_bytes r;
		struct raw_head h;

		raw_file(&r, versions[i], i & 1);
		h = head_of(&r);
		CHECK(h.size == (versions[i] >= 0x20211028 ? 56 : 36));
		CHECK(h.aligned == !(i & 1));
		CHECK(h.main_thread == RAW_MAIN);
		CHECK(h.known);
		raw_bytes_done(&r);
	}
}

static void
what_is_no_log_is_named(void)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} bad[] = {
		{"", 0, "is empty"},
		{"\x55\x33\x44\x50\0\1\0\0", 8, "big-endian"},
		{"PD3U\0\1\0\0", 8, "big-endian"},
		{"\x28\x03\x22\x20\x10\0\0\0", 8, ".data"},
		{"PD3U\1\1\0\0", 8, "within its header"},
		{"GIF89a...", 9, "no raw profiler log"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;
		struct raw_head h;

		CHECK(raw_format_head((const uint8_t *)bad[i].bytes, bad[i].len,
				      "x", &h, &err) == -1);
		CHECK(err.code == ERR_INPUT);
		CHECK_HAS(err.msg, bad[i].says);
	}
}

static void
ticks_become_ns_without_loss(void)
{
	struct raw_head h = {.numer = 1000000000, .denom = 19200000};

	CHECK(raw_format_ns(&h, 19200000ULL * 86400 * 365) ==
	      1000000000ULL * 86400 * 365);
	CHECK(raw_format_ns(&h, 1) == 52);
	CHECK(raw_format_ns(&h, UINT64_MAX) == UINT64_MAX);
	CHECK(raw_format_span_ns(&h, 5, 3) == 0);
}

/* Every kind of message, one after another, read to the payload's end. */
static void
put_each(struct raw_bytes *r)
{
	raw_type(r, 5 + 1); /* UI canvas: two arrays of bytes */
	raw_text(r, "abc");
	raw_text(r, "");
	raw_type(r, 7);
	raw_text(r, "abcde");
	raw_text(r, "");
	raw_text(r, "a");
	raw_sample(r, 36, 7, 100);
	raw_sample(r, 39, 7, 100);
	raw_num(&r->payload, 5, r->version >= 0x20260108 ? 8 : 4);
	raw_alloc(r, 9, 101, 640);
	raw_type(r, 57);
	raw_num(&r->payload, 1, 1);
	raw_pad(r);
	raw_num(&r->payload, 3, 4);
	raw_type(r, 55);
	raw_num(&r->payload, 1, 8);
	raw_num(&r->payload, 2, 1);
	raw_pad(r);
	raw_type(r, 4);
	if (r->version >= 0x20181101)
		raw_num(&r->payload, 0, 4);
	raw_num(&r->payload, 2, 4);
	raw_num(&r->payload, 77, 8);
	raw_sample(r, 43, 7, 103); /* an end without values */
	raw_sample(r, 37, 7, 104);
}

static void
each_message_is_read_to_its_end(void)
{
	static const unsigned types[] = {6, 7, 36, 39, 44, 57, 55, 4, 43, 37};

	for (unsigned i = 0; i < 4; i++) {
		struct raw_reader reader = {0};
		struct raw_bytes r;
		struct raw_head h;
		struct raw_msg m;
		size_t at = 0;

		raw_file(&r, i < 2 ? 0x20220328 : 0x20260108, i & 1);
		h = head_of(&r);
		put_each(&r);
		for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
			CHECK(raw_msg_next(
				      &h, &reader, (uint8_t *)r.payload.data,
				      r.payload.len, &at, &m) == RAW_GOT_MSG);
			CHECK(m.type == types[k]);
			if (m.type == RAW_SAMPLE_META)
				CHECK(m.id == 9 && m.time == 101 &&
				      raw_msg_count(&m.value[0]) == 640);
		}
		CHECK(raw_msg_next(&h, &reader, (uint8_t *)r.payload.data,
				   r.payload.len, &at, &m) == RAW_GOT_END);
		raw_bytes_done(&r);
	}
}

static void
an_unknown_type_ends_the_payload(void)
{
	static const uint8_t p[] = {99, 0, 0, 0, 1, 2, 3, 4};
	struct raw_reader reader = {0};
	struct raw_head h = {.aligned = true, .version = 0x20220328};
	struct raw_msg m;
	size_t at = 0;

	CHECK(raw_msg_next(&h, &reader, p, sizeof(p), &at, &m) == RAW_GOT_ODD);
}

/* A blob of 1,000 bytes cut at each place; what follows is found again. */
static void
a_divided_value_goes_on_in_the_next_block(void)
{
	for (unsigned packed = 0; packed < 2; packed++) {
		struct raw_bytes r;
		struct raw_head h;

		raw_file(&r, 0x20220328, packed);
		h = head_of(&r);
		raw_sample(&r, 44, 3, 1);
		raw_num(&r.payload, 1, 1);
		raw_pad(&r);
		raw_num(&r.payload, 11, 1);
		raw_pad(&r);
		raw_num(&r.payload, 1001, 4);
		for (int i = 0; i < 1001; i++)
			buf_chr(&r.payload, 'x');
		raw_pad(&r);
		raw_sample(&r, 37, 3, 2);
		for (size_t cut = 40; cut < 1000; cut += 4) {
			struct raw_reader reader = {0};
			const uint8_t *p = (uint8_t *)r.payload.data;
			struct raw_msg m;
			size_t at = 0;

			CHECK(raw_msg_next(&h, &reader, p, cut, &at, &m) ==
			      RAW_GOT_MSG);
			CHECK(m.value[0].len == 1001 && reader.rest > 0);
			at = raw_msg_begin(&h, &reader, p + cut,
					   r.payload.len - cut);
			CHECK(raw_msg_next(&h, &reader, p + cut,
					   r.payload.len - cut, &at,
					   &m) == RAW_GOT_MSG);
			CHECK(m.type == RAW_END && m.time == 2);
		}
		raw_bytes_done(&r);
	}
}

CHECK_MAIN(CHECK_CASE("the header is read in both lengths",
		      the_header_is_read_in_both_lengths),
	   CHECK_CASE("what is no log is named", what_is_no_log_is_named),
	   CHECK_CASE("ticks become ns without loss",
		      ticks_become_ns_without_loss),
	   CHECK_CASE("each message is read to its end",
		      each_message_is_read_to_its_end),
	   CHECK_CASE("an unknown type ends the payload",
		      an_unknown_type_ends_the_payload),
	   CHECK_CASE("a divided value goes on in the next block",
		      a_divided_value_goes_on_in_the_next_block), )
