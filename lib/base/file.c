#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/mem.h"
#include "base/secret.h"

enum { READ_STEP = 64 << 10 };

int
file_read(const char *path, struct buf *b, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	AUTO_FD int own = -1;
	int fd = STDIN_FILENO;

	if (!is_stdin) {
		own = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		/* A named pipe that nobody writes to. */
		if (own < 0 && errno == EINTR)
			return err_set(err, ERR_CANCELLED,
				       "open '%s': cancelled by a signal",
				       path);
		if (own < 0)
			return err_sys(err, "open '%s'", path);
		fd = own;
	}
	for (;;) {
		char chunk[READ_STEP];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		/* A terminal or pipe with nobody at its other end. */
		if (n < 0 && errno == EINTR)
			return err_set(err, ERR_CANCELLED,
				       "read '%s': cancelled by a signal",
				       path);
		if (n < 0)
			return err_sys(err, "read '%s'", path);
		if (n == 0)
			return 0;
		buf_add(b, chunk, (size_t)n);
		explicit_bzero(chunk, (size_t)n); /* it may be a key */
		if (buf_check(b, path, err))
			return -1;
	}
}

int
file_write_all(int fd, const void *data, size_t len, const char *what,
	       struct err *err)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "write '%s'", what);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

bool
file_say(int fd, const char *text, size_t len, int64_t wait_ms)
{
	struct deadline dl = deadline_in(NULL, wait_ms);
	struct err err = ERR_INIT;

	while (len > 0) {
		/* A pipe that can be written to takes so much at once. */
		size_t some = len < PIPE_BUF ? len : PIPE_BUF;
		ssize_t n;

		if (deadline_wait(dl, fd, POLLOUT, &err))
			return false;
		n = write(fd, text, some);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

/* The usual reason: its folder is not there. */
static void
cant_open(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *dir = NULL;
	int number = errno;

	err_sys(err, "open '%s'", path);
	if (number != ENOENT || !slash || slash == path)
		return;
	dir = mem_strndup(path, (size_t)(slash - path));
	if (!file_exists(dir))
		err_hint(err, "make the folder '%s' first", dir);
}

int
file_part_open(struct file_part *p, const char *path, struct err *err)
{
	struct stat st;
	bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);

	*p = (struct file_part){.fd = -1, .path = mem_strdup(path)};
	if (!special)
		p->part = mem_fmt("%s.part", path);
	p->fd = open(special ? path : p->part,
		     O_WRONLY | O_CLOEXEC | O_NOCTTY |
			     (special ? 0 : O_CREAT | O_TRUNC),
		     0644);
	if (p->fd < 0) {
		cant_open(special ? path : p->part, err);
		free(p->part);
		p->part = NULL;
		file_part_done(p);
		return -1;
	}
	return 0;
}

int
file_part_write(struct file_part *p, const void *data, size_t len,
		struct err *err)
{
	return file_write_all(p->fd, data, len, p->path, err);
}

int
file_part_sync(struct file_part *p, struct err *err)
{
	if (p->part && fsync(p->fd))
		return err_sys(err, "flush '%s'", p->path);
	return 0;
}

int
file_part_commit(struct file_part *p, struct err *err)
{
	int fd = p->fd;

	p->fd = -1;
	if (close(fd))
		return err_sys(err, "close '%s'", p->path);
	if (p->part && rename(p->part, p->path))
		return err_sys(err, "rename to '%s'", p->path);
	free(p->part);
	p->part = NULL;
	return 0;
}

void
file_part_leave(struct file_part *p)
{
	free(p->part);
	p->part = NULL;
}

void
file_part_done(struct file_part *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->part)
		(void)unlink(p->part); /* may not have been made */
	free(p->part);
	free(p->path);
	*p = (struct file_part){.fd = -1};
}

