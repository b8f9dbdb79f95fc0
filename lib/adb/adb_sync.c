#include "adb/adb_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adb/adb_stream.h"
#include "adb/adb_sync_wire.h"
#include "adb/adb_wire.h"
#include "base/file.h"
#include "base/mem.h"
#include "transport/sock.h"

enum {
	DATA_MAX = ADB_SYNC_WIRE_DATA_MAX,
	FRAME = DATA_MAX + 8,
	PUSH_FRAMES = 8, /* sent with one call */
	PULL_BUFFER = 1 << 20,
	PATH_LIMIT = ADB_SYNC_WIRE_PATH_MAX,
	ENTRIES_MAX = 100000,
};

int
adb_sync_open(struct adb_device *dev, struct adb_sync *sync, struct deadline dl,
	      struct err *err)
{
	*sync = (struct adb_sync){.fd = -1, .serial = dev->serial};
	sync->stat_v2 = adb_device_has(dev, "stat_v2");
	return adb_stream_open(dev->server, dev->serial, "sync:", &sync->fd, dl,
			       err);
}

void
adb_sync_close(struct adb_sync *sync)
{
	if (sync->fd >= 0)
		close(sync->fd);
	sync->fd = -1;
}

static int
stat_v1(struct adb_sync *sync, struct adb_sync_stat *st, struct deadline dl,
	struct err *err)
{
	char b[16];

	if (adb_sync_wire_head(sync->fd, "STAT", b, dl, err))
		return -1;
	if (sock_read(sync->fd, b + 8, 8, dl, err))
		return -1;
	if (adb_wire_get32(b + 4) == 0 && adb_wire_get32(b + 8) == 0 &&
	    adb_wire_get32(b + 12) == 0)
		return err_set(err, ERR_NOTFOUND, "no such file");
	*st = (struct adb_sync_stat){.mode = adb_wire_get32(b + 4),
				     .size = adb_wire_get32(b + 8),
				     .mtime = adb_wire_get32(b + 12)};
	return 0;
}

/* id err dev ino mode nlink uid gid size atime mtime ctime */
static int
stat_v2(struct adb_sync *sync, struct adb_sync_stat *st, struct deadline dl,
	struct err *err)
{
	char b[72];
	uint32_t failed;

	if (adb_sync_wire_head(sync->fd, "STA2", b, dl, err))
		return -1;
	if (sock_read(sync->fd, b + 8, sizeof(b) - 8, dl, err))
		return -1;
	failed = adb_wire_get32(b + 4);
	if (failed == ENOENT || failed == ENOTDIR)
		return err_set(err, ERR_NOTFOUND, "no such file");
	if (failed)
		return err_set(err, ERR_REMOTE, "the phone says '%s'",
			       strerrordesc_np((int)failed)
				       ? strerrordesc_np((int)failed)
				       : "unknown error");
	*st = (struct adb_sync_stat){.mode = adb_wire_get32(b + 24),
				     .size = adb_wire_get64(b + 40),
				     .mtime = (int64_t)adb_wire_get64(b + 56)};
	return 0;
}

int
adb_sync_stat(struct adb_sync *sync, const char *path, struct adb_sync_stat *st,
	      struct deadline dl, struct err *err)
{
	if (adb_sync_wire_request(sync->fd, sync->stat_v2 ? "STA2" : "STAT",
				  path, dl, err) ||
	    (sync->stat_v2 ? stat_v2(sync, st, dl, err)
			   : stat_v1(sync, st, dl, err)))
		return err_wrap(err, "'%s' on the phone", path);
	return 0;
}

void
adb_sync_list_done(struct adb_sync_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i].name);
	free(list->item);
	*list = (struct adb_sync_list){0};
}

/* DENT mode size mtime length name; `b` holds all but the name. */
static int
read_entry(struct adb_sync *sync, const char b[20], struct adb_sync_list *list,
	   struct deadline dl, struct err *err)
{
	char name[PATH_LIMIT + 1];
	uint32_t len = adb_wire_get32(b + 16);
	struct adb_sync_entry e = {
		.st = {adb_wire_get32(b + 4), adb_wire_get32(b + 8),
		       adb_wire_get32(b + 12)},
	};

	if (len == 0 || len > PATH_LIMIT || list->count >= ENTRIES_MAX)
		return err_set(err, ERR_PROTO,
			       "a folder's entry has a name of %u bytes", len);
	if (sock_read(sync->fd, name, len, dl, err))
		return -1;
	name[len] = '\0';
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	/* It becomes a file's name here. */
	if (strlen(name) != len || strchr(name, '/'))
		return err_set(err, ERR_PROTO,
			       "a folder's entry has a path for a name");
	e.name = mem_strdup(name);
	MEM_GROW(list->item, list->count, list->room);
	list->item[list->count++] = e;
	return 0;
}

