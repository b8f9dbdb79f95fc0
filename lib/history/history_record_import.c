#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wall.h"
#include "history/history_record.h"
#include "history/pair_map.h"

/* --- what has the wrong form --------------------------------------------- */

enum form {
	FORM_TEXT,
	FORM_ID,
	FORM_NUMBER,
	FORM_BOOL,
	FORM_LIST,
	FORM_OBJECT
};

struct field {
	const char *name;
	enum form form;
};

static const char *const form_words[] = {
	[FORM_TEXT] = "a text",
	[FORM_ID] = "a text or a whole number",
	[FORM_NUMBER] = "a finite number, without quotes",
	[FORM_BOOL] = "true or false, without quotes",
	[FORM_LIST] = "a list",
	[FORM_OBJECT] = "an object",
};

static const char *
word_of(const cJSON *v)
{
	if (cJSON_IsNumber(v))
		return isfinite(v->valuedouble) ? "a number"
						: "a number beyond all bounds";
	return cJSON_IsString(v)   ? "a text"
	       : cJSON_IsArray(v)  ? "a list"
	       : cJSON_IsObject(v) ? "an object"
	       : cJSON_IsNull(v)   ? "null"
				   : "true or false";
}

static bool
fits(const cJSON *v, enum form form)
{
	switch (form) {
	case FORM_TEXT:
		return cJSON_IsString(v);
	case FORM_ID:
		return cJSON_IsString(v) ||
		       (cJSON_IsNumber(v) && v->valuedouble >= 0 &&
			v->valuedouble <= 9007199254740991.0 &&
			v->valuedouble == floor(v->valuedouble));
	case FORM_NUMBER:
		return cJSON_IsNumber(v) && isfinite(v->valuedouble);
	case FORM_BOOL:
		return cJSON_IsBool(v);
	case FORM_LIST:
		return cJSON_IsArray(v);
	case FORM_OBJECT:
		return cJSON_IsObject(v);
	}
	return false;
}

static int
no_form(const cJSON *v, enum form form, const char *where, const char *field,
	struct err *err)
{
	return err_set(err, ERR_INPUT, "%s%s is %s: write %s", where, field,
		       word_of(v), form_words[form]);
}

/* What is left away or null is as if nothing was said. */
static int
check_fields(const cJSON *in, const struct field *field, size_t count,
	     const char *where, const char *sep, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const cJSON *v =
			cJSON_GetObjectItemCaseSensitive(in, field[i].name);

		AUTO_FREE char *name = mem_fmt("%s%s", sep, field[i].name);

		if (v && !cJSON_IsNull(v) && !fits(v, field[i].form))
			return no_form(v, field[i].form, where, name, err);
	}
	return 0;
}

/* --- values -------------------------------------------------------------- */

/* The metrics of one run, found by their names. */
struct import {
	cJSON *metrics;
	struct taken {
		cJSON *metric, *values;
	} * item;
	size_t count, room;
	struct pair_map names, subjects; /* borrowed from what is read */
};

static const struct {
	const char *name;
	bool otherwise;
} switches[] = {{"lower_is_better", true}, {"deterministic", false}};
enum { SWITCHES = sizeof(switches) / sizeof(*switches) };

static int
same_metric(const cJSON *m, const cJSON *in, const char *where,
	    const char *name, struct err *err)
{
	const char *unit = json_str(in, "unit", "");

	if (strcmp(json_str(m, "unit", ""), unit) != 0)
		return err_set(err, ERR_INPUT,
			       "%s: '%s' has two units, '%s' and '%s'", where,
			       name, json_str(m, "unit", ""), unit);
	for (size_t i = 0; i < SWITCHES; i++) {
		const char *s = switches[i].name;

		if (json_bool(m, s, false) !=
		    json_bool(in, s, switches[i].otherwise))
			return err_set(err, ERR_INPUT,
				       "%s: '%s' has two values of '%s': say "
				       "the same of all of its values",
				       where, name, s);
	}
	return 0;
}

/* The metric of that name, made when it is the first value of it. */
static int
metric_for(struct import *t, const cJSON *in, const char *where,
	   struct taken *out, struct err *err)
{
	const char *name = json_str(in, "name", NULL);
	size_t *at;
	cJSON *m;

