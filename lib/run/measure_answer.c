#include "run/measure_parts.h"

/* metrics[] of an answer into the result's. */
static void
take_metrics(struct run *r, const cJSON *value)
{
	enum { MOST = 1000 };
	cJSON *list = result_array(&r->res, "metrics");
	const cJSON *m;

	cJSON_ArrayForEach(m, json_get(value, "metrics"))
	{
		const cJSON *n = json_get(m, "value");
		cJSON *copy;

		if (json_str(m, "name", NULL) == NULL || !cJSON_IsNumber(n) ||
		    cJSON_GetArraySize(list) >= MOST)
			continue;
		copy = json_obj();
		json_set_str(copy, "name", json_str(m, "name", NULL));
		json_set_num(copy, "value", n->valuedouble);
		json_set_str(copy, "unit", json_str(m, "unit", NULL));
		json_set_str(copy, "screen", r->vars.screen);
		json_set_bool(copy, "lower_is_better",
			      json_bool(m, "lower_is_better", true));
		json_set_bool(copy, "deterministic",
			      json_bool(m, "deterministic", false));
		json_push(list, copy);
	}
}

/* What a procedure returns: the fields that we know. */
void
measure_answer_take(struct run *r, enum measure_what what, const char *name,
		    const cJSON *value)
{
	const cJSON *uploaded = json_get(value, "uploaded");

	take_metrics(r, value);
	if (cJSON_IsBool(uploaded))
		measure_arrived(r, what, name, json_str(value, "url", NULL),
				json_int(value, "bytes", -1),
				cJSON_IsTrue(uploaded),
				json_str(value, "message",
					 json_str(value, "error", NULL)));
}

/* Said to be uploaded, or to have failed: either way nothing to pull. */
bool
measure_answer_uploaded(const cJSON *value)
{
	return cJSON_IsBool(json_get(value, "uploaded"));
}

/* The path on the phone that an answer names. */
const char *
measure_answer_path(const cJSON *value)
{
	const cJSON *first = cJSON_GetArrayItem(json_get(value, "paths"), 0);

	if (cJSON_IsString(first))
		return first->valuestring;
	return json_str(value, "devicePath", json_str(value, "path", NULL));
}

void
measure_answer_count(cJSON *o, const char *key, const cJSON *value,
		     const char *a, const char *b)
{
	int64_t n = json_int(value, a, json_int(value, b, -1));

	if (n < 0)
		return;
	json_set_int(o, key, n);
}