static int
read_entries(struct adb_sync *sync, struct adb_sync_list *list,
	     struct deadline dl, struct err *err)
{
	char b[20];

	for (;;) {
		if (sock_read(sync->fd, b, 8, dl, err))
			return -1;
		if (memcmp(b, "FAIL", 4) == 0)
			return adb_sync_wire_fail(sync->fd, "", 0,
						  adb_wire_get32(b + 4), dl,
						  err);
		if (memcmp(b, "DENT", 4) != 0 && memcmp(b, "DONE", 4) != 0)
			return adb_sync_wire_unexpected(b, err);
		if (sock_read(sync->fd, b + 8, sizeof(b) - 8, dl, err))
			return -1;
		if (memcmp(b, "DONE", 4) == 0)
			return 0;
		if (read_entry(sync, b, list, dl, err))
			return -1;
	}
}

int
adb_sync_list(struct adb_sync *sync, const char *path,
	      struct adb_sync_list *list, struct deadline dl, struct err *err)
{
	struct adb_sync_list found = {0};

	if (adb_sync_wire_request(sync->fd, "LIST", path, dl, err) ||
	    read_entries(sync, &found, dl, err)) {
		adb_sync_list_done(&found);
		return err_wrap(err, "folder '%s' on the phone", path);
	}
	*list = found;
	return 0;
}

/* What a pull does with its bytes; `put` returns -1 with `err` filled. */
struct pull {
	int (*put)(void *to, const char *data, size_t len, struct err *err);
	void *to;
	adb_sync_progress progress;
	void *arg;
	int64_t now, total;
	uint32_t left; /* of the current frame */
	bool done;
};

/* Eight bytes at `at`, of `len` in the buffer. */
static int
pull_head(struct adb_sync *sync, struct pull *p, const char *at, size_t len,
	  struct deadline dl, struct err *err)
{
	uint32_t size = adb_wire_get32(at + 4);

	if (memcmp(at, "DONE", 4) == 0) {
		p->done = true;
		if (len != 8)
			return err_set(err, ERR_PROTO,
				       "bytes behind the end of the file");
		return 0;
	}
	if (memcmp(at, "FAIL", 4) == 0)
		return adb_sync_wire_fail(sync->fd, at + 8, len - 8, size, dl,
					  err);
	if (memcmp(at, "DATA", 4) != 0)
		return adb_sync_wire_unexpected(at, err);
	if (size > DATA_MAX)
		return err_set(err, ERR_PROTO, "a sync frame of %u bytes",
			       size);
	p->left = size;
	return 0;
}

/*
 * Frames out of a large buffer: one read brings many, and the data goes on
 * from where it lies.
 */
static int
pull_frames(struct adb_sync *sync, struct pull *p, char *data, size_t *len,
	    struct deadline dl, struct err *err)
{
	size_t at = 0;

	while (at < *len) {
		size_t n = *len - at;

		if (p->left == 0) {
			if (n < 8)
				break;
			if (pull_head(sync, p, data + at, n, dl, err))
				return -1;
			at += 8;
			continue;
		}
		n = n > p->left ? p->left : n;
		if (p->put(p->to, data + at, n, err))
			return -1;
		at += n;
		p->left -= (uint32_t)n;
		p->now += (int64_t)n;
	}
	*len -= at;
	memmove(data, data + at, *len);
	return 0;
}

static int
pull(struct adb_sync *sync, const char *remote, struct pull *p,
     struct deadline dl, struct err *err)
{
	AUTO_FREE char *data = mem_alloc(PULL_BUFFER);
	size_t len = 0;

	if (adb_sync_wire_request(sync->fd, "RECV", remote, dl, err))
		return -1;
	while (!p->done) {
		ssize_t n = sock_recv(sync->fd, data + len, PULL_BUFFER - len,
				      dl, err);

		if (n < 0)
			return -1;
		if (n == 0)
			return err_set(err, ERR_IO,
				       "the connection ended in the file");
		len += (size_t)n;
		if (pull_frames(sync, p, data, &len, dl, err) ||
		    deadline_check(dl, err))
			return -1;
		if (p->progress)
			p->progress(p->arg, p->now, p->total);
	}
	return 0;
}

static int
put_file(void *to, const char *data, size_t len, struct err *err)
{
	return file_part_write(to, data, len, err);
}

int
adb_sync_pull(struct adb_sync *sync, const char *remote, const char *local,
	      adb_sync_progress progress, void *arg, int64_t *bytes,
	      struct deadline dl, struct err *err)
{
	struct adb_sync_stat st = {0};
	struct file_part part;
	struct pull p = {put_file, &part, progress, arg, 0, -1, 0, false};
	int rc;

