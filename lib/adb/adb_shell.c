#include "adb/adb_shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "adb/adb_stream.h"
#include "base/log.h"
#include "base/mem.h"
#include "transport/sock.h"

enum { CHUNK = 64 << 10 };

void
adb_shell_quote(struct buf *b, const char *s)
{
	buf_chr(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_str(b, "'\\''");
		else
			buf_chr(b, *s);
	}
	buf_chr(b, '\'');
}

void
adb_shell_result_init(struct adb_shell_result *r, size_t limit)
{
	r->status = -1;
	buf_init(&r->out, limit);
	buf_init(&r->err, limit);
}

void
adb_shell_result_done(struct adb_shell_result *r)
{
	buf_done(&r->out);
	buf_done(&r->err);
}

static int
collect(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
	struct err *err)
{
	struct adb_shell_result *r = arg;
	struct buf *b = id == ADB_SHELL_V2_STDERR ? &r->err : &r->out;

	buf_add(b, data, len);
	return buf_check(b, "the command's output", err);
}

/*
 * The marker must not be guessable by what the command prints.
 */
static void
make_marker(char marker[24])
{
	uint64_t n = 0;

	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) != sizeof(n))
		n = (uint64_t)deadline_now_us();
	(void)snprintf(marker, 24, "=%016llx=", (unsigned long long)n);
}

static int
end_input(int fd, struct deadline dl, struct err *err)
{
	unsigned char head[5];

	adb_shell_v2_head(head, ADB_SHELL_V2_CLOSE_STDIN, 0);
	return sock_write(fd, head, sizeof(head), dl, err);
}

static int
open_v2(struct adb_device *dev, const char *command, int *fd,
	struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("shell,v2,raw:%s", command);

	if (adb_stream_open(dev->server, dev->serial, service, fd, dl, err))
		return -1;
	/* No input ever: a command that reads must see the end of it. */
	return end_input(*fd, dl, err);
}

static int
open_marked(struct adb_device *dev, const char *command, const char *marker,
	    int *fd, struct deadline dl, struct err *err)
{
	AUTO_FREE char *service =
		mem_fmt("shell:%s; echo %s$?", command, marker);

	return adb_stream_open(dev->server, dev->serial, service, fd, dl, err);
}

/* Run `echo WORD` and see whether packets come that end in an exit. */
static int
try_v2(struct adb_device *dev, bool *works, struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	struct adb_shell_v2 packets = {0};
	char word[24], data[256];
	AUTO_FREE char *command = NULL;
	AUTO_FD int fd = -1;
	ssize_t n = 0;
	size_t total = 0;
	int rc = 0;

	make_marker(word);
	command = mem_fmt("echo %s", word);
	if (open_v2(dev, command, &fd, dl, err)) {
		*works = false;
		return err->reason && strcmp(err->reason, "refused") == 0 ? 0
									  : -1;
	}
	adb_shell_result_init(&r, 4096);
	while (rc == 0 && !packets.exited) {
		n = sock_recv(fd, data, sizeof(data), dl, err);
		if (n <= 0)
			break;
		total += (size_t)n;
		rc = adb_shell_v2_feed(&packets, data, (size_t)n, collect, &r,
				       err);
	}
	*works = packets.exited && strstr(r.out.data, word) != NULL;
	adb_shell_result_done(&r);
	if (n < 0 && rc == 0)
		return -1;
	if (n == 0 && total == 0)
		return err_set(err, ERR_IO, "the shell ended without a byte");
	return 0;
}

int
adb_shell_probe(struct adb_device *dev, struct deadline dl, struct err *err)
{
	bool works = false;

	if (dev->shell != ADB_DEVICE_SHELL_UNKNOWN)
		return 0;
	if (try_v2(dev, &works, dl, err))
		return -1;
	err_clear(err); /* a refusal, or bytes that are no packets */
	dev->shell = works ? ADB_DEVICE_SHELL_V2 : ADB_DEVICE_SHELL_MARKER;
	log_debug("device '%s': shell by %s", dev->serial,
		  works ? "shell,v2" : "marker");
	return 0;
}

