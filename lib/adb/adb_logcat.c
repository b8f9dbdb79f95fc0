#include "adb/adb_logcat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/adb_host.h"
#include "adb/adb_shell.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "transport/sock.h"

enum {
	LINE_MAX_BYTES = 64 << 10, /* longer lines go on in pieces */
	SAME_TIME_MAX = 64 << 10,
	STAMP = 18, /* "05-12 10:11:12.123" */
	BACKOFF_MIN_MS = 250,
	BACKOFF_MAX_MS = 5000,
	TURNS = 64,	      /* reads of one pump */
	HANDSHAKE_MS = 10000, /* a server that does not answer is left */
};
static const long long file_max_default = 256LL << 20;

/*
 * The handshake has two answers to wait for, and the caller must not wait: so
 * opening the stream is a part of what pump does when the descriptor is ready.
 */
enum step { STEP_CLOSED, STEP_TRANSPORT, STEP_SERVICE, STEP_STREAM };

struct adb_logcat {
	struct adb_device *dev;
	struct adb_logcat_spec spec;
	char *buffers;
	enum step step;
	int fd, file;
	char okay[4];
	size_t okay_len;
	int64_t until_us; /* of the pause, or of the handshake */
	int64_t since_us; /* the stream is open */
	int64_t backoff_ms;
	struct adb_shell_v2 packets;
	struct buf line;
	char stamp[STAMP + 1]; /* of the last line */
	struct buf same;       /* lines with that stamp, to drop repeats */
	bool resumed;	       /* until a line with a later stamp */
	size_t gaps;
	long long lines, bytes;
	bool full;
	const char *mark;  /* a line with it is the last one, and ours */
	bool marked;	   /* it came */
	struct err broken; /* of our own file; ends it all */
};

static void
put(struct adb_logcat *l, const char *data, size_t len)
{
	long long max =
		l->spec.max_bytes ? l->spec.max_bytes : file_max_default;
	static const char cut[] = "--- the file is full, the rest is left "
				  "out ---\n";

	if (l->file < 0 || l->full || l->broken.code)
		return;
	if (l->bytes + (long long)len > max) {
		l->full = true;
		data = cut;
		len = sizeof(cut) - 1;
	}
	l->bytes += (long long)len;
	(void)file_write_all(l->file, data, len, l->spec.path, &l->broken);
}

/* "05-12 10:11:12.123": digits where they belong. */
static bool
has_stamp(const char *line, size_t len)
{
	static const char form[] = "dd-dd dd:dd:dd.ddd";

	if (len < STAMP)
		return false;
	for (size_t i = 0; i < STAMP; i++)
		if (form[i] == 'd' ? line[i] < '0' || line[i] > '9'
				   : line[i] != form[i])
			return false;
	return true;
}

/* After -T the lines of the last stamp come once more. */
static bool
repeated(struct adb_logcat *l, const char *line, size_t len)
{
	AUTO_BUF struct buf whole = BUF_INIT;

	if (!l->resumed || !has_stamp(line, len))
		return false;
	if (memcmp(line, l->stamp, STAMP) != 0) {
		l->resumed = false;
		return false;
	}
	buf_chr(&whole, '\n');
	buf_add(&whole, line, len);
	buf_chr(&whole, '\n');
	return memmem(l->same.data, l->same.len, whole.data, whole.len) != NULL;
}

static void
remember(struct adb_logcat *l, const char *line, size_t len)
{
	if (!has_stamp(line, len))
		return;
	if (memcmp(line, l->stamp, STAMP) != 0) {
		memcpy(l->stamp, line, STAMP);
		buf_clear(&l->same);
		buf_chr(&l->same, '\n');
	}
	if (l->same.len + len + 1 < SAME_TIME_MAX) {
		buf_add(&l->same, line, len);
		buf_chr(&l->same, '\n');
	}
}

static void
take_line(struct adb_logcat *l)
{
	size_t len = l->line.len;

	if (len && l->line.data[len - 1] == '\r')
		buf_truncate(&l->line, --len);
	if (l->mark && strstr(l->line.data, l->mark)) {
		l->marked = true;
	} else if (!repeated(l, l->line.data, len)) {
		remember(l, l->line.data, len);
		l->lines++;
		if (l->spec.line)
			l->spec.line(l->spec.arg, l->line.data, len);
		/* An app may log what it was given. */
		secret_redact(&l->line);
		buf_chr(&l->line, '\n');
		put(l, l->line.data, l->line.len);
	}
	buf_clear(&l->line);
}

