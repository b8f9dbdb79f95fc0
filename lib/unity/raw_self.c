#include "unity/raw_self.h"

#include <stdlib.h>

#include "base/mem.h"

enum {
	DEPTH = 512, /* deeper ones are time of the last that is counted */
	NAMES_MAX = 1 << 20, /* of markers; what passes it has none */
	NAME_BYTES = 200,
	SLOTS = 4096, /* twice the markers in one frame of one thread */
	FIRST_SLOTS = 32,
};

#define HASH 2654435761U /* spreads ids that follow one another */

struct raw_self_name {
	uint32_t id;
	char *text; /* NULL: a free slot */
};

struct open_sample {
	uint32_t marker;
	uint64_t start, within; /* ticks of the samples within it */
};

struct sum {
	uint32_t marker, calls;
	uint64_t self, total;
};

/* A thread's frame. */
struct work {
	struct open_sample *stack;
	size_t depth, stack_room;
	uint64_t deeper; /* begun within the last of a full stack */
	struct sum *sum;
	size_t sums, room, slots;
	uint16_t *slot; /* number of the sum + 1 */
};

static void
free_work(struct work *w)
{
	if (!w)
		return;
	free(w->stack);
	free(w->sum);
	free(w->slot);
	free(w);
}

void
raw_self_done(struct raw_self *s)
{
	for (size_t i = 0; s->scan && i < s->scan->threads.count; i++)
		free_work(s->scan->threads.item[i].own);
	for (size_t i = 0; i < s->name_slots; i++)
		free(s->name[i].text);
	free(s->name);
	free(s->row);
	*s = (struct raw_self){0};
}

/* The one of that id, or the free one where it belongs. */
static struct raw_self_name *
name_at(const struct raw_self *s, uint32_t id)
{
	size_t i = id * HASH % s->name_slots;

	while (s->name[i].text && s->name[i].id != id)
		i = (i + 1) % s->name_slots;
	return &s->name[i];
}

static void
grow_names(struct raw_self *s)
{
	struct raw_self_name *old = s->name;
	size_t slots = s->name_slots;

	s->name_slots = slots ? slots * 2 : FIRST_SLOTS;
	s->name = mem_array(s->name_slots, sizeof(*s->name));
	for (size_t i = 0; i < slots; i++) {
		if (old[i].text)
			*name_at(s, old[i].id) = old[i];
	}
	free(old);
}

void
raw_self_marker(void *arg, const struct raw_msg *m)
{
	struct raw_self *s = arg;
	struct raw_self_name *n;

	if (s->names * 2 >= s->name_slots && s->names < NAMES_MAX)
		grow_names(s);
	n = name_at(s, m->id);
	if (!n->text && s->names >= NAMES_MAX)
		return;
	s->names += !n->text;
	free(n->text);
	n->id = m->id;
	n->text = mem_strndup((const char *)m->name, m->name_len < NAME_BYTES
							     ? m->name_len
							     : NAME_BYTES);
}

const char *
raw_self_name(const struct raw_self *s, uint32_t marker)
{
	return s->name_slots ? name_at(s, marker)->text : NULL;
}

/* The slot that has the marker, or the free one where it belongs. */
static size_t
slot_of(const struct work *w, uint32_t marker)
{
	size_t i = marker * HASH % w->slots;

	while (w->slot[i] && w->sum[w->slot[i] - 1].marker != marker)
		i = (i + 1) % w->slots;
	return i;
}

static void
grow_slots(struct work *w)
{
	w->slots = w->slots ? w->slots * 2 : FIRST_SLOTS;
	free(w->slot);
	w->slot = mem_array(w->slots, sizeof(*w->slot));
	for (size_t i = 0; i < w->sums; i++)
		w->slot[slot_of(w, w->sum[i].marker)] = (uint16_t)(i + 1);
}

/* NULL when a frame has more markers than we count. */
static struct sum *
sum_of(struct work *w, uint32_t marker)
{
	size_t i;

	if (w->sums * 2 >= w->slots && w->slots < SLOTS)
		grow_slots(w);
	i = slot_of(w, marker);
	if (!w->slot[i]) {
		if (w->sums >= SLOTS / 2)
			return NULL;
		MEM_GROW(w->sum, w->sums, w->room);
		w->sum[w->sums] = (struct sum){.marker = marker};
		w->slot[i] = (uint16_t)++w->sums;
	}
	return &w->sum[w->slot[i] - 1];
}