int
adb_shell_open(struct adb_device *dev, const char *command,
	       struct adb_shell *sh, struct deadline dl, struct err *err)
{
	*sh = (struct adb_shell){.fd = -1, .status = -1};
	buf_init(&sh->tail, CHUNK);
	if (adb_shell_probe(dev, dl, err))
		return -1;
	sh->v2 = dev->shell == ADB_DEVICE_SHELL_V2;
	make_marker(sh->marker);
	if (sh->v2 ? open_v2(dev, command, &sh->fd, dl, err)
		   : open_marked(dev, command, sh->marker, &sh->fd, dl, err)) {
		adb_shell_close(sh);
		return -1;
	}
	return 0;
}

int
adb_shell_open_leash(struct adb_device *dev, const char *command,
		     struct adb_shell *sh, struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("shell,v2,raw:%s", command);

	*sh = (struct adb_shell){.fd = -1, .status = -1, .v2 = true};
	buf_init(&sh->tail, CHUNK);
	if (adb_shell_probe(dev, dl, err))
		return -1;
	if (dev->shell != ADB_DEVICE_SHELL_V2)
		return err_set(err, ERR_NOTFOUND,
			       "the phone's adbd has no shell,v2, without "
			       "which a command can't be told to end");
	return adb_stream_open(dev->server, dev->serial, service, &sh->fd, dl,
			       err);
}

int
adb_shell_end_leash(struct adb_shell *sh, struct deadline dl, struct err *err)
{
	return end_input(sh->fd, dl, err);
}

void
adb_shell_close(struct adb_shell *sh)
{
	if (sh->fd >= 0)
		close(sh->fd);
	sh->fd = -1;
	buf_done(&sh->tail);
}

/* "=0123456789abcdef=7" at the end of the line: the command is over. */
static bool
read_marker(struct adb_shell *sh, size_t *keep)
{
	const char *at = strstr(sh->tail.data, sh->marker);
	char *end;
	long status;

	if (!at)
		return false;
	status = strtol(at + strlen(sh->marker), &end, 10);
	if (*end == '\r')
		end++;
	if (*end != '\n' || status < 0 || status > 255)
		return false;
	sh->status = (int)status;
	*keep = (size_t)(at - sh->tail.data);
	return true;
}

/*
 * A line of the merged stream, its end included.  An old phone's shell sits
 * behind a terminal that turns each LF into CR LF; undo it.
 */
static int
give_line(struct adb_shell *sh, adb_shell_sink sink, void *arg, struct err *err)
{
	struct buf *b = &sh->tail;
	size_t keep = b->len;
	int rc = 0;

	if (read_marker(sh, &keep)) {
		sh->ended = true;
		buf_truncate(b, keep);
	} else if (b->len >= 2 && b->data[b->len - 2] == '\r') {
		buf_truncate(b, b->len - 2);
		buf_chr(b, '\n');
	}
	if (b->len)
		rc = sink(arg, ADB_SHELL_V2_STDOUT, b->data, b->len, err);
	buf_clear(b);
	return rc;
}

static int
feed_marked(struct adb_shell *sh, const char *data, size_t len,
	    adb_shell_sink sink, void *arg, struct err *err)
{
	while (len && !sh->ended) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl - data) + 1 : len;
		struct buf *b = &sh->tail;

		/* A line too long for a marker goes on in pieces. */
		if (b->len + n >= b->limit) {
			if (b->len && sink(arg, ADB_SHELL_V2_STDOUT, b->data,
					   b->len, err))
				return -1;
			buf_clear(b);
			if (n >= b->limit)
				n = b->limit / 2;
			nl = data[n - 1] == '\n' ? data : NULL;
		}
		buf_add(b, data, n);
		data += n;
		len -= n;
		if (nl && give_line(sh, sink, arg, err))
			return -1;
	}
	return 0;
}