static int
take_bytes(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
	   struct err *err)
{
	struct adb_logcat *l = arg;

	(void)id;
	(void)err;
	while (len) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl - data) : len;
		size_t room = LINE_MAX_BYTES - l->line.len;

		if (n > room)
			n = room;
		buf_add(&l->line, data, n);
		data += n;
		len -= n;
		if (len && *data == '\n') {
			data++;
			len--;
			take_line(l);
		} else if (l->line.len >= LINE_MAX_BYTES) {
			take_line(l);
		}
	}
	return 0;
}

/* The stream is gone; mark the place and try again after a pause. */
static void
broke(struct adb_logcat *l, const char *why)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	if (l->step == STEP_STREAM) {
		if (l->line.len)
			take_line(l);
		l->gaps++;
		buf_fmt(&b, "--- gap: %s, last line at %s ---\n", why,
			*l->stamp ? l->stamp : "the start");
		put(l, b.data, b.len);
	}
	log_debug("logcat of '%s': %s", l->dev->serial, why);
	/* One that ends at once, each time, is not asked four times a second. */
	if (l->step == STEP_STREAM &&
	    deadline_now_us() - l->since_us > 1000LL * BACKOFF_MAX_MS)
		l->backoff_ms = BACKOFF_MIN_MS;
	l->step = STEP_CLOSED;
	l->until_us = deadline_now_us() + 1000 * l->backoff_ms;
	l->backoff_ms *= 2;
	if (l->backoff_ms > BACKOFF_MAX_MS)
		l->backoff_ms = BACKOFF_MAX_MS;
}

static int
send_text(struct adb_logcat *l, const char *text, struct err *err)
{
	/* A few bytes into an empty socket: it does not wait. */
	struct deadline soon = deadline_in(NULL, 100);

	l->okay_len = 0;
	return adb_host_send(l->fd, text, strlen(text), soon, err);
}

static void
begin(struct adb_logcat *l)
{
	AUTO_FREE char *transport =
		mem_fmt("host:transport:%s", l->dev->serial);
	struct err err = ERR_INIT;

	if (adb_host_dial(l->dev->server, &l->fd, deadline_in(NULL, 250),
			  &err) ||
	    send_text(l, transport, &err)) {
		broke(l, err.msg);
		return;
	}
	l->step = STEP_TRANSPORT;
	l->until_us = deadline_now_us() + 1000 * HANDSHAKE_MS;
}

/* From the last line on; at the very start one old line is enough. */
static void
ask_for_log(struct adb_logcat *l)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	buf_str(&b, l->dev->shell == ADB_DEVICE_SHELL_V2 ? "shell,v2,raw:"
							 : "shell:");
	buf_str(&b, "logcat -v threadtime -b ");
	adb_shell_quote(&b, l->buffers);
	buf_str(&b, " -T ");
	adb_shell_quote(&b, *l->stamp ? l->stamp : "1");
	if (send_text(l, b.data, &err)) {
		broke(l, err.msg);
		return;
	}
	l->step = STEP_SERVICE;
	l->packets = (struct adb_shell_v2){0};
	l->resumed = *l->stamp != '\0';
}

static void
opened(struct adb_logcat *l)
{
	l->step = STEP_STREAM;
	l->since_us = deadline_now_us();
}

/* Bytes of OKAY, one answer at a time. */
static void
take_okay(struct adb_logcat *l)
{
	ssize_t n = recv(l->fd, l->okay + l->okay_len, 4 - l->okay_len,
			 MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (deadline_now_us() > l->until_us)
			broke(l, "adb does not answer");
		return;
	}
	if (n <= 0) {
		broke(l, "adb closed the connection");
		return;
	}
	l->okay_len += (size_t)n;
	if (l->okay_len < 4)
		return;
	if (memcmp(l->okay, "OKAY", 4) != 0)
		broke(l, "the phone is not there");
	else if (l->step == STEP_TRANSPORT)
		ask_for_log(l);
	else
		opened(l);
}

/* False when nothing more is there for now. */
static bool
take_stream(struct adb_logcat *l)
{
	char data[64 << 10];
	struct err err = ERR_INIT;
	ssize_t n = recv(l->fd, data, sizeof(data), MSG_DONTWAIT);

	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		broke(l, n == 0 ? "the stream ended" : strerrordesc_np(errno));
		return false;
	}
	if (l->dev->shell != ADB_DEVICE_SHELL_V2) {
		(void)take_bytes(l, ADB_SHELL_V2_STDOUT, data, (size_t)n, &err);
	} else if (adb_shell_v2_feed(&l->packets, data, (size_t)n, take_bytes,
				     l, &err)) {
		broke(l, err.msg);
		return false;
	}
	if (l->packets.exited) {
		broke(l, "logcat ended");
		return false;
	}
	return true;
}

