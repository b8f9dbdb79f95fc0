/* A repository of this machine: git itself serves it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "repo/repo_stream.h"
#include "transport/proc.h"
#include "transport/sock.h"

struct file {
	struct proc proc;
	int fd;	    /* its stdin and stdout */
	int err_fd; /* its stderr; -1: over */
	struct buf words;
};

/* What would lead git to another repository. */
static const char *const unset[] = {
	"GIT_DIR",
	"GIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR",
	"GIT_NAMESPACE",
	"GIT_QUARANTINE_PATH",
	"GIT_PROTOCOL",
	"GIT_TRACE",
	"GIT_TRACE_PACKET",
	NULL,
};

static void
serve_close(void *self)
{
	struct file *f = self;

	if (f->fd >= 0)
		close(f->fd);
	if (f->err_fd >= 0)
		close(f->err_fd);
	proc_stop(&f->proc, 0);
	buf_done(&f->words);
	free(f);
}

static int
start(struct file *f, const char *path, const char *service, struct err *err)
{
	/* "git-upload-pack" is "git upload-pack" everywhere. */
	const char *argv[] = {"git", service + 4, path, NULL};
	int pair[2], pipe_fd[2], rc;
	struct proc_spec spec = {.argv = argv, .unset = unset};

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_sys(err, "socketpair");
	f->fd = pair[0];
	if (pipe2(pipe_fd, O_CLOEXEC)) {
		close(pair[1]);
		return err_sys(err, "pipe");
	}
	f->err_fd = pipe_fd[0];
	spec.in_fd = spec.out_fd = pair[1];
	spec.err_fd = pipe_fd[1];
	rc = proc_start(&f->proc, &spec, err);
	close(pair[1]);
	close(pipe_fd[1]);
	if (rc && err->code == ERR_NOTFOUND)
		return err_hint(err, "a repository of this machine needs it: "
				     "apt-get install git");
	if (rc)
		return -1;
	if (fcntl(f->fd, F_SETFL, O_NONBLOCK) ||
	    fcntl(f->err_fd, F_SETFL, O_NONBLOCK))
		return err_sys(err, "fcntl");
	return 0;
}

int
repo_stream_file_open(void **out, const struct repo_remote *remote,
		      const char *service, struct err *err)
{
	struct file *f = mem_alloc(sizeof(*f));

	f->fd = f->err_fd = f->proc.pidfd = -1;
	buf_init(&f->words, REPO_STREAM_WORDS);
	if (start(f, remote->path, service, err)) {
		serve_close(f);
		return -1;
	}
	*out = f;
	return 0;
}

static ssize_t
serve_write(void *self, const char *data, size_t len, struct err *err)
{
	struct file *f = self;
	ssize_t n = send(f->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n >= 0)
		return n;
	if (errno == EAGAIN || errno == EINTR || errno == EPIPE)
		return 0; /* that it has gone is heard when it is read */
	return err_sys(err, "write to git");
}

static int
serve_write_end(void *self, struct err *err)
{
	struct file *f = self;

	(void)err;
	(void)shutdown(f->fd, SHUT_WR); /* it may be gone: heard by reading */
	return 0;
}

static void
take_words(struct file *f)
{
	char more[512];
	ssize_t n;

	while (f->err_fd >= 0 &&
	       ((n = read(f->err_fd, more, sizeof(more))) >= 0 ||
		errno == EINTR)) {
		if (n > 0) {
			buf_add(&f->words, more, (size_t)n);
		} else if (n == 0) {
			close(f->err_fd);
			f->err_fd = -1;
		}
	}
}

static ssize_t
serve_read(void *self, char *to, size_t room, struct err *err)
{
	struct file *f = self;
	ssize_t n;

	take_words(f);
	n = recv(f->fd, to, room, MSG_DONTWAIT);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return REPO_STREAM_ENDED;
	if (n > 0)
		return n;
	if (errno == EAGAIN || errno == EINTR)
		return REPO_STREAM_NOTHING;
	return err_sys(err, "read from git");
}

static int
serve_wait(void *self, bool to_write, struct deadline dl, struct err *err)
{
	const struct file *f = self;
	struct pollfd fds[3] = {
		{.fd = f->fd,
		 .events = (short)(POLLIN | (to_write ? POLLOUT : 0))},
		{.fd = f->err_fd, .events = POLLIN},
	};

	return deadline_poll(dl, fds, 2, -1, err);
}

static void
serve_words(void *self, struct buf *out)
{
	struct file *f = self;

	take_words(f);
	buf_add(out, f->words.data, f->words.len);
}

const struct repo_stream repo_stream_file = {
	.write = serve_write,
	.write_end = serve_write_end,
	.read = serve_read,
	.wait = serve_wait,
	.words = serve_words,
	.close = serve_close,
};
