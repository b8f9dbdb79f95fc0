/* Connecting, the shell and streams, with the genuine daemon. */
#include "tests/real/ops.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "adb/adb_stream.h"
#include "base/digest.h"
#include "transport/sock.h"

static struct adb_shell_result
run(const char *command, size_t limit)
{
	struct adb_shell_result r;

	adb_shell_result_init(&r, limit);
	OPS_OK(adb_shell_run(&ops.dev, command, &r, OPS_SOON, &ops_err));
	return r;
}

static void
features_are_told(void)
{
	CHECK(ops.server.version >= 41);
	CHECK(ops.dev.shell == ADB_DEVICE_SHELL_V2);
	CHECK(adb_device_has(&ops.dev, "shell_v2"));
	CHECK(adb_device_has(&ops.dev, "cmd"));
	CHECK(adb_device_has(&ops.dev, "stat_v2"));
	CHECK(adb_device_has(&ops.dev, "ls_v2"));
	CHECK(!adb_device_has(&ops.dev, "no_such_thing"));
}

static void
list_has_it(void)
{
	struct adb_host_list list = {0};
	const struct adb_host_device *d;
	enum adb_host_state state = ADB_HOST_ABSENT;

	OPS_OK(adb_host_devices(&ops.server, &list, OPS_SOON, &ops_err));
	d = adb_host_list_find(&list, ops.address);
	CHECK(d && d->state == ADB_HOST_DEVICE && d->transport_id > 0);
	CHECK(list.count == 1);
	adb_host_list_done(&list);
	OPS_OK(adb_host_state(&ops.server, ops.address, &state, OPS_SOON,
			      &ops_err));
	CHECK(state == ADB_HOST_DEVICE);
	OPS_OK(adb_host_state(&ops.server, "nobody:1", &state, OPS_SOON,
			      &ops_err));
	CHECK(state == ADB_HOST_ABSENT);
}

static void
reconnects(void)
{
	struct adb_wait_spec wait = {.address = ops.address};
	enum adb_host_state state = ADB_HOST_OTHER;

	OPS_OK(adb_host_disconnect(&ops.server, ops.address, OPS_SOON,
				   &ops_err));
	OPS_OK(adb_host_disconnect(&ops.server, ops.address, OPS_SOON,
				   &ops_err));
	OPS_OK(adb_host_state(&ops.server, ops.address, &state, OPS_SOON,
			      &ops_err));
	CHECK(state == ADB_HOST_ABSENT);
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
	OPS_OK(adb_host_reconnect(&ops.server, ops.address, OPS_SOON,
				  &ops_err));
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
}

static void
status_and_streams(void)
{
	struct adb_shell_result r = run("echo out; echo err >&2; exit 7", 4096);

	CHECK(r.status == 7);
	CHECK_STR(r.out.data, "out\n");
	CHECK_STR(r.err.data, "err\n");
	adb_shell_result_done(&r);
	r = run("kill -9 $$", 4096);
	CHECK(r.status == 128 + SIGKILL);
	adb_shell_result_done(&r);
	r = run("nosuchprogram", 4096);
	CHECK(r.status == 127 && r.out.len == 0);
	CHECK_HAS(r.err.data, "not found");
	adb_shell_result_done(&r);
}

static void
marker_works(void)
{
	struct adb_shell_result r;

	ops.dev.shell = ADB_DEVICE_SHELL_MARKER;
	r = run("echo out; echo err >&2; sh -c 'exit 7'", 4096);
	CHECK(r.status == 7);
	CHECK_STR(r.out.data, "out\nerr\n");
	adb_shell_result_done(&r);
	r = run("printf 'no end of line'; true", 4096);
	CHECK(r.status == 0);
	CHECK_STR(r.out.data, "no end of line");
	adb_shell_result_done(&r);
	ops.dev.shell = ADB_DEVICE_SHELL_V2;
}

