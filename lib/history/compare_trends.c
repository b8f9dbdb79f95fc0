#include <string.h>

#include "base/mem.h"
#include "history/compare.h"
#include "history/compare_found.h"
#include "history/compare_lines.h"
#include "history/compare_words.h"
#include "series/level.h"

/* The last level ends with the last point. */
static cJSON *
levels_json(const struct compare_found *f)
{
	cJSON *all = json_arr();
	size_t from = 0;

	for (size_t i = 0; i <= f->list.count && f->count; i++) {
		bool end = i == f->list.count;
		const struct detect_change *c = &f->list.change[i];
		size_t to = end ? f->count : c->index, n;
		const double *v = f->value + from;
		double median;
		cJSON *o;

		if (!end && (c->kind == DETECT_SUSPECT || to <= from))
			continue;
		n = to - from < LEVEL_MAX ? to - from : LEVEL_MAX;
		median = level_median(v + (to - from - n), n);
		o = json_obj();
		json_set_int(o, "from", (int64_t)f->point[from]);
		json_set_int(o, "to", (int64_t)f->point[to - 1]);
		json_set_num(o, "median", median);
		json_set_num(o, "noise",
			     level_noise(v + (to - from - n), n, median));
		json_push(all, o);
		from = to;
	}
	return all;
}

static cJSON *
marks_json(const struct compare_line *line, const struct compare_found *f)
{
	cJSON *all = json_arr();

	for (size_t i = 0; i < f->list.count; i++) {
		const struct detect_change *c = &f->list.change[i];
		const char *kind = compare_found_kind(line, c);
		cJSON *o;

		if (strcmp(kind, "better") == 0)
			continue;
		o = json_obj();
		json_set_int(o, "point", (int64_t)f->point[c->index]);
		json_set_int(o, "seen", (int64_t)f->point[c->seen]);
		json_set_str(o, "kind", kind);
		json_set_num(o, "before", c->before);
		json_set_num(o, "after", c->after);
		compare_words_mark(o, line->unit);
		json_push(all, o);
	}
	return all;
}

static cJSON *
trend_json(const struct compare_line *line)
{
	struct compare_found f;
	cJSON *o = json_obj(), *points = json_arr();

	json_set_str(o, "metric", line->metric);
	json_set_str(o, "subject", line->subject);
	json_set_str(o, "unit", line->unit);
	json_set_bool(o, "lower_is_better", line->lower_is_better);
	json_set_bool(o, "deterministic", line->deterministic);
	for (size_t i = 0; i < line->count; i++) {
		cJSON *p = json_obj();

		json_set_int(p, "run", (int64_t)line->point[i].run);
		json_set_num(p, "value", line->point[i].value);
		if (line->point[i].unused)
			json_set_str(p, "unused", line->point[i].unused);
		json_push(points, p);
	}
	json_set(o, "points", points);
	compare_found_of(line, &f);
	json_set(o, "levels", levels_json(&f));
	json_set(o, "marks", marks_json(line, &f));
	compare_found_done(&f);
	return o;
}

cJSON *
compare_trends(const struct compare_runs *runs, const char *metric,
	       const char *subject)
{
	static const char *const copied[] = {"outcome", "reason", "message"};
	cJSON *o = json_obj(), *list = json_arr(), *series = json_arr();
	struct compare_lines lines;
	struct compare_view v;

	json_set(o, "runs", list);
	json_set(o, "series", series);
	if (runs->count == 0)
		return o;
	compare_view_of(runs, runs->count - 1, &v);
	for (size_t i = 0; i < v.count; i++) {
		cJSON *r = compare_view_run(&v, i);

		for (size_t k = 0; k < sizeof(copied) / sizeof(*copied); k++)
			json_set_str(r, copied[k],
				     json_str(v.record[i], copied[k], NULL));
		json_set_bool(r, "measured",
			      json_bool(v.record[i], "measured", false));
		json_push(list, r);
	}
	json_set(o, "key",
		 cJSON_Duplicate(json_get(v.record[v.count - 1], "key"), true));
	json_set_str(o, "title",
		     json_str(v.record[v.count - 1], "title", NULL));
	compare_lines_of(&v, metric, subject, &lines);
	for (size_t i = 0; i < lines.count; i++)
		json_push(series, trend_json(&lines.item[i]));
	compare_lines_done(&lines);
	compare_view_done(&v);
	return o;
}