int
adb_logcat_pump(struct adb_logcat *l, struct err *err)
{
	if (l->step == STEP_CLOSED && deadline_now_us() >= l->until_us)
		begin(l);
	if (l->step == STEP_TRANSPORT)
		take_okay(l);
	if (l->step == STEP_SERVICE)
		take_okay(l);
	for (int turn = 0; turn < TURNS && l->step == STEP_STREAM; turn++)
		if (!take_stream(l))
			break;
	if (l->broken.code) {
		*err = l->broken;
		return -1;
	}
	return 0;
}

int
adb_logcat_start(struct adb_logcat **out, struct adb_device *dev,
		 const struct adb_logcat_spec *spec, struct deadline dl,
		 struct err *err)
{
	struct adb_logcat *l;
	int file = -1;

	if (adb_shell_probe(dev, dl, err))
		return err_wrap(err, "logcat");
	if (spec->path) {
		file = open(spec->path,
			    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (file < 0)
			return err_sys(err, "open '%s'", spec->path);
	}
	l = mem_alloc(sizeof(*l));
	l->dev = dev;
	l->spec = *spec;
	l->buffers =
		mem_strdup(spec->buffers ? spec->buffers : "main,system,crash");
	l->fd = -1;
	l->file = file;
	l->backoff_ms = BACKOFF_MIN_MS;
	buf_init(&l->line, LINE_MAX_BYTES + 16);
	buf_init(&l->same, SAME_TIME_MAX + 16);
	while (l->step != STEP_STREAM) {
		struct pollfd p[2] = {0};

		if (adb_logcat_pump(l, err))
			goto fail;
		if (l->step == STEP_STREAM)
			break;
		p[0].fd = l->fd;
		p[0].events = POLLIN;
		if (deadline_poll(dl, p, 1, 100, err)) {
			(void)err_wrap(err, "logcat of '%s'", dev->serial);
			goto fail;
		}
	}
	*out = l;
	return 0;
fail:
	adb_logcat_free(l);
	return -1;
}

int
adb_logcat_fd(const struct adb_logcat *l)
{
	return l->fd;
}

short
adb_logcat_events(const struct adb_logcat *l)
{
	return l->fd >= 0 ? POLLIN : 0;
}

int64_t
adb_logcat_wait_ms(const struct adb_logcat *l)
{
	int64_t left = l->until_us - deadline_now_us();

	if (l->step == STEP_STREAM)
		return -1;
	return left > 0 ? (left + 999) / 1000 : 0;
}

size_t
adb_logcat_gaps(const struct adb_logcat *l)
{
	return l->gaps;
}

long long
adb_logcat_lines(const struct adb_logcat *l)
{
	return l->lines;
}

/* Put the mark at the log's end; false: the phone would not. */
static bool
put_mark(struct adb_logcat *l, const char *mark, struct deadline dl)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	buf_str(&b, "log -t patrol ");
	adb_shell_quote(&b, mark);
	return adb_shell_text(l->dev, b.data, NULL, dl, &err) == 0;
}

int
adb_logcat_finish(struct adb_logcat *l, const char *mark, struct deadline dl,
		  struct err *err)
{
	struct err over = ERR_INIT;

	l->mark = mark;
	if (l->step == STEP_STREAM && !put_mark(l, mark, dl))
		l->marked = true; /* what is there counts */
	while (l->step == STEP_STREAM) {
		struct pollfd p[2] = {{.fd = l->fd, .events = POLLIN}};

		if (adb_logcat_pump(l, err))
			return -1;
		if (l->marked || l->step != STEP_STREAM ||
		    deadline_poll(dl, p, 1, -1, &over))
			break;
	}
	if (l->line.len)
		take_line(l);
	l->mark = NULL;
	if (l->broken.code) {
		*err = l->broken;
		return -1;
	}
	return 0;
}

void
adb_logcat_free(struct adb_logcat *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	if (l->file >= 0)
		close(l->file);
	free(l->buffers);
	buf_done(&l->line);
	buf_done(&l->same);
	free(l);
}
