#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "history/compare.h"
#include "history/compare_found.h"
#include "history/compare_lines.h"
#include "history/compare_view.h"
#include "history/compare_words.h"
#include "history/history_record.h"
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
		json_set_num(o, "noise", c->noise);
		json_set_int(o, "runs_before", (int64_t)c->runs_before);
		json_set_int(o, "runs_after", (int64_t)c->runs_after);
		compare_words_mark(o, line->unit);
		json_push(all, o);
	}
	return all;
}

/*
 * What is drawn: the runs of the key, and those before its first one, which
 * are not compared.  Another phone that is patrolled beside it has pictures of
 * its own.
 */
struct drawn {
	struct compare_view all, view;
	size_t *run; /* of `view`: which of `all` */
	size_t own;
};

static void
drawn_of(const struct compare_runs *runs, struct drawn *d)
{
	struct compare_view *all = &d->all, *v = &d->view;

	compare_view_wide(runs, runs->count - 1, all, &d->own);
	v->record = mem_array(all->count, sizeof(*v->record));
	v->invalid = mem_array(all->count, sizeof(*v->invalid));
	d->run = mem_array(all->count, sizeof(*d->run));
	v->count = 0;
	for (size_t i = 0; i < all->count; i++) {
		if (i > d->own && compare_view_is_other(all->invalid[i]))
			continue;
		v->record[v->count] = all->record[i];
		v->invalid[v->count] = all->invalid[i];
		d->run[v->count++] = i;
	}
}

static void
drawn_done(struct drawn *d)
{
	compare_view_done(&d->all);
	compare_view_done(&d->view);
	free(d->run);
}

/* Where the key's first run follows others. */
static cJSON *
baseline_of(const struct drawn *d, size_t run)
{
	const struct compare_view *v = &d->all;
	const char *part;

	if (run != d->own)
		return NULL;
	for (size_t i = run; i > 0; i--) {
		if (compare_view_is_other(v->invalid[i - 1]) &&
		    !history_record_same_key(v->record[i - 1], v->record[run],
					     &part))
			return compare_words_baseline(v->record[i - 1],
						      v->record[run], part);
	}
	return NULL;
}

static cJSON *
runs_json(const struct drawn *d)
{
	static const char *const copied[] = {"outcome", "reason", "message"};
	const struct compare_view *v = &d->all;
	cJSON *list = json_arr();

	for (size_t i = 0; i < v->count; i++) {
		cJSON *r = compare_view_run(v, i);
		AUTO_JSON cJSON *baseline = baseline_of(d, i);

		for (size_t k = 0; k < sizeof(copied) / sizeof(*copied); k++)
			json_set_str(r, copied[k],
				     json_str(v->record[i], copied[k], NULL));
		json_set_bool(r, "measured",
			      json_bool(v->record[i], "measured", false));
		json_set_str(r, "new_baseline",
			     json_str(baseline, "message", NULL));
		json_push(list, r);
	}
	return list;
}

static cJSON *
trend_json(const struct drawn *d, const struct compare_line *line)
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

		json_set_int(p, "run", (int64_t)d->run[line->point[i].run]);
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

/* A day without a phone has no key: the last that has one. */
static const cJSON *
last_of(const struct drawn *d)
{
	const struct compare_view *v = &d->view;

	for (size_t i = v->count; i > 0; i--) {
		if (*json_str(v->record[i - 1], "key.unity", ""))
			return v->record[i - 1];
	}
	return v->record[v->count - 1];
}

/* Is it of the key, or only of what was before? */
static bool
is_own(const struct drawn *d, const struct compare_line *line)
{
	return line->count &&
	       d->run[line->point[line->count - 1].run] >= d->own;
}

cJSON *
compare_trends(const struct compare_runs *runs, const char *metric,
	       const char *subject)
{
	cJSON *o = json_obj(), *series = json_arr();
	struct compare_lines lines;
	const cJSON *last;
	struct drawn d;

	if (runs->count == 0) {
		json_set(o, "runs", json_arr());
		json_set(o, "series", series);
		return o;
	}
	drawn_of(runs, &d);
	last = last_of(&d);
	json_set(o, "runs", runs_json(&d));
	json_set(o, "series", series);
	json_set(o, "key", cJSON_Duplicate(json_get(last, "key"), true));
	json_set_str(o, "title", json_str(last, "title", NULL));
	compare_lines_of(&d.view, metric, subject, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		if (is_own(&d, &lines.item[i]))
			json_push(series, trend_json(&d, &lines.item[i]));
	}
	compare_lines_done(&lines);
	drawn_done(&d);
	return o;
}
