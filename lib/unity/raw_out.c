#include "unity/raw_out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "unity/raw_format.h"

enum {
	BUF = 256 << 10,
	LONG_RUN = 64 << 10, /* from here on the kernel copies */
	MOST_AT_ONCE = 1 << 30,
};

int
raw_out_open(struct raw_out *o, const char *path, struct raw_src *src,
	     struct err *err)
{
	struct stat st;

	*o = (struct raw_out){.src = src, .file = {.fd = -1}};
	if (!path)
		return 0;
	if (strcmp(path, "-") == 0) {
		o->file.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (o->file.fd < 0)
			return err_sys(err, "open the standard output");
		o->file.path = mem_strdup("standard output");
	} else if (file_part_open(&o->file, path, err)) {
		return -1;
	}
	o->slow = fstat(o->file.fd, &st) == 0 && !S_ISREG(st.st_mode);
	return 0;
}

void
raw_out_done(struct raw_out *o)
{
	file_part_done(&o->file);
	raw_pages_done(&o->buf);
}

/* To a pipe, a terminal: its reader may never come, and a signal must end it. */
static int
write_slowly(struct raw_out *o, const uint8_t *p, size_t len, struct err *err)
{
	while (len > 0) {
		/* A pipe that can be written to takes so much at once. */
		size_t some = len < PIPE_BUF ? len : PIPE_BUF;

		if (raw_src_wait_out(o->src, o->file.fd, err) ||
		    file_part_write(&o->file, p, some, err))
			return -1;
		p += some;
		len -= some;
	}
	return 0;
}

static int
write_to(struct raw_out *o, const void *p, size_t len, struct err *err)
{
	if (!o->file.path)
		return 0;
	if (o->slow)
		return write_slowly(o, p, len, err);
	return file_part_write(&o->file, p, len, err);
}

static int
write_buf(struct raw_out *o, struct err *err)
{
	size_t len = o->len;

	o->len = 0;
	return write_to(o, o->buf.p, len, err);
}

static int
room_for(struct raw_out *o, size_t len, struct err *err)
{
	if (BUF - o->len < len && write_buf(o, err))
		return -1;
	raw_pages_need(&o->buf, o->len + len, o->len);
	return 0;
}

int
raw_out_bytes(struct raw_out *o, const void *p, size_t len, struct err *err)
{
	if (raw_out_flush(o, err) || room_for(o, len, err))
		return -1;
	memcpy(o->buf.p + o->len, p, len);
	o->len += len;
	o->bytes += len;
	return 0;
}

static int
copy_buffered(struct raw_out *o, uint32_t segment, uint64_t at, uint64_t len,
	      struct err *err)
{
	while (len > 0) {
		size_t some;

		if (o->len == BUF && write_buf(o, err))
			return -1;
		some = BUF - o->len < len ? BUF - o->len : (size_t)len;
		raw_pages_need(&o->buf, o->len + some, o->len);
		if (raw_src_copy(o->src, segment, at, o->buf.p + o->len, some,
				 err))
			return -1;
		o->len += some;
		at += some;
		len -= some;
	}
	return 0;
}

static bool
refused(int number)
{
	return number == EXDEV || number == EINVAL || number == ENOSYS ||
	       number == EOPNOTSUPP || number == EBADF || number == EPERM;
}

/* As much as the kernel takes; the rest is left in *at and *len. */
static int
copy_kernel(struct raw_out *o, int fd, uint64_t *at, uint64_t *len,
	    struct err *err)
{
	while (*len > 0 && !o->no_kernel) {
		off_t from = (off_t)*at;
		size_t want = *len < MOST_AT_ONCE ? (size_t)*len : MOST_AT_ONCE;
		ssize_t n =
			copy_file_range(fd, &from, o->file.fd, NULL, want, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !refused(errno))
			return err_sys(err, "write '%s'", o->file.path);
		/* 0 is also said by file systems that can't. */
		if (n <= 0) {
			o->no_kernel = true;
			return 0;
		}
		*at += (uint64_t)n;
		*len -= (uint64_t)n;
	}
	return 0;
}

