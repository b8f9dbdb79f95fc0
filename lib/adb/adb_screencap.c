#include "adb/adb_screencap.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb_shell.h"
#include "adb/adb_stream.h"
#include "base/mem.h"
#include "transport/sock.h"

static const char png_start[8] = "\x89PNG\r\n\x1a\n";
static const char png_crlf[10] = "\x89PNG\r\r\n\x1a\r\n";

/* exec: keeps bytes as they are; shell: may be behind a terminal. */
static int
take_raw(struct adb_device *dev, struct buf *png, struct deadline dl,
	 struct err *err)
{
	AUTO_FD int fd = -1;

	if (adb_stream_open(dev->server, dev->serial, "exec:screencap -p", &fd,
			    dl, err)) {
		if (!err->reason || strcmp(err->reason, "refused") != 0)
			return -1;
		err_clear(err);
		if (adb_stream_open(dev->server, dev->serial,
				    "shell:screencap -p", &fd, dl, err))
			return -1;
	}
	return sock_read_all(fd, png, dl, err);
}

static int
take_v2(struct adb_device *dev, struct buf *png, struct deadline dl,
	struct err *err)
{
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, png->limit);
	rc = adb_shell_run(dev, "screencap -p", &r, dl, err);
	if (rc == 0 && r.status != 0) {
		AUTO_BUF struct buf shown = BUF_INIT;

		buf_escaped(&shown, r.err.data,
			    r.err.len > 200 ? 200 : r.err.len);
		rc = err_set(err, ERR_REMOTE, "screencap ended with %d: %s",
			     r.status, shown.data);
	}
	if (rc == 0)
		buf_add(png, r.out.data, r.out.len);
	adb_shell_result_done(&r);
	return rc;
}

int
adb_screencap_take(struct adb_device *dev, struct buf *png, struct deadline dl,
		   struct err *err)
{
	int rc;

	buf_clear(png);
	rc = adb_shell_probe(dev, dl, err);
	if (rc == 0)
		rc = dev->shell == ADB_DEVICE_SHELL_V2
			     ? take_v2(dev, png, dl, err)
			     : take_raw(dev, png, dl, err);
	if (rc == 0)
		rc = buf_check(png, "the screenshot", err);
	if (rc == 0)
		rc = adb_screencap_clean(png, err);
	return rc ? err_wrap(err, "screenshot") : 0;
}

static uint32_t
be32(const void *at)
{
	const unsigned char *p = at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void
undo_crlf(struct buf *b)
{
	size_t to = 0;

	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] != '\r' || i + 1 == b->len ||
		    b->data[i + 1] != '\n')
			b->data[to++] = b->data[i];
	buf_truncate(b, to);
}

/*
 * The chunk at *at (length, type, data, CRC): its type and data, and *at
 * moved behind it.  False when it is cut.
 */
static bool
next_chunk(const char *png, size_t len, size_t *at, const char **type,
	   size_t *size)
{
	if (*at > len || len - *at < 12)
		return false;
	*size = be32(png + *at);
	if (*size > len - *at - 12)
		return false;
	*type = png + *at + 4;
	*at += 12 + *size;
	return true;
}

int
adb_screencap_clean(struct buf *png, struct err *err)
{
	const char *at, *type;
	size_t pos = sizeof(png_start), size;

	at = memmem(png->data, png->len, png_crlf, sizeof(png_crlf));
	if (at) {
		buf_drop(png, (size_t)(at - png->data));
		undo_crlf(png);
	}
	at = memmem(png->data, png->len, png_start, sizeof(png_start));
	if (!at) {
		AUTO_BUF struct buf shown = BUF_INIT;

		buf_escaped(&shown, png->data, png->len > 120 ? 120 : png->len);
		return err_set(err, ERR_PROTO, "what came is no PNG but '%s'",
			       shown.data);
	}
	buf_drop(png, (size_t)(at - png->data));
	while (next_chunk(png->data, png->len, &pos, &type, &size)) {
		if (memcmp(type, "IEND", 4) != 0)
			continue;
		buf_truncate(png, pos);
		return 0;
	}
	return err_set(err, ERR_PROTO, "the picture of %zu bytes is cut",
		       png->len);
}
