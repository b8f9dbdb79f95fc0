#include "unity/raw_content.h"

enum {
	CATEGORY_VSYNC = 18,
	STATS_GC_KIB = 32, /* which of the frame statistics */
	META_COUNT = 20,   /* aligned: where a sample has its values' count */
	META_TYPE = 24,
	META_VALUE = 28,
};

static bool
has_id(const struct raw_ids *ids, uint32_t id)
{
	for (unsigned i = 0; i < ids->count; i++) {
		if (ids->id[i] == id)
			return true;
	}
	return false;
}

static void
add_id(struct raw_ids *ids, uint32_t id)
{
	if (!has_id(ids, id) && ids->count < RAW_IDS)
		ids->id[ids->count++] = id;
}

static bool
named(const struct raw_msg *m, const char *name)
{
	return m->name_len == strlen(name) &&
	       memcmp(m->name, name, m->name_len) == 0;
}

static bool
is_wait(const struct raw_msg *m)
{
	return m->category == CATEGORY_VSYNC || named(m, "WaitForTargetFPS") ||
	       named(m, "Gfx.WaitForPresentOnGfxThread") ||
	       named(m, "TimeUpdate.WaitForLastPresentationAndUpdateTime") ||
	       named(m, "XR.WaitForGPU");
}

void
raw_content_marker(struct raw_content *c, const struct raw_msg *m)
{
	if (named(m, "GC.Alloc"))
		add_id(&c->alloc, m->id);
	else if (named(m, "GC Allocated In Frame"))
		add_id(&c->counter, m->id);
	else if (is_wait(m))
		add_id(&c->waits, m->id);
}

static void
wait_begins(struct raw_content *c, struct raw_thread *t,
	    const struct raw_msg *m)
{
	if (t->wait_depth) {
		t->wait_depth += m->id == t->wait_marker;
		return;
	}
	if (!has_id(&c->waits, m->id))
		return;
	t->wait_marker = m->id;
	t->wait_depth = 1;
	t->wait_at = m->time;
}

static void
wait_ends(struct raw_thread *t, const struct raw_msg *m, struct raw_sums *sums)
{
	if (!t->wait_depth || m->id != t->wait_marker || --t->wait_depth)
		return;
	if (m->time > t->wait_at)
		sums->waited += m->time - t->wait_at;
}

uint64_t
raw_content_split_wait(struct raw_thread *t, uint64_t time)
{
	uint64_t waited;

	if (!t->wait_depth || time <= t->wait_at)
		return 0;
	waited = time - t->wait_at;
	t->wait_at = time;
	return waited;
}

static void
sample(struct raw_content *c, const struct raw_msg *m, struct raw_sums *sums)
{
	if (m->values == 0)
		return;
	if (has_id(&c->alloc, m->id)) {
		sums->allocated += raw_msg_count(&m->value[0]);
		c->seen_alloc = true;
	} else if (has_id(&c->counter, m->id)) {
		sums->counted = raw_msg_count(&m->value[0]);
		sums->has_counted = true;
		c->seen_counter = true;
	}
}

/* The counter of old, in KiB; later it is there and always 0. */
static void
stats(struct raw_content *c, const struct raw_thread *t,
      const struct raw_msg *m, struct raw_sums *sums)
{
	uint32_t kib;

	if (!t->main || !m->ints || m->id <= STATS_GC_KIB)
		return;
	kib = raw_u32(m->ints + 4 * STATS_GC_KIB);
	if (kib == 0 || kib >> 31)
		return;
	sums->counted = (uint64_t)kib * 1024;
	sums->has_counted = true;
	c->seen_stats = true;
}

