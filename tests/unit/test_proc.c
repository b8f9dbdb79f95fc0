#include "transport/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

enum { LONG_MS = 60000 };

static struct buf out;
static struct err err;

/* Run a shell line as a child; its exit status, -1 for an error. */
static int
sh(const char *line, int64_t ms)
{
	const char *const argv[] = {"sh", "-c", line, NULL};
	struct proc_spec spec = {.argv = argv, .out_fd = -1};
	int status = -1;

	buf_done(&out);
	buf_init(&out, 1 << 16);
	err_clear(&err);
	if (proc_capture(&spec, &out, &status, deadline_in(NULL, ms), &err))
		return -1;
	return status;
}

/*
 * valgrind ends a process whose exec fails, and does not pass on what kills a
 * grandchild: three cases say nothing there.
 */
static bool
under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload") != NULL;
}

static void
missing_is_not_failed(void)
{
	const char *const argv[] = {"patrol-no-such-program", NULL};
	const char *const dir[] = {"/dev/null", NULL};
	struct proc_spec spec = {.argv = argv, .out_fd = -1};
	AUTO_FREE char *script = file_join(getenv("TMPDIR"), "script");
	const char *const bad[] = {script, NULL};
	struct proc p;

	if (under_valgrind())
		return;
	err_clear(&err);
	CHECK(proc_start(&p, &spec, &err) == -1 && err.code == ERR_NOTFOUND);
	CHECK_HAS(err.msg, "'patrol-no-such-program' is not installed");
	proc_stop(&p, 0); /* nothing to do */
	spec.argv = dir;
	CHECK(proc_start(&p, &spec, &err) == -1);
	/* It is there and the system cannot start it. */
	REQUIRE(file_write_raw(script, "#!/dev/null/none\n", 17, &err) == 0);
	REQUIRE(chmod(script, 0755) == 0);
	spec.argv = bad;
	err_clear(&err);
	CHECK(proc_start(&p, &spec, &err) == -1 && err.sys != 0);
	CHECK_HAS(err.msg, "start '");
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	CHECK(sh("exit 3", LONG_MS) == 3);
	CHECK(sh("kill -9 $$", LONG_MS) == 128 + SIGKILL);
	buf_done(&out);
}

static void
output_is_captured(void)
{
	CHECK(sh("echo out; echo err >&2; cat", LONG_MS) == 0);
	CHECK_STR(out.data, "out\nerr\n");
	CHECK(sh("while :; do echo endless; done", LONG_MS) == -1);
	CHECK(err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "'sh': its output is larger than");
	buf_done(&out);
}

/* Wait until a process that is not our child has ended. */
static bool
ends(pid_t pid)
{
	AUTO_FD int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct err e = ERR_INIT;

	if (fd < 0)
		return errno == ESRCH;
	return deadline_wait(deadline_in(NULL, LONG_MS), fd, POLLIN, &e) == 0;
}