int
file_write_raw(const char *path, const void *data, size_t len, struct err *err)
{
	struct file_part p;
	int rc = -1;

	if (file_part_open(&p, path, err))
		return -1;
	if (!file_part_write(&p, data, len, err) && !file_part_sync(&p, err) &&
	    !file_part_commit(&p, err))
		rc = 0;
	file_part_done(&p);
	return rc;
}

/* A redacted copy of some bytes. */
static void
redacted(struct buf *b, const char *data, size_t len)
{
	buf_init(b, len + 1);
	buf_add(b, data, len);
	secret_redact(b);
}

int
file_write(const char *path, const char *data, size_t len, struct err *err)
{
	AUTO_BUF struct buf b;

	redacted(&b, data, len);
	return file_write_raw(path, b.data, b.len, err);
}

int
file_append(const char *path, const char *data, size_t len, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FD int fd = -1;

	redacted(&b, data, len);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	return file_write_all(fd, b.data, b.len, path, err);
}

int
file_mkdirs(const char *path, struct err *err)
{
	AUTO_FREE char *p = mem_strdup(path);
	struct stat st;

	for (char *s = p + 1; *p; s++) {
		char c = *s;

		if (c != '/' && c != '\0')
			continue;
		*s = '\0';
		if (mkdir(p, 0755) && errno != EEXIST)
			return err_sys(err, "make folder '%s'", p);
		*s = c;
		if (c == '\0')
			break;
	}
	if (stat(path, &st))
		return err_sys(err, "folder '%s'", path);
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return err_sys(err, "make folder '%s'", path);
	}
	return 0;
}

char *
file_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	return mem_fmt("%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/",
		       name);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int
file_remove_tree(const char *path, struct err *err)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) &&
	    errno != ENOENT)
		return err_sys(err, "remove '%s'", path);
	return 0;
}

struct file_removal {
	pthread_t thread;
	bool running;
	char *path;
	struct err err;
	int rc;
};

static void *
remove_work(void *arg)
{
	struct file_removal *f = arg;

	f->rc = file_remove_tree(f->path, &f->err);
	return NULL;
}

struct file_removal *
file_remove_begin(const char *path)
{
	struct file_removal *f = mem_alloc(sizeof(*f));
	sigset_t all, before;

	f->path = mem_strdup(path);
	f->err = (struct err)ERR_INIT;
	sigfillset(&all); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	f->running = pthread_create(&f->thread, NULL, remove_work, f) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return f;
}

int
file_remove_end(struct file_removal *f, struct err *err)
{
	int rc;

	if (!f)
		return 0;
	if (f->running)
		pthread_join(f->thread, NULL);
	else
		(void)remove_work(f);
	rc = f->rc;
	if (rc)
		*err = f->err;
	free(f->path);
	free(f);
	return rc;
}

int
file_lock(const char *path, int *fd, struct err *err)
{
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (lock < 0)
		return err_sys(err, "open '%s'", path);
	if (flock(lock, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			err_set(err, ERR_BUSY,
				"'%s' is locked by another patrol", path);
		else
			err_sys(err, "lock '%s'", path);
		close(lock);
		return -1;
	}
	*fd = lock;
	return 0;
}

void
file_std_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* For the other direction: EBADF, as it was. */
		int how = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", how); /* NOLINT: kept */
	}
}

bool
file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

long long
file_free_bytes(const char *path)
{
	struct statvfs v;

	if (statvfs(path, &v))
		return -1;
	return (long long)v.f_bavail * (long long)v.f_frsize;
}

char *
file_safe_name(const char *name)
{
	enum { LONGEST = 120 };
	char *s = mem_strndup(name, LONGEST);

	for (char *p = s; *p; p++) {
		bool ok = isalnum((unsigned char)*p) || strchr("._-", *p);

		if (!ok || (p == s && *p == '.'))
			*p = '_';
	}
	if (*s == '\0') {
		free(s);
		s = mem_strdup("_");
	}
	return s;
}