static int
feed(struct adb_shell *sh, const char *data, size_t len, adb_shell_sink sink,
     void *arg, struct err *err)
{
	if (!sh->v2)
		return feed_marked(sh, data, len, sink, arg, err);
	if (adb_shell_v2_feed(&sh->packets, data, len, sink, arg, err))
		return -1;
	if (sh->packets.exited) {
		sh->ended = true;
		sh->status = sh->packets.status;
	}
	return 0;
}

/* The end of the stream: what is left of a line is output. */
static int
finish(struct adb_shell *sh, adb_shell_sink sink, void *arg, struct err *err)
{
	sh->ended = true;
	if (sh->tail.len == 0)
		return 0;
	return sink(arg, ADB_SHELL_V2_STDOUT, sh->tail.data, sh->tail.len, err);
}

int
adb_shell_pump(struct adb_shell *sh, adb_shell_sink sink, void *arg,
	       struct err *err)
{
	char data[CHUNK];
	ssize_t n;

	/* Bounded, so that a busy log can't keep its caller here. */
	for (int turn = 0; turn < 64 && !sh->ended; turn++) {
		n = sock_take(sh->fd, data, sizeof(data));
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			return err_sys(err, "read from the phone's shell");
		if (n == 0)
			return finish(sh, sink, arg, err);
		if (feed(sh, data, (size_t)n, sink, arg, err))
			return -1;
	}
	return 0;
}

/* The command as messages show it: its first words. */
static int
wrap_command(const char *command, struct err *err)
{
	AUTO_BUF struct buf shown = BUF_INIT;
	size_t len = strcspn(command, "\n;|");

	buf_escaped(&shown, command, len > 80 ? 80 : len);
	return err_wrap(err, "phone's shell, '%s'", shown.data);
}

int
adb_shell_run(struct adb_device *dev, const char *command,
	      struct adb_shell_result *r, struct deadline dl, struct err *err)
{
	struct adb_shell sh;
	int rc = 0;

	if (adb_shell_open(dev, command, &sh, dl, err))
		return wrap_command(command, err);
	buf_clear(&r->out);
	buf_clear(&r->err);
	while (rc == 0 && !sh.ended) {
		rc = deadline_wait(dl, sh.fd, POLLIN, err);
		if (rc == 0)
			rc = deadline_check(dl, err);
		if (rc == 0)
			rc = adb_shell_pump(&sh, collect, r, err);
	}
	if (rc == 0 && sh.status < 0) {
		rc = err_set(err, ERR_IO,
			     "the connection ended before the exit status");
		(void)err_reason(err, "cut");
	}
	r->status = sh.status;
	adb_shell_close(&sh);
	return rc ? wrap_command(command, err) : 0;
}

static void
trim(struct buf *b)
{
	while (b->len && strchr(" \t\r\n", b->data[b->len - 1]))
		buf_truncate(b, b->len - 1);
}

int
adb_shell_text(struct adb_device *dev, const char *command, struct buf *out,
	       struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	AUTO_BUF struct buf shown = BUF_INIT;
	int rc;

	adb_shell_result_init(&r, out ? out->limit : BUF_DEFAULT_LIMIT);
	rc = adb_shell_run(dev, command, &r, dl, err);
	if (rc == 0 && r.status != 0) {
		const struct buf *words = r.err.len ? &r.err : &r.out;

		buf_escaped(&shown, words->data,
			    strnlen(words->data,
				    words->len > 200 ? 200 : words->len));
		(void)err_set(err, ERR_REMOTE, "exit status %d: %s", r.status,
			      shown.data);
		rc = wrap_command(command, err);
	}
	if (rc == 0 && out) {
		trim(&r.out);
		buf_add(out, r.out.data, r.out.len);
		rc = buf_check(out, "the command's output", err);
	}
	adb_shell_result_done(&r);
	return rc;
}
