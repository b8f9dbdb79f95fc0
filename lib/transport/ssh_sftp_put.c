/* One file to an SFTP server, with many writes on their way at once. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/ssh_sftp.h"

enum {
	CHUNK = 32 << 10, /* what each server must take in one request */
	IN_FLIGHT = 64,	  /* requests without an answer */
	/*
	 * A server may answer writes in any order, so that the last ones
	 * before a cut can have holes behind them: they are sent again.
	 */
	UNSURE = CHUNK * IN_FLIGHT,
};

struct put {
	struct ssh_sftp *s;
	int fd;
	const char *path;
	char *part;
	struct stat st;
	char handle[SSH_SFTP_WIRE_HANDLE_MAX];
	size_t handle_len;
	struct ssh_sftp_sent *sent;
};

static int
ask_path(struct ssh_sftp *s, enum ssh_sftp_wire_type type, const char *path,
	 enum ssh_sftp_wire_type want, struct ssh_sftp_wire_reply *r,
	 struct deadline dl, struct err *err)
{
	size_t begun = ssh_sftp_begin(s, type);

	ssh_sftp_wire_string(&s->out, path, strlen(path));
	if (ssh_sftp_call(s, begun, r, dl, err))
		return -1;
	return ssh_sftp_expect(r, want, err);
}

static size_t
begin_handle(struct put *p, enum ssh_sftp_wire_type type)
{
	size_t begun = ssh_sftp_begin(p->s, type);

	ssh_sftp_wire_string(&p->s->out, p->handle, p->handle_len);
	return begun;
}

static size_t
begin_extended(struct ssh_sftp *s, const char *name)
{
	size_t begun = ssh_sftp_begin(s, SSH_SFTP_WIRE_EXTENDED);

	ssh_sftp_wire_string(&s->out, name, strlen(name));
	return begun;
}

static int
call_status(struct put *p, size_t begun, struct deadline dl, struct err *err)
{
	struct ssh_sftp_wire_reply r;

	if (ssh_sftp_call(p->s, begun, &r, dl, err))
		return -1;
	return ssh_sftp_expect(&r, SSH_SFTP_WIRE_STATUS, err);
}

/* Whether it is all there from an earlier time. */
static int
look_there(struct put *p, struct deadline dl, struct err *err)
{
	struct ssh_sftp_wire_reply r;

	if (ask_path(p->s, SSH_SFTP_WIRE_LSTAT, p->path, SSH_SFTP_WIRE_ATTRS,
		     &r, dl, err)) {
		if (err->code != ERR_NOTFOUND)
			return -1;
		err_clear(err);
		return 0;
	}
	if (S_ISDIR(r.attrs.mode))
		return err_set(err, ERR_REMOTE, "a folder is in its place");
	p->sent->there = S_ISREG(r.attrs.mode) &&
			 r.attrs.size == (uint64_t)p->st.st_size &&
			 r.attrs.mtime == (uint32_t)p->st.st_mtime;
	return 0;
}

/* How long the half file is, 0 without one. */
static int
look_part(struct put *p, uint64_t *size, struct deadline dl, struct err *err)
{
	struct ssh_sftp_wire_reply r;

	*size = 0;
	if (ask_path(p->s, SSH_SFTP_WIRE_LSTAT, p->part, SSH_SFTP_WIRE_ATTRS,
		     &r, dl, err)) {
		if (err->code != ERR_NOTFOUND)
			return -1;
		err_clear(err);
		return 0;
	}
	if (S_ISREG(r.attrs.mode)) {
		*size = r.attrs.size;
		return 0;
	}
	/* A link that somebody put there would lead us elsewhere. */
	return ask_path(p->s, SSH_SFTP_WIRE_REMOVE, p->part,
			SSH_SFTP_WIRE_STATUS, &r, dl, err);
}

static int
open_part(struct put *p, bool anew, struct deadline dl, struct err *err)
{
	size_t begun = ssh_sftp_begin(p->s, SSH_SFTP_WIRE_OPEN);
	struct ssh_sftp_wire_reply r;

	ssh_sftp_wire_string(&p->s->out, p->part, strlen(p->part));
	ssh_sftp_wire_u32(&p->s->out,
			  SSH_SFTP_WIRE_READABLE | SSH_SFTP_WIRE_WRITABLE |
				  SSH_SFTP_WIRE_CREATE |
				  (anew ? SSH_SFTP_WIRE_TRUNCATE : 0));
	ssh_sftp_wire_u32(&p->s->out, 0);
	if (ssh_sftp_call(p->s, begun, &r, dl, err) ||
	    ssh_sftp_expect(&r, SSH_SFTP_WIRE_HANDLE, err))
		return -1;
	memcpy(p->handle, r.text.data, r.text.len);
	p->handle_len = r.text.len;
	return 0;
}

