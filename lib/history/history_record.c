#include "history/history_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/wall.h"
#include "history/history_tag.h"

enum { RUN_MAX = 40, DIGITS = 8 };

const char *const history_record_parts[HISTORY_RECORD_PARTS] = {
	"model", "serial", "os", "unity", "plan"};

/* What people call each. */
static const char *const part_words[HISTORY_RECORD_PARTS] = {
	"phone", "serial", "OS build", "Unity version", "route"};

int64_t
history_record_at(const cJSON *record)
{
	int64_t at_s = 0;

	(void)wall_parse(json_str(record, "at", ""), &at_s); /* then 0 */
	return at_s;
}

bool
history_record_same_run(const cJSON *a, const cJSON *b)
{
	return strcmp(json_str(a, "at", ""), json_str(b, "at", "")) == 0 &&
	       strcmp(json_str(a, "run_id", ""), json_str(b, "run_id", "")) ==
		       0 &&
	       history_record_same_title(a, b) &&
	       history_record_same_key(a, b, NULL);
}

bool
history_record_is(const cJSON *r, const char *name)
{
	const char *commit = json_str(r, "commit", "");
	size_t len = strlen(name);

	return strcmp(json_str(r, "id", ""), name) == 0 ||
	       strcmp(json_str(r, "run_id", ""), name) == 0 ||
	       (len >= 7 && strncmp(commit, name, len) == 0) ||
	       (len == 10 && strncmp(json_str(r, "at", ""), name, len) == 0);
}

bool
history_record_id_is(const char *id, const char *name)
{
	size_t time = sizeof("20261130T104600Z-") - 1, len = strlen(name);
	AUTO_FREE char *run = file_safe_name(name);
	const char *end = strrchr(id, '-');

	if (strcmp(id, name) == 0)
		return true;
	if (len == sizeof("2026-11-30") - 1 && name[4] == '-' &&
	    name[7] == '-' && strncmp(id, name, 4) == 0 &&
	    strncmp(id + 4, name + 5, 2) == 0 &&
	    strncmp(id + 6, name + 8, 2) == 0)
		return true;
	len = strnlen(run, RUN_MAX);
	return end >= id + time && (size_t)(end - id) - time == len &&
	       strncmp(id + time, run, len) == 0;
}

/* --- the key of its series ----------------------------------------------- */

static const char *
part_of(const cJSON *record, size_t i)
{
	const cJSON *key = cJSON_GetObjectItemCaseSensitive(record, "key");

	return json_str(key, history_record_parts[i], "");
}

bool
history_record_same_key(const cJSON *a, const cJSON *b, const char **what)
{
	for (size_t i = 0; i < HISTORY_RECORD_PARTS; i++) {
		if (strcmp(part_of(a, i), part_of(b, i)) == 0)
			continue;
		if (what)
			*what = history_record_parts[i];
		return false;
	}
	return true;
}

bool
history_record_has_key(const cJSON *r)
{
	return json_bool(r, "valid", false) || *json_str(r, "key.unity", "");
}

bool
history_record_same_title(const cJSON *a, const cJSON *b)
{
	const char *one = json_str(a, "title", "");
	const char *other = json_str(b, "title", "");

	return *one == '\0' || *other == '\0' || strcmp(one, other) == 0;
}

const char *
history_record_part(const char *name)
{
	for (size_t i = 0; i < HISTORY_RECORD_PARTS; i++) {
		if (strcmp(history_record_parts[i], name) == 0)
			return part_words[i];
	}
	return name;
}

static const char *
or_unknown(const char *s)
{
	return *s ? s : "unknown";
}

char *
history_record_key_text(const cJSON *record)
{
	return mem_fmt(
		"%s (%s), OS %s, Unity %s, route %s",
		or_unknown(part_of(record, 0)), or_unknown(part_of(record, 1)),
		or_unknown(part_of(record, 2)), or_unknown(part_of(record, 3)),
		or_unknown(part_of(record, 4)));
}

/* --- text ---------------------------------------------------------------- */

