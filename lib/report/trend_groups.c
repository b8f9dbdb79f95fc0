#include "report/trend_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum trend_rank
trend_groups_rank(const struct trend *t, const struct trend_series *s,
		  size_t since)
{
	const struct trend_mark *m = trend_last_change(s, since);

	if (m && m->kind == TREND_REGRESSION)
		return TREND_WORSE;
	if (m && m->kind == TREND_CREEP)
		return TREND_CREEPS;
	if (trend_suspect(t, s))
		return TREND_MAYBE;
	return m ? TREND_BETTER : TREND_QUIET;
}

static int
by_screen(const void *a, const void *b)
{
	const struct trend_item *x = a, *y = b;
	int d = strcmp(x->s->screen, y->s->screen);

	if (d)
		return d;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static size_t
first_index(const struct trend_group *g)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < g->count; i++) {
		if (g->item[i].index < least)
			least = g->item[i].index;
	}
	return *g->screen ? least : SIZE_MAX;
}

static int
by_rank(const void *a, const void *b)
{
	const struct trend_group *x = a, *y = b;
	size_t i, k;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	i = first_index(x);
	k = first_index(y);
	return i < k ? -1 : i > k;
}

static void
split(struct trend_groups *g, size_t n)
{
	g->group = mem_array(n + 1, sizeof(*g->group));
	for (size_t i = 0; i < n; i++) {
		const char *name = g->item[i].s->screen;
		struct trend_group *at = &g->group[g->count];

		if (i == 0 || strcmp(name, at[-1].screen) != 0) {
			g->count++;
			*at = (struct trend_group){.screen = name,
						   .item = &g->item[i],
						   .rank = g->item[i].rank};
		} else {
			at--;
		}
		at->count++;
		at->loud += g->item[i].rank != TREND_QUIET;
	}
	qsort(g->group, g->count, sizeof(*g->group), by_rank);
}

void
trend_groups_init(struct trend_groups *g, const struct trend *t, size_t since)
{
	size_t n = 0;

	*g = (struct trend_groups){.count = 0};
	g->item = mem_array(t->count + 1, sizeof(*g->item));
	for (size_t i = 0; i < t->count; i++) {
		const struct trend_series *s = &t->series[i];

		if (s->points)
			g->item[n++] = (struct trend_item){
				s, trend_groups_rank(t, s, since), i};
	}
	qsort(g->item, n, sizeof(*g->item), by_screen);
	split(g, n);
}

void
trend_groups_done(struct trend_groups *g)
{
	free(g->item);
	free(g->group);
	*g = (struct trend_groups){.count = 0};
}

const struct trend_group *
trend_groups_of(const struct trend_groups *g, const char *screen)
{
	for (size_t i = 0; i < g->count; i++) {
		if (strcmp(g->group[i].screen, screen) == 0)
			return &g->group[i];
	}
	return NULL;
}
