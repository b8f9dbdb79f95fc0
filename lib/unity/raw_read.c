#include "unity/raw_read.h"

static bool
omitted(const struct raw_scan *s, const struct raw_thread *t)
{
	for (size_t i = 0; t->name && i < s->spec.omits; i++) {
		if (strcmp(s->spec.omit[i], t->name) == 0)
			return !t->main;
	}
	return false;
}

/* A message of a block of definitions. */
static int
define(struct raw_scan *s, const struct raw_msg *m, struct err *err)
{
	struct raw_thread *t;
	size_t number;

	if (m->type == RAW_MARKER) {
		raw_content_marker(&s->content, m);
		if (s->spec.watch.marker)
			s->spec.watch.marker(s->spec.watch.arg, m);
	}
	if (m->type != RAW_THREAD)
		return 0;
	if (raw_threads_get(&s->threads, m->thread, &number, err))
		return err_wrap(err, "'%s'", raw_src_name(s->src));
	t = &s->threads.item[number];
	t->main = t->id == s->head.main_thread;
	raw_threads_info(t, m);
	t->omit = omitted(s, t);
	return 0;
}

/*
 * As many whole messages as there are in these bytes.  After an odd one there
 * are no more to be found in this block: *odd.
 */
static int
define_all(struct raw_scan *s, struct raw_reader *r, const uint8_t *p,
	   size_t len, size_t *used, bool *odd, struct err *err)
{
	size_t at = 0;
	struct raw_msg m;

	for (;;) {
		switch (raw_msg_next(&s->head, r, p, len, &at, &m)) {
		case RAW_GOT_MSG:
			if (define(s, &m, err))
				return -1;
			break;
		case RAW_GOT_MORE:
			*used = s->head.aligned ? at & ~(size_t)3 : at;
			return 0;
		case RAW_GOT_ODD:
			s->content.odd_blocks++;
			s->content.odd_type = m.type;
			*odd = true;
			*used = len;
			return 0;
		default:
			*used = len;
			return 0;
		}
	}
}

/*
 * The bytes of a block's payload from `done` on, and in `more` whether others
 * follow them.
 */
static int
window(struct raw_scan *s, const struct raw_block *b, uint32_t done,
       const uint8_t **p, size_t *len, bool *more, struct err *err)
{
	uint32_t left = b->len - done;
	size_t got;

	*len = left < RAW_WINDOW ? left : RAW_WINDOW;
	*more = left > RAW_WINDOW;
	s->touched += *len;
	if (raw_src_at(s->src, b->at + RAW_BLOCK_HEAD + done, *len, p, &got,
		       err))
		return -1;
	if (got < *len)
		return err_set(err, ERR_INPUT,
			       "'%s' changed while it was read; filter it "
			       "again when nobody writes it",
			       raw_src_name(s->src));
	return 0;
}

int
raw_read_definitions(struct raw_scan *s, struct raw_item *item, struct err *err)
{
	struct raw_reader r = {0};
	struct raw_seen_hash hash;
	uint32_t done = 0, hashed = 0;
	bool odd = false;

	raw_seen_begin(&hash);
	while (done < item->block.len) {
		const uint8_t *p;
		size_t len, used = 0;

		if (window(s, &item->block, done, &p, &len, &r.more, err) ||
		    (!odd && define_all(s, &r, p, len, &used, &odd, err)))
			return -1;
		/* Windows may overlap; a digest takes each byte once. */
		raw_seen_bytes(&hash, p + (hashed - done),
			       len - (hashed - done));
		hashed = done + (uint32_t)len;
		done += (uint32_t)(used ? used : len);
	}
	item->again = raw_seen_add(&s->seen, &hash) && s->segments > 1;
	return 0;
}

static void
watch_messages(struct raw_scan *s, struct raw_thread *t, const uint8_t *p,
	       size_t len, size_t *used)
{
	size_t rest = t->reader.rest < len ? t->reader.rest : len;
	size_t at = raw_msg_begin(&s->head, &t->reader, p, len);
	struct raw_msg m;
	enum raw_got got;

	if (rest && s->spec.watch.rest)
		s->spec.watch.rest(s->spec.watch.arg, t, p, rest);
	for (;;) {
		got = raw_msg_next(&s->head, &t->reader, p, len, &at, &m);
		if (got != RAW_GOT_MSG)
			break;
		s->spec.watch.message(s->spec.watch.arg, t, &m);
	}
	*used = got == RAW_GOT_MORE ? (s->head.aligned ? at & ~(size_t)3 : at)
				    : len;
}

/* What a thread that is ahead of the main one finds is kept for later. */
static void
add_sums(struct raw_scan *s, struct raw_thread *t, const struct raw_sums *sums)
{
	uint64_t ordinal = raw_frames_settle(&s->frames, t->ordinal);
	struct raw_frame *f = raw_frames_at(&s->frames, ordinal);

	if (!t->placed) {
		t->ahead += sums->allocated;
		return;
	}
	if (!f)
		return;
	f->allocated += sums->allocated;
	f->waited += sums->waited;
	if (sums->has_counted && t->main) {
		f->counted = sums->counted;
		f->has_counted = true;
	}
}

/* What is looked for in the content of a thread's block. */
static unsigned
look_of(const struct raw_scan *s, const struct raw_thread *t)
{
	unsigned look = s->spec.look;

	if (!t->bound)
		return 0;
	return t->main ? look : look & ~(unsigned)RAW_LOOK_WAITS;
}

int
raw_read_content(struct raw_scan *s, struct raw_item *item, struct err *err)
{
	struct raw_thread *t = &s->threads.item[item->thread];
	unsigned look = look_of(s, t);
	bool watched = s->spec.watch.look_all && t->bound && !t->omit;
	struct raw_sums sums = {0};
	uint64_t odd = s->content.odd_blocks;
	uint32_t done = 0;

	if (!look && !watched)
		return 0;
	/* Behind what could not be read nothing can. */
	while (done < item->block.len && s->content.odd_blocks == odd) {
		const uint8_t *p;
		size_t len, used = 0;

		if (window(s, &item->block, done, &p, &len, &t->reader.more,
			   err))
			return -1;
		if (watched) {
			struct raw_reader before = t->reader;

			watch_messages(s, t, p, len, &used);
			if (look)
				t->reader = before;
		}
		if (look)
			used = raw_content_read(&s->content, t, look, p, len,
						&sums);
		done += (uint32_t)(used ? used : len);
	}
	t->reader.more = false;
	if (look)
		add_sums(s, t, &sums);
	return 0;
}
