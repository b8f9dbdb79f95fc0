#include "adb/adb_install_call.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/adb_shell.h"
#include "adb/adb_shell_v2.h"
#include "adb/adb_stream.h"
#include "base/mem.h"

enum { CHUNK = 512 << 10 };

void
adb_install_call_add(struct adb_install_call *c, const char *word)
{
	if (c->count + 1 < ADB_INSTALL_CALL_WORDS)
		c->word[c->count++] = word;
}

void
adb_install_call_text(const struct adb_install_call *c, const char *program,
		      struct buf *out)
{
	buf_str(out, program);
	for (size_t i = 0; i < c->count; i++) {
		buf_chr(out, ' ');
		adb_shell_quote(out, c->word[i]);
	}
}

static int
open_call(const struct adb_install_call *c, int *fd, struct deadline dl,
	  struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	switch (c->way) {
	case ADB_INSTALL_CALL_ABB:
		buf_str(&b, "abb_exec:package");
		for (size_t i = 0; i < c->count; i++) {
			buf_chr(&b, '\0');
			buf_str(&b, c->word[i]);
		}
		break;
	case ADB_INSTALL_CALL_EXEC:
		buf_str(&b, "exec:");
		adb_install_call_text(c, "cmd package", &b);
		break;
	case ADB_INSTALL_CALL_SHELL:
		buf_str(&b, "shell,v2,raw:");
		adb_install_call_text(c, "cmd package", &b);
		break;
	}
	return adb_stream_open_raw(c->dev->server, c->dev->serial, b.data,
				   b.len, fd, dl, err);
}

/* Where the answer is collected, in packets or plain. */
struct reply {
	struct buf text;
	struct adb_shell_v2 packets;
	bool packed;
	bool ended;
};

static int
collect(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
	struct err *err)
{
	struct buf *b = arg;

	(void)id;
	buf_add(b, data, len);
	return buf_check(b, "the package manager's answer", err);
}

/* What is there now; `ended` when no more will come. */
static int
read_reply(int fd, struct reply *r, struct err *err)
{
	char data[4096];

	while (!r->ended) {
		ssize_t n = recv(fd, data, sizeof(data), MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			return err_sys(err, "read the phone's answer");
		if (n == 0)
			r->ended = true;
		else if (!r->packed)
			(void)collect(&r->text, ADB_SHELL_V2_STDOUT, data,
				      (size_t)n, err);
		else if (adb_shell_v2_feed(&r->packets, data, (size_t)n,
					   collect, &r->text, err))
			return -1;
		if (r->packed && r->packets.exited)
			r->ended = true;
		if (buf_check(&r->text, "the package manager's answer", err))
			return -1;
	}
	return 0;
}

/*
 * Send while listening: the package manager may refuse before it has read
 * all, and its words matter more than the broken pipe.
 */
static int
send_bytes(int fd, const char *data, size_t len, struct reply *r,
	   struct deadline dl, struct err *err)
{
	while (len && !r->ended) {
		struct pollfd p[2] = {{.fd = fd, .events = POLLIN | POLLOUT}};
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n > 0) {
			data += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
			struct err gone = ERR_INIT;

			(void)read_reply(fd, r, &gone);
			r->ended = true;
			break;
		}
		if (n < 0 && errno != EAGAIN)
			return err_sys(err, "send to the phone");
		if (deadline_poll(dl, p, 1, -1, err))
			return -1;
		if ((p[0].revents & POLLIN) && read_reply(fd, r, err))
			return -1;
	}
	return 0;
}

static int
send_file(const struct adb_install_call *c, int fd, struct reply *r,
	  struct deadline dl, struct err *err)
{
	AUTO_FREE char *data = mem_alloc(CHUNK + 5);
	unsigned char head[5];

	while (!r->ended) {
		ssize_t n = read(c->file, data + 5, CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "read the APK");
		if (n == 0)
			break;
		adb_shell_v2_head(head, ADB_SHELL_V2_STDIN, (uint32_t)n);
		memcpy(data, head, sizeof(head));
		if (send_bytes(fd, data + (r->packed ? 0 : 5),
			       (size_t)n + (r->packed ? 5 : 0), r, dl, err) ||
		    deadline_check(dl, err))
			return -1;
		c->sent(c->arg, (size_t)n);
	}
	if (r->packed && !r->ended) {
		adb_shell_v2_head(head, ADB_SHELL_V2_CLOSE_STDIN, 0);
		return send_bytes(fd, (const char *)head, sizeof(head), r, dl,
				  err);
	}
	return 0;
}

/* The phone may think for minutes: the caller hears of it all the while. */
static int
await_reply(const struct adb_install_call *c, int fd, struct reply *r,
	    struct deadline dl, struct err *err)
{
	enum { TELL_MS = 1000 };

	while (!r->ended) {
		struct pollfd p[2] = {{.fd = fd, .events = POLLIN}};

		if (deadline_poll(dl, p, 1, TELL_MS, err) ||
		    deadline_check(dl, err)) {
			if (err->code != ERR_TIMEOUT)
				return -1;
			(void)err_set(err, ERR_TIMEOUT,
				      "all bytes are sent, but the phone gives "
				      "no verdict");
			(void)err_reason(err, "install_waiting");
			return err_hint(err, "unlock it and look for a dialog "
					     "(Play Protect, 'Install via "
					     "USB')");
		}
		if (p[0].revents == 0 && c->file >= 0)
			c->all_sent(c->arg);
		if (p[0].revents && read_reply(fd, r, err))
			return -1;
	}
	return 0;
}

int
adb_install_call_do(const struct adb_install_call *c, struct buf *text,
		    struct deadline dl, struct err *err)
{
	struct reply r = {.text = BUF_INIT_MAX(ADB_INSTALL_CALL_REPLY_MAX),
			  .packed = c->way == ADB_INSTALL_CALL_SHELL};
	AUTO_FD int fd = -1;
	int rc = 0;

	if (open_call(c, &fd, dl, err))
		return -1;
	if (c->file >= 0) {
		rc = send_file(c, fd, &r, dl, err);
		if (rc == 0)
			c->all_sent(c->arg);
	}
	if (rc == 0)
		rc = await_reply(c, fd, &r, dl, err);
	if (rc == 0)
		buf_add(text, r.text.data, r.text.len);
	buf_done(&r.text);
	return rc;
}
