#include "series/detect.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "series/level.h"

struct detect_rules
detect_rules(void)
{
	return (struct detect_rules){
		.floor = 0.03,
		.base = 30,
		.base_least = 10,
		.strict = 1,
		.suspect_base = 14,
		.suspect_mads = 3,
		.suspect_floor = 0.05,
		.huge_sigmas = 10,
		.huge_floor = 0.25,
		.creep_every = 7,
		.creep_span = 60,
	};
}

void
detect_list_done(struct detect_list *list)
{
	free(list->change);
	*list = (struct detect_list)DETECT_LIST_INIT;
}

static void
say(struct detect_list *list, const struct detect_change *c)
{
	MEM_GROW(list->change, list->count, list->room);
	list->change[list->count++] = *c;
}

/* Two neighbouring stretches, and what the second differs by. */
struct stretch {
	const double *base, *tail;
	size_t base_n, tail_n;
	double base_median, tail_median;
	double noise;	   /* of is_far() */
	double difference; /* > 0: the tail is higher */
};

/* `base_median`, `tail_median`: of the two. */
static struct stretch
stretch_of(const double *base, size_t base_n, double base_median,
	   const double *tail, size_t tail_n, double tail_median)
{
	return (struct stretch){.base = base,
				.tail = tail,
				.base_n = base_n,
				.tail_n = tail_n,
				.base_median = base_median,
				.tail_median = tail_median,
				.difference = tail_median - base_median};
}

static struct stretch
compare(const double *base, size_t base_n, const double *tail, size_t tail_n)
{
	return stretch_of(base, base_n, level_median(base, base_n), tail,
			  tail_n, level_median(tail, tail_n));
}

/*
 * Do they differ by `floor`, a share of the level, and so much that it is worth
 * a word?  Only then is the noise asked for, which costs more than all the rest.
 */
static bool
is_worth(const struct stretch *s, const struct detect_rules *r, double floor)
{
	return fabs(s->difference) >=
		       fmax(floor * fabs(s->base_median), r->least) &&
	       s->difference != 0;
}

static bool
is_far(struct stretch *s, const struct detect_rules *r, double floor)
{
	if (!is_worth(s, r, floor))
		return false;
	s->noise = level_noise(s->base, s->base_n, s->base_median);
	return true;
}

static struct detect_change
change_of(const struct stretch *s, enum detect_kind kind, size_t index,
	  size_t seen)
{
	return (struct detect_change){
		.kind = kind,
		.index = index,
		.seen = seen,
		.before = s->base_median,
		.after = s->tail_median,
		.runs_before = s->base_n,
		.runs_after = s->tail_n,
		.noise = s->noise,
		.base = index - s->base_n,
	};
}

/*
 * What a tail of so many runs must show: its distance in standard errors of
 * the two medians, and the share of pairs that agree.  The fewer runs, the
 * more.
 */
static const struct demand {
	double errors, dominance;
} demands[DETECT_TAIL_MOST + 1] = {
	[4] = {5.5, 1.00}, [5] = {4.2, 0.93}, [6] = {3.8, 0.92},
	[7] = {3.6, 0.90}, [8] = {4.2, 0.95},
};

/* One run in so many may look like the old level. */
enum { STAYED = 5 };

enum { MOVED_LEAST = 5, MOVED_BASE_LEAST = 20, MOVED_MADS = 4 };

/* The larger part of the way must lead beyond where the base ever was. */
static bool
was_never_there(const struct stretch *s, size_t width, double share)
{
	double least, most, way = fabs(s->difference);

	level_medians(s->base, s->base_n, width, &least, &most);
	return s->difference > 0 ? s->tail_median - most >= share * way
				 : least - s->tail_median >= share * way;
}

/* How many of v lie within `reach` of `middle`. */
static size_t
near(const double *v, size_t n, double middle, double reach)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += fabs(v[i] - middle) <= reach;
	return count;
}

static bool
is_step(const struct stretch *s, const struct detect_rules *r)
{
	const struct demand *d = &demands[s->tail_n];
	double level = fabs(s->base_median), memory, error, share;

	memory = level_memory(s->base, s->base_n, s->base_median, s->noise);
	/* A series that hardly ever moves has no noise to measure by. */
	error = fmax(s->noise, 0.002 * level) * 1.2533 *
		sqrt(level_widening(memory, s->tail_n) / (double)s->tail_n +
		     level_widening(memory, s->base_n) / (double)s->base_n);
	if (fabs(s->difference) < r->strict * d->errors * error)
		return false;
	share = level_dominance(s->base, s->base_n, s->tail, s->tail_n);
	if (s->difference < 0)
		share = 1 - share;
	return share >= d->dominance &&
	       near(s->tail, s->tail_n, s->base_median,
		    fabs(s->difference) / 2) <= s->tail_n / STAYED &&
	       was_never_there(s, s->tail_n, 0.4);
}

/*
 * Noise with several humps hides a step in its spread, but the step moves the
 * hump where most runs are: to where none was, and leaves none behind.
 */
