#include "unity/exact_json.h"

#include <string.h>

#include "check.h"

static void
numbers_keep_their_digits(void)
{
	struct exact_json_doc doc;
	struct err err = ERR_INIT;
	static const char text[] = "[18419961683075725700, 1.50, -0, 2e-07, "
				   "18446744073709551616]";
	AUTO_BUF struct buf out = BUF_INIT;
	uint64_t n;

	REQUIRE(exact_json_parse(&doc, text, strlen(text), &err) == 0);
	CHECK(exact_json_u64(doc.root->first, &n));
	CHECK(n == 18419961683075725700u);
	CHECK(!exact_json_u64(doc.root->first->next->next->next->next, &n));
	exact_json_write(doc.root, 0, &out);
	CHECK_STR(out.data, "[\n    18419961683075725700,\n    1.50,\n    -0,\n"
			    "    2e-07,\n    18446744073709551616\n]");
	exact_json_done(&doc);
}

static void
numbers_fit_or_are_none(void)
{
	static const struct {
		const char *text;
		bool u, i;
	} of[] = {
		{"0", true, true},
		{"9223372036854775807", true, true},
		{"9223372036854775808", true, false},
		{"18446744073709551615", true, false},
		{"18446744073709551616", false, false},
		{"99999999999999999999", false, false},
		{"-1", false, true},
		{"1.0", false, false},
		{"1e3", false, false},
		{"\"1\"", false, false},
		{"null", false, false},
	};

	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		struct exact_json_doc doc;
		struct err err = ERR_INIT;
		uint64_t u;
		int64_t i;

		REQUIRE(exact_json_parse(&doc, of[k].text, strlen(of[k].text),
					 &err) == 0);
		CHECK(exact_json_u64(doc.root, &u) == of[k].u);
		CHECK(exact_json_i64(doc.root, &i) == of[k].i);
		exact_json_done(&doc);
	}
}

static void
so_many_levels_and_no_more(void)
{
	for (size_t levels = EXACT_JSON_DEPTH; levels <= EXACT_JSON_DEPTH + 1;
	     levels++) {
		AUTO_BUF struct buf text = BUF_INIT;
		struct exact_json_doc doc;
		struct err err = ERR_INIT;
		int rc;

		for (size_t i = 0; i < levels; i++)
			buf_chr(&text, '[');
		for (size_t i = 0; i < levels; i++)
			buf_chr(&text, ']');
		rc = exact_json_parse(&doc, text.data, text.len, &err);
		CHECK((rc == 0) == (levels == EXACT_JSON_DEPTH));
		if (rc == 0)
			exact_json_done(&doc);
	}
}

CHECK_MAIN(CHECK_CASE("numbers keep their digits", numbers_keep_their_digits),
	   CHECK_CASE("numbers fit or are none", numbers_fit_or_are_none),
	   CHECK_CASE("there are 64 levels and no more",
		      so_many_levels_and_no_more), )
