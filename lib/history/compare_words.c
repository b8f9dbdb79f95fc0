#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/present.h"
#include "history/compare.h"
#include "history/compare_words.h"
#include "history/history_record.h"

enum { NAME_UNITS = 80 };

/* "shop: load", "startup_process" */
static void
add_name(struct buf *out, const cJSON *s)
{
	const char *subject = json_str(s, "subject", "");

	if (*subject) {
		present_line(out, subject, NAME_UNITS);
		buf_str(out, ": ");
	}
	present_line(out, json_str(s, "metric", ""), NAME_UNITS);
}

static void
add_percent(struct buf *out, double before, double after)
{
	if (before != 0)
		buf_fmt(out, " (%+.0f %%)",
			(after - before) / fabs(before) * 100);
}

/* "1.84 s→2.21 s (+20 %)" */
static void
add_step(struct buf *out, const cJSON *step, const char *unit)
{
	double before = json_num(step, "before", 0);
	double after = json_num(step, "after", 0);

	present_range(out, before, after, unit);
	add_percent(out, before, after);
}

static void
add_runs(struct buf *out, const cJSON *run)
{
	present_date(out, json_str(run, "at", NULL));
	buf_chr(out, ' ');
	present_commit(out, json_str(run, "commit", "?"));
}

/*
 * "regression: median 2.2 s of 4 runs since 27 Nov a1b2c3d, before 1.84 s ±
 * 0.04 s of 30 (+20 %), last good 26 Nov 3f2e1d0"
 */
static void
step_words(struct buf *out, const cJSON *step, const char *unit)
{
	double before = json_num(step, "before", 0);
	double after = json_num(step, "after", 0);
	long long n = json_int(step, "runs_after", 0);
	bool slow = json_bool(step, "slow", false);

	buf_fmt(out, "%s: median ", json_str(step, "kind", ""));
	present_value(out, after, unit);
	buf_fmt(out, " of %lld run%s %s ", n, n == 1 ? "" : "s",
		slow ? "up to" : "since");
	add_runs(out, json_get(step, "first_bad"));
	buf_str(out, ", before ");
	present_value(out, before, unit);
	buf_str(out, " ± ");
	present_value(out, json_num(step, "noise", 0), unit);
	buf_fmt(out, " of %lld", (long long)json_int(step, "runs_before", 0));
	add_percent(out, before, after);
	buf_str(out, slow ? ", on its way since " : ", last good ");
	add_runs(out, json_get(step, "last_good"));
}

static void
baseline_words(struct buf *out, const cJSON *s, const char *unit)
{
	present_value(out, json_num(s, "value", 0), unit);
	buf_str(out, ", median ");
	present_value(out, json_num(s, "median", 0), unit);
	buf_str(out, " ± ");
	present_value(out, json_num(s, "limit", 0), unit);
	buf_fmt(out, " of %lld runs", (long long)json_int(s, "runs", 0));
}

void
compare_words_series(cJSON *series)
{
	const char *state = json_str(series, "state", "");
	const char *unit = json_str(series, "unit", "");
	const cJSON *step = json_get(series, "step");
	AUTO_BUF struct buf line = BUF_INIT;

	add_name(&line, series);
	buf_str(&line, ": ");
	if (cJSON_IsObject(step)) {
		step_words(&line, step, unit);
	} else if (strcmp(state, "unused") == 0) {
		present_value(&line, json_num(series, "value", 0), unit);
		buf_fmt(&line, ", not compared: %s",
			json_str(series, "unused", ""));
	} else if (strcmp(state, "too_little_history") == 0) {
		present_value(&line, json_num(series, "value", 0), unit);
		buf_fmt(&line, ", only %lld runs before",
			(long long)json_int(series, "runs", 0));
	} else {
		buf_fmt(&line, "%s: ", state);
		baseline_words(&line, series, unit);
	}
	json_set_str(series, "line", line.data);
}