static int
close_part(struct put *p, struct deadline dl, struct err *err)
{
	size_t begun = begin_handle(p, SSH_SFTP_WIRE_CLOSE);

	p->handle_len = 0;
	return call_status(p, begun, dl, err);
}

static int
read_ours(struct put *p, uint64_t at, char *to, size_t len, struct err *err)
{
	ssize_t n = pread(p->fd, to, len, (off_t)at);

	if (n < 0)
		return err_sys(err, "read it");
	if ((size_t)n != len)
		return err_set(err, ERR_IO, "it became shorter meanwhile");
	return 0;
}

/* Whether `len` bytes at `at` are there as they are here. */
static int
same_at(struct put *p, uint64_t at, size_t len, bool *same, struct deadline dl,
	struct err *err)
{
	char ours[CHUNK];
	size_t begun = begin_handle(p, SSH_SFTP_WIRE_READ);
	struct ssh_sftp_wire_reply r;

	ssh_sftp_wire_u64(&p->s->out, at);
	ssh_sftp_wire_u32(&p->s->out, (uint32_t)len);
	if (ssh_sftp_call(p->s, begun, &r, dl, err) ||
	    ssh_sftp_expect(&r, SSH_SFTP_WIRE_DATA, err) ||
	    read_ours(p, at, ours, len, err))
		return -1;
	*same = r.text.len == len && memcmp(r.text.data, ours, len) == 0;
	return 0;
}

/* Where to go on in a half file of `size`: its head and its end must be ours.
 */
static int
resume_at(struct put *p, uint64_t size, uint64_t *at, struct deadline dl,
	  struct err *err)
{
	uint64_t from = size > UNSURE ? size - UNSURE : 0;
	bool same = true;

	*at = 0;
	if (from < CHUNK)
		return 0;
	if (same_at(p, 0, CHUNK, &same, dl, err) ||
	    (same && same_at(p, from - CHUNK, CHUNK, &same, dl, err)))
		return -1;
	if (same)
		*at = from;
	return 0;
}

static int
add_write(struct put *p, uint64_t at, size_t len, struct err *err)
{
	char data[CHUNK];
	size_t begun;

	if (read_ours(p, at, data, len, err))
		return -1;
	begun = begin_handle(p, SSH_SFTP_WIRE_WRITE);
	ssh_sftp_wire_u64(&p->s->out, at);
	ssh_sftp_wire_string(&p->s->out, data, len);
	ssh_sftp_wire_end(&p->s->out, begun);
	return buf_check(&p->s->out, "an SFTP request", err);
}

/*
 * All bytes from `at`.  After a refusal the answers that are still on their
 * way are taken, so that the session can be used to find out why.
 */
static int
send_bytes(struct put *p, uint64_t at, struct deadline dl, struct err *err)
{
	uint64_t size = (uint64_t)p->st.st_size;
	size_t flying = 0;
	struct err refusal = ERR_INIT;

	while ((at < size && refusal.code == ERR_NONE) || flying) {
		struct ssh_sftp_wire_reply r;

		while (at < size && flying < IN_FLIGHT &&
		       refusal.code == ERR_NONE) {
			size_t len = size - at < CHUNK ? size - at : CHUNK;

			if (add_write(p, at, len, err))
				return -1;
			at += len;
			flying++;
		}
		if (ssh_sftp_next(p->s, &r, dl, err))
			return -1;
		flying--;
		if (refusal.code != ERR_NONE)
			continue;
		if (ssh_sftp_expect(&r, SSH_SFTP_WIRE_STATUS, &refusal) &&
		    refusal.code == ERR_PROTO)
			break;
	}
	if (refusal.code == ERR_NONE)
		return 0;
	*err = refusal;
	return -1;
}

/* SFTP has no word for a full disk: OpenSSH says "Failure". */
static void
explain(struct put *p, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf room = BUF_INIT;
	struct ssh_sftp_wire_reply r;
	struct err now = ERR_INIT;
	uint64_t bytes;
	size_t begun;

	if (err->code != ERR_REMOTE || !p->s->caps.statvfs)
		return;
	begun = begin_extended(p->s, "statvfs@openssh.com");
	ssh_sftp_wire_string(&p->s->out, p->part, strlen(p->part));
	if (ssh_sftp_call(p->s, begun, &r, dl, &now) ||
	    ssh_sftp_expect(&r, SSH_SFTP_WIRE_EXTENDED_REPLY, &now) ||
	    ssh_sftp_wire_free_bytes(&r, &bytes, &now))
		return;
	if (bytes > UNSURE)
		return;
	buf_size(&room, (long long)bytes);
	(void)err_reason(err, "disk_full");
	(void)err_hint(err, "the disk there is full (%s free): make room",
		       room.data);
}