static void
output_is_exact(void)
{
	enum { LINES = 2000000 };
	struct digest *d = digest_new();
	struct adb_shell_result r;
	char line[32], ours[DIGEST_HEX], theirs[DIGEST_HEX];
	int64_t began = deadline_now_us();

	r = run("seq 2000000; seq 300000 >&2", 32 << 20);
	began = deadline_now_us() - began;
	for (int i = 1; i <= LINES; i++) {
		(void)snprintf(line, sizeof(line), "%d\n", i);
		digest_feed(d, line, strlen(line));
	}
	OPS_OK(digest_finish(d, ours, &ops_err));
	digest_feed(d, r.out.data, r.out.len);
	OPS_OK(digest_finish(d, theirs, &ops_err));
	CHECK_STR(theirs, ours);
	CHECK(r.err.len == 1988895 && r.status == 0);
	printf("# %zu bytes in %lld ms\n", r.out.len + r.err.len,
	       (long long)began / 1000);
	adb_shell_result_done(&r);
	digest_free(d);
}

static void
output_is_bounded(void)
{
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	adb_shell_result_init(&r, 1 << 20);
	CHECK(adb_shell_run(&ops.dev, "cat /dev/zero", &r, OPS_SOON, &err) ==
	      -1);
	CHECK(err.code == ERR_PROTO);
	adb_shell_result_done(&r);
}

static void
stdin_is_closed(void)
{
	struct adb_shell_result r = run("cat; echo end", 4096);

	CHECK_STR(r.out.data, "end\n");
	adb_shell_result_done(&r);
}