void
compare_words_mark(cJSON *mark, const char *unit)
{
	double before = json_num(mark, "before", 0);
	double after = json_num(mark, "after", 0);
	long long n = json_int(mark, "runs_after", 0);
	AUTO_BUF struct buf line = BUF_INIT;

	if (strcmp(json_str(mark, "kind", ""), "suspect") == 0) {
		present_value(&line, after, unit);
		buf_str(&line, ", median ");
		present_value(&line, before, unit);
	} else {
		buf_str(&line, "median ");
		present_value(&line, after, unit);
		buf_fmt(&line, " of %lld run%s, before ", n, n == 1 ? "" : "s");
		present_value(&line, before, unit);
		buf_str(&line, " ± ");
		present_value(&line, json_num(mark, "noise", 0), unit);
	}
	buf_fmt(&line, " of %lld", (long long)json_int(mark, "runs_before", 0));
	add_percent(&line, before, after);
	json_set_str(mark, "line", line.data);
}

cJSON *
compare_words_baseline(const cJSON *then, const cJSON *now, const char *part)
{
	bool title = strcmp(part, "title") == 0;
	AUTO_FREE char *path = mem_fmt(title ? "%s" : "key.%s", part);
	const char *before = json_str(then, path, "");
	const char *after = json_str(now, path, "");
	AUTO_BUF struct buf text = BUF_INIT;
	cJSON *o = json_obj();

	buf_fmt(&text, "a new baseline begins: another %s, ",
		history_record_part(part));
	present_line(&text, *before ? before : "unknown", NAME_UNITS);
	buf_str(&text, " before, ");
	present_line(&text, *after ? after : "unknown", NAME_UNITS);
	buf_str(&text, " now");
	json_set_str(o, "part", part);
	json_set_str(o, "before", before);
	json_set_str(o, "after", after);
	json_set_str(o, "message", text.data);
	return o;
}

/* --- the whole ----------------------------------------------------------- */

/* How much a series has moved, as a share. */
static double
moved(const cJSON *s)
{
	const cJSON *step = json_get(s, "step");
	double before, after;

	if (cJSON_IsObject(step)) {
		before = json_num(step, "before", 0);
		after = json_num(step, "after", 0);
	} else {
		before = json_num(s, "median", 0);
		after = json_num(s, "value", 0);
	}
	return before == 0 ? HUGE_VAL : fabs((after - before) / before);
}

/* The one that moved most of those in this state, and how many there are. */
static const cJSON *
worst_of(const cJSON *comparison, const char *state, size_t *count)
{
	const cJSON *s, *worst = NULL;

	*count = 0;
	cJSON_ArrayForEach(s, json_get(comparison, "series"))
	{
		if (strcmp(json_str(s, "state", ""), state) != 0)
			continue;
		++*count;
		if (worst == NULL || moved(s) > moved(worst))
			worst = s;
	}
	return worst;
}

static void
add_worst(struct buf *out, const cJSON *c, const char *verdict)
{
	size_t count;
	const cJSON *s = worst_of(c, verdict, &count);
	const cJSON *step = json_get(s, "step");

	add_name(out, s);
	buf_chr(out, ' ');
	if (cJSON_IsObject(step)) {
		add_step(out, step, json_str(s, "unit", ""));
		if (!json_bool(step, "new", false)) {
			buf_str(out, ", ");
			present_ordinal(out, json_int(step, "days", 0));
			buf_str(out, " day");
		}
	} else {
		present_range(out, json_num(s, "median", 0),
			      json_num(s, "value", 0), json_str(s, "unit", ""));
		add_percent(out, json_num(s, "median", 0),
			    json_num(s, "value", 0));
	}
	buf_fmt(out, ": %s", verdict);
	if (count > 1)
		buf_fmt(out, ", and %zu more", count - 1);
}

void
compare_words_message(cJSON *c)
{
	const char *verdict = json_str(c, "verdict", "");
	long long runs = json_int(c, "runs", 0);
	const char *baseline = json_str(c, "new_baseline.message", NULL);
	AUTO_BUF struct buf text = BUF_INIT;

	if (strcmp(verdict, "not_comparable") == 0)
		buf_fmt(&text, "this run is not compared: %s",
			json_str(c, "run.invalid", "invalid"));
	else if (strcmp(verdict, "too_little_history") == 0)
		buf_fmt(&text,
			"too little history to compare with: %lld valid run%s "
			"of this title, phone, OS, Unity and route",
			runs, runs == 1 ? "" : "s");
	else if (strcmp(verdict, "unchanged") == 0)
		buf_fmt(&text,
			"nothing is worse than in the %lld valid runs "
			"before",
			runs > 0 ? runs - 1 : 0);
	else
		add_worst(&text, c, verdict);
	if (baseline)
		buf_fmt(&text, "; %s", baseline);
	json_set_str(c, "message", text.data);
}

