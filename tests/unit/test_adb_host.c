#include "check.h"

#include "adb_fake.h"

#include "adb/adb_device.h"
#include "adb/adb_host.h"
#include "adb/adb_shell.h"
#include "adb/adb_stream.h"
#include "adb/adb_sync.h"
#include "base/deadline.h"
#include "base/file.h"

#define TRANSPORT                                                  \
	{                                                          \
		.request = "host:transport:S", FAKE_ANSWER("OKAY") \
	}

/* Each exchange as bytes, and the call that makes it. */

static int
do_version(struct fake *f, struct deadline dl, struct err *err)
{
	unsigned version = 0;

	if (adb_host_version(&f->server, &version, dl, err))
		return -1;
	CHECK(version == 41);
	return 0;
}

static int
do_devices(struct fake *f, struct deadline dl, struct err *err)
{
	struct adb_host_list list = {0};

	if (adb_host_devices(&f->server, &list, dl, err))
		return -1;
	CHECK(list.count == 1);
	CHECK_STR(list.item[0].model, "Pixel_6");
	adb_host_list_done(&list);
	return 0;
}

static int
do_connect(struct fake *f, struct deadline dl, struct err *err)
{
	return adb_host_connect(&f->server, "h:1", NULL, dl, err);
}

static int
do_open(struct fake *f, struct deadline dl, struct err *err)
{
	int fd = -1;

	if (adb_stream_open(&f->server, "S", "tcp:17320", &fd, dl, err))
		return -1;
	close(fd);
	return 0;
}

static int
do_shell(struct fake *f, struct deadline dl, struct err *err)
{
	char serial[] = "S", features[] = "";
	struct adb_device dev = {.server = &f->server,
				 .serial = serial,
				 .features = features,
				 .shell = ADB_DEVICE_SHELL_V2};
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, 1000);
	rc = adb_shell_run(&dev, "x", &r, dl, err);
	if (rc == 0) {
		CHECK(r.status == 3);
		CHECK_STR(r.out.data, "hi\n");
		CHECK_STR(r.err.data, "e\n");
	}
	adb_shell_result_done(&r);
	return rc;
}

static int
with_sync(struct fake *f,
	  int (*fn)(struct adb_sync *, struct deadline, struct err *),
	  struct deadline dl, struct err *err)
{
	char serial[] = "S", features[] = "stat_v2";
	struct adb_device dev = {
		.server = &f->server, .serial = serial, .features = features};
	struct adb_sync sync;
	int rc;

	if (adb_sync_open(&dev, &sync, dl, err))
		return -1;
	rc = fn(&sync, dl, err);
	adb_sync_close(&sync);
	return rc;
}

static int
sync_stat(struct adb_sync *sync, struct deadline dl, struct err *err)
{
	struct adb_sync_stat st = {0};

	if (adb_sync_stat(sync, "/f", &st, dl, err))
		return -1;
	CHECK(st.mode == 0100644 && st.size == 5 && st.mtime == 7);
	return 0;
}

static int
do_stat(struct fake *f, struct deadline dl, struct err *err)
{
	return with_sync(f, sync_stat, dl, err);
}

static int
sync_list(struct adb_sync *sync, struct deadline dl, struct err *err)
{
	struct adb_sync_list list = {0};

	if (adb_sync_list(sync, "/d", &list, dl, err))
		return -1;
	CHECK(list.count == 1);
	CHECK_STR(list.item[0].name, "abc");
	adb_sync_list_done(&list);
	return 0;
}

static int
do_list(struct fake *f, struct deadline dl, struct err *err)
{
	return with_sync(f, sync_list, dl, err);
}

static int
sync_read(struct adb_sync *sync, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (adb_sync_read(sync, "/f", &b, dl, err))
		return -1;
	CHECK_STR(b.data, "hello");
	return 0;
}

static int
do_read(struct fake *f, struct deadline dl, struct err *err)
{
	return with_sync(f, sync_read, dl, err);
}

static int
sync_push(struct adb_sync *sync, struct deadline dl, struct err *err)
{
	return adb_sync_push(sync, "VERSION", "/f", 0644, NULL, NULL, dl, err);
}

static int
do_push(struct fake *f, struct deadline dl, struct err *err)
{
	return with_sync(f, sync_push, dl, err);
}

#define STA2               \
	"STA2\0\0\0\0"     \
	"dddddddd"         \
	"iiiiiiii"         \
	"\xa4\x81\0\0"     \
	"nnnn"             \
	"uuuu"             \
	"gggg"             \
	"\5\0\0\0\0\0\0\0" \
	"aaaaaaaa"         \
	"\7\0\0\0\0\0\0\0" \
	"cccccccc"
#define SYNC                                            \
	TRANSPORT,                                      \
	{                                               \
		.request = "sync:", FAKE_ANSWER("OKAY") \
	}

