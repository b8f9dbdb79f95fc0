#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/trend.h"
#include "report/trend_thin.h"

/* A series and how much it has to say: what changed comes first. */
struct pick {
	const struct trend_series *s;
	size_t index, weight;
};

static bool
wanted(const struct trend_series *s, const cJSON *result)
{
	const char *name = s->screen;
	const cJSON *screen;

	if (*name == '\0')
		return true;
	cJSON_ArrayForEach(screen, json_get(result, "screens"))
	{
		if (strcmp(json_str(screen, "name", ""), name) == 0)
			return true;
	}
	return false;
}

/* The many parts of a snapshot are the last to be shown when nothing changed. */
static size_t
weight(const struct trend *t, const struct trend_series *s, size_t from)
{
	if (trend_last_change(s, from))
		return 3;
	if (trend_suspect(t, s))
		return 2;
	return strncmp(s->metric, "snapshot_", 9) != 0;
}

static int
heavier(const void *a, const void *b)
{
	const struct pick *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int
earlier(const void *a, const void *b)
{
	const struct pick *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* The first of its points that is of the run `from` or later. */
static size_t
first_point(const struct trend_series *s, size_t from)
{
	size_t i = 0;

	while (i < s->points && s->point[i].run < from)
		i++;
	return i;
}

static cJSON *
points_json(const struct trend_series *s, size_t first, size_t from)
{
	cJSON *all = json_arr();

	for (size_t i = first; i < s->points; i++) {
		cJSON *o = json_obj();

		json_set_int(o, "run", (int64_t)(s->point[i].run - from));
		json_set_num(o, "value", s->point[i].value);
		json_set_str(o, "unused", s->point[i].unused);
		json_push(all, o);
	}
	return all;
}

static cJSON *
levels_json(const struct trend_series *s, size_t first)
{
	cJSON *all = json_arr();

	for (size_t i = 0; i < s->levels; i++) {
		const struct trend_level *l = &s->level[i];
		cJSON *o;

		if (l->to < first)
			continue;
		o = json_obj();
		json_set_int(o, "from",
			     l->from > first ? (int64_t)(l->from - first) : 0);
		json_set_int(o, "to", (int64_t)(l->to - first));
		json_set_num(o, "median", l->median);
		json_set_num(o, "noise", l->noise);
		json_push(all, o);
	}
	return all;
}

static cJSON *
marks_json(const struct trend_series *s, size_t first)
{
	cJSON *all = json_arr();

	for (size_t i = 0; i < s->marks; i++) {
		const struct trend_mark *m = &s->mark[i];
		cJSON *o;

		if (m->point < first)
			continue;
		o = json_obj();
		json_set_int(o, "point", (int64_t)(m->point - first));
		json_set_int(o, "seen", (int64_t)(m->seen - first));
		json_set_str(o, "kind", trend_text_word(m->kind)->kind);
		json_set_num(o, "before", m->before);
		json_set_num(o, "after", m->after);
		json_set_str(o, "line", m->line);
		json_push(all, o);
	}
	return all;
}

static cJSON *
series_json(const struct trend_series *s, size_t from)
{
	size_t first = first_point(s, from);
	cJSON *o = json_obj();

	json_set_str(o, "metric", s->metric);
	json_set_str(o, "subject", s->subject);
	json_set_str(o, "unit", s->unit);
	json_set_bool(o, "lower_is_better", s->lower_is_better);
	json_set(o, "points", points_json(s, first, from));
	json_set(o, "levels", levels_json(s, first));
	json_set(o, "marks", marks_json(s, first));
	return o;
}

static cJSON *
runs_json(const struct trend *t, size_t from)
{
	cJSON *all = json_arr();
	const cJSON *r;
	size_t i = 0;

	cJSON_ArrayForEach(r, json_get(t->json, "runs"))
	{
		if (i++ >= from)
			json_push(all, cJSON_Duplicate(r, true));
	}
	return all;
}

static cJSON *
cut(const struct trend *t, const cJSON *result)
{
	size_t from =
		t->runs > TREND_RESULT_RUNS ? t->runs - TREND_RESULT_RUNS : 0;
	struct pick *pick = mem_array(t->count + 1, sizeof(*pick));
	cJSON *o = json_obj(), *list = json_arr();
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trend_series *s = &t->series[i];

		if (!wanted(s, result) || first_point(s, from) == s->points)
			continue;
		pick[n++] = (struct pick){s, i, weight(t, s, from)};
	}
	qsort(pick, n, sizeof(*pick), heavier);
	if (n > TREND_RESULT_SERIES)
		n = TREND_RESULT_SERIES;
	qsort(pick, n, sizeof(*pick), earlier);
	for (size_t i = 0; i < n; i++)
		json_push(list, series_json(pick[i].s, from));
	free(pick);
	json_set(o, "runs", runs_json(t, from));
	json_set(o, "series", list);
	return o;
}

int
trend_result_add(const cJSON *trends, cJSON *result, struct err *err)
{
	cJSON *history = cJSON_GetObjectItemCaseSensitive(result, "history");
	struct trend t;

	if (trend_read(trends, &t, err))
		return -1;
	if (!cJSON_IsObject(history)) {
		history = json_obj();
		json_set(result, "history", history);
	}
	json_set(history, "trends", cut(&t, result));
	trend_done(&t);
	return 0;
}
