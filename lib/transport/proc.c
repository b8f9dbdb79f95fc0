#include "transport/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

char *
proc_find(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? mem_strdup(name) : NULL;
	if (path == NULL || *path == '\0')
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*path) {
		size_t n = strcspn(path, ":");
		char *full = mem_fmt("%.*s/%s", n ? (int)n : 1, n ? path : ".",
				     name);

		if (access(full, X_OK) == 0)
			return full;
		free(full);
		path += n + (path[n] == ':');
	}
	return NULL;
}

/* Move `fd` out of 0..2, so that dup2 onto them cannot destroy it. */
static int
above_stdio(int fd)
{
	return fd > STDERR_FILENO
		       ? fd
		       : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static void
close_others(const struct proc_spec *spec, int status_fd)
{
	/* Everything of ours is close-on-exec; this is for the rest. */
	int from = STDERR_FILENO + 1;

	if (syscall(SYS_close_range, from, ~0u, 4 /* CLOEXEC */) != 0)
		errno = 0; /* an old kernel: close-on-exec has to do */
	for (size_t i = 0; i < spec->keep_count; i++)
		(void)fcntl(spec->keep_fd[i], F_SETFD, 0);
	(void)fcntl(status_fd, F_SETFD, FD_CLOEXEC);
}

/* Between fork and exec: only what is safe there. */
static void
child(const struct proc_spec *spec, const char *path, char **env,
      const int stdio[3], int status_fd, pid_t parent)
{
	sigset_t none;
	int failed;

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	if (dup2(stdio[0], STDIN_FILENO) >= 0 &&
	    dup2(stdio[1], STDOUT_FILENO) >= 0 &&
	    dup2(stdio[2], STDERR_FILENO) >= 0) {
		close_others(spec, status_fd);
		execve(path, (char *const *)(uintptr_t)spec->argv, env);
	}
	failed = errno;
	if (write(status_fd, &failed, sizeof(failed)) < 0)
		_exit(126);
	_exit(127);
}

static bool
named(const char *entry, const char *name, size_t len)
{
	return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

static bool
replaced(const struct proc_spec *spec, const char *entry)
{
	for (size_t i = 0; spec->unset && spec->unset[i]; i++) {
		if (named(entry, spec->unset[i], strlen(spec->unset[i])))
			return true;
	}
	for (size_t i = 0; spec->env && spec->env[i]; i++) {
		if (named(entry, spec->env[i], strcspn(spec->env[i], "=")))
			return true;
	}
	return false;
}

/* Ours, less `unset`, with `env` on top.  The strings are borrowed. */
static char **
environment(const struct proc_spec *spec)
{
	size_t n = 0, extra = 0;
	char **env;

	while (environ[n])
		n++;
	while (spec->env && spec->env[extra])
		extra++;
	env = mem_array(n + extra + 1, sizeof(*env));
	n = 0;
	for (char **e = environ; *e; e++) {
		if (!replaced(spec, *e))
			env[n++] = *e;
	}
	for (size_t i = 0; i < extra; i++)
		env[n++] = (char *)(uintptr_t)spec->env[i];
	return env;
}

int
proc_start(struct proc *p, const struct proc_spec *spec, struct err *err)
{
	AUTO_FREE char *path = proc_find(spec->argv[0]);
	AUTO_FREE char **env = NULL;
	AUTO_FD int null_fd = -1;
	AUTO_FD int status_read = -1;
	pid_t parent = getpid(), pid;
	int status[2], stdio[3], failed;
	ssize_t n;

	*p = (struct proc){.pidfd = -1, .name = spec->argv[0]};
	if (path == NULL)
		return err_set(err, ERR_NOTFOUND,
			       "program '%s' is not installed (not in PATH)",
			       spec->argv[0]);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		return err_sys(err, "open '/dev/null'");
	if (pipe2(status, O_CLOEXEC))
		return err_sys(err, "pipe");
	status_read = status[0];
	stdio[0] = above_stdio(spec->in_fd > 0 ? spec->in_fd : null_fd);
	stdio[1] = above_stdio(spec->out_fd >= 0 ? spec->out_fd : null_fd);
	stdio[2] = spec->err_fd > 0 ? above_stdio(spec->err_fd) : stdio[1];
	env = environment(spec);
	pid = fork();
	if (pid == 0)
		child(spec, path, env, stdio, status[1], parent);
	failed = errno;
	close(status[1]);
	if (pid < 0) {
		errno = failed;
		return err_sys(err, "start '%s'", spec->argv[0]);
	}
	/* Ends at once: exec closes it, or sends why it failed. */
	do {
		n = read(status_read, &failed, sizeof(failed));
	} while (n < 0 && errno == EINTR);
	if (n == sizeof(failed)) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		errno = failed;
		return err_sys(err, "start '%s'", path);
	}
	p->pid = pid;
	/*
	 * None on Linux before 5.3, under valgrind, and in containers that
	 * refuse what they do not know: proc_wait() looks.
	 */
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

static void
forget(struct proc *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
	p->pid = 0;
}

/* Without a descriptor to wait for. */
static int
wait_looking(struct proc *p, int *status, struct deadline dl, struct err *err)
{
	enum { LOOK_MS = 10 };
	pid_t pid;

	while ((pid = waitpid(p->pid, status, WNOHANG)) <= 0) {
		if (pid < 0 && errno != EINTR)
			return err_sys(err, "wait for '%s'", p->name);
		if (deadline_pause(dl, LOOK_MS, err))
			return err_wrap(err, "wait for '%s'", p->name);
	}
	forget(p);
	return 0;
}

int
proc_wait(struct proc *p, int *status, struct deadline dl, struct err *err)
{
	if (p->pidfd < 0)
		return wait_looking(p, status, dl, err);
	if (deadline_wait(dl, p->pidfd, POLLIN, err))
		return err_wrap(err, "wait for '%s'", p->name);
	while (waitpid(p->pid, status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(err, "wait for '%s'", p->name);
	}
	forget(p);
	return 0;
}

void
proc_stop(struct proc *p, int grace_ms)
{
	struct err err = ERR_INIT;
	int status;

	if (p->pid <= 0)
		return;
	(void)kill(-p->pid, SIGTERM);
	if (grace_ms > 0 &&
	    proc_wait(p, &status, deadline_in(NULL, grace_ms), &err) == 0)
		return;
	(void)kill(-p->pid, SIGKILL);
	(void)kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	forget(p);
}

static int
drain(int fd, struct buf *out, struct deadline dl, struct err *err)
{
	for (;;) {
		char chunk[16 << 10];
		ssize_t n;

		if (deadline_wait(dl, fd, POLLIN, err))
			return -1;
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return err_sys(err, "read");
		if (n == 0)
			return 0;
		buf_add(out, chunk, (size_t)n);
		if (buf_check(out, "its output", err))
			return -1;
	}
}

int
proc_capture(const struct proc_spec *spec, struct buf *out, int *exit_status,
	     struct deadline dl, struct err *err)
{
	struct proc_spec s = *spec;
	AUTO_FD int from = -1;
	struct proc p;
	int fds[2], status = 0;

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(err, "pipe");
	from = fds[0];
	s.out_fd = fds[1];
	if (proc_start(&p, &s, err)) {
		close(fds[1]);
		return -1;
	}
	close(fds[1]);
	if (drain(from, out, dl, err) || proc_wait(&p, &status, dl, err)) {
		proc_stop(&p, 0);
		return err_wrap(err, "'%s'", spec->argv[0]);
	}
	*exit_status = WIFEXITED(status) ? WEXITSTATUS(status)
					 : 128 + WTERMSIG(status);
	return 0;
}