static int
end_run(struct raw_out *o, struct err *err)
{
	int fd = raw_src_fd(o->src, o->segment);
	uint64_t at = o->run_at, len = o->run_len;
	const uint8_t *held = NULL;

	if (!o->has_run)
		return 0;
	o->has_run = false;
	if (len >= LONG_RUN / 2 && len <= RAW_OUT_RUN_MAX)
		held = raw_src_held(o->src, o->segment, at, (size_t)len);
	if (held)
		return write_buf(o, err) ? -1
					 : write_to(o, held, (size_t)len, err);
	if (fd >= 0 && len >= LONG_RUN && !o->no_kernel &&
	    (write_buf(o, err) || copy_kernel(o, fd, &at, &len, err)))
		return -1;
	return copy_buffered(o, o->segment, at, len, err);
}

static int
extend_run(struct raw_out *o, uint32_t segment, uint64_t at, uint64_t len,
	   struct err *err)
{
	if (o->has_run && o->segment == segment &&
	    o->run_at + o->run_len == at) {
		o->run_len += len;
		return 0;
	}
	if (end_run(o, err))
		return -1;
	o->has_run = true;
	o->segment = segment;
	o->run_at = at;
	o->run_len = len;
	return 0;
}

/* All of it in the buffer, so that numbers can be replaced there. */
static int
copy_patched(struct raw_out *o, uint32_t segment, uint64_t at, size_t len,
	     const struct raw_patch *patch, unsigned patches, struct err *err)
{
	uint8_t *p;

	if (end_run(o, err) || room_for(o, len, err))
		return -1;
	p = o->buf.p + o->len;
	if (copy_buffered(o, segment, at, len, err))
		return -1;
	for (unsigned i = 0; i < patches; i++)
		raw_put_u32(p + patch[i].at, patch[i].value);
	return 0;
}

/* A block too large for that: each number apart from what is between. */
static int
copy_pieces(struct raw_out *o, uint32_t segment, uint64_t at, uint64_t len,
	    const struct raw_patch *patch, unsigned patches, struct err *err)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < patches; i++) {
		struct raw_patch here = {0, patch[i].value};

		if (extend_run(o, segment, at + done, patch[i].at - done,
			       err) ||
		    copy_patched(o, segment, at + patch[i].at, 4, &here, 1,
				 err))
			return -1;
		done = patch[i].at + 4;
	}
	return extend_run(o, segment, at + done, len - done, err);
}

int
raw_out_copy(struct raw_out *o, uint32_t segment, uint64_t at, uint64_t len,
	     const struct raw_patch *patch, unsigned patches, struct err *err)
{
	o->bytes += len;
	if (patches == 0)
		return extend_run(o, segment, at, len, err);
	if (len <= LONG_RUN)
		return copy_patched(o, segment, at, (size_t)len, patch, patches,
				    err);
	return copy_pieces(o, segment, at, len, patch, patches, err);
}

int
raw_out_flush(struct raw_out *o, struct err *err)
{
	return end_run(o, err);
}

int
raw_out_commit(struct raw_out *o, bool sync, struct err *err)
{
	if (end_run(o, err) || write_buf(o, err))
		return -1;
	if (!o->file.path)
		return 0;
	if (sync && file_part_sync(&o->file, err))
		return -1;
	return file_part_commit(&o->file, err);
}

void
raw_out_rescue(struct raw_out *o, struct err *err)
{
	struct err second = ERR_INIT;

	if (!o->file.part || !raw_src_deleted(o->src))
		return;
	if (end_run(o, &second) || write_buf(o, &second))
		err_clear(&second); /* as much as there is room for */
	err_hint(err,
		 "of what was deleted meanwhile, the kept frames are in '%s'",
		 o->file.part);
	file_part_leave(&o->file);
}
