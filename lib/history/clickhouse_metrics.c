#include "history/clickhouse_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

enum { TEXT_MAX = 256 }; /* of a column; the record has all of it */

static void
column(struct buf *out, const char *name, const char *value)
{
	AUTO_FREE char *text = mem_strndup(value, strnlen(value, TEXT_MAX));

	buf_fmt(out, "\"%s\":", name);
	json_quote(out, text);
	buf_chr(out, ',');
}

/* The same of the string or number that `in` has at `path`. */
static void
column_of(struct buf *out, const char *name, const cJSON *in, const char *path)
{
	AUTO_FREE char *value = json_id(in, path);

	column(out, name, value ? value : "");
}

/* What all rows of a record begin with. */
static void
head_of(struct buf *out, const cJSON *record, const char *id, int64_t at_s)
{
	static const char *const columns[][2] = {
		{"title", "title"},	{"run_id", "run_id"},
		{"commit", "commit"},	{"branch", "branch"},
		{"model", "key.model"}, {"serial", "key.serial"},
		{"os", "key.os"},	{"unity", "key.unity"},
		{"plan", "key.plan"},
	};

	buf_fmt(out, "{\"id\":\"%s\",\"at\":%lld,", id, (long long)at_s);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		column_of(out, columns[i][0], record, columns[i][1]);
}

static void
value_row(struct buf *out, const char *head, const cJSON *metric,
	  const char *subject, const cJSON *value, bool used)
{
	if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
		return;
	buf_str(out, head);
	column_of(out, "metric", metric, "name");
	column_of(out, "unit", metric, "unit");
	column(out, "subject", subject ? subject : "");
	buf_fmt(out, "\"value\":%.17g,\"used\":%d}\n", value->valuedouble,
		used);
}

void
clickhouse_metrics(struct buf *out, const struct history_entry *e, int64_t at_s)
{
	AUTO_JSON cJSON *record = NULL;
	AUTO_BUF struct buf head = BUF_INIT;
	struct err unreadable = ERR_INIT; /* then there are no values */
	const cJSON *m, *v;
	bool valid;

	if (json_parse(e->text, e->len, e->id, &record, &unreadable))
		return;
	head_of(&head, record, e->id, at_s);
	valid = json_bool(record, "valid", true);
	cJSON_ArrayForEach(m, json_get(record, "metrics"))
	{
		cJSON_ArrayForEach(v, json_get(m, "values"))
			value_row(out, head.data, m, v->string, v, valid);
		cJSON_ArrayForEach(v, json_get(m, "unused"))
			value_row(out, head.data, m, v->string,
				  cJSON_GetArrayItem(v, 0), false);
	}
}
