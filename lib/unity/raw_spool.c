#include "unity/raw_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unity/raw_io.h"

/* Half of it is spilled at a time. */
enum {
	ROOM = 8 << 20,
	STEP = 256 << 10,
	SPILL = 4 << 20,
	KEEP_WARM = 512 << 10,
	PIPE_SIZE = 1 << 20,
};

void
raw_spool_init(struct raw_spool *s, int fd)
{
	*s = (struct raw_spool){.fd = fd, .file = -1};
	/* Fewer turns between the two ends; where it can't be, as it was. */
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
	raw_pages_need(&s->memory, ROOM, 0);
	s->mem = s->memory.p;
}

void
raw_spool_done(struct raw_spool *s)
{
	raw_pages_done(&s->memory);
	if (s->file >= 0)
		close(s->file);
	*s = (struct raw_spool){.fd = -1, .file = -1};
}

int
raw_spool_temp(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	AUTO_FREE char *path = NULL;
	int fd;

	if (!dir || !*dir)
		dir = access("/tmp", W_OK) == 0 ? "/tmp" : ".";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	path = file_join(dir, "patrol-spill-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "make a temporary file in '%s' (TMPDIR)",
			       dir);
	(void)unlink(path); /* it stays for as long as it is open */
	return fd;
}

uint64_t
raw_spool_known(const struct raw_spool *s)
{
	return s->base + s->len;
}

static void
drop_front(struct raw_spool *s, size_t n)
{
	memmove(s->mem, s->mem + n, s->len - n);
	s->base += n;
	s->len -= n;
}

/* Its place in the file is its place in the stream: the file is sparse. */
static int
spill(struct raw_spool *s, struct err *err)
{
	size_t done = 0;

	if (s->file < 0)
		s->file = raw_spool_temp(err);
	if (s->file < 0)
		return -1;
	while (done < SPILL) {
		ssize_t n = pwrite(s->file, s->mem + done, SPILL - done,
				   (off_t)(s->base + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "write a temporary file (TMPDIR)");
		done += (size_t)n;
	}
	drop_front(s, SPILL);
	return 0;
}

/*
 * What was released goes as soon as little has to be moved for it: a small
 * part of the memory in use stays in the processor's cache.
 */
static int
make_room(struct raw_spool *s, struct err *err)
{
	size_t gone = s->len;

	if (s->released < raw_spool_known(s))
		gone = s->released > s->base ? (size_t)(s->released - s->base)
					     : 0;
	if (gone >= KEEP_WARM && gone >= s->len - gone) {
		drop_front(s, gone);
		gone = 0;
	}
	if (ROOM - s->len >= STEP)
		return 0;
	if (gone)
		drop_front(s, gone);
	return ROOM - s->len < ROOM / 4 ? spill(s, err) : 0;
}

int
raw_spool_fill(struct raw_spool *s, uint64_t upto, struct deadline dl,
	       struct err *err)
{
	while (!s->end && raw_spool_known(s) < upto) {
		ssize_t n;

		if (make_room(s, err) || deadline_wait(dl, s->fd, POLLIN, err))
			return -1;
		n = read(s->fd, s->mem + s->len, STEP);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return err_sys(err, "read the input");
		if (n > 0)
			s->len += (size_t)n;
		s->end = n == 0;
	}
	return 0;
}

const uint8_t *
raw_spool_at(const struct raw_spool *s, uint64_t at)
{
	if (at < s->base || at > raw_spool_known(s))
		return NULL;
	return s->mem + (at - s->base);
}

int
raw_spool_copy(struct raw_spool *s, uint64_t at, void *to, size_t len,
	       struct err *err)
{
	uint8_t *p = to;
	size_t some = 0, got;

	if (at < s->base) {
		some = s->base - at < len ? (size_t)(s->base - at) : len;
		if (raw_io_read(s->file, at, p, some, &got))
			return err_sys(err, "read a temporary file (TMPDIR)");
		if (got < some)
			return err_set(err, ERR_IO,
				       "a temporary file became shorter "
				       "(TMPDIR)");
	}
	if (some < len)
		memcpy(p + some, s->mem + (at + some - s->base), len - some);
	return 0;
}

void
raw_spool_release(struct raw_spool *s, uint64_t at)
{
	if (at <= s->released)
		return;
	if (s->file >= 0 && s->released < s->base) {
		uint64_t end = at < s->base ? at : s->base;

		/* Where that can't be done, the file is only larger. */
		(void)fallocate(s->file,
				FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)s->released, (off_t)(end - s->released));
	}
	s->released = at;
}
