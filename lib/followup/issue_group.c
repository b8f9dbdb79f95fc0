#include "followup/issue_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool
is_worse(const cJSON *step)
{
	const char *kind = json_str(step, "kind", "");

	return strcmp(kind, "regression") == 0 || strcmp(kind, "creep") == 0;
}

double
issue_group_share(const cJSON *series)
{
	double before = json_num(series, "step.before", 0);
	double change = json_num(series, "step.after", 0) - before;

	if (!json_bool(series, "lower_is_better", true))
		change = -change;
	if (before != 0)
		return change / fabs(before);
	return change > 0 ? INFINITY : 0;
}

static struct issue_group *
group_of(struct issue_groups *g, const cJSON *comparison, const cJSON *step)
{
	struct issue_group new = {
		.last_good = json_get(step, "last_good"),
		.first_bad = json_get(step, "first_bad"),
	};

	issue_marker_range(&new.marker, comparison, step);
	for (size_t i = 0; i < g->count; i++) {
		if (issue_marker_common(&new.marker.range,
					&g->item[i].marker.range)) {
			issue_marker_done(&new.marker);
			return &g->item[i];
		}
	}
	MEM_GROW(g->item, g->count, g->room);
	g->item[g->count] = new;
	return &g->item[g->count++];
}

/* Before those that are less bad, and behind its equals. */
static void
add(struct issue_group *g, const cJSON *series)
{
	double share = issue_group_share(series);
	size_t at;

	MEM_GROW(g->series, g->count, g->room);
	for (at = g->count; at > 0; at--) {
		if (issue_group_share(g->series[at - 1]) >= share)
			break;
		g->series[at] = g->series[at - 1];
	}
	g->series[at] = series;
	g->count++;
	g->worst = issue_group_share(g->series[0]);
}

static void
sort(struct issue_groups *g)
{
	for (size_t i = 1; i < g->count; i++) {
		struct issue_group one = g->item[i];
		size_t at = i;

		for (; at > 0 && g->item[at - 1].worst < one.worst; at--)
			g->item[at] = g->item[at - 1];
		g->item[at] = one;
	}
}

void
issue_group_all(const cJSON *comparison, struct issue_groups *out)
{
	const cJSON *s;

	*out = (struct issue_groups){.item = NULL};
	cJSON_ArrayForEach(s, json_get(comparison, "series"))
	{
		const cJSON *step = json_get(s, "step");
		struct issue_group *g;

		if (!is_worse(step))
			continue;
		g = group_of(out, comparison, step);
		add(g, s);
		issue_marker_series(&g->marker, comparison, s);
	}
	sort(out);
}

static void
done(struct issue_group *g)
{
	free(g->series);
	issue_marker_done(&g->marker);
}

void
issue_group_fold(struct issue_groups *g, size_t first, size_t end)
{
	struct issue_group *into = &g->item[first];

	into->last_good = into->first_bad = NULL;
	for (size_t i = first + 1; i < end; i++) {
		struct issue_group *from = &g->item[i];

		for (size_t k = 0; k < from->count; k++)
			add(into, from->series[k]);
		(void)issue_marker_merge(&into->marker, &from->marker);
		done(from);
	}
	memmove(&g->item[first + 1], &g->item[end],
		(g->count - end) * sizeof(*g->item));
	g->count -= end - first - 1;
}

void
issue_group_done(struct issue_groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		done(&g->item[i]);
	free(g->item);
	*g = (struct issue_groups){.item = NULL};
}
