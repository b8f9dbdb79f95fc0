#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * A growing run of bytes with a limit.
 *
 * Invariants: `data` is never NULL and data[len] is always 0, so it can be
 * read as a string at any time.  What would pass the limit is not added and
 * `over` stays set: build first, ask once with buf_check().
 */
struct buf {
	char *data;
	size_t len;
	size_t room;
	size_t limit;
	bool over;
};

enum { BUF_DEFAULT_LIMIT = 16 << 20 };

extern char buf_empty[];
#define BUF_INIT_MAX(max)                         \
	{                                         \
		.data = buf_empty, .limit = (max) \
	}
#define BUF_INIT BUF_INIT_MAX(BUF_DEFAULT_LIMIT)

void buf_init(struct buf *b, size_t limit);
void buf_done(struct buf *b);
#define AUTO_BUF __attribute__((cleanup(buf_done)))

void buf_clear(struct buf *b); /* empty, keeps memory and limit */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *s);
void buf_chr(struct buf *b, char c);
void buf_fmt(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_vfmt(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/*
 * Make at least `more` bytes writable behind len and return where; the caller
 * adds what it wrote to `len` with buf_added().  NULL past the limit.
 */
char *buf_reserve(struct buf *b, size_t more);
void buf_added(struct buf *b, size_t n);
void buf_drop(struct buf *b, size_t n); /* from the front */
void buf_truncate(struct buf *b, size_t len);

/* Give the string away (free() it); the buf is empty and usable after. */
char *buf_take(struct buf *b);

/* ERR_PROTO "'what' is larger than N bytes" when something was dropped. */
int buf_check(const struct buf *b, const char *what, struct err *err);

/* Text of others, for a terminal or a log: control bytes become \xNN. */
void buf_escaped(struct buf *b, const char *s, size_t len);
/* With U+FFFD in place of what is not UTF-8. */
void buf_utf8(struct buf *b, const char *s);
/* For HTML text and attributes, for XML 1.0 (control bytes dropped). */
void buf_html(struct buf *b, const char *s);
void buf_xml(struct buf *b, const char *s);
/* Percent-encode everything but unreserved characters. */
void buf_url(struct buf *b, const char *s);
/*
 * The reverse.  False: a percent sign has no two digits behind it, or they are
 * a zero byte; what was before it has been added.
 */
bool buf_url_decoded(struct buf *b, const char *s, size_t len);
void buf_base64(struct buf *b, const void *data, size_t len);
/* "412 MiB", "8.4 KiB", "12 B"; "1.84 s", "24:10 min". */
void buf_size(struct buf *b, long long bytes);
void buf_duration(struct buf *b, long long ms);

#endif
