#include "history/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "history/compare_found.h"
#include "history/compare_lines.h"
#include "history/compare_words.h"
#include "history/history_record.h"
#include "series/level.h"

/* A change is told of for so many valid runs after it was said. */
enum { TOLD_RUNS = 14 };

static const char *const by_weight[] = {
	"regression",	      "creep",	"suspect", "improvement", "unchanged",
	"too_little_history", "unused",
};

void
compare_runs_done(struct compare_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		cJSON_Delete(runs->record[i]);
	free(runs->record);
	*runs = (struct compare_runs){.record = NULL};
}

static size_t
weight_of(const char *state)
{
	size_t i = 0;

	while (strcmp(by_weight[i], state) != 0)
		i++;
	return i;
}

/* --- with which run ------------------------------------------------------ */

/* The last run before the last that fits; SIZE_MAX: there is none. */
static int
choose_base(const struct compare_view *v, const char *name, size_t *base,
	    struct err *err)
{
	bool any = name == NULL || strcmp(name, "previous") == 0;

	*base = SIZE_MAX;
	for (size_t i = v->count - 1; i > 0; i--) {
		if (any ? v->invalid[i - 1] == NULL
			: history_record_is(v->record[i - 1], name)) {
			*base = i - 1;
			return 0;
		}
	}
	if (any)
		return 0;
	err_set(err, ERR_USAGE,
		"none of the %zu earlier runs of this title, phone, OS, Unity "
		"and route is '%s'",
		v->count - 1, name);
	return err_hint(err, "give a run's number, an id of `patrol history "
			     "list`, a commit or a date 2026-11-30");
}

/*
 * Was it the series that goes on with `now`?  Of one title with another key, or
 * renamed; another title with another key is another game.
 */
static bool
precedes(const cJSON *then, const cJSON *now, const char **part)
{
	bool same_key = history_record_same_key(then, now, part);

	if (history_record_same_title(then, now))
		return !same_key;
	*part = "title";
	return same_key;
}

/* The last valid run before is of another key, and there is none of ours. */
static cJSON *
new_baseline(const struct compare_runs *runs, size_t at,
	     const struct compare_view *v)
{
	const cJSON *now = runs->record[at];

	for (size_t i = 0; i + 1 < v->count; i++) {
		if (v->invalid[i] == NULL)
			return NULL;
	}
	for (size_t i = at; i > 0; i--) {
		const cJSON *then = runs->record[i - 1];
		const char *part;

		if (!json_bool(then, "valid", false) ||
		    !precedes(then, now, &part))
			continue;
		return compare_words_baseline(then, now, part);
	}
	return NULL;
}

/* --- one series ---------------------------------------------------------- */

struct today {
	const struct compare_view *view;
	size_t run, base; /* SIZE_MAX: no base */
};

static const struct compare_point *
point_of(const struct compare_line *line, size_t run)
{
	for (size_t i = line->count; i > 0; i--) {
		if (line->point[i - 1].run == run)
			return &line->point[i - 1];
		if (line->point[i - 1].run < run)
			break;
	}
	return NULL;
}

/* The change that made the present level; NULL: none that is told still. */
static const struct detect_change *
present_change(const struct compare_found *f, size_t *days)
{
	const struct detect_change *last = NULL;

	for (size_t i = 0; i < f->list.count; i++) {
		if (f->list.change[i].kind != DETECT_SUSPECT)
			last = &f->list.change[i];
	}
	if (last == NULL || f->count - last->seen > TOLD_RUNS)
		return NULL;
	*days = f->count - last->seen;
	return last;
}

static bool
is_suspect(const struct compare_line *line, const struct compare_found *f)
{
	for (size_t i = f->list.count; i > 0; i--) {
		const struct detect_change *c = &f->list.change[i - 1];

		if (c->seen + 1 < f->count)
			break;
		if (c->kind == DETECT_SUSPECT)
			return strcmp(compare_found_kind(line, c), "suspect") ==
			       0;
	}
	return false;
}

/* A creep has no guilty run: its range is all that was looked at. */
static cJSON *
step_json(const struct compare_line *line, const struct compare_found *f,
	  const struct detect_change *c, size_t days,
	  const struct compare_view *v)
{
	cJSON *o = json_obj();
	bool slow = c->kind == DETECT_CREEP;
	size_t to = slow ? c->seen : c->index;
	size_t from = slow ? c->base : c->index ? c->index - 1 : 0;
	size_t first = line->point[f->point[to]].run;
	size_t good = line->point[f->point[from]].run;
	size_t seen = line->point[f->point[c->seen]].run;

	json_set_str(o, "kind", compare_found_kind(line, c));
	json_set_bool(o, "slow", slow);
	json_set_bool(o, "new", days == 1);
	json_set_int(o, "days", (int64_t)days);
	json_set_num(o, "before", c->before);
	json_set_num(o, "after", c->after);
	json_set_num(o, "noise", c->noise);
	json_set_int(o, "runs_before", (int64_t)c->runs_before);
	json_set_int(o, "runs_after", (int64_t)c->runs_after);
	json_set(o, "first_bad", compare_view_run(v, first));
	json_set(o, "last_good", compare_view_run(v, good));
	json_set(o, "seen", compare_view_run(v, seen));
	return o;
}

