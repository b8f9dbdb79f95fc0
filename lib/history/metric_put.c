#include "history/metric_put.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "history/history_record.h"

cJSON *
metric_put_for(struct metric_put *t, const char *name, const char *unit,
	       bool lower_is_better, bool deterministic)
{
	cJSON *m;

	cJSON_ArrayForEach(m, t->metrics)
	{
		if (strcmp(json_str(m, "name", ""), name) == 0)
			return m;
	}
	m = json_obj();
	json_set_str(m, "name", name);
	json_set_str(m, "unit", unit);
	json_set_bool(m, "lower_is_better", lower_is_better);
	json_set_bool(m, "deterministic", deterministic);
	json_set(m, "values", json_obj());
	json_set(m, "unused", json_obj());
	json_push(t->metrics, m);
	return m;
}

/* What is measured again in the same run gets a name of its own: "home (2)" */
static char *
subject_for(const cJSON *m, const char *subject)
{
	const cJSON *values = cJSON_GetObjectItemCaseSensitive(m, "values");
	const cJSON *unused = cJSON_GetObjectItemCaseSensitive(m, "unused");
	AUTO_BUF struct buf name = BUF_INIT;

	for (int n = 1;; n++) {
		buf_clear(&name);
		buf_fmt(&name, "%.*s", METRIC_PUT_NAME_MAX, subject);
		if (n > 1)
			buf_fmt(&name, " (%d)", n);
		if (!cJSON_GetObjectItemCaseSensitive(values, name.data) &&
		    !cJSON_GetObjectItemCaseSensitive(unused, name.data))
			return buf_take(&name);
	}
}

void
metric_put_in(struct metric_put *t, cJSON *m, const char *subject, double value,
	      const char *why)
{
	AUTO_FREE char *name = NULL;
	cJSON *pair;

	if (!isfinite(value) || t->count >= HISTORY_RECORD_METRICS_MAX)
		return;
	t->count++;
	name = subject_for(m, subject);
	if (why == NULL) {
		json_set_num(cJSON_GetObjectItemCaseSensitive(m, "values"),
			     name, value);
		return;
	}
	pair = json_arr();
	json_push(pair, cJSON_CreateNumber(value));
	json_push_str(pair, why);
	json_set(cJSON_GetObjectItemCaseSensitive(m, "unused"), name, pair);
}

void
metric_put(struct metric_put *t, const struct metric_put_kind *kind,
	   const char *subject, double value, const char *why)
{
	cJSON *m = metric_put_for(t, kind->name, kind->unit,
				  !kind->higher_is_better, kind->deterministic);

	if (kind->resolution > 0)
		json_set_num(m, "resolution", kind->resolution);
	metric_put_in(t, m, subject, value, why);
}

void
metric_put_at(struct metric_put *t, const struct metric_put_kind *kind,
	      const char *subject, const cJSON *from, const char *path,
	      const char *why)
{
	metric_put(t, kind, subject, json_num(from, path, NAN), why);
}
