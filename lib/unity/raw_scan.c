#include "unity/raw_scan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "unity/raw_read.h"

/* Footer, next head and the begin of its payload, with some to spare. */
enum {
	STEP = RAW_BLOCK_FOOT + RAW_BLOCK_HEAD + RAW_PEEK,
	TICK = 4096,	  /* blocks between two looks for a signal */
	LARGE = 32 << 10, /* a window that is read from begin to end */
};

int
raw_scan_open(const struct raw_scan_spec *spec, const struct cancel *cancel,
	      struct raw_scan **scan, struct err *err)
{
	struct raw_scan *s = mem_alloc(sizeof(*s));

	s->spec = *spec;
	s->content.head = &s->head;
	if (raw_src_open(&s->spec.src, cancel, &s->src, err)) {
		raw_scan_free(s);
		return -1;
	}
	*scan = s;
	return 0;
}

void
raw_scan_free(struct raw_scan *s)
{
	if (!s)
		return;
	raw_src_free(s->src);
	raw_threads_done(&s->threads);
	raw_frames_done(&s->frames);
	raw_seen_done(&s->seen);
	free(s->lost_in);
	free(s);
}

static int
begin_segment(struct raw_scan *s, const uint8_t *p, size_t got, struct err *err)
{
	struct raw_head head;

	if (raw_format_head(p, got, raw_src_name(s->src), &head, err))
		return -1;
	if (s->segments && !raw_format_same(&s->head, &head))
		return err_set(err, ERR_INPUT,
			       "'%s' is of another recording than the "
			       "segments before it: its header differs; "
			       "filter them one by one",
			       raw_src_name(s->src));
	if (!s->segments)
		memcpy(s->head_bytes, p, head.size);
	s->head = head;
	s->at = head.size;
	s->segments++;
	s->bytes_in += head.size;
	s->open = true;
	s->has_block = false;
	return 0;
}

static int
next_segment(struct raw_scan *s, bool *more, struct err *err)
{
	for (;;) {
		const uint8_t *p;
		size_t got;

		if (raw_src_next(s->src, more, err))
			return -1;
		if (!*more)
			return 0;
		if (raw_src_at(s->src, 0, RAW_HEAD_MAX, &p, &got, err))
			return -1;
		/* One that was just begun when the app was ended. */
		if (got == 0 && s->segments) {
			s->empty_segments++;
			continue;
		}
		return begin_segment(s, p, got, err);
	}
}

/* What is behind the last whole block stays unread. */
static void
lose(struct raw_scan *s, uint64_t at, bool damaged)
{
	uint64_t size = raw_src_size(s->src);

	s->open = s->has_block = false;
	if (size <= at)
		return;
	s->lost += size - at;
	s->lost_at = at;
	s->lost_damaged = damaged;
	free(s->lost_in);
	s->lost_in = mem_strdup(raw_src_name(s->src));
}

/* The head of the block at s->at, of the bytes there. */
static void
take_head(struct raw_scan *s, const uint8_t *p, size_t got)
{
	struct raw_block *b = &s->block;

	if (got < RAW_BLOCK_HEAD || raw_u32(p) != RAW_BLOCK_MAGIC) {
		lose(s, s->at, got >= RAW_BLOCK_HEAD);
		return;
	}
	b->at = s->at;
	b->index = raw_u32(p + 4);
	b->thread = raw_u64(p + 8);
	b->len = raw_u32(p + 16);
	s->has_block = true;
	got -= RAW_BLOCK_HEAD;
	p += RAW_BLOCK_HEAD;
	b->peeked = RAW_PEEK;
	if (got >= RAW_PEEK && b->len >= RAW_PEEK) {
		memcpy(b->peek, p, RAW_PEEK); /* its size is known: quick */
		return;
	}
	b->peeked = got < b->len ? (uint32_t)got : b->len;
	if (b->peeked > RAW_PEEK)
		b->peeked = RAW_PEEK;
	memcpy(b->peek, p, b->peeked);
}

static int
first_block(struct raw_scan *s, struct err *err)
{
	const uint8_t *p;
	size_t got;

	if (raw_src_at(s->src, s->at, STEP, &p, &got, err))
		return -1;
	take_head(s, p, got);
	return 0;
}

/* Whether the whole of the block that was begun is wanted in the window. */
static bool
will_read(const struct raw_scan *s)
{
	return s->block.thread == RAW_GLOBAL || s->spec.src.ahead >= LARGE;
}