/* --- for people ---------------------------------------------------------- */

/* Worth a line of its own. */
static bool
is_told(const cJSON *s)
{
	const char *state = json_str(s, "state", "");

	return strcmp(state, "unchanged") != 0 &&
	       strcmp(state, "too_little_history") != 0 &&
	       strcmp(state, "unused") != 0;
}

static size_t
count_of(const cJSON *c, const char *state)
{
	size_t n;

	(void)worst_of(c, state, &n); /* the number alone */
	return n;
}

static void
add_run(struct buf *out, const char *what, const cJSON *run)
{
	buf_fmt(out, "%s ", what);
	present_date(out, json_str(run, "at", NULL));
	buf_chr(out, ' ');
	present_clock(out, json_str(run, "at", NULL));
	buf_str(out, " · build ");
	present_line(out, json_str(run, "run_id", "?"), NAME_UNITS);
	buf_chr(out, ' ');
	present_commit(out, json_str(run, "commit", NULL));
	buf_chr(out, '\n');
}

void
compare_key(struct buf *out, const cJSON *c)
{
	AUTO_FREE char *key = history_record_key_text(c);
	AUTO_BUF struct buf title = BUF_INIT;
	long long others = json_int(c, "other_keys", 0);

	present_line(&title, json_str(c, "title", NULL), NAME_UNITS);
	buf_fmt(out, "%s%s", title.len ? title.data : "",
		title.len ? ": " : "");
	present_line(out, key, 0);
	if (others > 0)
		buf_fmt(out,
			"; the store has %lld other%s (`patrol history list "
			"--keys`)",
			others, others == 1 ? "" : "s");
}

void
compare_text(struct buf *out, const cJSON *c)
{
	const cJSON *s, *base = json_get(c, "base");

	buf_fmt(out, "%s\n", json_str(c, "message", ""));
	add_run(out, "run ", json_get(c, "run"));
	if (cJSON_IsObject(base))
		add_run(out, "base", base);
	buf_str(out, "of   ");
	compare_key(out, c);
	buf_chr(out, '\n');
	cJSON_ArrayForEach(s, json_get(c, "series"))
	{
		if (!is_told(s))
			continue;
		buf_fmt(out, "  %s\n", json_str(s, "line", ""));
	}
	buf_fmt(out,
		"%zu unchanged, %zu with too little history, %zu not "
		"compared\n",
		count_of(c, "unchanged"), count_of(c, "too_little_history"),
		count_of(c, "unused"));
}

/* In a table's cell. */
static void
add_cell(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]#@", *text))
			buf_chr(out, '\\');
		buf_chr(out, *text);
	}
}

static void
add_cell_value(struct buf *out, const cJSON *s, const char *field)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(s, field);

	buf_str(out, " | ");
	if (cJSON_IsNumber(v))
		present_value(out, v->valuedouble, json_str(s, "unit", ""));
}

void
compare_markdown(struct buf *out, const cJSON *c)
{
	AUTO_BUF struct buf key = BUF_INIT;
	const cJSON *s;
	bool any = false;

	buf_str(out, "### ");
	add_cell(out, json_str(c, "message", ""));
	buf_str(out, "\n\n");
	compare_key(&key, c);
	add_cell(out, key.data);
	buf_str(out, "\n\n");
	cJSON_ArrayForEach(s, json_get(c, "series"))
	{
		AUTO_BUF struct buf name = BUF_INIT;

		if (!is_told(s))
			continue;
		if (!any)
			buf_str(out, "| | previous | median | today | |\n"
				     "|---|---:|---:|---:|---|\n");
		any = true;
		add_name(&name, s);
		buf_str(out, "| ");
		add_cell(out, name.data);
		add_cell_value(out, s, "base");
		add_cell_value(out, s, "median");
		add_cell_value(out, s, "value");
		buf_str(out, " | ");
		add_cell(out, json_str(s, "line", ""));
		buf_str(out, " |\n");
	}
	buf_fmt(out,
		"%s%zu unchanged, %zu with too little history, %zu not "
		"compared.\n",
		any ? "\n" : "", count_of(c, "unchanged"),
		count_of(c, "too_little_history"), count_of(c, "unused"));
}
