#include "adb/adb_screencap.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

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

/* An 8-bit RGB or RGBA picture while it is inflated, row by row. */
struct picture {
	z_stream z;
	uint32_t width, height;
	size_t pixel, row;	     /* bytes */
	unsigned char *now, *before; /* rows; now[0] is the filter */
	size_t have;		     /* bytes of the current row */
	uint32_t rows;
	bool black;
};

static unsigned char
paeth(int a, int b, int c)
{
	int p = a + b - c;
	int pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

	if (pa <= pb && pa <= pc)
		return (unsigned char)a;
	return (unsigned char)(pb <= pc ? b : c);
}

static void
unfilter(struct picture *p)
{
	unsigned char *now = p->now + 1;
	const unsigned char *up = p->before + 1;

	assert(p->pixel > 0);
	for (size_t i = 0; i < p->row; i++) {
		int a = i >= p->pixel ? now[i - p->pixel] : 0;
		int b = up[i];
		int c = i >= p->pixel ? up[i - p->pixel] : 0;

		if (p->now[0] == 1)
			now[i] = (unsigned char)(now[i] + a);
		else if (p->now[0] == 2)
			now[i] = (unsigned char)(now[i] + b);
		else if (p->now[0] == 3)
			now[i] = (unsigned char)(now[i] + (a + b) / 2);
		else if (p->now[0] == 4)
			now[i] = (unsigned char)(now[i] + paeth(a, b, c));
		if (i % p->pixel < 3 && now[i] != 0)
			p->black = false;
	}
}

static void
feed_picture(struct picture *p, const char *data, size_t len)
{
	p->z.next_in = (const unsigned char *)data;
	p->z.avail_in = (unsigned)len;
	while (p->black && p->rows < p->height) {
		unsigned char *swap = p->before;
		int rc;

		p->z.next_out = p->now + p->have;
		p->z.avail_out = (unsigned)(p->row + 1 - p->have);
		rc = inflate(&p->z, Z_NO_FLUSH);
		p->have = p->row + 1 - p->z.avail_out;
		if (p->have == p->row + 1) {
			unfilter(p);
			p->before = p->now;
			p->now = swap;
			p->have = 0;
			p->rows++;
		} else if (rc != Z_OK || p->z.avail_in == 0) {
			return;
		}
	}
}

/* False: not of the kind that phones make. */
static bool
begin_picture(struct picture *p, const char *ihdr)
{
	bool alpha = ihdr[9] == 6;

	p->width = be32(ihdr);
	p->height = be32(ihdr + 4);
	p->black = true;
	if (p->width == 0 || p->height == 0 || p->width > 16384 ||
	    p->height > 16384 || ihdr[8] != 8 || (ihdr[9] != 2 && !alpha) ||
	    ihdr[12] != 0)
		return false;
	p->pixel = alpha ? 4 : 3;
	p->row = p->pixel * p->width;
	p->now = mem_alloc(p->row + 1);
	p->before = mem_alloc(p->row + 1);
	return inflateInit(&p->z) == Z_OK;
}

bool
adb_screencap_black(const void *png, size_t len)
{
	const char *bytes = png, *type;
	size_t at = sizeof(png_start), size;
	struct picture p = {.black = false};
	bool black;

	if (len < at || !next_chunk(bytes, len, &at, &type, &size) ||
	    memcmp(type, "IHDR", 4) != 0 || size != 13)
		return false;
	if (begin_picture(&p, type + 4)) {
		while (next_chunk(bytes, len, &at, &type, &size))
			if (memcmp(type, "IDAT", 4) == 0)
				feed_picture(&p, type + 4, size);
		(void)inflateEnd(&p.z); /* nothing to learn from it */
		black = p.black && p.rows == p.height;
	} else {
		black = false;
	}
	free(p.now);
	free(p.before);
	return black;
}