/* The runs before today, of the present level, that today is held against. */
static void
set_baseline(cJSON *o, const struct compare_line *line,
	     const struct compare_found *f, size_t from)
{
	struct detect_rules rules = detect_rules();
	size_t last = f->count - 1, n;
	const double *v;
	double median, mad;

	if (last <= from)
		from = 0;
	n = last - from < rules.suspect_base ? last - from : rules.suspect_base;
	json_set_int(o, "runs", (int64_t)n);
	if (n == 0)
		return;
	v = f->value + last - n;
	median = level_median(v, n);
	mad = level_mad(v, n, median) / 1.4826;
	json_set_num(o, "median", median);
	json_set_num(o, "noise", level_noise(v, n, median));
	if (line->deterministic) {
		json_set_num(o, "limit", rules.floor * fabs(median));
		return;
	}
	json_set_num(o, "limit",
		     fmax(line->resolution,
			  fmax(rules.suspect_mads * mad,
			       rules.suspect_floor * fabs(median))));
}

static const char *
state_of(const struct compare_line *line, const struct compare_found *f,
	 const struct detect_change *c)
{
	size_t least = line->deterministic ? 1 : detect_rules().base_least;

	if (c)
		return compare_found_kind(line, c);
	if (f->count <= least)
		return "too_little_history";
	return is_suspect(line, f) ? "suspect" : "unchanged";
}

static cJSON *
series_json(const struct compare_line *line, const struct today *t)
{
	const struct compare_point *now = point_of(line, t->run);
	const struct compare_point *then =
		t->base == SIZE_MAX ? NULL : point_of(line, t->base);
	const struct detect_change *c;
	struct compare_found f;
	cJSON *o = json_obj();
	size_t days = 0;

	json_set_str(o, "metric", line->metric);
	json_set_str(o, "subject", line->subject);
	json_set_str(o, "unit", line->unit);
	json_set_bool(o, "lower_is_better", line->lower_is_better);
	json_set_bool(o, "deterministic", line->deterministic);
	json_set_num(o, "value", now->value);
	json_set_str(o, "unused", now->unused);
	json_set_num(o, "base", then ? then->value : NAN);
	json_set_num(o, "change",
		     then && then->value != 0
			     ? (now->value - then->value) / fabs(then->value)
			     : NAN);
	if (now->unused) {
		json_set_str(o, "state", "unused");
		json_set(o, "step", cJSON_CreateNull());
		compare_words_series(o);
		return o;
	}
	compare_found_of(line, &f);
	c = present_change(&f, &days);
	set_baseline(o, line, &f, c ? c->index : 0);
	json_set_str(o, "state", state_of(line, &f, c));
	json_set(o, "step",
		 c ? step_json(line, &f, c, days, t->view)
		   : cJSON_CreateNull());
	compare_words_series(o);
	compare_found_done(&f);
	return o;
}

/* --- all ----------------------------------------------------------------- */

/*
 * The worst of all series.  That sizes are as before does not make a day
 * compared whose times have too little history.
 */
static const char *
verdict_of(const cJSON *series, const char *invalid)
{
	size_t little = weight_of("too_little_history");
	size_t best = little, noisy = little;
	const cJSON *s;

	if (invalid)
		return "not_comparable";
	cJSON_ArrayForEach(s, series)
	{
		size_t w = weight_of(json_str(s, "state", "unused"));

		if (w < best)
			best = w;
		if (w < noisy && !json_bool(s, "deterministic", false))
			noisy = w;
	}
	return best < weight_of("unchanged") ? by_weight[best]
					     : by_weight[noisy];
}

static size_t
valid_runs(const struct compare_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->count; i++)
		n += v->invalid[i] == NULL;
	return n;
}

static cJSON *
series_of(const struct today *t)
{
	struct compare_lines lines;
	cJSON *all = json_arr();

	compare_lines_of(t->view, NULL, NULL, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		if (lines.item[i].latest == t->run)
			json_push(all, series_json(&lines.item[i], t));
	}
	compare_lines_done(&lines);
	return all;
}

static cJSON *
start_json(const struct compare_view *v, size_t run)
{
	double median, reach;
	cJSON *o;

	if (!compare_view_start(v, run, &median, &reach))
		return cJSON_CreateNull();
	o = json_obj();
	json_set_num(o, "median", median);
	json_set_num(o, "reach", reach);
	return o;
}

int
compare_run(const struct compare_runs *runs, size_t at, const char *base,
	    cJSON **out, struct err *err)
{
	const cJSON *record = runs->record[at];
	struct compare_view v;
	struct today t = {.view = &v};
	cJSON *o, *series, *baseline;

	*out = NULL;
	compare_view_of(runs, at, COMPARE_RUNS_MAX, &v);
	t.run = v.count - 1;
	if (choose_base(&v, base, &t.base, err)) {
		compare_view_done(&v);
		return -1;
	}
	o = json_obj();
	series = series_of(&t);
	json_set_int(o, "schema_version", 1);
	json_set_str(o, "verdict", verdict_of(series, v.invalid[t.run]));
	json_set_str(o, "message", ""); /* its place; the words follow */
	json_set(o, "run", compare_view_run(&v, t.run));
	json_set(o, "base",
		 t.base == SIZE_MAX ? cJSON_CreateNull()
				    : compare_view_run(&v, t.base));
	json_set_str(o, "title", json_str(record, "title", NULL));
	json_set(o, "key", cJSON_Duplicate(json_get(record, "key"), true));
	json_set_int(o, "runs", (int64_t)valid_runs(&v));
	json_set(o, "start_c", start_json(&v, t.run));
	baseline = new_baseline(runs, at, &v);
	json_set(o, "new_baseline", baseline ? baseline : cJSON_CreateNull());
	json_set(o, "series", series);
	compare_words_message(o);
	compare_view_done(&v);
	*out = o;
	return 0;
}

bool
compare_has_new(const cJSON *comparison, const char *kind)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(comparison, "series"))
	{
		const cJSON *step = json_get(s, "step");

		if (json_bool(step, "new", false) &&
		    strcmp(json_str(step, "kind", ""), kind) == 0)
			return true;
	}
	return false;
}
