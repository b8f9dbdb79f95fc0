#include "transport/ssh_sftp_wire.h"

#include "check.h"

static void
requests_have_their_length(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	size_t first = ssh_sftp_wire_begin(&b, SSH_SFTP_WIRE_STAT, 7), second;

	ssh_sftp_wire_string(&b, "/x", 2);
	ssh_sftp_wire_end(&b, first);
	second = ssh_sftp_wire_begin(&b, SSH_SFTP_WIRE_WRITE, 8);
	ssh_sftp_wire_u64(&b, 0x0102030405060708);
	ssh_sftp_wire_end(&b, second);
	CHECK(second == 15 && b.len == 15 + 17);
	CHECK(memcmp(b.data, "\0\0\0\x0b\x11\0\0\0\x07\0\0\0\x02/x", 15) == 0);
	CHECK(memcmp(b.data + 15,
		     "\0\0\0\x0d\x06\0\0\0\x08\x01\x02\x03\x04\x05\x06\x07\x08",
		     17) == 0);
}

static void
half_a_packet_waits_for_more(void)
{
	static const char hello[] = "\0\0\0\x31\x02\0\0\0\x03"
				    "\0\0\0\x18posix-rename@openssh.com"
				    "\0\0\0\x01"
				    "1"
				    "\0\0\0\x03"
				    "a@b"
				    "\0\0\0\0";
	struct ssh_sftp_wire_reply r;
	struct err err = ERR_INIT;
	size_t whole = sizeof(hello) - 1;

	for (size_t n = 0; n < whole; n++)
		CHECK(ssh_sftp_wire_next(hello, n, &r, &err) == 0);
	REQUIRE(ssh_sftp_wire_next(hello, whole, &r, &err) == (long)whole);
	CHECK(r.type == SSH_SFTP_WIRE_HELLO && r.id == 3);
	CHECK(r.caps.posix_rename && !r.caps.fsync && !r.caps.statvfs);
}

static void
a_status_keeps_its_words(void)
{
	static const char bare[] = "\0\0\0\x09\x65\0\0\0\x01\0\0\0\x04";
	static const char words[] = "\0\0\0\x13\x65\0\0\0\x02\0\0\0\x03"
				    "\0\0\0\x02no\0\0\0\0";
	struct ssh_sftp_wire_reply r;
	struct err err = ERR_INIT;

	REQUIRE(ssh_sftp_wire_next(bare, 13, &r, &err) == 13);
	CHECK(r.status == SSH_SFTP_WIRE_FAILURE && r.text.len == 0);
	REQUIRE(ssh_sftp_wire_next(words, 23, &r, &err) == 23);
	CHECK(r.id == 2 && r.status == SSH_SFTP_WIRE_DENIED);
	CHECK(r.text.len == 2 && memcmp(r.text.data, "no", 2) == 0);
}

static void
nonsense_is_refused(void)
{
	static const struct {
		const char *data;
		size_t len;
	} bad[] = {
		{"\0\0\0\0", 4},			  /* no type */
		{"\x7f\xff\xff\xff", 4},		  /* two gigabytes */
		{"\0\0\0\x05\x01\0\0\0\0", 9},		  /* a request */
		{"\0\0\0\x05\x65\0\0\0\0", 9},		  /* no status */
		{"\0\0\0\x09\x67\0\0\0\0\0\0\0\x09", 13}, /* data beyond it */
		{"\0\0\0\x09\x69\0\0\0\0\0\0\0\x01", 13}, /* no size */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssh_sftp_wire_reply r;
		struct err err = ERR_INIT;

		CHECK(ssh_sftp_wire_next(bad[i].data, bad[i].len, &r, &err) ==
		      -1);
		CHECK(err.code == ERR_PROTO);
	}
}

static void
free_space_never_overflows(void)
{
	struct ssh_sftp_wire_reply r = {0};
	struct err err = ERR_INIT;
	char data[88];
	uint64_t bytes;

	memset(data, 0xff, sizeof(data));
	r.text.data = data;
	r.text.len = sizeof(data);
	REQUIRE(ssh_sftp_wire_free_bytes(&r, &bytes, &err) == 0);
	CHECK(bytes == UINT64_MAX);
	r.text.len = 39;
	CHECK(ssh_sftp_wire_free_bytes(&r, &bytes, &err) == -1);
}

CHECK_MAIN(CHECK_CASE("requests have their length", requests_have_their_length),
	   CHECK_CASE("half a packet waits for more",
		      half_a_packet_waits_for_more),
	   CHECK_CASE("a status keeps its words", a_status_keeps_its_words),
	   CHECK_CASE("nonsense is refused", nonsense_is_refused),
	   CHECK_CASE("free space never overflows",
		      free_space_never_overflows), )