static bool
has_moved(const struct stretch *s, const struct detect_rules *r)
{
	double reach = fabs(s->difference) / 2;
	double mad = level_mad(s->base, s->base_n, s->base_median);

	return s->tail_n >= MOVED_LEAST && s->base_n >= MOVED_BASE_LEAST &&
	       fabs(s->difference) >= r->strict * MOVED_MADS * mad &&
	       near(s->base, s->base_n, s->tail_median, reach) == 0 &&
	       near(s->tail, s->tail_n, s->base_median, reach) == 0 &&
	       near(s->tail, s->tail_n, s->tail_median, reach) * 5 >=
		       s->tail_n * 3 &&
	       near(s->base, s->base_n, s->base_median, reach) * 2 >= s->base_n;
}

/*
 * The stretch before was on its way already: going on as it went from its
 * first to its second half would make a third of the difference.  Then no run
 * began a new level.
 */
static bool
is_on_its_way(const struct stretch *s)
{
	size_t half = s->base_n / 2;
	double first = level_median(s->base, half);
	double second = level_median(s->base + s->base_n - half, half);
	double a_run = (second - first) / (double)(s->base_n - half);
	double way = a_run * (double)(s->base_n + s->tail_n) / 2;

	return way * s->difference > 0 && fabs(way) * 3 >= fabs(s->difference);
}

/* Of the runs of the level before one; NAN: nobody has asked. */
struct before {
	double median, noise;
};

/* A series, and what is known of it. */
struct walk {
	const double *v;
	size_t from; /* of the level that is held for the present one */
	struct before *before; /* of each run */
	struct level_window base, fortnight;
};

static void
new_level(struct walk *w, size_t from, size_t today)
{
	w->from = from;
	for (size_t i = from; i <= today; i++)
		w->before[i] = (struct before){NAN, NAN};
}

/* v[index..today], whose median is `tail`, and the runs of the level before. */
static struct stretch
around(struct walk *w, size_t index, size_t today, double tail,
       const struct detect_rules *r)
{
	size_t base_n = index - w->from < r->base ? index - w->from : r->base;
	struct before *b = &w->before[index];

	if (isnan(b->median))
		b->median = level_window_median(&w->base, w->v, index - base_n,
						index);
	return stretch_of(w->v + index - base_n, base_n, b->median,
			  w->v + index, today + 1 - index, tail);
}

/* is_far() of what around() gave: a run is asked about on several days. */
static bool
is_far_around(struct walk *w, struct stretch *s, const struct detect_rules *r,
	      double floor)
{
	struct before *b = &w->before[s->tail - w->v];

	if (!is_worth(s, r, floor))
		return false;
	if (isnan(b->noise))
		b->noise = level_noise(s->base, s->base_n, s->base_median);
	s->noise = b->noise;
	return true;
}

/* Is the end of v[0..today] another level? */
static bool
step_at(struct walk *w, size_t today, const struct detect_rules *r,
	struct detect_change *out)
{
	double tail[DETECT_TAIL_MOST]; /* sorted */

	if (today + 1 < DETECT_TAIL_LEAST)
		return false;
	for (size_t n = 1; n < DETECT_TAIL_LEAST; n++)
		level_put(tail, n - 1, w->v[today + 1 - n]);
	for (size_t n = DETECT_TAIL_LEAST; n <= DETECT_TAIL_MOST; n++) {
		struct stretch s;
		size_t index;

		if (today + 1 < w->from + n + r->base_least)
			return false;
		index = today + 1 - n;
		level_put(tail, n - 1, w->v[index]);
		s = around(w, index, today, level_middle(tail, n), r);
		if (is_far_around(w, &s, r, r->floor) &&
		    (is_step(&s, r) || has_moved(&s, r))) {
			*out = change_of(&s,
					 is_on_its_way(&s) ? DETECT_CREEP
							   : DETECT_STEP,
					 index, today);
			return true;
		}
	}
	return false;
}

/* Where v[0..n) is best cut in two, by the distances from two medians. */
static size_t
best_cut(const double *v, size_t n, size_t margin)
{
	double best = INFINITY;
	size_t at = margin;

	for (size_t cut = margin; cut + margin <= n; cut++) {
		double a = level_median(v, cut), sum = 0;
		double b = level_median(v + cut, n - cut);

		for (size_t i = 0; i < n; i++)
			sum += fabs(v[i] - (i < cut ? a : b));
		if (sum < best) {
			best = sum;
			at = cut;
		}
	}
	return at;
}

enum {
	CREEP_TAIL = 20,
	CREEP_TAIL_LEAST = 14,
	CREEP_BASE = 30,
	CREEP_BASE_LEAST = 15,
	CREEP_CUT = 6
};
#define CREEP_ERRORS 4.0

/*
 * The last two weeks against the beginning of the span, by the rank-sum test
 * of Mann and Whitney, and both of those weeks beyond all weeks of then.
 */