/* "20261130T104600Z" */
static char *
compact_time(int64_t at_s)
{
	AUTO_BUF struct buf text = BUF_INIT;
	AUTO_BUF struct buf out = BUF_INIT;

	wall_text(&text, at_s);
	for (const char *p = text.data; *p; p++) {
		if (*p != '-' && *p != ':')
			buf_chr(&out, *p);
	}
	return buf_take(&out);
}

void
history_record_entry(cJSON *record, struct history_entry *out)
{
	AUTO_FREE char *time = compact_time(history_record_at(record));
	/* A local build has none. */
	AUTO_FREE char *run = file_safe_name(json_str(record, "run_id", "0"));
	AUTO_FREE char *text = NULL;
	struct history_tag tag;
	char digits[DIGITS + 1];

	cJSON_DeleteItemFromObjectCaseSensitive(record, "id");
	text = json_text(record);
	history_tag_digits(text, strlen(text), DIGITS, digits);
	history_tag_of(record, &tag);
	out->id = mem_fmt("%s-%.*s-%s.%s%s", time, RUN_MAX, run, digits,
			  tag.title, tag.key);
	json_set_str(record, "id", out->id);
	out->text = json_text(record);
	out->len = strlen(out->text);
}

/* --- as a store gave it -------------------------------------------------- */

static int
check_values(const cJSON *metric, const char *id, size_t *count,
	     struct err *err)
{
	const char *name = json_str(metric, "name", NULL);
	const cJSON *v;

	if (name == NULL || *name == '\0')
		return err_set(err, ERR_INPUT, "%s: a metric has no name", id);
	cJSON_ArrayForEach(v, json_get(metric, "values"))
	{
		if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
			return err_set(err, ERR_INPUT,
				       "%s: %s of '%s' is no number", id, name,
				       v->string ? v->string : "");
		++*count;
	}
	cJSON_ArrayForEach(v, json_get(metric, "unused"))
	{
		const cJSON *n = cJSON_GetArrayItem(v, 0);
		const cJSON *why = cJSON_GetArrayItem(v, 1);

		if (!cJSON_IsNumber(n) || !isfinite(n->valuedouble) ||
		    !cJSON_IsString(why))
			return err_set(err, ERR_INPUT,
				       "%s: unused %s is no number with a "
				       "reason",
				       id, name);
		++*count;
	}
	return 0;
}

static int
check_record(const cJSON *r, const char *id, struct err *err)
{
	const cJSON *m, *metrics = json_get(r, "metrics");
	int64_t at_s, version = json_int(r, "schema_version", 0);
	size_t count = 0;

	if (version > HISTORY_RECORD_SCHEMA) {
		err_set(err, ERR_PROTO, "%s was written by a newer patrol", id);
		err_hint(err, "use that one");
		return err_reason(err, "newer_schema");
	}
	if (version < 1 || !cJSON_IsArray(metrics) ||
	    !cJSON_IsObject(json_get(r, "key")) ||
	    strcmp(json_str(r, "id", ""), id) != 0 ||
	    !wall_parse(json_str(r, "at", ""), &at_s))
		return err_set(err, ERR_INPUT, "%s is no record", id);
	cJSON_ArrayForEach(m, metrics)
	{
		if (check_values(m, id, &count, err))
			return -1;
		if (count > HISTORY_RECORD_METRICS_MAX)
			return err_set(err, ERR_INPUT,
				       "%s has more than %d values", id,
				       HISTORY_RECORD_METRICS_MAX);
	}
	return 0;
}

int
history_record_parse(const char *id, const char *text, size_t len, cJSON **out,
		     struct err *err)
{
	*out = NULL;
	if (len > HISTORY_RECORD_MAX)
		return err_set(err, ERR_INPUT, "%s is too long for a record",
			       id);
	if (json_parse(text, len, id, out, err)) {
		err->code = ERR_INPUT;
		return -1;
	}
	if (check_record(*out, id, err) == 0)
		return 0;
	cJSON_Delete(*out);
	*out = NULL;
	return -1;
}
