#include "apk/apk_axml.h"

#include <string.h>

enum {
	CHUNK_POOL = 0x0001,
	CHUNK_XML = 0x0003,
	CHUNK_START = 0x0102,
	CHUNK_END = 0x0103,
	CHUNK_RESOURCES = 0x0180,
	POOL_UTF8 = 0x100,
	TYPE_STRING = 0x03,
	TYPE_INT_DEC = 0x10,
	TYPE_INT_HEX = 0x11,
	TYPE_BOOL = 0x12,
	ATTR_BYTES = 20,
};

/* A stretch of the file; every read of it is checked. */
struct view {
	const uint8_t *p;
	size_t len;
};

struct parser {
	struct view file;
	struct view pool;    /* the string pool's chunk; len 0: none yet */
	struct view ids;     /* the resource map's entries */
	uint32_t strings;    /* how many the pool has */
	uint32_t text_start; /* where they begin in the pool */
	bool utf8;
	int depth;
	const struct apk_axml_events *events;
	void *arg;
};

static bool
u16(struct view v, size_t at, uint32_t *out)
{
	if (at > v.len || v.len - at < 2)
		return false;
	*out = (uint32_t)(v.p[at] | v.p[at + 1] << 8);
	return true;
}

static bool
u32(struct view v, size_t at, uint32_t *out)
{
	uint32_t low, high;

	if (!u16(v, at, &low) || !u16(v, at + 2, &high))
		return false;
	*out = low | high << 16;
	return true;
}

static bool
part(struct view v, size_t at, size_t len, struct view *out)
{
	if (at > v.len || v.len - at < len)
		return false;
	*out = (struct view){v.p + at, len};
	return true;
}

static int
bad(size_t at, const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT, "binary XML: %s at byte %zu", why, at);
}

