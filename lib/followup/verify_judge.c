#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "followup/verify.h"
#include "history/history_record.h"

enum { VERIFY_SCHEMA = 1, NAME_UNITS = 120 };

static const char *const states[] = {"verified", "not_fixed", "undecided"};

/* A repetition in the words of a result, so that a record can be made of it. */
static cJSON *
record_of(const cJSON *result, const cJSON *repetition)
{
	AUTO_JSON cJSON *one = cJSON_Duplicate(repetition, true);
	const cJSON *build = json_get(result, "build");

	json_set_str(one, "outcome", "passed");
	if (build)
		json_set(one, "build", cJSON_Duplicate(build, true));
	return history_record_of(one);
}

static cJSON *
records_of(const cJSON *result, bool build_only)
{
	cJSON *all = json_arr();
	const cJSON *r;

	if (build_only) {
		AUTO_JSON cJSON *none = json_obj();

		json_push(all, record_of(result, none));
		return all;
	}
	cJSON_ArrayForEach(r, json_get(result, "repetitions"))
	{
		json_push(all, record_of(result, r));
	}
	return all;
}

/* The value of a record; NaN with `*why` where it does not count. */
static double
value_of(const cJSON *record, const struct issue_block_series *s,
	 const char **why)
{
	const cJSON *m, *pair;

	*why = "not_reached";
	cJSON_ArrayForEach(m, json_get(record, "metrics"))
	{
		const cJSON *values = json_get(m, "values");
		const cJSON *unused = json_get(m, "unused");
		const cJSON *v;

		if (strcmp(json_str(m, "name", ""), s->metric) != 0)
			continue;
		v = cJSON_GetObjectItemCaseSensitive(values, s->subject);
		if (cJSON_IsNumber(v)) {
			*why = NULL;
			return v->valuedouble;
		}
		pair = cJSON_GetObjectItemCaseSensitive(unused, s->subject);
		v = cJSON_GetArrayItem(pair, 1);
		if (cJSON_IsString(v))
			*why = v->valuestring;
	}
	return NAN;
}

static cJSON *
series_json(const struct issue_block_series *s)
{
	cJSON *o = json_obj();

	json_set_str(o, "metric", s->metric);
	json_set_str(o, "subject", s->subject);
	json_set_str(o, "unit", s->unit);
	json_set_bool(o, "lower_is_better", s->lower_is_better);
	json_set_bool(o, "deterministic", s->deterministic);
	json_set_num(o, "baseline", s->median);
	json_set_num(o, "noise", s->noise);
	json_set_int(o, "runs", s->runs);
	json_set_num(o, "regression", s->after);
	return o;
}

static cJSON *
judge_series(const struct issue_block_series *s, const cJSON *records,
	     const struct verify_unfit *unfit, int64_t wanted)
{
	const struct verify_rule rule = {
		.lower_is_better = s->lower_is_better,
		.deterministic = s->deterministic,
		.baseline = s->median,
		.noise = s->noise,
		.regression = s->after,
	};
	cJSON *o = series_json(s), *values = json_arr();
	double valid[VERIFY_MOST];
	AUTO_FREE char *line = NULL;
	struct verify_answer a;
	const cJSON *r;
	size_t n = 0;

	cJSON_ArrayForEach(r, records)
	{
		cJSON *one = json_obj();
		const char *why;
		double v = value_of(r, s, &why);

		if (why == NULL && (unfit->all || !s->deterministic))
			why = unfit->reason;
		json_set_num(one, "value", v);
		json_set_str(one, "unused", why);
		json_push(values, one);
		if (why == NULL && n < VERIFY_MOST)
			valid[n++] = v;
	}
	a = verify_rule(&rule, valid, n, (size_t)wanted);
	json_set(o, "values", values);
	json_set_int(o, "valid", (int64_t)n);
	json_set_num(o, "median", a.median);
	json_set_num(o, "limit", a.limit);
	json_set_num(o, "halfway", a.halfway);
	json_set_str(o, "verdict", verify_rule_name(a.verdict));
	line = verify_text_line(o);
	json_set_str(o, "line", line);
	return o;
}

/* One that is not fixed decides, then one that is not known. */
static const char *
worst_of(const cJSON *series)
{
	static const char *const by_weight[] = {"not_fixed", "undecided"};
	const cJSON *s;

	for (size_t i = 0; i < sizeof(by_weight) / sizeof(*by_weight); i++) {
		cJSON_ArrayForEach(s, series)
		{
			if (strcmp(json_str(s, "verdict", ""), by_weight[i]) ==
			    0)
				return by_weight[i];
		}
	}
	return series->child ? states[VERIFY_VERIFIED]
			     : states[VERIFY_UNDECIDED];
}

/* --- the same phone and build ------------------------------------------- */

/* The block's key; what it does not know, and the plan, are as they are. */
static cJSON *
wanted_key(const struct issue_block *block, const cJSON *record)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{"model", block->model},
		{"serial", block->serial},
		{"os", block->os},
		{"unity", block->unity},
	};
	cJSON *o = json_obj();
	cJSON *key = cJSON_Duplicate(json_get(record, "key"), true);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].value && *parts[i].value)
			json_set_str(key, parts[i].name, parts[i].value);
	}
	json_set(o, "key", key);
	return o;
}