/*
 * The footer of the block that was begun and the head of the next one: one
 * look for both.  With the payload where that is read, so that the window is
 * not moved to and fro.
 */
static int
look_behind(struct raw_scan *s, const uint8_t **p, size_t *got, struct err *err)
{
	uint64_t at = s->block.at;
	size_t len = (size_t)s->block.len + RAW_BLOCK_HEAD;

	if (len > RAW_WINDOW - STEP || !will_read(s))
		return raw_src_at(s->src, at + len, STEP, p, got, err);
	if (raw_src_at(s->src, at, len + STEP, p, got, err))
		return -1;
	*p += len;
	*got = *got > len ? *got - len : 0;
	return 0;
}

/*
 * Finish the block that was begun and take the next one's head.  Without
 * *whole there is no such block.
 */
static int
finish_block(struct raw_scan *s, struct raw_block *b, bool *whole,
	     struct err *err)
{
	uint64_t foot = s->block.at + RAW_BLOCK_HEAD + s->block.len;
	const uint8_t *p;
	size_t got;

	*b = s->block;
	if (raw_src_has(s->src, foot, RAW_BLOCK_FOOT, whole, err))
		return -1;
	if (!*whole) {
		lose(s, b->at, false);
		return 0;
	}
	if (look_behind(s, &p, &got, err))
		return -1;
	*whole = got >= RAW_BLOCK_FOOT && raw_u32(p + 4) == RAW_FOOT_MAGIC;
	if (!*whole) {
		lose(s, b->at, true);
		return 0;
	}
	b->footer = raw_u32(p);
	s->footers += b->footer != b->index + 1;
	s->at = foot + RAW_BLOCK_FOOT;
	s->has_block = false;
	take_head(s, p + RAW_BLOCK_FOOT, got - RAW_BLOCK_FOOT);
	return 0;
}

/* The first message of a block, when it was peeked at whole. */
static bool
peek(const struct raw_scan *s, const struct raw_block *b, enum raw_type type,
     struct raw_msg *m)
{
	struct raw_reader r = {0};
	size_t at = 0;

	if (b->peeked < 2 || raw_u16(b->peek) != type)
		return false;
	if (s->head.aligned && (b->peeked < 4 || raw_u16(b->peek + 2) != 0))
		return false;
	if (type == RAW_THREAD)
		return true;
	return raw_msg_next(&s->head, &r, b->peek, b->peeked, &at, m) ==
	       RAW_GOT_MSG;
}

static void
place(struct raw_scan *s, struct raw_thread *t)
{
	struct raw_frame *f;

	t->placed =
		raw_frames_find(&s->frames, t->frame, &t->ordinal) == RAW_FOUND;
	if (!t->placed)
		return;
	f = raw_frames_at(&s->frames, t->ordinal);
	f->allocated += t->ahead;
	f->threads += t->bound;
	t->ahead = 0;
}

/*
 * Threads that were ahead of the main one, which begins their frame now; they
 * may have nothing more in it.
 */
static void
place_ahead(struct raw_scan *s)
{
	for (size_t i = 0; i < s->threads.count; i++) {
		struct raw_thread *t = &s->threads.item[i];

		if (t->bound && !t->placed)
			place(s, t);
	}
}

static void
begin_frame(struct raw_scan *s, struct raw_thread *t, const struct raw_msg *m,
	    struct raw_item *item)
{
	struct raw_frame *f;

	if (s->spec.watch.begins)
		s->spec.watch.begins(s->spec.watch.arg, t, m->time);
	t->bound = true;
	t->frame = m->id;
	t->ahead = 0;
	t->since = s->frames.count;
	item->begins = true;
	item->frame = m->id;
	if (!t->main) {
		place(s, t);
		return;
	}
	item->kind = RAW_KIND_BEGIN;
	f = raw_frames_at(&s->frames, s->frames.count - 1);
	/* Beyond a gap nobody knows whether it still waits. */
	if (f && m->id == f->index + 1)
		f->waited += raw_content_split_wait(t, m->time);
	else
		t->wait_depth = 0;
	f = raw_frames_begin(&s->frames, m->id, m->time);
	f->threads++;
	t->ordinal = s->frames.count - 1;
	t->placed = true;
	if (s->frames.count == 1)
		s->first_time = m->time;
	s->last_time = m->time;
	place_ahead(s);
}