/* One code point as UTF-8; false when `out` has no room for it. */
static bool
add_utf8(char *out, size_t *n, uint32_t c)
{
	if (*n + 4 >= APK_AXML_MAX_TEXT)
		return false;
	if (c < 0x80) {
		out[(*n)++] = (char)c;
	} else if (c < 0x800) {
		out[(*n)++] = (char)(0xc0 | c >> 6);
		out[(*n)++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		out[(*n)++] = (char)(0xe0 | c >> 12);
		out[(*n)++] = (char)(0x80 | (c >> 6 & 0x3f));
		out[(*n)++] = (char)(0x80 | (c & 0x3f));
	} else {
		out[(*n)++] = (char)(0xf0 | c >> 18);
		out[(*n)++] = (char)(0x80 | (c >> 12 & 0x3f));
		out[(*n)++] = (char)(0x80 | (c >> 6 & 0x3f));
		out[(*n)++] = (char)(0x80 | (c & 0x3f));
	}
	return true;
}

static bool
text16(struct view v, char out[APK_AXML_MAX_TEXT])
{
	size_t at = 2, n = 0;
	uint32_t len, low, c;

	if (!u16(v, 0, &len))
		return false;
	if (len & 0x8000) {
		if (!u16(v, 2, &low))
			return false;
		len = (len & 0x7fff) << 16 | low;
		at = 4;
	}
	for (; len; len--, at += 2) {
		if (!u16(v, at, &c))
			return false;
		if (c >= 0xd800 && c < 0xdc00 && len > 1 &&
		    u16(v, at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			at += 2;
			len--;
		} else if (c == 0 || (c >= 0xd800 && c < 0xe000)) {
			c = 0xfffd;
		}
		if (!add_utf8(out, &n, c))
			break;
	}
	out[n] = '\0';
	return true;
}

static bool
is_utf8(const char *s)
{
	while (*s) {
		unsigned char c = (unsigned char)*s++;
		int more = c < 0x80   ? 0
			   : c < 0xc2 ? -1
			   : c < 0xe0 ? 1
			   : c < 0xf0 ? 2
			   : c < 0xf5 ? 3
				      : -1;

		if (more < 0)
			return false;
		for (; more; more--)
			if (((unsigned char)*s++ & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* What is damaged, or was cut within a character, is shown as "?". */
static void
mend_utf8(char *s)
{
	if (is_utf8(s))
		return;
	for (; *s; s++)
		if ((unsigned char)*s & 0x80)
			*s = '?';
}

static bool
text8(struct view v, char out[APK_AXML_MAX_TEXT])
{
	size_t at = 0, len = 0;

	/* Length in UTF-16 units, then in bytes; 15 bits each. */
	for (int i = 0; i < 2; i++) {
		if (at >= v.len)
			return false;
		len = v.p[at++];
		if (len & 0x80) {
			if (at >= v.len)
				return false;
			len = (len & 0x7f) << 8 | v.p[at++];
		}
	}
	if (!part(v, at, len, &v))
		return false;
	if (len > APK_AXML_MAX_TEXT - 1)
		len = APK_AXML_MAX_TEXT - 1;
	memcpy(out, v.p, len);
	out[len] = '\0';
	mend_utf8(out);
	return true;
}

/* "" for the index -1; false when there is no such string. */
static bool
text(const struct parser *p, uint32_t index, char out[APK_AXML_MAX_TEXT])
{
	uint32_t offset;
	struct view v;
	size_t at;

	out[0] = '\0';
	if (index == UINT32_MAX)
		return true;
	if (index >= p->strings ||
	    !u32(p->pool, 28 + (size_t)index * 4, &offset))
		return false;
	at = (size_t)p->text_start + offset;
	if (at > p->pool.len)
		return false;
	v = (struct view){p->pool.p + at, p->pool.len - at};
	return p->utf8 ? text8(v, out) : text16(v, out);
}

static bool
read_pool(struct parser *p, struct view chunk)
{
	uint32_t flags;

	if (p->pool.len) /* the first one counts */
		return true;
	if (!u32(chunk, 8, &p->strings) || !u32(chunk, 16, &flags) ||
	    !u32(chunk, 20, &p->text_start) || p->strings > chunk.len / 4)
		return false;
	p->utf8 = flags & POOL_UTF8;
	p->pool = chunk;
	return true;
}

static bool
read_attr(const struct parser *p, struct view at)
{
	char name[APK_AXML_MAX_TEXT], value[APK_AXML_MAX_TEXT];
	struct apk_axml_attr a = {.name = name};
	uint32_t name_index, raw, type, data;

	if (!u32(at, 4, &name_index) || !u32(at, 8, &raw) ||
	    !u16(at, 14, &type) || !u32(at, 16, &data) ||
	    !text(p, name_index, name))
		return false;
	type >>= 8;
	if (name_index < p->ids.len / 4)
		(void)u32(p->ids, (size_t)name_index * 4,
			  &a.id); /* within: just checked */
	if (type == TYPE_STRING || raw != UINT32_MAX) {
		if (!text(p, type == TYPE_STRING ? data : raw, value))
			return false;
		a.text = value;
	}
	if (type == TYPE_INT_DEC || type == TYPE_INT_HEX) {
		a.is_number = true;
		a.number = (int32_t)data;
	} else if (type == TYPE_BOOL) {
		a.is_number = true;
		a.number = data != 0;
	}
	p->events->attr(p->arg, &a);
	return true;
}

static bool
read_start(struct parser *p, struct view chunk, uint32_t header)
{
	char name[APK_AXML_MAX_TEXT];
	uint32_t index, start, size, count;
	struct view body, at;

	if (!part(chunk, header, chunk.len - header, &body) ||
	    !u32(body, 4, &index) || !u16(body, 8, &start) ||
	    !u16(body, 10, &size) || !u16(body, 12, &count) ||
	    !text(p, index, name) || (count && size < ATTR_BYTES) ||
	    ++p->depth > APK_AXML_MAX_DEPTH)
		return false;
	p->events->start(p->arg, name);
	for (uint32_t i = 0; i < count; i++)
		if (!part(body, start + (size_t)i * size, ATTR_BYTES, &at) ||
		    !read_attr(p, at))
			return false;
	return true;
}

static bool
read_chunk(struct parser *p, uint32_t type, uint32_t header, struct view chunk)
{
	switch (type) {
	case CHUNK_POOL:
		return read_pool(p, chunk);
	case CHUNK_RESOURCES:
		return part(chunk, header, chunk.len - header, &p->ids);
	case CHUNK_START:
		return read_start(p, chunk, header);
	case CHUNK_END:
		if (p->depth-- == 0)
			return false;
		p->events->end(p->arg);
		return true;
	default:
		return true;
	}
}

int
apk_axml_parse(const void *data, size_t len,
	       const struct apk_axml_events *events, void *arg, struct err *err)
{
	struct parser p = {.file = {data, len}, .events = events, .arg = arg};
	uint32_t type, header, size;
	size_t at;

	if (!u16(p.file, 0, &type) || type != CHUNK_XML ||
	    !u16(p.file, 2, &header))
		return bad(0,
			   len && *(const char *)data == '<'
				   ? "this is XML text, not what a build "
				     "tool makes of it"
				   : "no such header",
			   err);
	/* Some tools leave a few bytes of padding behind. */
	for (at = header; at < len && len - at >= 8; at += size) {
		struct view chunk;

		if (!u16(p.file, at, &type) || !u16(p.file, at + 2, &header) ||
		    !u32(p.file, at + 4, &size) || size < 8 || header < 8 ||
		    header > size || !part(p.file, at, size, &chunk))
			return bad(at, "a broken chunk", err);
		if (!read_chunk(&p, type, header, chunk))
			return bad(at, "broken contents", err);
	}
	return p.depth == 0 ? 0 : bad(at, "an element without an end", err);
}
