#include <string.h>

#include "base/digest.h"
#include "tests/unit/check.h"

static void
known_answers(void)
{
	struct digest *d = digest_new();
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX];

	CHECK(digest_finish(d, hex, &err) == 0);
	CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca49599"
		       "1b7852b855");
	digest_feed(d, "forget", 6);
	digest_reset(d);
	digest_feed(d, "a", 1);
	digest_feed(d, "bc", 2);
	CHECK(digest_finish(d, hex, &err) == 0);
	CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff"
		       "61f20015ad");
	digest_free(d);
	digest_free(NULL);
}

/* 20,000,000 times "a", in pieces of many sizes: past the thread's start. */
static void
pieces_do_not_matter(void)
{
	static char a[700001];
	struct digest *d = digest_new();
	struct err err = ERR_INIT;
	char hex[3][DIGEST_HEX];

	memset(a, 'a', sizeof(a));
	for (int i = 0; i < 3; i++) {
		size_t left = 20000000, piece = i ? sizeof(a) : 1000;

		for (; left; left -= piece) {
			if (piece > left)
				piece = left;
			digest_feed(d, a, piece);
		}
		CHECK(digest_finish(d, hex[i], &err) == 0);
	}
	CHECK_STR(hex[0], hex[1]);
	CHECK_STR(hex[0], hex[2]);
	digest_feed(d, a, sizeof(a)); /* freed while it works */
	for (int i = 0; i < 10; i++)
		digest_feed(d, a, sizeof(a));
	digest_free(d);
}

CHECK_MAIN(CHECK_CASE("known answers", known_answers),
	   CHECK_CASE("the size of pieces does not matter",
		      pieces_do_not_matter), )