static void
close_sample(struct work *w, uint64_t time)
{
	struct open_sample *o = &w->stack[--w->depth];
	uint64_t total = time > o->start ? time - o->start : 0;
	struct sum *sum = sum_of(w, o->marker);

	if (w->depth)
		w->stack[w->depth - 1].within += total;
	if (!sum)
		return;
	sum->calls++;
	sum->total += total;
	sum->self += total > o->within ? total - o->within : 0;
}

/* Who is deeper than that is only counted, so that its end is known as its. */
static void
begin_sample(struct work *w, uint32_t marker, uint64_t time)
{
	if (w->depth >= DEPTH) {
		w->deeper++;
		return;
	}
	MEM_GROW(w->stack, w->depth, w->stack_room);
	w->stack[w->depth++] = (struct open_sample){marker, time, 0};
}

/* An end without its begin is left; begins without an end are dropped. */
static void
end_sample(struct work *w, uint32_t marker, uint64_t time)
{
	size_t at = w->depth;

	if (w->deeper) {
		w->deeper--;
		return;
	}
	while (at > 0 && w->stack[at - 1].marker != marker)
		at--;
	if (at == 0)
		return;
	while (w->depth > at) {
		w->depth--;
		w->stack[w->depth - 1].within += w->stack[w->depth].within;
	}
	close_sample(w, time);
}

void
raw_self_message(void *arg, struct raw_thread *t, const struct raw_msg *m)
{
	struct work *w = t->own;

	(void)arg;
	if (!w)
		w = t->own = mem_alloc(sizeof(*w));
	switch (m->type) {
	case RAW_BEGIN:
	case RAW_BEGIN_ID:
	case RAW_BEGIN_META:
		begin_sample(w, m->id, m->time);
		return;
	case RAW_END:
	case RAW_END_ID:
	case RAW_END_META:
		end_sample(w, m->id, m->time);
		return;
	default:
		return;
	}
}

static int
compare_sums(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return (x->marker > y->marker) - (x->marker < y->marker);
}

static void
take_rows(struct raw_self *s, struct raw_thread *t, struct work *w)
{
	if (w->sums > 1)
		qsort(w->sum, w->sums, sizeof(*w->sum), compare_sums);
	for (size_t i = 0; t->placed && i < w->sums && i < RAW_SELF_TOP; i++) {
		const struct sum *sum = &w->sum[i];

		MEM_GROW(s->row, s->rows, s->room);
		s->row[s->rows++] = (struct raw_self_row){
			.ordinal =
				raw_frames_settle(&s->scan->frames, t->ordinal),
			.thread = (size_t)(t - s->scan->threads.item),
			.marker = sum->marker,
			.calls = sum->calls,
			.self = sum->self,
			.total = sum->total};
	}
	if (w->sums)
		memset(w->slot, 0, w->slots * sizeof(*w->slot));
	w->sums = 0;
}

/* What is open goes on in the next frame; this one has its part. */
void
raw_self_begins(void *arg, struct raw_thread *t, uint64_t time)
{
	struct raw_self *s = arg;
	struct work *w = t->own;

	if (!w)
		return;
	for (size_t i = w->depth; i-- > 0;) {
		struct open_sample *o = &w->stack[i];
		uint64_t total = time > o->start ? time - o->start : 0;
		struct sum *sum = sum_of(w, o->marker);

		if (i)
			w->stack[i - 1].within += total;
		if (sum) {
			sum->calls++;
			sum->total += total;
			sum->self += total > o->within ? total - o->within : 0;
		}
		o->start = time;
		o->within = 0;
	}
	/* The sums above went to parents that begin anew. */
	for (size_t i = 0; i < w->depth; i++)
		w->stack[i].within = 0;
	take_rows(s, t, w);
}

static int
compare_rows(const void *a, const void *b)
{
	const struct raw_self_row *x = a, *y = b;

	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal ? -1 : 1;
	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->marker > y->marker) - (x->marker < y->marker);
}

void
raw_self_end(struct raw_self *s)
{
	for (size_t i = 0; i < s->scan->threads.count; i++) {
		struct raw_thread *t = &s->scan->threads.item[i];

		if (t->own)
			take_rows(s, t, t->own);
	}
	if (s->rows > 1)
		qsort(s->row, s->rows, sizeof(*s->row), compare_rows);
}

const struct raw_self_row *
raw_self_of(const struct raw_self *s, uint64_t ordinal, size_t *count)
{
	size_t low = 0, high = s->rows;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->row[mid].ordinal < ordinal)
			low = mid + 1;
		else
			high = mid;
	}
	*count = 0;
	while (low + *count < s->rows &&
	       s->row[low + *count].ordinal == ordinal)
		(*count)++;
	return s->row + low;
}