static int
check_whole(struct put *p, struct deadline dl, struct err *err)
{
	struct ssh_sftp_wire_reply r;
	struct stat now;
	size_t begun;

	if (p->s->caps.fsync) {
		begun = begin_extended(p->s, "fsync@openssh.com");
		ssh_sftp_wire_string(&p->s->out, p->handle, p->handle_len);
		if (call_status(p, begun, dl, err))
			return err_wrap(err, "flush it");
	}
	begun = begin_handle(p, SSH_SFTP_WIRE_FSTAT);
	if (ssh_sftp_call(p->s, begun, &r, dl, err) ||
	    ssh_sftp_expect(&r, SSH_SFTP_WIRE_ATTRS, err))
		return -1;
	if (r.attrs.size != (uint64_t)p->st.st_size)
		return err_set(err, ERR_REMOTE,
			       "%llu bytes are there instead of %llu",
			       (unsigned long long)r.attrs.size,
			       (unsigned long long)p->st.st_size);
	if (fstat(p->fd, &now))
		return err_sys(err, "look at it");
	if (now.st_size != p->st.st_size ||
	    now.st_mtim.tv_sec != p->st.st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != p->st.st_mtim.tv_nsec)
		return err_set(err, ERR_IO, "it changed while it was sent");
	return 0;
}

/* For the next time's look; a server that can't do it sends all again. */
static int
set_time(struct put *p, struct deadline dl, struct err *err)
{
	enum { TIMES = 8 };
	size_t begun = begin_handle(p, SSH_SFTP_WIRE_FSETSTAT);

	ssh_sftp_wire_u32(&p->s->out, TIMES);
	ssh_sftp_wire_u32(&p->s->out, (uint32_t)p->st.st_mtime);
	ssh_sftp_wire_u32(&p->s->out, (uint32_t)p->st.st_mtime);
	if (call_status(p, begun, dl, err) == 0)
		return 0;
	if (err->code != ERR_REMOTE)
		return -1;
	err_clear(err);
	return 0;
}

static int
rename_part(struct put *p, struct deadline dl, struct err *err)
{
	struct ssh_sftp *s = p->s;
	struct ssh_sftp_wire_reply r;
	size_t begun;

	if (!s->caps.posix_rename) {
		/* The plain one refuses to replace: then not at one stroke. */
		if (ask_path(s, SSH_SFTP_WIRE_REMOVE, p->path,
			     SSH_SFTP_WIRE_STATUS, &r, dl, err) &&
		    err->code != ERR_NOTFOUND)
			return -1;
		err_clear(err);
		begun = ssh_sftp_begin(s, SSH_SFTP_WIRE_RENAME);
	} else {
		begun = begin_extended(s, "posix-rename@openssh.com");
	}
	ssh_sftp_wire_string(&s->out, p->part, strlen(p->part));
	ssh_sftp_wire_string(&s->out, p->path, strlen(p->path));
	if (call_status(p, begun, dl, err))
		return err_wrap(err, "rename it");
	return 0;
}

static int
put_part(struct put *p, struct deadline dl, struct err *err)
{
	uint64_t size, at = 0;

	if (look_part(p, &size, dl, err))
		return -1;
	if (size > (uint64_t)p->st.st_size)
		size = 0;
	if (open_part(p, size == 0, dl, err) ||
	    resume_at(p, size, &at, dl, err))
		return -1;
	p->sent->resumed = at;
	p->sent->bytes = (uint64_t)p->st.st_size - at;
	return send_bytes(p, at, dl, err) || check_whole(p, dl, err) ||
			       set_time(p, dl, err) || close_part(p, dl, err)
		       ? -1
		       : 0;
}

int
ssh_sftp_put(struct ssh_sftp *s, int fd, const char *path,
	     enum ssh_sftp_again again, struct ssh_sftp_sent *sent,
	     struct deadline dl, struct err *err)
{
	AUTO_FREE char *part = mem_fmt("%s.part", path);
	struct put p = {
		.s = s, .fd = fd, .path = path, .part = part, .sent = sent};
	struct err ignored = ERR_INIT;

	*sent = (struct ssh_sftp_sent){0};
	if (fstat(fd, &p.st))
		return err_sys(err, "look at it");
	if (look_there(&p, dl, err))
		return -1;
	sent->there = sent->there && again == SSH_SFTP_IF_CHANGED;
	if (sent->there)
		return 0;
	if (put_part(&p, dl, err)) {
		explain(&p, dl, err);
		/* The half file stays for the next attempt, not its handle. */
		if (p.handle_len && err->code == ERR_REMOTE)
			(void)close_part(&p, dl, &ignored);
		return -1;
	}
	return rename_part(&p, dl, err);
}