static void
silence_ends_in_time(void)
{
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	adb_shell_result_init(&r, 4096);
	CHECK(adb_shell_run(&ops.dev, "tail -f /dev/null", &r,
			    deadline_in(NULL, 300), &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	adb_shell_result_done(&r);
}

static int
gather(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
       struct err *err)
{
	(void)id;
	(void)err;
	buf_add(arg, data, len);
	return 0;
}

/* A command that is closed is ended, also one that never writes. */
static void
closing_ends_it(void)
{
	AUTO_BUF struct buf out = BUF_INIT;
	AUTO_FREE char *command = NULL;
	struct deadline dl = deadline_in(NULL, 10000);
	struct adb_shell sh = {.fd = -1};
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	OPS_OK(adb_shell_open(&ops.dev, "echo $$; exec tail -f /dev/null", &sh,
			      dl, &ops_err));
	REQUIRE(sh.fd >= 0);
	while (!strchr(out.data, '\n') &&
	       deadline_wait(dl, sh.fd, POLLIN, &err) == 0 &&
	       adb_shell_pump(&sh, gather, &out, &err) == 0)
		;
	CHECK(!sh.ended && out.len > 1);
	adb_shell_close(&sh);
	command = mem_fmt("kill -0 %ld", strtol(out.data, NULL, 10));
	do {
		r = run(command, 4096);
		adb_shell_result_done(&r);
	} while (r.status == 0 && deadline_pause(dl, 50, &err) == 0);
	CHECK(r.status != 0);
}

static void
exec_is_exact(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FD int fd = -1;
	bool same = true;

	OPS_OK(adb_stream_open(&ops.server, ops.address,
			       "exec:printf '\\000\\r\\n\\377'; "
			       "head -c 3000000 /dev/zero",
			       &fd, OPS_SOON, &ops_err));
	REQUIRE(fd >= 0);
	OPS_OK(sock_read_all(fd, &b, OPS_SOON, &ops_err));
	REQUIRE(b.len == 3000004);
	CHECK(memcmp(b.data, "\0\r\n\377", 4) == 0);
	for (size_t i = 4; i < b.len; i++)
		same = same && b.data[i] == 0;
	CHECK(same);
}

/* Send `size` bytes through `fd` and back from `peer`, both ways at once. */
static void
echo(int fd, int peer)
{
	enum { SIZE = 65536 };
	AUTO_FREE char *sent = mem_alloc(SIZE), *back = mem_alloc(SIZE);

	for (int round = 0; round < 64; round++) {
		for (int i = 0; i < SIZE; i++)
			sent[i] = (char)(i * 7 + round);
		OPS_OK(sock_write(fd, sent, SIZE, OPS_SOON, &ops_err));
		OPS_OK(sock_read(peer, back, SIZE, OPS_SOON, &ops_err));
		CHECK(memcmp(sent, back, SIZE) == 0);
		OPS_OK(sock_write(peer, back, SIZE, OPS_SOON, &ops_err));
		memset(sent, 0, SIZE);
		OPS_OK(sock_read(fd, sent, SIZE, OPS_SOON, &ops_err));
		CHECK(memcmp(sent, back, SIZE) == 0);
	}
}

static void
tcp_stream(void)
{
	AUTO_FREE char *service = NULL;
	AUTO_FD int listener = -1, fd = -1, peer = -1, none = -1;
	struct err err = ERR_INIT;
	int port = 0;

	OPS_OK(sock_listen(&listener, &port, &ops_err));
	service = mem_fmt("tcp:%d", port);
	OPS_OK(adb_stream_open(&ops.server, ops.address, service, &fd, OPS_SOON,
			       &ops_err));
	OPS_OK(sock_accept(listener, &peer, OPS_SOON, &ops_err));
	REQUIRE(fd >= 0 && peer >= 0);
	echo(fd, peer);
	close(peer);
	peer = -1;
	CHECK(sock_recv(fd, &port, 1, OPS_SOON, &err) == 0);
	close(listener);
	listener = -1;
	CHECK(adb_stream_open(&ops.server, ops.address, service, &none,
			      OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.reason, "refused");
}

static void
abstract_stream(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	AUTO_FREE char *service = NULL;
	AUTO_FD int listener = -1, fd = -1, peer = -1;
	struct err err = ERR_INIT;
	int n = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1,
			 "patrol-ops-%d", ops.port);

	listener =
		socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	REQUIRE(bind(listener, (struct sockaddr *)&un,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				 (size_t)n)) == 0);
	REQUIRE(listen(listener, 1) == 0);
	service = mem_fmt("localabstract:%s", un.sun_path + 1);
	OPS_OK(adb_stream_open(&ops.server, ops.address, service, &fd, OPS_SOON,
			       &ops_err));
	OPS_OK(sock_accept(listener, &peer, OPS_SOON, &ops_err));
	REQUIRE(fd >= 0 && peer >= 0);
	echo(fd, peer);
	CHECK(adb_stream_open(&ops.server, ops.address,
			      "localabstract:patrol-ops-none", &peer, OPS_SOON,
			      &err) == -1);
	CHECK_STR(err.reason, "refused");
}

static void
unknown_service(void)
{
	AUTO_FD int fd = -1;
	struct err err = ERR_INIT;

	CHECK(adb_stream_open(&ops.server, ops.address, "nosuch:1", &fd,
			      OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.reason, "refused");
	CHECK(adb_stream_open(&ops.server, "nobody:1", "shell:true", &fd,
			      OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.reason, "absent");
}

/* Wait for a first line, end the daemon, and read on. */
static int
cut(struct err *err)
{
	AUTO_BUF struct buf out = BUF_INIT;
	struct deadline dl = deadline_in(NULL, 20000);
	struct adb_shell sh = {.fd = -1};
	int rc = 0;

	if (adb_shell_open(&ops.dev, "echo begun; exec tail -f /dev/null", &sh,
			   dl, err))
		return -2;
	while (rc == 0 && !sh.ended) {
		if (strchr(out.data, '\n') && ops.daemon.pid)
			ops_daemon_kill();
		rc = deadline_wait(dl, sh.fd, POLLIN, err) ||
				     adb_shell_pump(&sh, gather, &out, err)
			     ? -1
			     : 0;
	}
	CHECK_STR(out.data, "begun\n");
	/* An end without an exit status, or a broken stream. */
	if (rc == 0)
		CHECK(sh.status == -1);
	else
		CHECK(err->code == ERR_IO);
	adb_shell_close(&sh);
	return rc;
}

static void
daemon_dies_and_returns(void)
{
	struct adb_wait_spec wait = {.address = ops.address};
	AUTO_FREE char *text = NULL;
	struct adb_shell_result r;
	struct err err = ERR_INIT;
	int port = ops.port;

	CHECK(cut(&err) != -2);
	/* Nobody is there now. */
	err_clear(&err);
	adb_shell_result_init(&r, 4096);
	CHECK(adb_shell_run(&ops.dev, "true", &r, deadline_in(NULL, 3000),
			    &err) == -1);
	adb_shell_result_done(&r);
	CHECK(err.code == ERR_IO || err.code == ERR_NOTFOUND);
	err_clear(&err);
	CHECK(adb_wait_device(&ops.server, &wait, deadline_in(NULL, 1500),
			      &err) == -1);
	CHECK(err.code == ERR_IO || err.code == ERR_NOTFOUND);
	ops_daemon_start(port);
	CHECK(ops.port == port);
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
	text = ops_shell("echo again");
	CHECK_STR(text, "again");
}

/* Of the daemon itself, which phone.sh's unshare has as its child. */
static pid_t
daemon_pid(void)
{
	AUTO_FREE char *path =
		mem_fmt("/proc/%d/task/%d/children", (int)ops.daemon.pid,
			(int)ops.daemon.pid);
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (file_read(path, &b, &err))
		return 0;
	return (pid_t)strtol(b.data, NULL, 10);
}

static void
standstill_ends_in_time(void)
{
	struct adb_shell_result r;
	struct err err = ERR_INIT;
	pid_t pid = daemon_pid();
	AUTO_FREE char *text = NULL;

	REQUIRE(pid > 1 && kill(pid, SIGSTOP) == 0);
	adb_shell_result_init(&r, 4096);
	CHECK(adb_shell_run(&ops.dev, "true", &r, deadline_in(NULL, 500),
			    &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	adb_shell_result_done(&r);
	(void)kill(pid, SIGCONT);
	(void)kill(ops.daemon.pid, SIGCONT);
	text = ops_shell("echo on");
	CHECK_STR(text, "on");
}

static void
connects(void)
{
	ops_begin();
}

CHECK_MAIN(
	CHECK_CASE("patrol connects to the daemon", connects),
	CHECK_CASE("the daemon's features are told", features_are_told),
	CHECK_CASE("the server's list and states have it", list_has_it),
	CHECK_CASE("disconnect, connect and reconnect end in a device",
		   reconnects),
	CHECK_CASE("the shell gives status, signal, stdout and stderr apart",
		   status_and_streams),
	CHECK_CASE("the marker does the same without shell v2", marker_works),
	CHECK_CASE("17 MB of output on two streams are exact", output_is_exact),
	CHECK_CASE("output without an end is refused", output_is_bounded),
	CHECK_CASE("a command's stdin is closed", stdin_is_closed),
	CHECK_CASE("a silent command ends in time", silence_ends_in_time),
	CHECK_CASE("a command that is closed ends on the phone",
		   closing_ends_it),
	CHECK_CASE("exec carries every byte", exec_is_exact),
	CHECK_CASE("a tcp stream carries both ways, its end, a refusal",
		   tcp_stream),
	CHECK_CASE("a localabstract stream does, too", abstract_stream),
	CHECK_CASE("an unknown service and an absent phone are told apart",
		   unknown_service),
	CHECK_CASE("a phone that stands still ends in time and goes on later",
		   standstill_ends_in_time),
	CHECK_CASE("a daemon that dies is no success, and is found again",
		   daemon_dies_and_returns), )
