/* Apps, the log, the screen, with the genuine daemon and scripted programs. */
#include "tests/real/ops.h"

#include <fcntl.h>

#include "adb/adb_install.h"
#include "adb/adb_install_call.h"
#include "adb/adb_logcat.h"
#include "adb/adb_package.h"
#include "adb/adb_screencap.h"

#define APP "com.example.game"
enum { APK_BYTES = 40 << 20 };

static char *apk;
static bool abb; /* the daemon announces abb_exec, which it can't serve */

static void
connects(void)
{
	AUTO_FREE char *data = mem_alloc(APK_BYTES);

	ops_begin();
	abb = adb_device_has(&ops.dev, "abb_exec");
	CHECK(abb == (getenv("OPS_ABB") != NULL));
	apk = file_join(ops.dir, "game.apk");
	for (size_t i = 0; i < APK_BYTES; i++)
		data[i] = (char)(i * i >> 7);
	OPS_OK(file_write_raw(apk, data, APK_BYTES, &ops_err));
}

static void
facts_are_read(void)
{
	struct adb_device_facts f = {0};
	long long space = -1;

	OPS_OK(adb_device_ready(&ops.dev, OPS_SOON, &ops_err));
	OPS_OK(adb_device_facts(&ops.dev, &f, OPS_SOON, &ops_err));
	CHECK_STR(f.model, "Pixel 6");
	CHECK_STR(f.serialno, "REAL0001");
	CHECK(f.sdk == 33 && f.width == 1080 && f.height == 2400);
	CHECK(f.ram_bytes > 100 << 20);
	adb_device_facts_done(&f);
	OPS_OK(adb_device_free_space(&ops.dev, &space, OPS_SOON, &ops_err));
	CHECK(space > 200 << 20 && space <= 256 << 20);
}

static void
phases(void *arg, enum adb_install_phase phase, int64_t now, int64_t total)
{
	int64_t *seen = arg;

	seen[phase]++;
	if (phase == ADB_INSTALL_SENDING)
		seen[2] = now == total ? now : 0;
}

/* By which way; NULL when it failed. */
static const char *
install(struct err *err)
{
	const char *const paths[] = {apk};
	int64_t seen[3] = {0};
	struct adb_install_spec spec = {.apk = paths,
					.apk_count = 1,
					.reinstall = true,
					.test_only = true,
					.grant = true,
					.progress = phases,
					.arg = seen};
	struct adb_install_result result = {0};

	*err = (struct err)ERR_INIT;
	if (adb_install_apk(&ops.dev, &spec, &result, OPS_SOON, err))
		return NULL;
	CHECK(seen[ADB_INSTALL_SENDING] > 1 && seen[ADB_INSTALL_WAITING] >= 1);
	CHECK(seen[2] == APK_BYTES && result.bytes == APK_BYTES);
	CHECK(result.send_ms > 0);
	printf("# by %s: sent in %lld ms\n", result.method,
	       (long long)result.send_ms);
	return result.method;
}

/* What lies on the phone is what was sent; /sdcard is a folder here. */
static void
expect_there(const char *local)
{
	AUTO_FREE char *path = NULL;
	AUTO_FREE char *copy = file_join(ops.dir, "sdcard/base.apk");
	const char *argv[] = {"cmp", local, copy, NULL};
	AUTO_BUF struct buf out = BUF_INIT;
	struct proc_spec spec = {.argv = argv, .out_fd = -1};
	int status = -1;

	OPS_OK(adb_package_path(&ops.dev, APP, &path, OPS_SOON, &ops_err));
	REQUIRE(path);
	CHECK_STR(path, "/data/app/base.apk");
	free(ops_shell("cp /data/app/base.apk /sdcard/base.apk"));
	OPS_OK(proc_capture(&spec, &out, &status, OPS_SOON, &ops_err));
	CHECK(status == 0);
}

static void
installs_streamed(void)
{
	struct err err;

	CHECK_STR(install(&err), "exec");
	expect_there(apk);
}

