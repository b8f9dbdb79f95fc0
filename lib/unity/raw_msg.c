#include "unity/raw_msg.h"

/* A place in a payload; `bad` stays set once something was not there. */
struct cursor {
	const uint8_t *p;
	size_t len, at;
	bool aligned;
	bool bad;
};

static void
align(struct cursor *c)
{
	if (!c->aligned)
		return;
	c->at = (c->at + 3) & ~(size_t)3;
	/* Padding that a block's end cut off is no loss. */
	if (c->at > c->len)
		c->at = c->len;
}

static const uint8_t *
take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p + c->at;

	if (c->bad || n > c->len - c->at) {
		c->bad = true;
		return NULL;
	}
	c->at += (size_t)n;
	return p;
}

static uint64_t
number(struct cursor *c, unsigned bytes)
{
	const uint8_t *p = take(c, bytes);
	uint64_t v = 0;

	for (unsigned i = 0; p && i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static uint32_t
u32(struct cursor *c)
{
	return (uint32_t)number(c, 4);
}

static uint8_t
u8_aligned(struct cursor *c)
{
	uint8_t v = (uint8_t)number(c, 1);

	align(c);
	return v;
}

static void
text(struct cursor *c, const uint8_t **p, uint32_t *len)
{
	*len = u32(c);
	*p = take(c, *len);
	align(c);
}

static void
skip_text(struct cursor *c)
{
	const uint8_t *p;
	uint32_t len;

	text(c, &p, &len);
}

/* `count` numbers of `size` bytes, the count before them. */
static void
skip_array(struct cursor *c, unsigned size)
{
	(void)take(c, (uint64_t)u32(c) * size);
	align(c);
}

static bool
is_type(unsigned type)
{
	static const uint64_t types =
		1ULL << RAW_MARKER | 1ULL << RAW_CALLSTACK | 1ULL << RAW_STATS |
		1ULL << RAW_AUDIO | 1ULL << RAW_UI_CANVAS |
		1ULL << RAW_UI_EVENTS | 1ULL << RAW_METHOD |
		1ULL << RAW_NATIVE_TYPE | 1ULL << RAW_OBJECT | 1ULL << RAW_GFX |
		3ULL << RAW_THREAD | 511ULL << RAW_BEGIN | 63ULL << RAW_GC_OLD |
		3ULL << RAW_CATEGORY;

	return type < 64 && (types >> type & 1);
}

/* Whether a message, or nothing, may stand at `at`. */
static bool
plausible(const struct cursor *c, size_t at)
{
	if (at >= c->len)
		return at == c->len;
	if (c->len - at < 2)
		return c->p[at] == 0; /* padding */
	if (c->aligned && c->len - at >= 4 &&
	    (c->p[at + 2] != 0 || c->p[at + 3] != 0))
		return false;
	return is_type(raw_u16(c->p + at)) || raw_u16(c->p + at) == RAW_STATE;
}

enum { VALUE_TEXT = 8, VALUE_UTF16 = 9, VALUE_VEC3 = 10, VALUE_BLOB = 11 };

static bool
is_long(unsigned type)
{
	return type == VALUE_TEXT || type == VALUE_UTF16 || type == VALUE_BLOB;
}

/* Bytes of a value of a fixed size; 0: no such type. */
static unsigned
value_size(unsigned type)
{
	static const uint8_t size[] = {0, 4, 4, 4,  8, 8, 4,
				       8, 0, 0, 12, 0, 8, 8};

	return type < sizeof(size) ? size[type] : 0;
}

/* A text or blob, of which the end may be in the thread's next block. */
static void
long_value(struct cursor *c, struct raw_reader *r, struct raw_value *v)
{
	v->len = u32(c);
	if (c->bad)
		return;
	v->have = v->len;
	if (v->len > c->len - c->at) {
		v->have = (uint32_t)(c->len - c->at);
		r->rest = v->len - v->have;
	}
	v->p = take(c, v->have);
	align(c);
}

static void
read_value(struct cursor *c, struct raw_reader *r, struct raw_value *v)
{
	unsigned size;

	*v = (struct raw_value){.type = u8_aligned(c)};
	if (c->bad)
		return;
	if (is_long(v->type)) {
		long_value(c, r, v);
		return;
	}
	size = value_size(v->type);
	if (size == 0)
		c->bad = true;
	else if (size > 8)
		(void)take(c, size);
	else
		v->number = number(c, size);
	if (v->type == 1 || v->type == 2)
		v->number = (uint64_t)(int64_t)(int32_t)v->number;
}

/* Values up to their end, or to one that goes on in the next block. */
static void
read_values(struct cursor *c, struct raw_reader *r, unsigned count,
	    struct raw_msg *m)
{
	for (unsigned i = 0; i < count && !c->bad; i++) {
		struct raw_value v;

		/* Between two values a block may end, too. */
		if (i > 0 && c->at == c->len) {
			r->values = count - i;
			return;
		}
		read_value(c, r, &v);
		if (c->bad)
			return;
		if (m && m->values < RAW_VALUES)
			m->value[m->values++] = v;
		if (r->rest) {
			r->values = count - i - 1;
			return;
		}
	}
}

size_t
raw_msg_begin(const struct raw_head *head, struct raw_reader *r,
	      const uint8_t *p, size_t len)
{
	struct cursor c = {.p = p, .len = len, .aligned = head->aligned};
	unsigned count = r->values;

	if (r->rest == 0 && r->values == 0)
		return 0;
	if (r->rest > len) {
		r->rest -= (uint32_t)len;
		return len;
	}
	c.at = r->rest;
	r->rest = r->values = 0;
	/* Neither a type nor a value begins with 0: then it was padded. */
	if (c.at < len && p[c.at] == 0)
		align(&c);
	read_values(&c, r, count, NULL);
	return c.bad ? len : c.at;
}

static void
read_sample(struct cursor *c, struct raw_msg *m)
{
	(void)u8_aligned(c);
	m->id = u32(c);
	m->time = number(c, 8);
}

/* Whether what follows looks like values, and not like another message. */
static bool
has_values(const struct cursor *c)
{
	size_t first = c->at + (c->aligned ? 4 : 1);
	unsigned count = c->at < c->len ? c->p[c->at] : 0;

	if (count == 0 || count > 16 || first >= c->len)
		return false;
	return is_long(c->p[first]) || value_size(c->p[first]) != 0;
}

static void
read_meta(struct cursor *c, struct raw_reader *r, struct raw_msg *m)
{
	read_sample(c, m);
	if (c->bad || (m->type == RAW_END_META && !has_values(c)))
		return;
	read_values(c, r, u8_aligned(c), m);
}

static void
read_thread(const struct raw_head *head, struct cursor *c, struct raw_msg *m)
{
	m->thread = number(c, 8);
	if (head->version >= RAW_VERSION_2018_2)
		m->time = number(c, 8);
	m->id = u32(c);
	text(c, &m->group, &m->group_len);
	text(c, &m->name, &m->name_len);
}

static void
read_marker(struct cursor *c, struct raw_msg *m)
{
	unsigned count;

	m->id = u32(c);
	m->flags = (uint16_t)number(c, 2);
	m->category = (uint16_t)number(c, 2);
	text(c, &m->name, &m->name_len);
	count = u8_aligned(c);
	for (unsigned i = 0; i < count && !c->bad; i++) {
		(void)number(c, 2);
		align(c);
		skip_text(c);
	}
}

/* Whether the count of its frames is padded is not known: see what follows. */
static void
read_callstack(struct cursor *c)
{
	size_t packed;
	unsigned count;

	(void)u32(c);
	count = (unsigned)number(c, 1);
	if (count > 32) {
		c->bad = true;
		return;
	}
	packed = c->at + 8UL * count;
	align(c);
	(void)take(c, 8UL * count);
	if (c->aligned && packed <= c->len &&
	    (c->bad || !plausible(c, c->at)) && plausible(c, packed)) {
		c->bad = false;
		c->at = packed;
	}
}

/* Neither is whether the name of a category begins at a multiple of 4. */
static void
read_category(struct cursor *c)
{
	struct cursor padded;

	(void)take(c, 6);
	padded = *c;
	align(&padded);
	skip_text(&padded);
	if (!padded.bad && plausible(&padded, padded.at)) {
		*c = padded;
		return;
	}
	skip_text(c);
}

static void
read_stats(const struct raw_head *head, struct cursor *c, struct raw_msg *m)
{
	if (head->version >= RAW_VERSION_2018_3 || head->version == 0x20180306)
		(void)u32(c);
	m->id = u32(c);
	m->ints = take(c, (uint64_t)m->id * 4);
}

static void
read_object(const struct raw_head *head, struct cursor *c)
{
	unsigned id = head->version >= RAW_VERSION_ENTITY ? 8 : 4;

	(void)take(c, 2UL * id);
	skip_text(c);
	(void)take(c, 4 + 4 + 8 + 8);
}

static void
read_seldom(const struct raw_head *head, struct cursor *c, struct raw_msg *m)
{
	switch (m->type) {
	case RAW_STATE:
		(void)take(c, 4);
		m->time = number(c, 8);
		m->id = u32(c);
		return;
	case RAW_CALLSTACK:
		read_callstack(c);
		return;
	case RAW_STATS:
		read_stats(head, c, m);
		return;
	case RAW_UI_CANVAS:
	case RAW_UI_EVENTS:
		for (int i = m->type == RAW_UI_CANVAS; i < 3; i++)
			skip_array(c, 1);
		return;
	case RAW_METHOD:
		(void)take(c, 8 + 8 + 4);
		skip_text(c);
		skip_text(c);
		(void)take(c, 4);
		return;
	case RAW_NATIVE_TYPE:
		(void)take(c, 8);
		skip_text(c);
		return;
	case RAW_OBJECT:
		read_object(head, c);
		return;
	case RAW_GFX:
		(void)take(c, 24);
		return;
	case RAW_CATEGORY:
		read_category(c);
		return;
	case RAW_CATEGORY_STATE:
		(void)take(c, 4);
		align(c);
		return;
	default:
		/* Audio's names have no count, 54's layout is unknown. */
		c->bad = true;
	}
}

static void
read_small(const struct raw_head *head, struct cursor *c, struct raw_msg *m)
{
	switch (m->type) {
	case RAW_FRAME:
		m->id = u32(c);
		m->time = number(c, 8);
		return;
	case RAW_GC_OLD:
	case RAW_ASYNC_ANCHOR:
		m->id = u32(c);
		return;
	case RAW_GPU:
		(void)take(c, 8);
		(void)u8_aligned(c);
		return;
	case RAW_CLEANUP:
		m->time = number(c, 8);
		return;
	case RAW_FLOW:
		(void)u8_aligned(c);
		(void)u32(c);
		return;
	default:
		read_seldom(head, c, m);
	}
}

static void
read_fields(const struct raw_head *head, struct raw_reader *r, struct cursor *c,
	    struct raw_msg *m)
{
	switch (m->type) {
	case RAW_BEGIN:
	case RAW_END:
	case RAW_SAMPLE:
		read_sample(c, m);
		return;
	case RAW_BEGIN_ID:
	case RAW_END_ID:
	case RAW_SAMPLE_ID:
		read_sample(c, m);
		(void)take(c, head->version >= RAW_VERSION_ENTITY ? 8 : 4);
		return;
	case RAW_BEGIN_META:
	case RAW_END_META:
	case RAW_SAMPLE_META:
		read_meta(c, r, m);
		return;
	case RAW_THREAD:
		read_thread(head, c, m);
		return;
	case RAW_MARKER:
		read_marker(c, m);
		return;
	default:
		read_small(head, c, m);
	}
}

enum raw_got
raw_msg_next(const struct raw_head *head, struct raw_reader *r,
	     const uint8_t *p, size_t len, size_t *at, struct raw_msg *m)
{
	struct cursor c = {
		.p = p, .len = len, .at = *at, .aligned = head->aligned};
	unsigned type;

	if (*at >= len)
		return RAW_GOT_END;
	if (len - *at < 4 && r->more)
		return RAW_GOT_MORE;
	if (len - *at < 2 || (len - *at < 4 && raw_u16(p + *at) == 0))
		return RAW_GOT_END; /* padding */
	type = (unsigned)number(&c, 2);
	align(&c);
	*m = (struct raw_msg){.type = (enum raw_type)type};
	if (!is_type(type) && type != RAW_STATE)
		return RAW_GOT_ODD;
	read_fields(head, r, &c, m);
	/* Only what is too large to be held whole is divided here. */
	if (r->more && *at >= 4 &&
	    (c.bad || c.at == len || r->rest || r->values)) {
		r->rest = r->values = 0;
		return RAW_GOT_MORE;
	}
	if (c.bad)
		return RAW_GOT_ODD;
	*at = c.at;
	return RAW_GOT_MSG;
}

uint64_t
raw_msg_count(const struct raw_value *v)
{
	bool whole = v->type >= 2 && v->type <= 5;
	bool negative = v->type != 3 && v->type != 5 && v->number >> 63;

	return whole && !negative ? v->number : 0;
}