static void
classify_loose(struct raw_scan *s, struct raw_thread *t, struct raw_item *item)
{
	uint64_t now = s->frames.count ? s->frames.count - 1 : 0;

	item->kind = s->frames.count ? RAW_KIND_LOOSE : RAW_KIND_EARLY;
	item->placed = true;
	item->since = t->last;
	item->ordinal = now;
	t->last = now;
}

/* A block of a thread's stream. */
static int
classify(struct raw_scan *s, struct raw_item *item, struct err *err)
{
	struct raw_thread *t = &s->threads.item[item->thread];
	struct raw_msg m;

	if (peek(s, &item->block, RAW_THREAD, &m)) {
		item->kind = RAW_KIND_DEFINE;
		return raw_read_definitions(s, item, err);
	}
	item->kind = RAW_KIND_FRAME;
	if (t->reader.rest == 0 && peek(s, &item->block, RAW_FRAME, &m))
		begin_frame(s, t, &m, item);
	if (t->loose && !t->bound) {
		classify_loose(s, t, item);
	} else if (!t->bound) {
		item->kind = RAW_KIND_EARLY;
	} else {
		item->frame = t->frame;
		item->placed = t->placed;
		item->ordinal = t->ordinal;
		item->since = t->since;
	}
	if (t->omit)
		item->kind = RAW_KIND_OMIT;
	if (item->begins)
		return 0;
	return raw_read_content(s, item, err);
}

static int
describe(struct raw_scan *s, struct raw_item *item, struct err *err)
{
	const struct raw_block *b = &item->block;
	struct raw_thread *t;

	item->segment = raw_src_segment(s->src);
	item->begins = item->again = item->placed = false;
	if (raw_threads_get(&s->threads, b->thread, &item->thread, err))
		return err_wrap(err, "'%s'", raw_src_name(s->src));
	t = &s->threads.item[item->thread];
	if (t->blocks++ == 0) {
		t->out_index = b->index;
		t->main = b->thread == s->head.main_thread;
	}
	s->blocks++;
	s->bytes_in += raw_block_size(b->len);
	if (b->thread != RAW_GLOBAL)
		return classify(s, item, err);
	item->kind = RAW_KIND_DEFINE;
	return raw_read_definitions(s, item, err);
}

int
raw_scan_next(struct raw_scan *s, struct raw_item *item, bool *more,
	      struct err *err)
{
	if (++s->ticking % TICK == 0 && raw_src_check(s->src, err))
		return -1;
	for (;;) {
		bool whole;

		if (!s->open && next_segment(s, more, err))
			return -1;
		if (!s->open)
			return 0;
		if (!s->has_block && first_block(s, err))
			return -1;
		if (!s->has_block) {
			s->open = false;
			continue;
		}
		if (finish_block(s, &item->block, &whole, err))
			return -1;
		if (!whole)
			continue;
		*more = true;
		return describe(s, item, err);
	}
}

/* Whether a thread may still have something of the frame `ordinal`. */
static bool
holds(const struct raw_scan *s, const struct raw_thread *t, uint64_t ordinal)
{
	if (t->omit || t->loose)
		return false;
	/* At the begin, one that was named may still come. */
	if (!t->bound && t->name && s->frames.count <= RAW_LATE)
		return true;
	/* One that takes no part any more is not waited for. */
	if (!t->bound || !t->placed || t->ordinal + 4 < ordinal)
		return false;
	return t->ordinal <= ordinal;
}

/* From the one that held it last on, as they mostly come one by one. */
bool
raw_scan_passed(struct raw_scan *s, uint64_t ordinal)
{
	size_t count = s->threads.count;

	if (s->frames.count > ordinal + RAW_LATE)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (s->holding >= count)
			s->holding = 0;
		if (holds(s, &s->threads.item[s->holding], ordinal))
			return false;
		s->holding++;
	}
	return true;
}

enum raw_found
raw_scan_place(const struct raw_scan *s, struct raw_item *item)
{
	enum raw_found found;

	if (item->placed)
		return RAW_FOUND;
	found = raw_frames_find(&s->frames, item->frame, &item->ordinal);
	item->placed = found == RAW_FOUND;
	if (found == RAW_FOUND_NOT_YET &&
	    s->frames.count > item->since + RAW_AHEAD)
		return RAW_FOUND_NEVER;
	return found;
}
