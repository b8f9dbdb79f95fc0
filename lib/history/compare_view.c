#include "history/compare_view.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "history/history_record.h"
#include "series/level.h"

/* --- which runs ---------------------------------------------------------- */

enum { BAND_RUNS = 14, BAND_LEAST = 5 };
#define BAND_C 4.0 /* so far from the usual a phone may always begin */

/*
 * Of the runs before, whether those fitted or not, so that it follows a phone
 * that has moved.
 */
bool
compare_view_start(const struct compare_view *v, size_t run, double *median,
		   double *reach)
{
	double c[BAND_RUNS];
	size_t n = 0;

	for (size_t i = run; i > 0 && n < BAND_RUNS; i--) {
		double then = json_num(v->record[i - 1], "start_c", NAN);

		if (!isnan(then) && json_bool(v->record[i - 1], "valid", false))
			c[n++] = then;
	}
	if (n < BAND_LEAST)
		return false;
	*median = level_median(c, n);
	*reach = fmax(3 * level_mad(c, n, *median), BAND_C);
	return true;
}

static bool
is_warm(const struct compare_view *v, size_t run)
{
	double now = json_num(v->record[run], "start_c", NAN);
	double median, reach;

	return isnan(now) || !compare_view_start(v, run, &median, &reach) ||
	       fabs(now - median) <= reach;
}

static const char *
why_invalid(const struct compare_view *v, size_t run)
{
	const cJSON *r = v->record[run];

	if (!json_bool(r, "valid", false))
		return json_str(r, "invalid", "invalid");
	return is_warm(v, run) ? NULL : "temperature";
}

/* Whose key it is: the run's, or of the last one that has one. */
static const cJSON *
key_run(const struct compare_runs *runs, size_t at)
{
	for (size_t i = at + 1; i > 0; i--) {
		const cJSON *r = runs->record[i - 1];

		if (history_record_has_key(r) &&
		    history_record_same_title(r, runs->record[at]))
			return r;
	}
	return runs->record[at];
}

static bool
belongs(const cJSON *r, const cJSON *key)
{
	return history_record_same_title(r, key) &&
	       (history_record_same_key(r, key, NULL) ||
		!history_record_has_key(r));
}

enum { WEEK_S = 7 * 24 * 3600 };

static int64_t
week_of(const cJSON *r)
{
	return history_record_at(r) / WEEK_S;
}

/*
 * The first of the runs up to `at` that are looked at: of the key's own the
 * newest `most`.  Creeps are looked for every seventh run, counted from the
 * first.  Of a history that is cut, the first must not move every day: it is
 * the first of a week.
 */
static size_t
first_of(const struct compare_runs *runs, size_t at, const cJSON *key,
	 size_t most)
{
	size_t own = 0, first = at + 1;
	int64_t week;

	while (first > 0 && own < most)
		own += belongs(runs->record[--first], key);
	if (own < most && !runs->cut)
		return 0;
	week = week_of(runs->record[first]);
	while (first < at && (week_of(runs->record[first]) == week ||
			      !belongs(runs->record[first], key)))
		first++;
	return first;
}

void
compare_view_of(const struct compare_runs *runs, size_t at, size_t most,
		struct compare_view *out)
{
	const cJSON *key = key_run(runs, at);

	out->record = mem_array(at + 1, sizeof(*out->record));
	out->invalid = mem_array(at + 1, sizeof(*out->invalid));
	out->count = 0;
	for (size_t i = first_of(runs, at, key, most); i <= at; i++) {
		if (!belongs(runs->record[i], key))
			continue;
		out->record[out->count] = runs->record[i];
		out->invalid[out->count] = why_invalid(out, out->count);
		out->count++;
	}
}

/* Why a run of another key does not count, by the part that differs. */
static const struct {
	const char *part, *why;
} others[] = {
	{"model", "another_phone"}, {"serial", "another_phone"},
	{"os", "another_os"},	    {"unity", "another_unity"},
	{"plan", "another_route"},
};

static const char *
why_other(const char *part)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(others[i].part, part) == 0)
			return others[i].why;
	}
	return "another_key";
}

bool
compare_view_is_other(const char *invalid)
{
	return invalid && strncmp(invalid, "another_", 8) == 0;
}

void
compare_view_wide(const struct compare_runs *runs, size_t at,
		  struct compare_view *out, size_t *own)
{
	const cJSON *key = key_run(runs, at);
	struct compare_view v;
	size_t next = 0;

	compare_view_of(runs, at, SIZE_MAX, &v);
	out->record = mem_array(at + 1, sizeof(*out->record));
	out->invalid = mem_array(at + 1, sizeof(*out->invalid));
	out->count = 0;
	*own = SIZE_MAX;
	for (size_t i = first_of(runs, at, key, SIZE_MAX); i <= at; i++) {
		const cJSON *r = runs->record[i];
		const char *invalid, *part = "";

		if (next < v.count && v.record[next] == r) {
			invalid = v.invalid[next++];
			if (history_record_has_key(r) && *own == SIZE_MAX)
				*own = out->count;
		} else if (history_record_same_title(r, key)) {
			(void)history_record_same_key(r, key, &part);
			invalid = why_other(part);
		} else {
			continue;
		}
		out->record[out->count] = r;
		out->invalid[out->count++] = invalid;
	}
	if (*own > out->count)
		*own = out->count;
	compare_view_done(&v);
}

void
compare_view_done(struct compare_view *v)
{
	free(v->record);
	free(v->invalid);
	*v = (struct compare_view){.count = 0};
}

cJSON *
compare_view_run(const struct compare_view *v, size_t run)
{
	static const char *const copied[] = {"id",	"at",	     "run_id",
					     "run_url", "commit",    "branch",
					     "subject", "report_url"};
	const cJSON *r = v->record[run];
	cJSON *o = json_obj();

	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
		json_set_str(o, copied[i], json_str(r, copied[i], NULL));
	json_set_bool(o, "valid", v->invalid[run] == NULL);
	json_set_str(o, "invalid", v->invalid[run]);
	return o;
}