static const struct exchange {
	const char *name;
	struct fake_conn conn;
	int (*run)(struct fake *f, struct deadline dl, struct err *err);
} exchanges[] = {
	{"version",
	 {{{.request = "host:version", FAKE_ANSWER("OKAY00040029")}}, false},
	 do_version},
	{"devices",
	 {{{.request = "host:devices-l",
	    FAKE_ANSWER("OKAY0043"
			"S                      device product:p "
			"model:Pixel_6 device:d t:1\n")}},
	  false},
	 do_devices},
	{"connect",
	 {{{.request = "host:connect:h:1",
	    FAKE_ANSWER("OKAY0010connected to h:1")}},
	  false},
	 do_connect},
	{"open",
	 {{TRANSPORT, {.request = "tcp:17320", FAKE_ANSWER("OKAY")}}, true},
	 do_open},
	{"shell",
	 {{TRANSPORT,
	   {.request = "shell,v2,raw:x", FAKE_ANSWER("OKAY")},
	   {.raw = 5, FAKE_ANSWER("\1\3\0\0\0hi\n\2\2\0\0\0e\n\3\1\0\0\0\3")}},
	  false},
	 do_shell},
	{"stat", {{SYNC, {.raw = 10, FAKE_ANSWER(STA2)}}, true}, do_stat},
	{"list",
	 {{SYNC,
	   {.raw = 10,
	    FAKE_ANSWER("DENT\xa4\x81\0\0\5\0\0\0\7\0\0\0\1\0\0\0."
			"DENT\xa4\x81\0\0\5\0\0\0\7\0\0\0\3\0\0\0abc"
			"DONE\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")}},
	  true},
	 do_list},
	{"pull",
	 {{SYNC,
	   {.raw = 10, FAKE_ANSWER(STA2)},
	   {.raw = 10,
	    FAKE_ANSWER("DATA\2\0\0\0heDATA\3\0\0\0llo"
			"DONE\0\0\0\0")}},
	  true},
	 do_read},
	{"push",
	 {{SYNC, {.raw = 8 + 8 + 8 + 6 + 8, FAKE_ANSWER("OKAY\0\0\0\0")}},
	  true},
	 do_push},
};

static void
play(enum fake_fault fault, enum err_code expected)
{
	for (size_t i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++) {
		struct fake f;
		struct err err = ERR_INIT;
		int rc;

		fake_start(&f, &exchanges[i].conn, 1, fault);
		rc = exchanges[i].run(
			&f,
			deadline_in(NULL, fault == FAKE_STALLED ? 150 : 5000),
			&err);
		if ((rc ? err.code : ERR_NONE) != expected)
			printf("# %s: %d %s\n", exchanges[i].name, rc, err.msg);
		CHECK((rc ? err.code : ERR_NONE) == expected);
		CHECK(!f.unexpected);
		fake_stop(&f);
	}
}

static void
all_work(void)
{
	play(FAKE_PLAIN, ERR_NONE);
}

static void
single_bytes_work(void)
{
	play(FAKE_SINGLE_BYTES, ERR_NONE);
}

static void
stalls_end_in_time(void)
{
	play(FAKE_STALLED, ERR_TIMEOUT);
}

static void
cuts_are_errors(void)
{
	play(FAKE_CUT, ERR_IO);
}

static void
resets_are_errors(void)
{
	play(FAKE_RESET, ERR_IO);
}

static enum err_code
version_of(const char *answer, size_t len, struct err *err)
{
	struct fake_conn conn = {
		{{.request = "host:version", .answer = answer, .len = len}},
		false};
	struct fake f;
	unsigned version;
	int rc;

	fake_start(&f, &conn, 1, FAKE_PLAIN);
	*err = (struct err)ERR_INIT;
	rc = adb_host_version(&f.server, &version, deadline_in(NULL, 3000),
			      err);
	fake_stop(&f);
	return rc ? err->code : ERR_NONE;
}
#define VERSION_OF(text, err) version_of(text, sizeof(text) - 1, err)

static void
another_program_is_told(void)
{
	struct err err;

	CHECK(VERSION_OF("SSH-2.0-OpenSSH_9.2\r\n", &err) == ERR_PROTO);
	CHECK_HAS(err.msg, "53 53 48 2d");
	CHECK_HAS(err.msg, "no adb server");
	CHECK(VERSION_OF("OKAYzz", &err) == ERR_IO);
	CHECK(VERSION_OF("OKAY00g4....", &err) == ERR_PROTO);
	CHECK(VERSION_OF("OKAY0004zzzz", &err) == ERR_PROTO);
	CHECK(VERSION_OF("OKAY0000", &err) == ERR_PROTO);
	CHECK(VERSION_OF("OKAYffff....", &err) == ERR_PROTO);
}

static void
refusal_keeps_reason(void)
{
	struct err err;

	CHECK(VERSION_OF("FAIL000cno\x1b[31m such", &err) == ERR_REMOTE);
	CHECK_HAS(err.msg, "no\\x1b[31m such");
	CHECK(VERSION_OF("FAIL00ffshort", &err) == ERR_IO);
}