static bool
creep_at(const double *v, size_t from, size_t today,
	 const struct detect_rules *r, struct detect_change *out)
{
	size_t first, n, base_n, tail_n;
	double share, pairs, memory, z;
	struct stretch s;

	if (!r->creep_every || today % r->creep_every != 0 ||
	    today + 1 < from + CREEP_BASE_LEAST + CREEP_TAIL_LEAST)
		return false;
	n = today + 1 - from < r->creep_span ? today + 1 - from : r->creep_span;
	first = today + 1 - n;
	tail_n = n < CREEP_BASE_LEAST + CREEP_TAIL ? n - CREEP_BASE_LEAST
						   : CREEP_TAIL;
	base_n = n - tail_n < CREEP_BASE ? n - tail_n : CREEP_BASE;
	s = compare(v + first, base_n, v + today + 1 - tail_n, tail_n);
	if (!is_far(&s, r, r->floor))
		return false;
	share = level_dominance(s.base, s.base_n, s.tail, s.tail_n);
	pairs = (double)(s.base_n * s.tail_n);
	memory = level_memory(s.base, s.base_n, s.base_median, s.noise);
	z = fabs(share - 0.5) * pairs /
	    sqrt(pairs * (double)(s.base_n + s.tail_n + 1) / 12 *
		 level_widening(memory, s.tail_n));
	if (z < r->strict * CREEP_ERRORS)
		return false;
	*out = change_of(&s, DETECT_CREEP,
			 first + best_cut(v + first, n, CREEP_CUT), today);
	out->base = first;
	return true;
}

static bool
suspect_at(struct walk *w, size_t today, const struct detect_rules *r,
	   struct detect_change *out)
{
	size_t n = today - w->from < r->suspect_base ? today - w->from
						     : r->suspect_base;
	const double *v = w->v + today;
	struct stretch s;
	double mad;

	if (n == 0 || n < r->suspect_base / 2)
		return false;
	s = stretch_of(
		v - n, n,
		level_window_median(&w->fortnight, w->v, today - n, today), v,
		1, *v);
	if (!is_worth(&s, r, r->suspect_floor))
		return false;
	mad = level_mad(s.base, n, s.base_median) / 1.4826;
	if (fabs(s.difference) <=
	    fmax(r->suspect_mads * mad, r->suspect_floor * fabs(s.base_median)))
		return false;
	s.noise = level_noise(s.base, n, s.base_median);
	*out = change_of(&s, DETECT_SUSPECT, today, today);
	return true;
}

/*
 * So far away that three runs do: ten times the noise of the level, a quarter
 * of it, each of them, and half of the way beyond every run of the stretch.
 */
enum { HUGE_TAIL = 3 };

static bool
huge_at(struct walk *w, size_t today, const struct detect_rules *r,
	struct detect_change *out)
{
	struct stretch s;
	size_t index;

	if (!r->huge_sigmas || today + 1 < w->from + HUGE_TAIL + r->base_least)
		return false;
	index = today + 1 - HUGE_TAIL;
	s = around(w, index, today, level_median(w->v + index, HUGE_TAIL), r);
	if (!is_far_around(w, &s, r, r->huge_floor) ||
	    fabs(s.difference) <= fmax(r->huge_sigmas * s.noise,
				       r->huge_floor * fabs(s.base_median)) ||
	    near(s.tail, s.tail_n, s.base_median, fabs(s.difference) / 2) ||
	    !was_never_there(&s, 1, 0.5))
		return false;
	*out = change_of(&s, DETECT_STEP, index, today);
	return true;
}

/* What is no noise needs no second run. */
static bool
other_at(const double *v, size_t from, size_t today,
	 const struct detect_rules *r, struct detect_change *out)
{
	struct stretch s;

	if (today <= from)
		return false;
	s = compare(v + today - 1, 1, v + today, 1);
	if (!is_far(&s, r, r->floor))
		return false;
	*out = change_of(&s, DETECT_STEP, today, today);
	return true;
}

/* What is said of one day; the level that began with it is held then. */
static bool
change_at(struct walk *w, size_t today, const struct detect_rules *r,
	  struct detect_change *c)
{
	if (r->deterministic) {
		if (!other_at(w->v, w->from, today, r, c))
			return false;
		new_level(w, today, today);
	} else if (huge_at(w, today, r, c) || step_at(w, today, r, c)) {
		new_level(w, c->index, today);
	} else if (creep_at(w->v, w->from, today, r, c)) {
		new_level(w, today + 1 - c->runs_after, today);
	} else {
		return false;
	}
	return true;
}

void
detect_series(const double *value, size_t n, const struct detect_rules *rules,
	      struct detect_list *list)
{
	AUTO_FREE struct before *before = mem_array(n + 1, sizeof(*before));
	struct walk w = {.v = value, .before = before};

	if (n)
		new_level(&w, 0, n - 1);
	for (size_t today = 0; today < n; today++) {
		struct detect_change c;

		if (!rules->deterministic && suspect_at(&w, today, rules, &c))
			say(list, &c);
		if (change_at(&w, today, rules, &c))
			say(list, &c);
	}
}