static void
take(struct raw_content *c, struct raw_thread *t, unsigned look,
     const struct raw_msg *m, struct raw_sums *sums)
{
	switch (m->type) {
	case RAW_BEGIN:
	case RAW_BEGIN_ID:
		if (look & RAW_LOOK_WAITS)
			wait_begins(c, t, m);
		return;
	case RAW_END:
	case RAW_END_ID:
	case RAW_END_META:
		if (look & RAW_LOOK_WAITS)
			wait_ends(t, m, sums);
		return;
	case RAW_BEGIN_META:
		if (look & RAW_LOOK_WAITS)
			wait_begins(c, t, m);
		sample(c, m, sums);
		return;
	case RAW_SAMPLE_META:
		sample(c, m, sums);
		return;
	case RAW_GC_OLD:
		sums->allocated += m->id;
		c->seen_alloc = true;
		return;
	case RAW_STATS:
		stats(c, t, m, sums);
		return;
	default:
		return;
	}
}

static bool
is_plain(const uint8_t *p)
{
	return (unsigned)(raw_u16(p) - RAW_BEGIN) <= RAW_SAMPLE - RAW_BEGIN;
}

/*
 * Past plain samples, which is most of what there is.  Four are looked at at
 * once, so that the processor need not know one to look at the next.
 */
static size_t
skip_plain(const uint8_t *p, size_t len, size_t at, size_t step)
{
	while (at + 4 * step <= len &&
	       (is_plain(p + at) & is_plain(p + at + step) &
		is_plain(p + at + 2 * step) & is_plain(p + at + 3 * step)))
		at += 4 * step;
	while (at + step <= len && is_plain(p + at))
		at += step;
	return at;
}

/*
 * A sample with one number, aligned, as allocations are: its size, or 0 when
 * it is something else and has to be read the long way.
 */
static size_t
one_number(struct raw_content *c, const uint8_t *p, size_t len,
	   struct raw_sums *sums)
{
	unsigned type = raw_u16(p), kind;
	struct raw_msg m;
	size_t size;

	if ((type != RAW_SAMPLE_META && type != RAW_BEGIN_META) ||
	    len < META_VALUE + 8 || p[META_COUNT] != 1)
		return 0;
	kind = p[META_TYPE];
	if (kind < 2 || kind > 7)
		return 0;
	size = kind == 4 || kind == 5 || kind == 7 ? 8 : 4;
	m.id = raw_u32(p + 8);
	m.values = 1;
	m.value[0].type = (uint8_t)kind;
	m.value[0].number =
		size == 8 ? raw_u64(p + META_VALUE) : raw_u32(p + META_VALUE);
	if (kind == 2)
		m.value[0].number =
			(uint64_t)(int64_t)(int32_t)m.value[0].number;
	sample(c, &m, sums);
	return META_VALUE + size;
}

/* Allocations only: as far as the quick ways reach. */
static size_t
quick(struct raw_content *c, const uint8_t *p, size_t len, size_t at,
      struct raw_sums *sums)
{
	size_t step = raw_msg_plain(c->head);

	for (;;) {
		size_t n;

		at = skip_plain(p, len, at, step);
		if (!c->head->aligned || len - at < META_VALUE + 8)
			return at;
		n = one_number(c, p + at, len - at, sums);
		if (n == 0)
			return at;
		at += n;
	}
}

size_t
raw_content_read(struct raw_content *c, struct raw_thread *t, unsigned look,
		 const uint8_t *p, size_t len, struct raw_sums *sums)
{
	size_t at = raw_msg_begin(c->head, &t->reader, p, len);
	struct raw_msg m;

	for (;;) {
		if (!(look & RAW_LOOK_WAITS))
			at = quick(c, p, len, at, sums);
		switch (raw_msg_next(c->head, &t->reader, p, len, &at, &m)) {
		case RAW_GOT_MSG:
			take(c, t, look, &m, sums);
			break;
		case RAW_GOT_MORE:
			return c->head->aligned ? at & ~(size_t)3 : at;
		case RAW_GOT_ODD:
			c->odd_blocks++;
			c->odd_type = m.type;
			return len;
		default:
			return len;
		}
	}
}