/* True: another phone, OS or Unity; the words go to the verdict. */
static bool
is_another(cJSON *o, const struct issue_block *block, const cJSON *result)
{
	AUTO_JSON cJSON *now = history_record_of(result);
	AUTO_JSON cJSON *then = wanted_key(block, now);
	AUTO_FREE char *path = NULL;
	AUTO_BUF struct buf text = BUF_INIT;
	const char *part;

	json_set(o, "key", cJSON_Duplicate(json_get(now, "key"), true));
	if (history_record_same_key(then, now, &part))
		return false;
	path = mem_fmt("key.%s", part);
	buf_fmt(&text, "not comparable: another %s, ",
		history_record_part(part));
	present_line(&text, json_str(then, path, "?"), NAME_UNITS);
	buf_str(&text, " in the issue, ");
	present_line(&text, json_str(now, path, "?"), NAME_UNITS);
	buf_str(&text, " now");
	json_set_str(o, "verdict", "not_comparable");
	json_set_str(o, "message", text.data);
	return true;
}

/* --- all ----------------------------------------------------------------- */

static void
set_run(cJSON *o, const cJSON *result)
{
	cJSON *run = json_obj();
	AUTO_FREE char *id = json_id(result, "build.run_id");

	json_set_str(run, "run_id", id);
	json_set_str(run, "run_url", json_str(result, "build.run_url", NULL));
	json_set_str(run, "commit", json_str(result, "build.commit", NULL));
	json_set_str(run, "branch", json_str(result, "build.branch", NULL));
	json_set_str(run, "outcome", json_str(result, "outcome", NULL));
	json_set_str(run, "reason", json_str(result, "reason", NULL));
	json_set_str(run, "message", json_str(result, "message", NULL));
	json_set(o, "run", run);
}

/* Did it come to its end, whatever it met? */
static bool
has_ended(const cJSON *result)
{
	static const char *const ends[] = {"passed", "failed", "timed_out"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (strcmp(json_str(result, "outcome", ""), ends[i]) == 0)
			return true;
	}
	return false;
}

/* Nothing was measured, and the run says why. */
static void
judge_nothing(cJSON *o, const cJSON *result)
{
	bool skipped = strcmp(json_str(result, "outcome", ""), "skipped") == 0;

	json_set_str(o, "verdict", skipped ? "skipped" : "failed");
	json_set_str(o, "message",
		     json_str(result, "message", "nothing was measured"));
}

static bool
is_refused(const struct issue_block_series *s, const cJSON *refused)
{
	const cJSON *r;

	cJSON_ArrayForEach(r, refused)
	{
		if (strcmp(json_str(r, "metric", ""), s->metric) == 0 &&
		    strcmp(json_str(r, "subject", ""), s->subject) == 0)
			return true;
	}
	return false;
}

static void
judge_all(cJSON *o, const struct issue_block *block, const cJSON *records,
	  const cJSON *result)
{
	cJSON *series = cJSON_GetObjectItemCaseSensitive(o, "series");
	struct verify_unfit unfit;

	verify_unfit_find(block, result, &unfit);
	if (unfit.reason) {
		cJSON *why = json_obj();

		json_set_str(why, "reason", unfit.reason);
		json_set_str(why, "message", unfit.message);
		json_set(o, "unfit", why);
	}
	for (size_t i = 0; i < block->count; i++) {
		const struct issue_block_series *s = &block->series[i];

		if (!is_refused(s, json_get(o, "refused")))
			json_push(series,
				  judge_series(s, records, &unfit,
					       json_int(o, "repetitions", 0)));
	}
	json_set_str(o, "verdict", worst_of(series));
	free(unfit.message);
}

cJSON *
verify_judge(const struct issue_block *block, const cJSON *result,
	     const cJSON *refused, int64_t wanted)
{
	bool build_only = wanted == 0;
	AUTO_JSON cJSON *records = records_of(result, build_only);
	cJSON *o = json_obj(), *series = json_arr();
	AUTO_FREE char *message = NULL;

	json_set_int(o, "schema_version", VERIFY_SCHEMA);
	json_set_str(o, "verdict", "failed");
	json_set_str(o, "message", "");
	json_set_int(o, "repetitions", wanted);
	set_run(o, result);
	json_set(o, "series", series);
	json_set(o, "refused", cJSON_Duplicate(refused, true));
	if (!has_ended(result) ||
	    (build_only ? json_get(result, "build.apk") == NULL
			: records->child == NULL)) {
		judge_nothing(o, result);
		return o;
	}
	if (!build_only && is_another(o, block, result))
		return o;
	judge_all(o, block, records, result);
	message = verify_text_message(o);
	json_set_str(o, "message", message);
	return o;
}

void
verify_decide(const cJSON *verdict, struct result *res)
{
	static const struct {
		const char *verdict;
		enum result_outcome outcome;
		const char *reason;
	} table[] = {
		{"verified", RESULT_PASSED, NULL},
		{"not_fixed", RESULT_FAILED, "not_fixed"},
		{"undecided", RESULT_INFRA_ERROR, "undecided"},
		{"not_comparable", RESULT_INFRA_ERROR, "not_comparable"},
	};
	const char *word = json_str(verdict, "verdict", "");

	/* A signal, a farm that failed, or no time left weigh more. */
	if (res->outcome != RESULT_PASSED && res->outcome != RESULT_FAILED &&
	    (res->outcome != RESULT_TIMED_OUT ||
	     strcmp(word, "undecided") == 0))
		return;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (strcmp(table[i].verdict, word) != 0)
			continue;
		res->decided = false;
		result_decide(res, table[i].outcome, table[i].reason, "%s",
			      json_str(verdict, "message", ""));
	}
}
