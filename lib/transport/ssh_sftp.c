#include "transport/ssh_sftp.h"

#include <libssh2.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

enum {
	IN_MAX = 2 * SSH_SFTP_WIRE_MAX,
	OUT_MAX = 4 << 20,
	READ_CHUNK = 64 << 10,
	DIR_DEPTH_MAX = 64,
};

/* A server that ends the subsystem says why on stderr. */
static int
ended(struct ssh_sftp *s, struct err *err)
{
	AUTO_BUF struct buf clean = BUF_INIT;
	char said[200];
	ssize_t n = libssh2_channel_read_stderr(s->channel, said, sizeof(said));

	if (n <= 0)
		return err_set(err, ERR_IO, "sftp: the server ended it");
	while (n > 0 && (said[n - 1] == '\n' || said[n - 1] == '\r'))
		n--;
	buf_escaped(&clean, said, (size_t)n);
	return err_set(err, ERR_IO, "sftp: the server ended it: %s",
		       clean.data);
}

/* 1: bytes were taken by the channel, 0: none were. */
static int
pump_out(struct ssh_sftp *s, struct err *err)
{
	size_t done = 0;

	while (done < s->out.len && ssh_unsent(s->ssh) < SSH_OUT_HIGH) {
		ssize_t n = libssh2_channel_write(
			s->channel, s->out.data + done, s->out.len - done);

		if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
			break;
		if (n < 0 && libssh2_channel_eof(s->channel))
			return ended(s, err);
		if (n < 0)
			return ssh_failed(s->ssh, (int)n, err);
		done += (size_t)n;
	}
	buf_drop(&s->out, done);
	return done > 0;
}

static int
pump_in(struct ssh_sftp *s, struct err *err)
{
	size_t room = s->in.limit - s->in.len;
	size_t want = room < READ_CHUNK ? room : READ_CHUNK;
	char *to = want ? buf_reserve(&s->in, want) : NULL;
	ssize_t n;

	/* Full: a packet lies in it and is taken first. */
	if (to == NULL)
		return 0;
	n = libssh2_channel_read(s->channel, to, want);
	if (n == LIBSSH2_ERROR_EAGAIN)
		return 0;
	if (n < 0)
		return ssh_failed(s->ssh, (int)n, err);
	if (n == 0)
		return libssh2_channel_eof(s->channel) ? ended(s, err) : 0;
	buf_added(&s->in, (size_t)n);
	return 1;
}

int
ssh_sftp_pump(struct ssh_sftp *s, struct err *err)
{
	int out = pump_out(s, err), in;

	if (out < 0)
		return -1;
	in = pump_in(s, err);
	if (in < 0)
		return -1;
	if (ssh_flush(s->ssh, err))
		return -1;
	return out || in;
}

int
ssh_sftp_wait(struct ssh_sftp *s, struct deadline dl, struct err *err)
{
	struct deadline soon = deadline_cap(dl, s->stall_ms);
	int rc;

	/* There is more to give, and only the socket was too slow for it. */
	if (s->out.len && ssh_unsent(s->ssh) >= SSH_OUT_HIGH)
		rc = ssh_drain(s->ssh, SSH_OUT_HIGH / 2, soon, err);
	else
		rc = ssh_wait(s->ssh, soon, err);
	if (rc == 0 || err->code != ERR_TIMEOUT || deadline_left_ms(dl) == 0)
		return rc;
	err_clear(err);
	return err_set(err, ERR_IO, "sftp: the server was silent for %lld s",
		       (long long)s->stall_ms / 1000);
}

int
ssh_sftp_next(struct ssh_sftp *s, struct ssh_sftp_wire_reply *reply,
	      struct deadline dl, struct err *err)
{
	buf_drop(&s->in, s->used);
	s->used = 0;
	for (;;) {
		long n = ssh_sftp_wire_next(s->in.data, s->in.len, reply, err);
		int moved;

		if (n < 0)
			return -1;
		if (n > 0) {
			s->used = (size_t)n;
			return 0;
		}
		moved = ssh_sftp_pump(s, err);
		if (moved < 0 || (!moved && ssh_sftp_wait(s, dl, err)))
			return -1;
		if (deadline_check(dl, err))
			return -1;
	}
}

size_t
ssh_sftp_begin(struct ssh_sftp *s, enum ssh_sftp_wire_type type)
{
	return ssh_sftp_wire_begin(&s->out, type, s->next_id++);
}

int
ssh_sftp_call(struct ssh_sftp *s, size_t begun,
	      struct ssh_sftp_wire_reply *reply, struct deadline dl,
	      struct err *err)
{
	ssh_sftp_wire_end(&s->out, begun);
	if (buf_check(&s->out, "an SFTP request", err) ||
	    ssh_sftp_next(s, reply, dl, err))
		return -1;
	if (reply->id != s->next_id - 1)
		return err_set(err, ERR_PROTO,
			       "sftp: an answer to request %u instead of %u",
			       reply->id, s->next_id - 1);
	return 0;
}

static int
refused(const struct ssh_sftp_wire_reply *r, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT;

	switch (r->status) {
	case SSH_SFTP_WIRE_NO_SUCH_FILE:
		return err_set(err, ERR_NOTFOUND, "no such file or folder");
	case SSH_SFTP_WIRE_DENIED:
		return err_set(err, ERR_REMOTE, "permission denied");
	default:
		buf_escaped(&words, r->text.data,
			    r->text.len < 200 ? r->text.len : 200);
		return err_set(err, ERR_REMOTE,
			       "the server says '%s' (SFTP status %u)",
			       words.data, r->status);
	}
}

