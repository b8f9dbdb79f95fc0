#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/wall.h"
#include "history/history_record.h"

/* The metric of that name, made when it is the first value of it. */
static int
metric_for(cJSON *metrics, const cJSON *in, const char *where, cJSON **out,
	   struct err *err)
{
	const char *name = json_str(in, "name", NULL);
	const char *unit = json_str(in, "unit", "");
	cJSON *m;

	if (name == NULL || *name == '\0')
		return err_set(err, ERR_INPUT, "%s has no name", where);
	cJSON_ArrayForEach(m, metrics)
	{
		if (strcmp(json_str(m, "name", ""), name) != 0)
			continue;
		*out = m;
		if (strcmp(json_str(m, "unit", ""), unit) == 0)
			return 0;
		return err_set(err, ERR_INPUT,
			       "%s: '%s' has two units, '%s' and '%s'", where,
			       name, json_str(m, "unit", ""), unit);
	}
	m = *out = json_obj();
	json_set_str(m, "name", name);
	json_set_str(m, "unit", unit);
	json_set_bool(m, "lower_is_better",
		      json_bool(in, "lower_is_better", true));
	json_set_bool(m, "deterministic",
		      json_bool(in, "deterministic", false));
	if (json_num(in, "resolution", 0) > 0)
		json_set_num(m, "resolution", json_num(in, "resolution", 0));
	json_set(m, "values", json_obj());
	json_set(m, "unused", json_obj());
	json_push(metrics, m);
	return 0;
}

static int
take_value(cJSON *metrics, const cJSON *in, const char *where, struct err *err)
{
	const char *subject = json_str(in, "subject", "");
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(in, "value");
	cJSON *m = NULL, *values;

	if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
		return err_set(err, ERR_INPUT, "%s.value is no number", where);
	if (metric_for(metrics, in, where, &m, err))
		return -1;
	values = cJSON_GetObjectItemCaseSensitive(m, "values");
	if (cJSON_GetObjectItemCaseSensitive(values, subject))
		return err_set(err, ERR_INPUT,
			       "%s: '%s' of '%s' was there before", where,
			       json_str(m, "name", ""), subject);
	json_set_num(values, subject, v->valuedouble);
	return 0;
}

static int
take_values(cJSON *metrics, const cJSON *in, const char *name, struct err *err)
{
	const cJSON *list = json_get(in, "metrics"), *v;
	int n = 0;

	if (!cJSON_IsArray(list))
		return err_set(err, ERR_INPUT, "%s: 'metrics' is no list",
			       name);
	cJSON_ArrayForEach(v, list)
	{
		AUTO_FREE char *where = mem_fmt("%s: metrics[%d]", name, n);

		if (n++ >= HISTORY_RECORD_METRICS_MAX)
			return err_set(err, ERR_INPUT,
				       "%s has more than %d metrics", name,
				       HISTORY_RECORD_METRICS_MAX);
		if (take_value(metrics, v, where, err))
			return -1;
	}
	return 0;
}

static int
take_key(cJSON *record, const cJSON *in, const char *name, struct err *err)
{
	const cJSON *from = json_get(in, "key"), *v;
	cJSON *key = json_obj();

	json_set(record, "key", key);
	for (size_t i = 0; i < HISTORY_RECORD_PARTS; i++)
		json_set_str(key, history_record_parts[i],
			     json_str(from, history_record_parts[i], ""));
	cJSON_ArrayForEach(v, from)
	{
		bool known = false;

		for (size_t i = 0; i < HISTORY_RECORD_PARTS; i++)
			known |=
				strcmp(history_record_parts[i], v->string) == 0;
		if (!known || !cJSON_IsString(v)) {
			err_set(err, ERR_INPUT, "%s: 'key.%s' is %s", name,
				v->string,
				known ? "no text" : "no part of a key");
			return err_hint(err, "it has model, serial, os, unity "
					     "and plan");
		}
	}
	return 0;
}

int
history_record_import(const cJSON *in, const char *name, cJSON **out,
		      struct err *err)
{
	AUTO_FREE char *run = json_id(in, "run_id");
	const char *at = json_str(in, "at", NULL);
	AUTO_BUF struct buf time = BUF_INIT;
	cJSON *r, *metrics;
	int64_t at_s;

	*out = NULL;
	if (!cJSON_IsObject(in) || at == NULL || !wall_parse(at, &at_s)) {
		err_set(err, ERR_INPUT, "%s: 'at' is no time of a run", name);
		return err_hint(err, "write it as 2026-11-30T09:45:02Z");
	}
	if (at_s > wall_now_s() + HISTORY_RECORD_AHEAD_S)
		return err_set(err, ERR_INPUT, "%s: 'at' is a day to come",
			       name);
	r = json_obj();
	metrics = json_arr();
	json_set_int(r, "schema_version", HISTORY_RECORD_SCHEMA);
	wall_text(&time, at_s);
	json_set_str(r, "at", time.data);
	json_set_str(r, "run_id", run);
	json_set_str(r, "title", json_str(in, "title", NULL));
	json_set_str(r, "commit", json_str(in, "commit", NULL));
	json_set_str(r, "branch", json_str(in, "branch", NULL));
	json_set_str(r, "report_url", json_str(in, "url", NULL));
	json_set_str(r, "outcome", "passed");
	json_set_bool(r, "measured", true);
	json_set_bool(r, "valid", true);
	json_set(r, "metrics", metrics);
	if (take_key(r, in, name, err) == 0 &&
	    take_values(metrics, in, name, err) == 0) {
		*out = r;
		return 0;
	}
	cJSON_Delete(r);
	return -1;
}
