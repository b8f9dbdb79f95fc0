#include "report/trend_thin.h"

#include <stdlib.h>

#include "base/mem.h"
#include "series/level.h"

enum { DAY_S = 86400, WEEK_S = 7 * DAY_S, WEEK_SHARE = 2, RUN_SHARE = 5 };

/* Weeks begin on Monday; 1970 began on a Thursday. */
static int64_t
week_of(int64_t at_s)
{
	return (at_s + 3 * DAY_S) / WEEK_S;
}

static size_t
first_since(const struct trend *t, int64_t since_s)
{
	size_t i = t->runs;

	while (i > 0 && t->run[i - 1].at_s >= since_s)
		i--;
	return i;
}

/* A week's slot is narrower than a run's. */
static void
place(struct trend_thin *th)
{
	size_t shares = 0, before = 0;

	for (size_t i = 0; i < th->count; i++)
		shares += th->slot[i].week ? WEEK_SHARE : RUN_SHARE;
	for (size_t i = 0; i < th->count; i++) {
		struct trend_slot *sl = &th->slot[i];
		size_t own = sl->week ? WEEK_SHARE : RUN_SHARE;
		double unit = (double)TREND_WIDTH / (double)shares;

		sl->x = (int)(((double)before + (double)own / 2) * unit + 0.5);
		sl->half = (int)((double)own * unit / 2 + 0.5);
		before += own;
	}
}

void
trend_thin_init(struct trend_thin *th, const struct trend *t)
{
	int64_t last = t->runs ? t->run[t->runs - 1].at_s : 0;

	*th = (struct trend_thin){.t = t};
	th->exact = first_since(t, last - (int64_t)TREND_EXACT_DAYS * DAY_S);
	th->recent = first_since(t, last - (int64_t)TREND_RECENT_DAYS * DAY_S);
	if (t->runs > TREND_EXACT_RUNS &&
	    th->exact < t->runs - TREND_EXACT_RUNS)
		th->exact = t->runs - TREND_EXACT_RUNS;
	th->slot = mem_array(TREND_WEEKS + TREND_EXACT_RUNS + 2,
			     sizeof(*th->slot));
	th->of_run = mem_array(t->runs + 1, sizeof(*th->of_run));
	for (size_t i = 0; i < t->runs; i++) {
		bool week = i < th->exact;
		int64_t at = week_of(t->run[i].at_s);

		th->of_run[i] = SIZE_MAX;
		if (week && at + TREND_WEEKS <= week_of(last))
			continue;
		if (!week || th->count == 0 ||
		    week_of(t->run[th->slot[th->count - 1].from].at_s) != at)
			th->slot[th->count++] =
				(struct trend_slot){.from = i, .week = week};
		th->slot[th->count - 1].to = i;
		th->of_run[i] = th->count - 1;
	}
	place(th);
}

void
trend_thin_done(struct trend_thin *th)
{
	free(th->slot);
	free(th->of_run);
	*th = (struct trend_thin){.t = NULL};
}

static void
take(struct trend_cell *c, double v, double used[LEVEL_MAX])
{
	if (c->used == 0 || v < c->least)
		c->least = v;
	if (c->used == 0 || v > c->most)
		c->most = v;
	/* The median of a very full week is that of its first runs. */
	if (c->used < LEVEL_MAX)
		used[c->used] = v;
	c->used++;
	c->median = v;
}

static void
settle(struct trend_cell *c, const double used[LEVEL_MAX])
{
	if (c->used > 1)
		c->median = level_median(used, c->used < LEVEL_MAX ? c->used
								   : LEVEL_MAX);
}

struct trend_cell *
trend_thin_cells(const struct trend_thin *th, const struct trend_series *s)
{
	struct trend_cell *cells = mem_array(th->count + 1, sizeof(*cells));
	double used[LEVEL_MAX];
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < s->points; i++) {
		size_t slot = th->of_run[s->point[i].run];
		struct trend_cell *c;

		if (slot == SIZE_MAX)
			continue;
		c = &cells[slot];
		if (slot != at && at != SIZE_MAX)
			settle(&cells[at], used);
		at = slot;
		if (c->count++ == 0)
			c->first = i;
		if (!s->point[i].unused)
			take(c, s->point[i].value, used);
	}
	if (at != SIZE_MAX)
		settle(&cells[at], used);
	return cells;
}