	/* Absent is told apart here: RECV has only words for it. */
	if (adb_sync_stat(sync, remote, &st, dl, err))
		return -1;
	if (S_ISREG(st.mode))
		p.total = (int64_t)st.size;
	if (file_part_open(&part, local, err))
		return -1;
	rc = pull(sync, remote, &p, dl, err);
	if (rc)
		(void)err_wrap(err, "pull '%s'", remote);
	else
		rc = file_part_commit(&part, err);
	file_part_done(&part);
	if (rc == 0 && bytes)
		*bytes = p.now;
	return rc;
}

static int
put_buf(void *to, const char *data, size_t len, struct err *err)
{
	buf_add(to, data, len);
	return buf_check(to, "the file", err);
}

int
adb_sync_read(struct adb_sync *sync, const char *remote, struct buf *out,
	      struct deadline dl, struct err *err)
{
	struct adb_sync_stat st;
	struct pull p = {put_buf, out, NULL, NULL, 0, -1, 0, false};

	if (adb_sync_stat(sync, remote, &st, dl, err))
		return -1;
	if (pull(sync, remote, &p, dl, err))
		return err_wrap(err, "read '%s'", remote);
	return 0;
}

/* OKAY, or FAIL with the phone's words. */
static int
push_verdict(struct adb_sync *sync, struct deadline dl, struct err *err)
{
	char b[8];

	return adb_sync_wire_head(sync->fd, "OKAY", b, dl, err);
}

/*
 * Send and listen at once: a phone that fails in the middle says so and may
 * then stop reading, and its words must not be lost.
 */
static int
push_bytes(struct adb_sync *sync, const char *data, size_t len,
	   struct deadline dl, struct err *err)
{
	while (len) {
		ssize_t n = send(sync->fd, data, len, MSG_NOSIGNAL);
		struct pollfd p[2] = {
			{.fd = sync->fd, .events = POLLIN | POLLOUT}};

		if (n > 0) {
			data += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			struct err second = ERR_INIT;

			(void)err_sys(err, "write");
			if (push_verdict(sync, deadline_cap(dl, 500),
					 &second) &&
			    second.code == ERR_REMOTE)
				*err = second;
			return -1;
		}
		if (deadline_poll(dl, p, 1, -1, err))
			return -1;
		if (p[0].revents & POLLIN)
			return push_verdict(sync, dl, err)
				       ? -1
				       : err_set(err, ERR_PROTO,
						 "OKAY before the end");
	}
	return 0;
}

/* Fill frames from the file; *len is 0 at its end. */
static int
fill_frames(int fd, char *data, size_t *len, size_t *bytes, struct err *err)
{
	*len = *bytes = 0;
	for (int i = 0; i < PUSH_FRAMES; i++) {
		char *at = data + *len;
		ssize_t n = read(fd, at + 8, DATA_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "read");
		if (n == 0)
			break;
		memcpy(at, "DATA", 4);
		adb_wire_put32(at + 4, (uint32_t)n);
		*len += 8 + (size_t)n;
		*bytes += (size_t)n;
	}
	return 0;
}

static int
push_file(struct adb_sync *sync, int fd, int64_t total,
	  adb_sync_progress progress, void *arg, struct deadline dl,
	  struct err *err)
{
	AUTO_FREE char *data = mem_alloc((size_t)PUSH_FRAMES * FRAME);
	size_t len, bytes;
	int64_t now = 0;

	for (;;) {
		if (fill_frames(fd, data, &len, &bytes, err))
			return -1;
		if (len == 0)
			return 0;
		if (push_bytes(sync, data, len, dl, err) ||
		    deadline_check(dl, err))
			return -1;
		now += (int64_t)bytes;
		if (progress)
			progress(arg, now, total);
	}
}

int
adb_sync_push(struct adb_sync *sync, const char *local, const char *remote,
	      unsigned mode, adb_sync_progress progress, void *arg,
	      struct deadline dl, struct err *err)
{
	AUTO_FREE char *target =
		mem_fmt("%s,%u", remote, S_IFREG | (mode & 07777));
	AUTO_FD int fd = open(local, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char done[8] = "DONE";

	if (fd < 0)
		return err_sys(err, "open '%s'", local);
	if (fstat(fd, &st))
		return err_sys(err, "stat '%s'", local);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "'%s' is no regular file",
			       local);
	adb_wire_put32(done + 4, (uint32_t)st.st_mtime);
	if (adb_sync_wire_request(sync->fd, "SEND", target, dl, err) ||
	    push_file(sync, fd, st.st_size, progress, arg, dl, err) ||
	    push_bytes(sync, done, sizeof(done), dl, err) ||
	    push_verdict(sync, dl, err))
		return err_wrap(err, "push to '%s'", remote);
	return 0;
}
