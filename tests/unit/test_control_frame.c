#include "control/control_frame.h"

#include "check.h"
#include "control/control.h"

static struct control_frame f;
static struct err err;

static int
next(const void *data, size_t len)
{
	memset(&f, 0, sizeof(f));
	err_clear(&err);
	return control_frame_next(data, len, 100, &f, &err);
}

static void
json_round_trip(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	control_frame_json(&b, "{\"a\":1}", 7);
	control_frame_json(&b, "", 0);
	CHECK(b.len == 15 && memcmp(b.data, "\7\0\0\0{", 5) == 0);
	CHECK(next(b.data, b.len) == 1);
	CHECK(!f.binary && f.len == 7 && f.used == 11);
	CHECK(memcmp(f.data, "{\"a\":1}", 7) == 0);
	CHECK(next(b.data + 11, 4) == 1 && f.len == 0 && f.used == 4);
}

static void
half_wants_more(void)
{
	static const char json[] = "\3\0\0\0abc";
	static const char chunk[] = "\12\0\0\200\1\0\0\0\2\0\0\0xy";

	for (size_t i = 0; i < 7; i++)
		CHECK(next(json, i) == 0);
	for (size_t i = 0; i < 14; i++)
		CHECK(next(chunk, i) == 0);
	CHECK(next(chunk, 14) == 1);
	CHECK(f.binary && f.len == 2 && f.stream == 1 &&
	      f.flags == CONTROL_FRAME_ABORT && f.used == 14);
	CHECK(memcmp(f.data, "xy", 2) == 0);
}

static void
wrong_lengths_are_refused(void)
{
	unsigned chunk = 0x80000000u | (CONTROL_MAX_CHUNK + 1);

	CHECK(next("\145\0\0\0", 4) == -1); /* 101 */
	CHECK_HAS(err.msg, "a frame of 101 bytes, over the limit");
	CHECK(next("\144\0\0\0", 4) == 0);
	CHECK(next("\7\0\0\200", 4) == -1); /* no room for its head */
	CHECK(next(&chunk, 4) == -1 && err.code == ERR_PROTO);
	chunk--;
	CHECK(next(&chunk, 4) == 0);
}

static void
other_protocols_are_named(void)
{
	CHECK(next("HTTP/1.1 400 Bad\r\n", 18) == -1);
	CHECK_STR(err.msg, "what answers is no PCP server; it sent "
			   "'HTTP/1.1 400 Bad\\x0d\\x0a'");
	CHECK(next("SSH-", 4) == -1);
	CHECK_HAS(err.msg, "it sent 'SSH-'");
}

CHECK_MAIN(CHECK_CASE("a JSON frame is read as it was written",
		      json_round_trip),
	   CHECK_CASE("half a frame waits for more", half_wants_more),
	   CHECK_CASE("a length that cannot be is refused",
		      wrong_lengths_are_refused),
	   CHECK_CASE("another protocol is shown in its words",
		      other_protocols_are_named), )