static void
package_is_told(void)
{
	struct adb_package_version v = {0};
	struct err err = ERR_INIT;
	char *path = NULL;
	int granted = -1;

	OPS_OK(adb_package_version(&ops.dev, APP, &v, OPS_SOON, &ops_err));
	CHECK_STR(v.name, "1.2.3");
	CHECK(v.code == 8 && v.debuggable == 1);
	adb_package_version_done(&v);
	OPS_OK(adb_package_grant(&ops.dev, APP, "android.permission.CAMERA",
				 &granted, OPS_SOON, &ops_err));
	CHECK(granted == 1);
	OPS_OK(adb_package_grant(&ops.dev, APP, "android.permission.NONE",
				 &granted, OPS_SOON, &ops_err));
	CHECK(granted == 0);
	OPS_OK(adb_package_uninstall(&ops.dev, APP, OPS_SOON, &ops_err));
	OPS_OK(adb_package_uninstall(&ops.dev, APP, OPS_SOON, &ops_err));
	CHECK(adb_package_path(&ops.dev, APP, &path, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK(adb_package_version(&ops.dev, "com.example.none", &v, OPS_SOON,
				  &err) == -1);
}

static void
refusal_keeps_code(void)
{
	struct err err;

	ops_mode("cmd", "refuse");
	CHECK(!install(&err));
	CHECK(err.code == ERR_REMOTE);
	CHECK_STR(err.reason, "INSTALL_FAILED_VERSION_DOWNGRADE");
	CHECK_HAS(err.msg, "7 < 8");
	ops_mode("cmd", "early");
	CHECK(!install(&err));
	CHECK(err.code == ERR_REMOTE);
	CHECK_STR(err.reason, "INSTALL_FAILED_INVALID_APK");
	ops_mode("cmd", "none");
}

static void
late_verdict_is_told(void)
{
	const char *const paths[] = {apk};
	struct adb_install_spec spec = {.apk = paths, .apk_count = 1};
	struct err err = ERR_INIT;

	ops_mode("cmd", "late");
	CHECK(adb_install_apk(&ops.dev, &spec, NULL, deadline_in(NULL, 3000),
			      &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK_STR(err.reason, "install_waiting");
	ops_mode("cmd", "none");
}

static void
falls_back_to_push(void)
{
	AUTO_FREE char *left = NULL;
	struct err err;

	ops_mode("cmd", "absent");
	CHECK_STR(install(&err), "push");
	expect_there(apk);
	ops_mode("pm", "refuse");
	CHECK(!install(&err));
	CHECK_STR(err.reason, "INSTALL_FAILED_VERSION_DOWNGRADE");
	ops_mode("pm", "none");
	ops_mode("cmd", "none");
	left = ops_shell("ls /data/local/tmp");
	CHECK_STR(left, "");
}

static void
nothing(void *arg, size_t more)
{
	(void)arg;
	(void)more;
}

static void
nothing_more(void *arg)
{
	(void)arg;
}

/* The way over shell v2's stdin, which a phone without exec would need. */
static void
installs_by_stdin(void)
{
	AUTO_FREE char *size = mem_fmt("%d", APK_BYTES);
	struct adb_install_call c = {.dev = &ops.dev,
				     .way = ADB_INSTALL_CALL_SHELL,
				     .sent = nothing,
				     .all_sent = nothing_more};
	AUTO_BUF struct buf text = BUF_INIT;

	adb_install_call_add(&c, "install");
	adb_install_call_add(&c, "-S");
	adb_install_call_add(&c, size);
	c.file = open(apk, O_RDONLY | O_CLOEXEC);
	OPS_OK(adb_install_call_do(&c, &text, OPS_SOON, &ops_err));
	OPS_OK(adb_install_verdict(text.data, text.len, &ops_err));
	close(c.file);
	expect_there(apk);
}

static void
installs_splits(void)
{
	AUTO_FREE char *split = file_join(ops.dir, "split.apk");
	AUTO_FREE char *left = NULL;
	const char *const paths[] = {apk, split};
	struct adb_install_spec spec = {.apk = paths, .apk_count = 2};
	struct adb_install_result result = {0};
	struct err err = ERR_INIT;

	OPS_OK(file_write_raw(split, "PK split", 8, &ops_err));
	OPS_OK(adb_install_apk(&ops.dev, &spec, &result, OPS_SOON, &ops_err));
	CHECK_STR(result.method, "exec");
	expect_there(apk);
	left = ops_shell("cat /data/app/split-1.apk; rm /data/app/split-1.apk");
	CHECK_STR(left, "PK split");
	ops_mode("cmd", "refuse");
	CHECK(adb_install_apk(&ops.dev, &spec, NULL, OPS_SOON, &err) == -1);
	CHECK_STR(err.reason, "INSTALL_FAILED_VERSION_DOWNGRADE");
	ops_mode("cmd", "none");
	free(left);
	left = ops_shell("ls /data/app");
	CHECK_STR(left, "base.apk");
}

static void
screen_is_taken(void)
{
	AUTO_BUF struct buf png = BUF_INIT;
	struct err err = ERR_INIT;

	OPS_OK(adb_screencap_take(&ops.dev, &png, OPS_SOON, &ops_err));
	CHECK(png.len == 70 && memcmp(png.data, "\x89PNG\r\n\x1a\n", 8) == 0);
	ops_mode("screencap", "folds");
	buf_clear(&png);
	OPS_OK(adb_screencap_take(&ops.dev, &png, OPS_SOON, &ops_err));
	CHECK(png.len == 70);
	ops_mode("screencap", "absent");
	buf_clear(&png);
	CHECK(adb_screencap_take(&ops.dev, &png, OPS_SOON, &err) == -1);
	ops_mode("screencap", "none");
}

struct log_seen {
	size_t lines;
	char last[256];
};

static void
on_line(void *arg, const char *line, size_t len)
{
	struct log_seen *s = arg;

	s->lines++;
	(void)snprintf(s->last, sizeof(s->last), "%.*s", (int)len, line);
}

static void
pump_until(struct adb_logcat *l, const struct log_seen *seen, const char *want)
{
	struct deadline dl = deadline_in(NULL, 30000);
	struct err err = ERR_INIT;

	while (!strstr(seen->last, want)) {
		struct pollfd p[2] = {{.fd = adb_logcat_fd(l),
				       .events = adb_logcat_events(l)}};

		if (deadline_poll(dl, p, 1, adb_logcat_wait_ms(l), &err) ||
		    adb_logcat_pump(l, &err)) {
			printf("# %s, waiting for '%s'\n", err.msg, want);
			check_failed_++;
			return;
		}
	}
}

static void
log_is_followed(void)
{
	AUTO_FREE char *path = file_join(ops.dir, "log");
	AUTO_BUF struct buf file = BUF_INIT;
	struct adb_wait_spec wait = {.address = ops.address};
	struct adb_logcat *l = NULL;
	struct log_seen seen = {0};
	struct adb_logcat_spec spec = {
		.path = path, .line = on_line, .arg = &seen};
	int port = ops.port;
	size_t lines;

	OPS_OK(adb_logcat_start(&l, &ops.dev, &spec, OPS_SOON, &ops_err));
	REQUIRE(l);
	free(ops_shell("log -t game one; log -t game two"));
	pump_until(l, &seen, "two");
	CHECK(adb_logcat_gaps(l) == 0);
	/* The phone reboots: the log goes on, with the gap marked. */
	ops_daemon_kill();
	ops_daemon_start(port);
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
	free(ops_shell("log -t game three"));
	pump_until(l, &seen, "three");
	CHECK(adb_logcat_gaps(l) >= 1);
	free(ops_shell("log -t game four"));
	lines = seen.lines;
	OPS_OK(adb_logcat_finish(l, "endmark1", OPS_SOON, &ops_err));
	CHECK(seen.lines > lines);
	adb_logcat_free(l);
	OPS_OK(file_read(path, &file, &ops_err));
	CHECK_HAS(file.data, "game: one\n");
	CHECK_HAS(file.data, "--- gap: ");
	CHECK_HAS(file.data, "game: four\n");
}

CHECK_MAIN(CHECK_CASE("patrol connects to the daemon", connects),
	   CHECK_CASE("facts, readiness and space are read", facts_are_read),
	   CHECK_CASE("an APK is installed, streamed", installs_streamed),
	   CHECK_CASE("packages are told, granted and removed",
		      package_is_told),
	   CHECK_CASE("a refusal, early or late, keeps its code",
		      refusal_keeps_code),
	   CHECK_CASE("a verdict that does not come is told as that",
		      late_verdict_is_told),
	   CHECK_CASE("without cmd the APK is pushed, and removed again",
		      falls_back_to_push),
	   CHECK_CASE("an APK can come over shell v2's stdin",
		      installs_by_stdin),
	   CHECK_CASE("a split set is one session, abandoned when refused",
		      installs_splits),
	   CHECK_CASE("the screen is taken, whatever stands before it",
		      screen_is_taken),
	   CHECK_CASE("the log goes on after a reboot, the gap marked",
		      log_is_followed), )
