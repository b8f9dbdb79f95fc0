#include "check.h"

#include <unistd.h>

#include "adb_fake.h"

#include "adb/adb_logcat.h"
#include "base/deadline.h"
#include "base/file.h"

#define TRANSPORT                                                  \
	{                                                          \
		.request = "host:transport:S", FAKE_ANSWER("OKAY") \
	}
#define L1		"01-02 03:04:05.678  1  1 I a: one\n"
#define L2		"01-02 03:04:05.679  1  1 I a: two\n"
#define L3		"01-02 03:04:05.679  1  1 I a: three\n"
#define L4		"01-02 03:04:05.680  1  1 I a: four\n"
#define PACKET(n, text) "\1" n "\0\0\0" text

struct lines {
	struct buf text;
};

static void
hear(void *arg, const char *line, size_t len)
{
	struct lines *l = arg;

	buf_add(&l->text, line, len);
	buf_chr(&l->text, '\n');
}

static void
pump_until(struct adb_logcat *l, struct lines *seen, const char *wanted)
{
	struct deadline dl = deadline_in(NULL, 4000);
	struct err err = ERR_INIT;

	while (!strstr(seen->text.data, wanted)) {
		struct pollfd p[2] = {{.fd = adb_logcat_fd(l),
				       .events = adb_logcat_events(l)}};

		if (deadline_poll(dl, p, 1, adb_logcat_wait_ms(l), &err) ||
		    adb_logcat_pump(l, &err)) {
			printf("# %s\n", err.msg);
			return;
		}
	}
}

static void
gap_is_marked(enum fake_fault fault)
{
	static const struct fake_conn conn[] = {
		{{TRANSPORT,
		  {.request = "shell,v2,raw:logcat -v threadtime -b "
			      "'main,system,crash' -T '1'",
		   FAKE_ANSWER("OKAY")},
		  /* a packet's border in the middle of a line */
		  {FAKE_ANSWER(
			  PACKET("\x22", L1) PACKET("\x05", "01-02")
				  PACKET("\x1d", " 03:04:05.679  1  1 I a: "
						 "two\n"))}},
		 false},
		{{TRANSPORT,
		  {.request = "shell,v2,raw:logcat -v threadtime -b "
			      "'main,system,crash' -T "
			      "'01-02 03:04:05.679'",
		   FAKE_ANSWER("OKAY")},
		  {FAKE_ANSWER(PACKET("\x22", L2) PACKET("\x24", L3)
				       PACKET("\x23", L4))}},
		 true},
	};
	char serial[] = "S", features[] = "";
	char path[] = "/tmp/patrol-logcat-XXXXXX";
	int fd = mkstemp(path);
	struct lines seen = {BUF_INIT};
	struct fake f;
	struct adb_device dev = {.server = &f.server,
				 .serial = serial,
				 .features = features,
				 .shell = ADB_DEVICE_SHELL_V2};
	struct adb_logcat_spec spec = {
		.path = path, .line = hear, .arg = &seen};
	struct adb_logcat *l = NULL;
	AUTO_BUF struct buf file = BUF_INIT;
	struct err err = ERR_INIT;

	close(fd);
	fake_start(&f, conn, 2, fault);
	CHECK(adb_logcat_start(&l, &dev, &spec, deadline_in(NULL, 3000),
			       &err) == 0);
	REQUIRE(l);
	pump_until(l, &seen, "four");
	CHECK_STR(seen.text.data, L1 L2 L3 L4);
	CHECK(adb_logcat_gaps(l) == 1 && adb_logcat_lines(l) == 4);
	CHECK(adb_logcat_finish(l, "mark", deadline_in(NULL, 100), &err) == 0);
	adb_logcat_free(l);
	CHECK(file_read(path, &file, &err) == 0);
	CHECK_HAS(file.data, L1 L2 "--- gap: ");
	CHECK_HAS(file.data, " ---\n" L3 L4);
	CHECK(!f.unexpected);
	fake_stop(&f);
	buf_done(&seen.text);
	(void)unlink(path);
}

static void
whole_pieces(void)
{
	gap_is_marked(FAKE_PLAIN);
}

static void
single_bytes(void)
{
	gap_is_marked(FAKE_SINGLE_BYTES);
}

static void
silence_does_not_block(void)
{
	static const struct fake_conn conn = {
		{TRANSPORT,
		 {.request = "shell,v2,raw:logcat", FAKE_ANSWER("OKAY")}},
		true};
	char serial[] = "S", features[] = "";
	struct fake f;
	struct adb_device dev = {.server = &f.server,
				 .serial = serial,
				 .features = features,
				 .shell = ADB_DEVICE_SHELL_V2};
	struct adb_logcat_spec spec = {.path = NULL};
	struct adb_logcat *l = NULL;
	struct err err = ERR_INIT;

	fake_start(&f, &conn, 1, FAKE_STALLED);
	CHECK(adb_logcat_start(&l, &dev, &spec, deadline_in(NULL, 300), &err) ==
	      -1);
	CHECK(err.code == ERR_TIMEOUT);
	fake_stop(&f);
	fake_start(&f, &conn, 1, FAKE_PLAIN);
	REQUIRE(adb_logcat_start(&l, &dev, &spec, deadline_in(NULL, 3000),
				 &err) == 0);
	/* One that waited would wait for ever: nothing comes. */
	for (int i = 0; i < 100; i++)
		CHECK(adb_logcat_pump(l, &err) == 0);
	CHECK(adb_logcat_wait_ms(l) == -1);
	adb_logcat_free(l);
	fake_stop(&f);
}

CHECK_MAIN(CHECK_CASE("a log that breaks goes on without repeats and is marked",
		      whole_pieces),
	   CHECK_CASE("a log in single bytes keeps its lines", single_bytes),
	   CHECK_CASE("a silent log does not block", silence_does_not_block), )