int
ssh_sftp_expect(const struct ssh_sftp_wire_reply *reply,
		enum ssh_sftp_wire_type want, struct err *err)
{
	if (want == SSH_SFTP_WIRE_STATUS && reply->type == want &&
	    reply->status == SSH_SFTP_WIRE_OK)
		return 0;
	if (reply->type == SSH_SFTP_WIRE_STATUS &&
	    reply->status != SSH_SFTP_WIRE_OK)
		return refused(reply, err);
	if (reply->type == want && want != SSH_SFTP_WIRE_STATUS)
		return 0;
	return err_set(err, ERR_PROTO, "sftp: an answer of type %u, not %d",
		       (unsigned)reply->type, (int)want);
}

static int
open_channel(struct ssh_sftp *s, struct deadline dl, struct err *err)
{
	int rc;

	while ((s->channel = libssh2_channel_open_session(s->ssh->session)) ==
	       NULL) {
		rc = libssh2_session_last_errno(s->ssh->session);
		if (rc != LIBSSH2_ERROR_EAGAIN)
			return ssh_failed(s->ssh, rc, err);
		if (ssh_sftp_wait(s, dl, err))
			return -1;
	}
	while ((rc = libssh2_channel_subsystem(s->channel, "sftp")) ==
	       LIBSSH2_ERROR_EAGAIN) {
		if (ssh_sftp_wait(s, dl, err))
			return -1;
	}
	if (rc == LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED) {
		err_set(err, ERR_REMOTE, "the server has no SFTP");
		return err_hint(err, "sshd_config there needs a line "
				     "'Subsystem sftp internal-sftp'");
	}
	return rc ? ssh_failed(s->ssh, rc, err) : 0;
}

static int
hello(struct ssh_sftp *s, struct deadline dl, struct err *err)
{
	struct ssh_sftp_wire_reply r;
	size_t begun = ssh_sftp_wire_begin(&s->out, SSH_SFTP_WIRE_INIT,
					   SSH_SFTP_WIRE_VERSION);

	ssh_sftp_wire_end(&s->out, begun);
	if (ssh_sftp_next(s, &r, dl, err) ||
	    ssh_sftp_expect(&r, SSH_SFTP_WIRE_HELLO, err))
		return -1;
	if (r.id < SSH_SFTP_WIRE_VERSION)
		return err_set(err, ERR_PROTO,
			       "sftp: the server speaks version %u, not 3",
			       r.id);
	s->caps = r.caps;
	return 0;
}

int
ssh_sftp_open(struct ssh_sftp *s, struct ssh *ssh, int64_t stall_ms,
	      struct deadline dl, struct err *err)
{
	*s = (struct ssh_sftp){.ssh = ssh, .next_id = 1, .stall_ms = stall_ms};
	buf_init(&s->in, IN_MAX);
	buf_init(&s->out, OUT_MAX);
	if (open_channel(s, dl, err) || hello(s, dl, err)) {
		ssh_sftp_close(s);
		return -1;
	}
	return 0;
}

void
ssh_sftp_close(struct ssh_sftp *s)
{
	if (s->ssh == NULL)
		return;
	/* The session is non-blocking: what can't be said now isn't. */
	if (s->channel)
		(void)libssh2_channel_free(s->channel);
	buf_done(&s->in);
	buf_done(&s->out);
	*s = (struct ssh_sftp){.ssh = NULL};
}

int
ssh_sftp_is_folder(struct ssh_sftp *s, const char *path, bool *folder,
		   struct deadline dl, struct err *err)
{
	size_t begun = ssh_sftp_begin(s, SSH_SFTP_WIRE_STAT);
	struct ssh_sftp_wire_reply r;

	ssh_sftp_wire_string(&s->out, path, strlen(path));
	if (ssh_sftp_call(s, begun, &r, dl, err) ||
	    ssh_sftp_expect(&r, SSH_SFTP_WIRE_ATTRS, err))
		return -1;
	*folder = S_ISDIR(r.attrs.mode);
	return 0;
}

static int
make_folder(struct ssh_sftp *s, const char *path, struct deadline dl,
	    struct err *err)
{
	struct err refusal = ERR_INIT;
	struct ssh_sftp_wire_reply r;
	bool folder = false;
	size_t begun;

	if (ssh_sftp_is_folder(s, path, &folder, dl, err) == 0)
		return folder ? 0
			      : err_set(err, ERR_REMOTE,
					"'%s' is a file, not a folder", path);
	if (err->code != ERR_NOTFOUND)
		return err_wrap(err, "look for folder '%s'", path);
	err_clear(err);
	begun = ssh_sftp_begin(s, SSH_SFTP_WIRE_MKDIR);
	ssh_sftp_wire_string(&s->out, path, strlen(path));
	ssh_sftp_wire_u32(&s->out, 0); /* no attributes: the server's umask */
	if (ssh_sftp_call(s, begun, &r, dl, err))
		return -1;
	if (ssh_sftp_expect(&r, SSH_SFTP_WIRE_STATUS, &refusal) == 0)
		return 0;
	/* Somebody else may have been faster. */
	if (ssh_sftp_is_folder(s, path, &folder, dl, err) == 0 && folder)
		return 0;
	*err = refusal;
	return err_wrap(err, "make folder '%s'", path);
}

int
ssh_sftp_mkdirs(struct ssh_sftp *s, const char *path, struct deadline dl,
		struct err *err)
{
	AUTO_FREE char *part = mem_strdup(path);
	size_t depth = 0;

	for (char *p = part; *p; p++) {
		if (*p != '/' || p == part || p[-1] == '/')
			continue;
		if (++depth > DIR_DEPTH_MAX)
			return err_set(err, ERR_INPUT,
				       "'%s' has too many folders", path);
		*p = '\0';
		if (make_folder(s, part, dl, err))
			return -1;
		*p = '/';
	}
	return make_folder(s, part, dl, err);
}
