#include "check.h"

#include <unistd.h>

#include "adb_fake.h"

#include "adb/adb_install.h"
#include "adb/adb_install_cure.h"
#include "base/deadline.h"
#include "base/file.h"

static int
verdict(const char *text, struct err *err)
{
	*err = (struct err)ERR_INIT;
	return adb_install_verdict(text, strlen(text), err);
}

static void
verdicts_are_read(void)
{
	struct err err;

	CHECK(verdict("Success\n", &err) == 0);
	CHECK(verdict("\tpkg: /data/local/tmp/x.apk\r\nSuccess\r\n", &err) ==
	      0);
	CHECK(verdict("Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Package "
		      "x]\n",
		      &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_STR(err.reason, "INSTALL_FAILED_VERSION_DOWNGRADE");
	CHECK_HAS(err.msg, "Package x");
	CHECK_HAS(err.msg, "allow a downgrade");
	CHECK(verdict("Failure [INSTALL_FAILED_NO_MATCHING_ABIS]", &err) == -1);
	CHECK_STR(err.reason, "INSTALL_FAILED_NO_MATCHING_ABIS");
	CHECK(verdict("Failure [INSTALL_SOMETHING_NEW: why]\n", &err) == -1);
	CHECK_STR(err.reason, "install_failed");
	CHECK_HAS(err.msg, "INSTALL_SOMETHING_NEW: why");
	CHECK(verdict("Failure calling service package: Broken pipe (32)\n",
		      &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK(verdict("cmd: Can't find service: package\n", &err) == -1);
	CHECK(err.code == ERR_PROTO);
	CHECK(verdict("", &err) == -1);
	CHECK(err.code == ERR_PROTO);
}

/* The wordings of public reports (both texts of the signature conflict). */
static void
reports_have_cures(void)
{
	static const struct {
		const char *text, *cure;
	} cases[] = {
		{"Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package x "
		 "signatures do not match previously installed version; "
		 "ignoring!]",
		 "another signing key"},
		{"Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing "
		 "package x signatures do not match newer version]",
		 "another signing key"},
		{"Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled "
		 "by user]",
		 "Install via USB"},
		{"Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]",
		 "the phone is full"},
		{"Failure [INSTALL_FAILED_TEST_ONLY: installPackageLI]",
		 "install with -t"},
		{"Failure [INSTALL_PARSE_FAILED_NO_CERTIFICATES: Failed "
		 "collecting certificates]",
		 "not signed"},
		{"Failure [INSTALL_FAILED_VERIFICATION_FAILURE]",
		 "Play Protect"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err;

		CHECK(verdict(cases[i].text, &err) == -1);
		CHECK_HAS(err.msg, cases[i].cure);
	}
	CHECK(adb_install_cure_row("INSTALL_FAILED_OLDER_SDK") != NULL);
	CHECK(adb_install_cure_row("X") == NULL);
	CHECK(adb_install_cure("X") != NULL);
}

#define TRANSPORT                                                  \
	{                                                          \
		.request = "host:transport:S", FAKE_ANSWER("OKAY") \
	}
#define DF                                                                  \
	{                                                                   \
		{TRANSPORT,                                                 \
		 {.request = "shell,v2,raw:df", FAKE_ANSWER("OKAY")},       \
		 {FAKE_ANSWER(                                              \
			 "\1\x23\0\0\0/dev/x 900000 1000 899000 1% /data\n" \
			 "\3\1\0\0\0\0")}},                                 \
			false                                               \
	}

static char apk[] = "/tmp/patrol-apk-XXXXXX";

static void
make_apk(void)
{
	int fd = mkstemp(apk);

	if (fd < 0 || write(fd, "0123456789", 10) != 10)
		exit(1);
	close(fd);
}

struct told {
	int sending, waiting;
	int64_t last;
};

static void
progress(void *arg, enum adb_install_phase phase, int64_t now, int64_t total)
{
	struct told *t = arg;

	(void)total;
	t->sending += phase == ADB_INSTALL_SENDING;
	t->waiting += phase == ADB_INSTALL_WAITING;
	t->last = now;
}

static int
install(const struct fake_conn *conn, size_t count, const char *features,
	int64_t ms, struct adb_install_result *result, struct told *told,
	struct err *err)
{
	char serial[] = "S";
	AUTO_FREE char *announced = mem_strdup(features);
	struct fake f;
	struct adb_device dev = {.server = &f.server,
				 .serial = serial,
				 .features = announced,
				 .shell = ADB_DEVICE_SHELL_V2,
				 .sdk = 33};
	const char *paths[] = {apk};
	struct adb_install_spec spec = {.apk = paths,
					.apk_count = 1,
					.reinstall = true,
					.progress = progress,
					.arg = told};
	int rc;

	make_apk();
	*err = (struct err)ERR_INIT;
	fake_start(&f, conn, count, FAKE_PLAIN);
	rc = adb_install_apk(&dev, &spec, result, deadline_in(NULL, ms), err);
	CHECK(!f.unexpected);
	fake_stop(&f);
	(void)unlink(apk);
	memcpy(apk + sizeof(apk) - 7, "XXXXXX", 6);
	return rc;
}

static void
refused_abb_falls_back(void)
{
	static const struct fake_conn conn[] = {
		DF,
		{{TRANSPORT,
		  {.request = "abb_exec:package",
		   FAKE_ANSWER("FAIL0006closed")}},
		 false},
		{{TRANSPORT,
		  {.request = "exec:cmd package 'install' '-r' '-S' '10'",
		   FAKE_ANSWER("OKAY")},
		  {.raw = 10, FAKE_ANSWER("Success\n")}},
		 false},
	};
	struct adb_install_result result = {0};
	struct told told = {0};
	struct err err;

	CHECK(install(conn, 3, "cmd,abb_exec", 5000, &result, &told, &err) ==
	      0);
	CHECK_STR(result.method, "exec");
	CHECK(told.sending >= 1 && told.waiting == 1 && told.last == 10);
	CHECK(result.free_bytes == 899000LL * 1024);
}

static void
missing_cmd_falls_back(void)
{
	static const struct fake_conn conn[] = {
		DF,
		{{TRANSPORT,
		  {.request = "exec:", FAKE_ANSWER("OKAY")},
		  {FAKE_ANSWER("/system/bin/sh: cmd: not found\n")}},
		 false},
		{{TRANSPORT,
		  {.request = "shell,v2,raw:cmd package", FAKE_ANSWER("OKAY")},
		  {.raw = 5 + 10 + 5,
		   FAKE_ANSWER("\1\x08\0\0\0Success\n\3\1\0\0\0\0")}},
		 false},
	};
	struct adb_install_result result = {0};
	struct told told = {0};
	struct err err;

	CHECK(install(conn, 3, "cmd", 5000, &result, &told, &err) == 0);
	CHECK_STR(result.method, "shell");
}

static void
refusal_ends_it(void)
{
	static const struct fake_conn conn[] = {
		DF,
		{{TRANSPORT,
		  {.request = "exec:", FAKE_ANSWER("OKAY")},
		  {FAKE_ANSWER("Failure [INSTALL_FAILED_OLDER_SDK: x]\n")}},
		 false},
	};
	struct told told = {0};
	struct err err;

	CHECK(install(conn, 2, "cmd", 5000, NULL, &told, &err) == -1);
	CHECK_STR(err.reason, "INSTALL_FAILED_OLDER_SDK");
	CHECK_HAS(err.msg, "minSdkVersion");
}

static void
late_verdict_is_told(void)
{
	static const struct fake_conn conn[] = {
		DF,
		{{TRANSPORT,
		  {.request = "exec:", FAKE_ANSWER("OKAY")},
		  {.raw = 10, FAKE_ANSWER("waiting\n")}},
		 true},
	};
	struct told told = {0};
	struct err err;

	CHECK(install(conn, 2, "cmd", 300, NULL, &told, &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK_STR(err.reason, "install_waiting");
	CHECK(told.waiting == 1);
}

static void
cut_is_an_error(void)
{
	static const struct fake_conn conn[] = {
		DF,
		{{TRANSPORT,
		  {.request = "exec:", FAKE_ANSWER("OKAY")},
		  {.raw = 10}},
		 false},
	};
	struct told told = {0};
	struct err err;

	CHECK(install(conn, 2, "cmd", 3000, NULL, &told, &err) == -1);
	CHECK(err.code == ERR_IO);
}

static void
full_phone_is_told_before(void)
{
	static const struct fake_conn conn[] = {
		{{TRANSPORT,
		  {.request = "shell,v2,raw:df", FAKE_ANSWER("OKAY")},
		  {FAKE_ANSWER("\1\x15\0\0\0/dev/x 9 9 0 9% /data"
			       "\3\1\0\0\0\0")}},
		 false},
	};
	struct told told = {0};
	struct err err;

	CHECK(install(conn, 1, "cmd", 3000, NULL, &told, &err) == -1);
	CHECK_STR(err.reason, "INSTALL_FAILED_INSUFFICIENT_STORAGE");
	CHECK(told.sending == 0);
}

CHECK_MAIN(CHECK_CASE("verdicts are read", verdicts_are_read),
	   CHECK_CASE("refusals of public reports have a cure",
		      reports_have_cures),
	   CHECK_CASE("abb_exec that is announced and refused falls back",
		      refused_abb_falls_back),
	   CHECK_CASE("a phone without cmd falls back", missing_cmd_falls_back),
	   CHECK_CASE("a refusal ends the install and keeps its code",
		      refusal_ends_it),
	   CHECK_CASE("a verdict that does not come is told as such",
		      late_verdict_is_told),
	   CHECK_CASE("an end without a verdict is an error", cut_is_an_error),
	   CHECK_CASE("a full phone is told before anything is sent",
		      full_phone_is_told_before), )
