#include "run/confirm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "followup/records_keys.h"
#include "history/history_record.h"

struct confirm {
	struct records past;
};

void
confirm_done(struct confirm *c)
{
	if (c == NULL)
		return;
	records_done(&c->past);
	free(c);
}

bool
confirm_wanted(const struct run *r)
{
	return r->plan && r->plan->limits.confirm > 0 && r->set->history &&
	       r->cfg->repeat == 0;
}

int
confirm_read(struct run *r, struct buf *note, struct err *err)
{
	struct deadline dl = run_dl(r, r->set->budget.history_ms);
	struct confirm *c = mem_alloc(sizeof(*c));

	if (records_open(&c->past, r->set, err) == 0 &&
	    records_keys_title(&c->past, json_str(r->res.json, "title", NULL),
			       dl, err) == 0) {
		r->confirm = c;
		buf_fmt(note, "%zu earlier runs", c->past.runs.count);
		return 0;
	}
	confirm_done(c);
	if (err->code == ERR_CANCELLED)
		return -1;
	result_warning(&r->res, "history_failed", err->msg);
	run_say(r, PROGRESS_WARN, "nothing is walked again: %s", err->msg);
	buf_str(note, "not read");
	err_clear(err);
	return 0;
}

/* The result as it would be if the run ended now. */
static cJSON *
so_far(const struct run *r)
{
	cJSON *o = cJSON_Duplicate(r->res.json, true);
	AUTO_FREE char *now = result_time_now();

	json_set_str(o, "ended_at", now);
	json_set_str(o, "outcome", result_outcome_name(RESULT_PASSED));
	return o;
}

/* Worse than its baseline, and not said of an earlier day already. */
static bool
is_suspect(const cJSON *s)
{
	const char *metric = json_str(s, "metric", "");
	const char *state = json_str(s, "state", "");

	return (strcmp(metric, "load") == 0 || strcmp(metric, "settle") == 0) &&
	       (strcmp(state, "suspect") == 0 ||
		(strcmp(state, "regression") == 0 &&
		 json_bool(s, "step.new", false)));
}

static cJSON *
suspect(const cJSON *s)
{
	double baseline = json_num(s, "median", NAN);
	double limit = json_num(s, "limit", NAN);
	cJSON *o = json_obj();

	json_set_str(o, "metric", json_str(s, "metric", ""));
	json_set_str(o, "subject", json_str(s, "subject", ""));
	json_set_num(o, "value", json_num(s, "value", NAN));
	json_set_num(o, "baseline", baseline);
	json_set_num(o, "limit", baseline + limit);
	json_set_num(o, "least", baseline - limit);
	return o;
}

cJSON *
confirm_suspects(struct run *r)
{
	AUTO_JSON cJSON *comparison = NULL;
	AUTO_JSON cJSON *now = NULL;
	struct err err = ERR_INIT;
	cJSON *list;
	const cJSON *s;
	size_t at;

	if (r->confirm == NULL)
		return NULL;
	now = so_far(r);
	records_put(&r->confirm->past, history_record_of(now), &at);
	if (compare_run(&r->confirm->past.runs, at, NULL, &comparison, &err)) {
		result_warning(&r->res, "history_failed", err.msg);
		return NULL;
	}
	list = json_arr();
	cJSON_ArrayForEach(s, json_get(comparison, "series"))
	{
		if (is_suspect(s))
			json_push(list, suspect(s));
	}
	return list;
}
