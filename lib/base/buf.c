#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char buf_empty[1];

void
buf_init(struct buf *b, size_t limit)
{
	*b = (struct buf)BUF_INIT_MAX(limit);
}

void
buf_done(struct buf *b)
{
	if (b->data != buf_empty)
		free(b->data);
	buf_init(b, b->limit);
}

void
buf_clear(struct buf *b)
{
	buf_truncate(b, 0);
	b->over = false;
}

char *
buf_reserve(struct buf *b, size_t more)
{
	size_t room = b->room ? b->room : 128;

	if (more > b->limit || b->len > b->limit - more) {
		b->over = true;
		return NULL;
	}
	if (b->len + more < b->room)
		return b->data + b->len;
	while (room <= b->len + more)
		room *= 2;
	b->data = mem_resize(b->data == buf_empty ? NULL : b->data, room, 1);
	b->room = room;
	b->data[b->len] = '\0';
	return b->data + b->len;
}

void
buf_added(struct buf *b, size_t n)
{
	b->len += n;
	b->data[b->len] = '\0';
}

void
buf_add(struct buf *b, const void *data, size_t len)
{
	char *to;

	if (len == 0)
		return;
	to = buf_reserve(b, len);
	if (to == NULL)
		return;
	memcpy(to, data, len);
	buf_added(b, len);
}

void
buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_chr(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void
buf_vfmt(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n > 0) {
		/* One byte more than asked for is always there, for the 0. */
		char *to = buf_reserve(b, (size_t)n);

		if (to == NULL)
			return;
		n = vsnprintf(to, (size_t)n + 1, fmt, ap);
		buf_added(b, n > 0 ? (size_t)n : 0);
	}
}

void
buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(b, fmt, ap);
	va_end(ap);
}

void
buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		buf_truncate(b, 0);
		return;
	}
	memmove(b->data, b->data + n, b->len - n + 1);
	b->len -= n;
}

void
buf_truncate(struct buf *b, size_t len)
{
	if (len < b->len) {
		b->len = len;
		b->data[len] = '\0';
	}
}

char *
buf_take(struct buf *b)
{
	char *s = b->data == buf_empty ? mem_strdup("") : b->data;

	buf_init(b, b->limit);
	return s;
}

int
buf_check(const struct buf *b, const char *what, struct err *err)
{
	if (b->over)
		return err_set(err, ERR_PROTO, "%s is larger than %zu bytes",
			       what, b->limit);
	return 0;
}

void
buf_escaped(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		/* C1 controls in UTF-8 are C2 80..9F. */
		bool c1 = c == 0xC2 && i + 1 < len &&
			  (unsigned char)s[i + 1] >= 0x80 &&
			  (unsigned char)s[i + 1] < 0xA0;

		if (c1) {
			buf_fmt(b, "\\x%02x", (unsigned char)s[++i]);
		} else if (c < 0x20 || c == 0x7F) {
			buf_fmt(b, "\\x%02x", c);
		} else {
			buf_chr(b, s[i]);
		}
	}
}

static const char *
entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The length of the valid UTF-8 character at `s`, 0 when there is none. */
static size_t
utf8_char(const unsigned char *s)
{
	unsigned long cp;
	size_t n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	cp = s[0] & (0xFFu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3F);
	}
	if ((n == 3 && cp < 0x800) || (n == 4 && cp < 0x10000) ||
	    cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000))
		return 0;
	return n;
}

/* The same for a character that XML 1.0 and HTML may carry. */
static size_t
text_char(const unsigned char *s)
{
	size_t n = utf8_char(s);

	if (n == 1 && (s[0] < 0x20 || s[0] == 0x7F))
		return s[0] == '\n' || s[0] == '\t' ? 1 : 0;
	if (n == 2 && s[0] == 0xC2 && s[1] < 0xA0)
		return 0; /* C1 controls */
	if (n == 3 && s[0] == 0xEF && s[1] == 0xBF && s[2] >= 0xBE)
		return 0; /* U+FFFE and U+FFFF */
	return n;
}

void
buf_utf8(struct buf *b, const char *s)
{
	while (*s) {
		size_t n = utf8_char((const unsigned char *)s);

		if (n > 0)
			buf_add(b, s, n);
		else
			buf_str(b, "\xEF\xBF\xBD");
		s += n > 0 ? n : 1;
	}
}

static void
add_text(struct buf *b, const char *s, const char *instead)
{
	while (*s) {
		const char *e = entity(*s);
		size_t n = text_char((const unsigned char *)s);

		if (e)
			buf_str(b, e);
		else if (n > 0)
			buf_add(b, s, n);
		else
			buf_str(b, instead);
		s += n > 0 ? n : 1;
	}
}

void
buf_html(struct buf *b, const char *s)
{
	add_text(b, s, "\xEF\xBF\xBD");
}

void
buf_xml(struct buf *b, const char *s)
{
	add_text(b, s, "");
}

void
buf_url(struct buf *b, const char *s)
{
	static const char keep[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789-._~";

	for (; *s; s++) {
		if (strchr(keep, *s))
			buf_chr(b, *s);
		else
			buf_fmt(b, "%%%02X", (unsigned char)*s);
	}
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
buf_url_decoded(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool whole = len - i > 2;
		int high = s[i] == '%' && whole ? hex_digit(s[i + 1]) : -1;
		int low = s[i] == '%' && whole ? hex_digit(s[i + 2]) : -1;

		if (s[i] != '%') {
			buf_chr(b, s[i]);
			continue;
		}
		if (high < 0 || low < 0 || high + low == 0)
			return false;
		buf_chr(b, (char)(high << 4 | low));
		i += 2;
	}
	return true;
}

void
buf_base64(struct buf *b, const void *data, size_t len)
{
	static const char abc[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i += 3) {
		unsigned long v = (unsigned long)p[i] << 16;
		char out[4];

		if (i + 1 < len)
			v |= (unsigned long)p[i + 1] << 8;
		if (i + 2 < len)
			v |= p[i + 2];
		out[0] = abc[v >> 18 & 63];
		out[1] = abc[v >> 12 & 63];
		out[2] = i + 1 < len ? abc[v >> 6 & 63] : '=';
		out[3] = i + 2 < len ? abc[v & 63] : '=';
		buf_add(b, out, sizeof(out));
	}
}

void
buf_size(struct buf *b, long long bytes)
{
	static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB"};
	double v = (double)bytes;
	size_t i = 0;

	if (bytes < 1024) {
		buf_fmt(b, "%lld B", bytes);
		return;
	}
	/* The borders are those of the rounded number. */
	for (v /= 1024; v >= 1023.5 && i + 1 < sizeof(unit) / sizeof(*unit);
	     i++)
		v /= 1024;
	buf_fmt(b, v < 9.95 ? "%.1f %s" : "%.0f %s", v, unit[i]);
}

void
buf_duration(struct buf *b, long long ms)
{
	if (ms < 1000)
		buf_fmt(b, "%lld ms", ms);
	else if (ms < 9995)
		buf_fmt(b, "%.2f s", (double)ms / 1000);
	else if (ms >= 59950 && ms < 60000)
		buf_str(b, "1:00 min");
	else if (ms < 60000)
		buf_fmt(b, "%.1f s", (double)ms / 1000);
	else if (ms < 3600000)
		buf_fmt(b, "%lld:%02lld min", ms / 60000, ms / 1000 % 60);
	else
		buf_fmt(b, "%lld:%02lld h", ms / 3600000, ms / 60000 % 60);
}
