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

/* All but the platform and Unity's version, which a header may lack. */
static void
segments_are_of_one_recording(void)
{
	const struct raw_head one = {.aligned = true,
				     .version = 0x20220328,
				     .numer = 1,
				     .denom = 2,
				     .main_thread = 3};
	struct raw_head other = one;

	CHECK(raw_format_same(&one, &other));
	other.aligned = false;
	CHECK(!raw_format_same(&one, &other));
	other = one;
	other.version++;
	CHECK(!raw_format_same(&one, &other));
	other = one;
	other.numer++;
	CHECK(!raw_format_same(&one, &other));
	other = one;
	other.denom++;
	CHECK(!raw_format_same(&one, &other));
	other = one;
	other.main_thread++;
	CHECK(!raw_format_same(&one, &other));
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

/* All of the payload's messages, of these types. */
static void
check_types(struct raw_bytes *r, const unsigned *types, size_t count)
{
	struct raw_reader reader = {0};
	struct raw_head h = head_of(r);
	struct raw_msg m;
	size_t at = 0;

	for (size_t k = 0; k < count; k++) {
		REQUIRE(raw_msg_next(&h, &reader, (uint8_t *)r->payload.data,
				     r->payload.len, &at, &m) == RAW_GOT_MSG);
		CHECK(m.type == types[k]);
	}
	CHECK(at == r->payload.len);
}

/* Each with numbers that no message begins with. */
static void
put_rare(struct raw_bytes *r)
{
	const int id = r->version >= 0x20260108 ? 8 : 4;
	const uint64_t odd = 0xF1F2F3F4F5F6F7F8;

	raw_type(r, 8);
	raw_num(&r->payload, odd, 8);
	raw_num(&r->payload, odd, 8);
	raw_num(&r->payload, odd, 4);
	raw_text(r, "Method");
	raw_text(r, "file.cs");
	raw_num(&r->payload, odd, 4);
	raw_type(r, 10);
	raw_num(&r->payload, odd, 8);
	raw_text(r, "Mesh");
	raw_type(r, 11);
	raw_num(&r->payload, odd, id);
	raw_num(&r->payload, odd, id);
	raw_text(r, "an object");
	raw_num(&r->payload, odd, 8);
	raw_num(&r->payload, odd, 8);
	raw_num(&r->payload, odd, 8);
	raw_type(r, 12);
	for (int i = 0; i < 3; i++)
		raw_num(&r->payload, odd, 8);
	raw_type(r, 63);
	raw_num(&r->payload, odd, 4);
	raw_type(r, 3);
	raw_num(&r->payload, odd, 4);
	raw_num(&r->payload, 32, 1); /* the most there are */
	raw_pad(r);
	for (int i = 0; i < 32; i++)
		raw_num(&r->payload, odd, 8);
	raw_sample(r, 37, 7, 104);
}

static void
rare_messages_are_read_to_their_end(void)
{
	static const unsigned types[] = {8, 10, 11, 12, 63, 3, 37};

	for (unsigned i = 0; i < 4; i++) {
		struct raw_bytes r;

		raw_file(&r, i < 2 ? 0x20220328 : 0x20260108, i & 1);
		put_rare(&r);
		check_types(&r, types, sizeof(types) / sizeof(types[0]));
		raw_bytes_done(&r);
	}
}

/* Flags stand before the counts from 2018.3 on, and in 2019.1. */
static void
statistics_have_flags_from_2018_3_on(void)
{
	static const struct {
		uint32_t version;
		bool flags;
	} of[] = {{0x20171110, false},
		  {0x20180123, false},
		  {0x20181101, true},
		  {0x20180306, true},
		  {0x20191122, true}};
	static const unsigned types[] = {4, 37};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct raw_bytes r;

		raw_file(&r, of[i].version, false);
		raw_type(&r, 4);
		if (of[i].flags)
			raw_num(&r.payload, 0xF1F2F3F4, 4);
		raw_num(&r.payload, 3, 4);
		raw_num(&r.payload, 0xF1F2F3F4F5F6F7F8, 8);
		raw_num(&r.payload, 0xF1F2F3F4, 4);
		raw_sample(&r, 37, 7, 104);
		check_types(&r, types, 2);
		raw_bytes_done(&r);
	}
}

