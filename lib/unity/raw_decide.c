#include "unity/raw_decide.h"

int
raw_decide_open(struct raw_decide *d, const struct raw_rules *rules,
		struct raw_scan *scan, struct err *err)
{
	*d = (struct raw_decide){.rules = *rules, .scan = scan};
	return raw_counter_open(&d->counter, rules->gc_file, rules->gc_name,
				scan->spec.src.follow, err);
}

void
raw_decide_done(struct raw_decide *d)
{
	raw_counter_done(&d->counter);
}

bool
raw_decide_all(const struct raw_rules *r)
{
	return (r->by_time && r->time_ns == 0) || (r->by_gc && !r->gc_bytes);
}

uint64_t
raw_decide_ns(const struct raw_decide *d, const struct raw_frame *f)
{
	const struct raw_head *head = &d->scan->head;
	uint64_t end = f->end;

	if (!f->ended)
		return 0;
	if (d->rules.busy && end > f->start)
		end -= f->waited < end - f->start ? f->waited : end - f->start;
	return raw_format_span_ns(head, f->start, end);
}

const char *
raw_decide_source(const struct raw_decide *d)
{
	const struct raw_content *c = &d->scan->content;

	if (d->gc[RAW_GC_FILE])
		return "file";
	if (c->seen_counter || c->seen_stats)
		return "counter";
	return c->seen_alloc ? "samples" : NULL;
}

enum raw_gc_source
raw_decide_gc(const struct raw_decide *d, const struct raw_frame *f,
	      uint64_t *bytes)
{
	if (f->has_told) {
		*bytes = f->told;
		return RAW_GC_FILE;
	}
	if (f->has_counted) {
		*bytes = f->counted;
		return RAW_GC_COUNTER;
	}
	*bytes = f->allocated;
	return d->scan->content.seen_alloc ? RAW_GC_SAMPLES : RAW_GC_NOWHERE;
}

static struct raw_frame *
frame_at(const struct raw_decide *d, uint64_t ordinal)
{
	return raw_frames_at(&d->scan->frames, ordinal);
}

static void
give_index(struct raw_decide *d, uint64_t ordinal, struct raw_frame *f)
{
	const struct raw_frame *before =
		ordinal ? frame_at(d, ordinal - 1) : NULL;

	f->new_index = d->next_index;
	if (d->rules.keep_indices)
		f->new_index = f->index;
	else if (before && before->fate == RAW_FATE_KEEP)
		f->new_index = before->new_index + (f->index - before->index);
	d->next_index = f->new_index + 1;
}

static void
count_frame(struct raw_decide *d, const struct raw_frame *f)
{
	uint64_t ns = raw_decide_ns(d, f), gc;
	enum raw_gc_source source;

	if (f->closed && !f->ended)
		d->unknown += !f->twin;
	if (!f->ended)
		return;
	d->frames++;
	if (ns > d->longest_ns)
		d->longest_ns = ns;
	source = raw_decide_gc(d, f, &gc);
	if (source == RAW_GC_NOWHERE)
		gc = 0;
	d->gc[source]++;
	if (gc > d->most_gc)
		d->most_gc = gc;
	raw_trend_add(&d->trend, f->index,
		      raw_format_ns(&d->scan->head, f->start),
		      raw_format_span_ns(&d->scan->head, f->start, f->end), gc);
}

static int
settle(struct raw_decide *d, uint64_t ordinal, unsigned why, struct err *err)
{
	struct raw_frame *f = frame_at(d, ordinal);

	d->final = ordinal + 1;
	f->why = why;
	f->fate = RAW_FATE_DROP;
	if (!why || d->full)
		return 0;
	if (d->may_keep && !d->may_keep(d->arg, f)) {
		d->full = true;
		return 0;
	}
	f->fate = RAW_FATE_KEEP;
	give_index(d, ordinal, f);
	if (f->ended || !f->closed) {
		d->keep_count += f->ended;
		d->last_kept = !f->closed;
		for (unsigned bit = 0; f->ended && bit < 4; bit++)
			d->why[bit] += why >> bit & 1;
	}
	/* Twins and frames without an end are kept, but are no frames. */
	return d->kept && (f->ended || !f->closed) ? d->kept(d->arg, f, err)
						   : 0;
}

/* Everything before `ordinal` that has no fate: not kept. */
static int
settle_before(struct raw_decide *d, uint64_t ordinal, struct err *err)
{
	while (d->final < ordinal) {
		if (settle(d, d->final, 0, err))
			return -1;
	}
	return 0;
}

static unsigned
judge(const struct raw_decide *d, const struct raw_frame *f)
{
	const struct raw_rules *r = &d->rules;
	unsigned why = 0;
	uint64_t gc;

	if (raw_decide_all(r))
		return RAW_WHY_ALL;
	if (f->closed && !f->ended)
		return 0;
	if (r->by_time && f->ended && raw_decide_ns(d, f) >= r->time_ns)
		why |= RAW_WHY_TIME;
	if (r->by_gc && raw_decide_gc(d, f, &gc) && gc >= r->gc_bytes)
		why |= RAW_WHY_GC;
	return why;
}

/* Judge the frame `ordinal`, which gives its neighbours their fate, too. */
static int
judge_next(struct raw_decide *d, uint64_t ordinal, struct err *err)
{
	struct raw_frame *f = frame_at(d, ordinal);
	unsigned why = judge(d, f);
	uint64_t first =
		ordinal > d->rules.around ? ordinal - d->rules.around : 0;

	count_frame(d, f);
	if (f->closed && !f->ended && !why) {
		/* No neighbours beyond a gap. */
		d->after = 0;
		return settle_before(d, ordinal + 1, err);
	}
	if (settle_before(d, first, err))
		return -1;
	if (why) {
		while (d->final < ordinal) {
			if (settle(d, d->final, RAW_WHY_AROUND, err))
				return -1;
		}
		d->after = d->rules.around;
		return settle(d, ordinal, why, err);
	}
	if (d->after > 0) {
		d->after--;
		return settle(d, ordinal, f->ended ? RAW_WHY_AROUND : 0, err);
	}
	return d->rules.around == 0 ? settle(d, ordinal, 0, err) : 0;
}

/* Whether all is known that the frame is judged by. */
static int
known(struct raw_decide *d, uint64_t ordinal, struct raw_frame *f, bool *is,
      struct err *err)
{
	bool late = d->scan->frames.count > ordinal + RAW_LATE;
	uint64_t sum;
	bool any;

	*is = true;
	if (d->counter.path) {
		if (raw_counter_take(&d->counter, f->start, f->end, &sum, &any,
				     err) ||
		    raw_counter_ready(&d->counter, f->end, is, err))
			return -1;
		f->told += sum;
		f->has_told |= any;
		*is |= late;
	}
	if (d->scan->spec.look & RAW_LOOK_ALLOC)
		*is = *is && raw_scan_passed(d->scan, ordinal);
	return 0;
}

int
raw_decide_go(struct raw_decide *d, bool at_end, struct err *err)
{
	uint64_t count = d->scan->frames.count;

	if (count && !d->has_index) {
		d->next_index = frame_at(d, 0)->index;
		d->has_index = true;
	}
	while (d->looked + !at_end < count) {
		struct raw_frame *f = frame_at(d, d->looked);
		bool is;

		if (!f->closed)
			f->end = UINT64_MAX;
		if (known(d, d->looked, f, &is, err))
			return -1;
		if (!is && !at_end)
			return 0;
		if (judge_next(d, d->looked, err))
			return -1;
		d->looked++;
	}
	return at_end ? settle_before(d, count, err) : 0;
}