	if (name == NULL || *name == '\0')
		return err_set(err, ERR_INPUT, "%s has no name", where);
	at = pair_map_at(&t->names, name, "");
	if (*at) {
		*out = t->item[*at - 1];
		return same_metric(out->metric, in, where, name, err);
	}
	m = json_obj();
	json_set_str(m, "name", name);
	json_set_str(m, "unit", json_str(in, "unit", ""));
	for (size_t i = 0; i < SWITCHES; i++)
		json_set_bool(
			m, switches[i].name,
			json_bool(in, switches[i].name, switches[i].otherwise));
	if (json_num(in, "resolution", 0) > 0)
		json_set_num(m, "resolution", json_num(in, "resolution", 0));
	*out = (struct taken){m, json_obj()};
	json_set(m, "values", out->values);
	json_set(m, "unused", json_obj());
	json_push(t->metrics, m);
	MEM_GROW(t->item, t->count, t->room);
	t->item[t->count++] = *out;
	*at = t->count;
	return 0;
}

static int
take_value(struct import *t, const cJSON *in, const char *where,
	   struct err *err)
{
	static const struct field fields[] = {
		{"name", FORM_TEXT},	      {"subject", FORM_TEXT},
		{"unit", FORM_TEXT},	      {"lower_is_better", FORM_BOOL},
		{"deterministic", FORM_BOOL}, {"resolution", FORM_NUMBER},
	};
	const char *subject = json_str(in, "subject", "");
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(in, "value");
	const char *name;
	struct taken m;
	size_t *at;

	if (!cJSON_IsObject(in))
		return no_form(in, FORM_OBJECT, where, "", err);
	if (v == NULL)
		return err_set(err, ERR_INPUT, "%s.value is missing", where);
	if (!fits(v, FORM_NUMBER))
		return no_form(v, FORM_NUMBER, where, ".value", err);
	if (check_fields(in, fields, sizeof(fields) / sizeof(*fields), where,
			 ".", err) ||
	    metric_for(t, in, where, &m, err))
		return -1;
	name = json_str(in, "name", "");
	at = pair_map_at(&t->subjects, name, subject);
	if (*at)
		return err_set(err, ERR_INPUT,
			       "%s: '%s' of '%s' was there before", where, name,
			       subject);
	*at = 1;
	json_add(m.values, subject, cJSON_CreateNumber(v->valuedouble));
	return 0;
}

static int
take_values(cJSON *metrics, const cJSON *in, const char *name, struct err *err)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in, "metrics");
	struct import t = {.metrics = metrics};
	const cJSON *v;
	int n = 0, rc = 0;

	if (!cJSON_IsArray(list))
		return err_set(err, ERR_INPUT, "%s: 'metrics' is no list",
			       name);
	cJSON_ArrayForEach(v, list)
	{
		AUTO_FREE char *where = mem_fmt("%s: metrics[%d]", name, n);

		if (n++ >= HISTORY_RECORD_METRICS_MAX)
			rc = err_set(err, ERR_INPUT,
				     "%s has more than %d metrics", name,
				     HISTORY_RECORD_METRICS_MAX);
		else
			rc = take_value(&t, v, where, err);
		if (rc)
			break;
	}
	pair_map_done(&t.names);
	pair_map_done(&t.subjects);
	free(t.item);
	return rc;
}

/* --- a run --------------------------------------------------------------- */

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

/* A run's own fields, and when it was. */
static int
check_run(const cJSON *in, const char *name, int64_t *at_s, struct err *err)
{
	static const struct field fields[] = {
		{"run_id", FORM_ID},   {"title", FORM_TEXT},
		{"commit", FORM_TEXT}, {"branch", FORM_TEXT},
		{"url", FORM_TEXT},    {"key", FORM_OBJECT},
	};

	if (!cJSON_IsObject(in)) {
		err_set(err, ERR_INPUT, "%s is %s and no run", name,
			word_of(in));
		return err_hint(err, "a run is an object with 'at' and "
				     "'metrics', `patrol schema "
				     "history-import` has its form");
	}
	if (!wall_parse(json_str(in, "at", NULL), at_s)) {
		err_set(err, ERR_INPUT, "%s: 'at' is no time of a run", name);
		return err_hint(err, "write it as 2026-11-30T09:45:02Z");
	}
	if (*at_s > wall_now_s() + HISTORY_RECORD_AHEAD_S)
		return err_set(err, ERR_INPUT, "%s: 'at' is a day to come",
			       name);
	return check_fields(in, fields, sizeof(fields) / sizeof(*fields), name,
			    ": ", err);
}

int
history_record_import(const cJSON *in, const char *name, cJSON **out,
		      struct err *err)
{
	AUTO_BUF struct buf time = BUF_INIT;
	AUTO_FREE char *run = NULL;
	cJSON *r, *metrics;
	int64_t at_s;

	*out = NULL;
	if (check_run(in, name, &at_s, err))
		return -1;
	run = json_id(in, "run_id");
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