static struct adb_host_list
parsed(const char *text, int *rc)
{
	struct adb_host_list list = {0};
	struct err err = ERR_INIT;

	*rc = adb_host_parse_devices(text, strlen(text), &list, &err);
	return list;
}

static void
lists_are_read(void)
{
	int rc;
	struct adb_host_list list = parsed(
		"1234567890123456789012 device product:a model:B_1 device:c "
		"transport_id:12\n"
		"192.168.1.2:5555       unauthorized transport_id:3\n"
		"emulator-5554\toffline\n"
		"USB1                   no permissions (user in plugdev "
		"group); see [http://x] usb:1-1 transport_id:4\n"
		"R                      recovery\n",
		&rc);

	REQUIRE(rc == 0 && list.count == 5);
	CHECK_STR(list.item[0].serial, "1234567890123456789012");
	CHECK(list.item[0].state == ADB_HOST_DEVICE);
	CHECK_STR(list.item[0].model, "B_1");
	CHECK(list.item[0].transport_id == 12);
	CHECK(list.item[1].state == ADB_HOST_UNAUTHORIZED);
	CHECK(list.item[2].state == ADB_HOST_OFFLINE);
	CHECK(list.item[3].state == ADB_HOST_NO_PERMISSION);
	CHECK(list.item[3].transport_id == 4);
	CHECK(list.item[4].state == ADB_HOST_OTHER);
	CHECK(adb_host_list_find(&list, "R") == &list.item[4]);
	CHECK(adb_host_list_find(&list, "r") == NULL);
	adb_host_list_done(&list);
	list = parsed("nonsense\n", &rc);
	CHECK(rc == -1 && list.count == 0);
	list = parsed(" device\n", &rc);
	CHECK(rc == -1);
}

static void
refused_service_is_told(void)
{
	static const struct fake_conn conn[] = {
		{{TRANSPORT,
		  {.request = "tcp:", FAKE_ANSWER("FAIL0006closed")}},
		 false},
		{{TRANSPORT, {.request = "tcp:", FAKE_ANSWER("FAIL0005other")}},
		 false},
	};
	struct fake f;
	struct err err = ERR_INIT;
	int fd = -1;

	fake_start(&f, conn, 2, FAKE_PLAIN);
	CHECK(adb_stream_open(&f.server, "S", "tcp:1", &fd,
			      deadline_in(NULL, 3000), &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.reason, "refused");
	err_clear(&err);
	CHECK(adb_stream_open(&f.server, "S", "tcp:1", &fd,
			      deadline_in(NULL, 3000), &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "other");
	fake_stop(&f);
}

/* The words of a refused transport differ by version; the state decides. */
static void
state_decides(void)
{
	static const struct {
		struct fake_conn conn[2];
		enum err_code code;
		const char *reason;
	} cases[] = {
#define REFUSED {.request = "host:transport:", FAKE_ANSWER("FAIL0003any")}
#define LIST(answer_)                                             \
	{                                                         \
		.request = "host:devices-l", FAKE_ANSWER(answer_) \
	}
		{{{{REFUSED}, false},
		  {{LIST("OKAY000fS unauthorized\n")}, false}},
		 ERR_AUTH,
		 "unauthorized"},
		{{{{REFUSED}, false}, {{LIST("OKAY000aS offline\n")}, false}},
		 ERR_IO,
		 "offline"},
		{{{{REFUSED}, false}, {{LIST("OKAY0000")}, false}},
		 ERR_NOTFOUND,
		 "absent"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake f;
		struct err err = ERR_INIT;
		int fd = -1;

		fake_start(&f, cases[i].conn, 2, FAKE_PLAIN);
		CHECK(adb_stream_open(&f.server, "S", "sync:", &fd,
				      deadline_in(NULL, 3000), &err) == -1);
		CHECK(err.code == cases[i].code);
		CHECK_STR(err.reason, cases[i].reason);
		CHECK_HAS(err.msg, "any");
		fake_stop(&f);
	}
}

CHECK_MAIN(CHECK_CASE("each exchange works", all_work),
	   CHECK_CASE("each exchange works in single bytes", single_bytes_work),
	   CHECK_CASE("a stalled exchange ends in time", stalls_end_in_time),
	   CHECK_CASE("a cut exchange is an error", cuts_are_errors),
	   CHECK_CASE("a reset exchange is an error", resets_are_errors),
	   CHECK_CASE("another program on the port is told by its bytes",
		      another_program_is_told),
	   CHECK_CASE("a refusal keeps the reason", refusal_keeps_reason),
	   CHECK_CASE("a list of devices is read", lists_are_read),
	   CHECK_CASE("a refused service is told apart",
		      refused_service_is_told),
	   CHECK_CASE("the state decides why a device is not there",
		      state_decides), )