/* A value of each type: as many bytes as docs/raw-log.md says. */
static void
each_value_is_read_to_its_end(void)
{
	static const int size[] = {0, 4,  4,  4,  8,  8, 4,
				   8, -1, -1, 12, -1, 8, 8};
	static const unsigned types[] = {44, 43, 37};

	for (int packed = 0; packed < 2; packed++) {
		struct raw_bytes r;

		raw_file(&r, 0x20260108, packed);
		for (unsigned type = 44; type >= 43; type--) {
			raw_sample(&r, type, 7, 1);
			raw_num(&r.payload, 13, 1);
			raw_pad(&r);
			for (int v = 1; v <= 13; v++) {
				raw_num(&r.payload, (uint64_t)v, 1);
				raw_pad(&r);
				if (size[v] < 0)
					raw_text(&r, "some bytes");
				for (int k = 0; k < size[v]; k++)
					buf_chr(&r.payload, '\xF7');
			}
		}
		raw_sample(&r, 37, 7, 104);
		check_types(&r, types, 3);
		raw_bytes_done(&r);
	}
}

static void
only_whole_numbers_count(void)
{
	static const struct {
		uint8_t type;
		uint64_t number, is;
	} of[] = {{1, 5, 0},
		  {2, 5, 5},
		  {2, (uint64_t)-5, 0},
		  {3, 5, 5},
		  {4, (uint64_t)-5, 0},
		  {4, 5, 5},
		  {5, (uint64_t)-5, (uint64_t)-5},
		  {6, 5, 0},
		  {7, 5, 0},
		  {12, 5, 0}};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct raw_value v = {.type = of[i].type,
				      .number = of[i].number};

		CHECK(raw_msg_count(&v) == of[i].is);
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

/* Three texts, cut at each place where one may be. */
static void
values_go_on_in_the_next_block(void)
{
	for (unsigned packed = 0; packed < 2; packed++) {
		size_t first, end;
		struct raw_bytes r;
		struct raw_head h;

		raw_file(&r, 0x20220328, packed);
		h = head_of(&r);
		raw_sample(&r, 44, 3, 1);
		raw_num(&r.payload, 3, 1);
		raw_pad(&r);
		first = r.payload.len;
		for (int i = 0; i < 3; i++) {
			raw_num(&r.payload, 8, 1);
			raw_pad(&r);
			raw_text(&r, "twelve bytes");
		}
		end = r.payload.len;
		raw_sample(&r, 37, 3, 2);
		for (size_t cut = first; cut < end; cut++) {
			const size_t value = (end - first) / 3;
			size_t in = (cut - first) % value;
			struct raw_reader reader = {0};
			const uint8_t *p = (uint8_t *)r.payload.data;
			struct raw_msg m;
			size_t at = 0;

			/* Between two of them, or in a text. */
			if (cut == first || (in && in < value - 12) ||
			    (!packed && in % 4))
				continue;
			CHECK(raw_msg_next(&h, &reader, p, cut, &at, &m) ==
			      RAW_GOT_MSG);
			CHECK(reader.rest > 0 || reader.values > 0);
			at = raw_msg_begin(&h, &reader, p + cut,
					   r.payload.len - cut);
			CHECK(cut + at == end);
			CHECK(reader.rest == 0 && reader.values == 0);
		}
		raw_bytes_done(&r);
	}
}

/* A value that fills the next block just so, or all but a byte. */
static void
a_value_may_end_with_a_block(void)
{
	for (uint32_t rest = 7; rest <= 9; rest++) {
		struct raw_reader reader = {.rest = rest};
		struct raw_head h = {.aligned = false, .version = 0x20220328};
		static const uint8_t p[8] = "xxxxxxxx";
		size_t at = raw_msg_begin(&h, &reader, p, sizeof(p));

		CHECK(at == (rest < 8 ? rest : 8));
		CHECK(reader.rest == (rest > 8 ? rest - 8 : 0));
	}
}

CHECK_MAIN(CHECK_CASE("the header is read in both lengths",
		      the_header_is_read_in_both_lengths),
	   CHECK_CASE("what is no log is named", what_is_no_log_is_named),
	   CHECK_CASE("ticks become ns without loss",
		      ticks_become_ns_without_loss),
	   CHECK_CASE("segments are of one recording",
		      segments_are_of_one_recording),
	   CHECK_CASE("each message is read to its end",
		      each_message_is_read_to_its_end),
	   CHECK_CASE("rare messages are read to their end",
		      rare_messages_are_read_to_their_end),
	   CHECK_CASE("statistics have flags from 2018.3 on",
		      statistics_have_flags_from_2018_3_on),
	   CHECK_CASE("each value is read to its end",
		      each_value_is_read_to_its_end),
	   CHECK_CASE("only whole numbers that are not negative count",
		      only_whole_numbers_count),
	   CHECK_CASE("values go on in the next block",
		      values_go_on_in_the_next_block),
	   CHECK_CASE("a value may end with a block",
		      a_value_may_end_with_a_block),
	   CHECK_CASE("an unknown type ends the payload",
		      an_unknown_type_ends_the_payload),
	   CHECK_CASE("a divided value goes on in the next block",
		      a_divided_value_goes_on_in_the_next_block), )