/* As the seccomp profile of an older Docker does. */
static int
refuse_pidfd_open(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void
works_without_pidfd(void)
{
	int status = -1;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (pid == 0)
		_exit(refuse_pidfd_open() ? 9 : sh("exit 3", LONG_MS));
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void
deadline_ends_the_group(void)
{
	pid_t grandchild;

	if (under_valgrind())
		return;
	/* Both hold the output open; the grandchild is in the group. */
	CHECK(sh("tail -f /dev/null & echo $!; wait", 300) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	grandchild = (pid_t)strtol(out.data, NULL, 10);
	CHECK(grandchild > 0 && ends(grandchild));
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	buf_done(&out);
}

static void
stop_is_polite_then_firm(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "said");
	AUTO_FREE char *line =
		mem_fmt("trap 'echo bye >%s; exit 0' TERM; echo ready; "
			"tail -f /dev/null & wait",
			path);
	const char *const argv[] = {"sh", "-c", line, NULL};
	struct proc_spec spec = {.argv = argv};
	struct proc p;
	char ready[6];
	int fd[2];

	err_clear(&err);
	REQUIRE(pipe2(fd, O_CLOEXEC) == 0);
	spec.out_fd = fd[1];
	REQUIRE(proc_start(&p, &spec, &err) == 0);
	close(fd[1]);
	CHECK(read(fd[0], ready, 6) == 6);
	proc_stop(&p, LONG_MS);
	CHECK(p.pid == 0 && file_exists(path));
	proc_stop(&p, 0);
	close(fd[0]);
	/* One that is deaf to TERM is killed. */
	CHECK(sh("trap '' TERM; while :; do :; done", 100) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	buf_done(&out);
}

static void
nothing_is_inherited(void)
{
	int leaky = open("/dev/null", O_RDONLY); /* not close-on-exec */
	int keep = open("/dev/null", O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *line =
		mem_fmt("cd /proc/$$/fd; test ! -e %d && test -e %d && "
			"test \"$(readlink 0)\" = /dev/null",
			leaky, keep);
	const char *const argv[] = {"sh", "-c", line, NULL};
	struct proc_spec spec = {
		.argv = argv, .out_fd = -1, .keep_fd = &keep, .keep_count = 1};
	int status = -1;

	err_clear(&err);
	buf_init(&out, 1 << 16);
	CHECK(proc_capture(&spec, &out, &status, deadline_in(NULL, LONG_MS),
			   &err) == 0);
	CHECK(status == 0);
	close(leaky);
	close(keep);
	buf_done(&out);
}

static void
environment_is_as_told(void)
{
	const char *const env[] = {"PT_B=new", "PT_C=3", NULL};
	const char *const unset[] = {"PT_A", NULL};
	const char *const argv[] = {
		"sh", "-c", "echo ${PT_A-none} $PT_AB $PT_B $PT_C", NULL};
	struct proc_spec spec = {
		.argv = argv, .out_fd = -1, .env = env, .unset = unset};
	int status = -1;

	(void)setenv("PT_A", "1", 1);
	(void)setenv("PT_AB", "2", 1);
	(void)setenv("PT_B", "old", 1);
	err_clear(&err);
	buf_init(&out, 1 << 16);
	CHECK(proc_capture(&spec, &out, &status, deadline_in(NULL, LONG_MS),
			   &err) == 0);
	CHECK_STR(out.data, "none 2 new 3\n");
	buf_done(&out);
}

static void
streams_are_as_told(void)
{
	const char *const argv[] = {"sh", "-c", "cat; echo complaint >&2",
				    NULL};
	struct proc_spec spec = {.argv = argv, .out_fd = -1};
	char said[64] = "", complained[64] = "";
	int in[2], words[2], status;
	struct proc p;

	buf_done(&out);
	buf_init(&out, 1 << 16);
	err_clear(&err);
	REQUIRE(pipe2(in, O_CLOEXEC) == 0 && pipe2(words, O_CLOEXEC) == 0);
	CHECK(write(in[1], "input", 5) == 5);
	close(in[1]);
	spec.in_fd = in[0];
	spec.err_fd = words[1];
	CHECK(proc_capture(&spec, &out, &status, deadline_in(NULL, LONG_MS),
			   &err) == 0);
	CHECK_STR(out.data, "input");
	CHECK(read(words[0], complained, sizeof(complained) - 1) > 0);
	CHECK_STR(complained, "complaint\n");
	/* Both may be one socket. */
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0);
	spec.in_fd = spec.out_fd = in[1];
	REQUIRE(proc_start(&p, &spec, &err) == 0);
	close(in[1]);
	CHECK(write(in[0], "both", 4) == 4);
	CHECK(shutdown(in[0], SHUT_WR) == 0);
	CHECK(proc_wait(&p, &status, deadline_in(NULL, LONG_MS), &err) == 0);
	CHECK(read(in[0], said, sizeof(said) - 1) == 4);
	CHECK_STR(said, "both");
	close(in[0]);
	close(words[0]);
	close(words[1]);
}

static void
dies_with_its_parent(void)
{
	int fd[2];
	pid_t child, grandchild = 0;

	if (under_valgrind())
		return;
	REQUIRE(pipe2(fd, O_CLOEXEC) == 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		const char *const argv[] = {"tail", "-f", "/dev/null", NULL};
		struct proc_spec spec = {.argv = argv, .out_fd = -1};
		struct proc p;

		if (proc_start(&p, &spec, &err) == 0 &&
		    write(fd[1], &p.pid, sizeof(p.pid)) < 0)
			_exit(1);
		(void)raise(SIGKILL);
		_exit(1);
	}
	close(fd[1]);
	CHECK(read(fd[0], &grandchild, sizeof(grandchild)) ==
	      sizeof(grandchild));
	CHECK(waitpid(child, NULL, 0) == child);
	CHECK(grandchild > 0 && ends(grandchild));
	close(fd[0]);
}

static void
signals_are_as_at_start(void)
{
	sigset_t all, old;

	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &old);
	/* No child of its own: a shell blocks signals while it forks. */
	CHECK(sh("while read a b; do case $a in SigBlk:) echo $b; esac; done "
		 "</proc/$$/status",
		 LONG_MS) == 0);
	CHECK_STR(out.data, "0000000000000000\n");
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	buf_done(&out);
}

static void
path_is_searched(void)
{
	AUTO_FREE char *sh_path = proc_find("sh");
	AUTO_FREE char *self = proc_find("/proc/self/exe");
	AUTO_FREE char *old = mem_strdup(getenv("PATH"));

	REQUIRE(sh_path && old);
	CHECK(sh_path[0] == '/');
	CHECK_STR(self, "/proc/self/exe");
	CHECK(!proc_find("patrol-no-such-program"));
	CHECK(!proc_find("/dev/null/none"));
	(void)setenv("PATH", "/dev/null", 1);
	CHECK(!proc_find("sh"));
	(void)setenv("PATH", old, 1);
}

CHECK_MAIN(
	CHECK_CASE("a missing program is told apart from one that failed",
		   missing_is_not_failed),
	CHECK_CASE("both outputs are captured within the limit",
		   output_is_captured),
	CHECK_CASE(
		"children are waited for in a container without pidfd_open()",
		works_without_pidfd),
	CHECK_CASE("a deadline ends the whole group", deadline_ends_the_group),
	CHECK_CASE("a stop is polite first and then firm",
		   stop_is_polite_then_firm),
	CHECK_CASE("a child inherits only what is named", nothing_is_inherited),
	CHECK_CASE("a child's environment is as told", environment_is_as_told),
	CHECK_CASE("a child's three streams are as told", streams_are_as_told),
	CHECK_CASE("a child dies with its parent", dies_with_its_parent),
	CHECK_CASE("a child starts with no signal blocked",
		   signals_are_as_at_start),
	CHECK_CASE("a program is looked up in PATH", path_is_searched), )
