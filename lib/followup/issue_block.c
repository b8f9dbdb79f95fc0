#include "followup/issue_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "history/history_record.h"

/* Three bytes a UTF-16 unit. */
enum { STRING_UNITS = ISSUE_BLOCK_STRING_MAX / 3 };

#define FENCE "```"
#define HEAD  FENCE "json patrol-regression"

static const char *const run_parts[] = {"id", "at", "run_id", "commit",
					"report_url"};

/* --- writing ------------------------------------------------------------ */

static cJSON *
strings_of(const cJSON *from, const char *const *name, size_t count)
{
	cJSON *o = json_obj();

	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *id = json_id(from, name[i]);
		AUTO_FREE char *line = present_line_dup(id, STRING_UNITS);

		json_set_str(o, name[i], line && *line ? line : NULL);
	}
	return o;
}

static cJSON *
start_of(const cJSON *start)
{
	cJSON *o;

	if (!cJSON_IsObject(start))
		return cJSON_CreateNull();
	o = json_obj();
	json_set_num(o, "median", json_num(start, "median", NAN));
	json_set_num(o, "reach", json_num(start, "reach", NAN));
	return o;
}

cJSON *
issue_block_new(const cJSON *comparison, const char *plan_file)
{
	AUTO_FREE char *line = present_line_dup(plan_file, STRING_UNITS);
	cJSON *o = json_obj();

	json_set_int(o, "schema_version", ISSUE_BLOCK_SCHEMA);
	json_set(o, "key",
		 strings_of(json_get(comparison, "key"), history_record_parts,
			    HISTORY_RECORD_PARTS));
	json_set_str(o, "plan", line);
	json_set(o, "start_c", start_of(json_get(comparison, "start_c")));
	json_set(o, "last_good", cJSON_CreateNull());
	json_set(o, "first_bad", cJSON_CreateNull());
	json_set(o, "series", json_arr());
	return o;
}

static cJSON *
run_of(const cJSON *run)
{
	return cJSON_IsObject(run)
		       ? strings_of(run, run_parts,
				    sizeof(run_parts) / sizeof(*run_parts))
		       : cJSON_CreateNull();
}

/* The block's ends are those that all of its series have. */
static void
add_end(cJSON *block, const char *name, const cJSON *step, bool first)
{
	cJSON *run = run_of(json_get(step, name));

	if (!first && !cJSON_Compare(run, json_get(block, name), true)) {
		cJSON_Delete(run);
		run = cJSON_CreateNull();
	}
	json_set(block, name, run);
}

static cJSON *
series_of(const cJSON *series)
{
	const cJSON *step = json_get(series, "step");
	cJSON *o = json_obj(), *baseline = json_obj(), *after = json_obj();

	json_set_str(o, "metric", json_str(series, "metric", ""));
	json_set_str(o, "subject", json_str(series, "subject", ""));
	json_set_str(o, "unit", json_str(series, "unit", ""));
	json_set_str(o, "kind", json_str(step, "kind", "regression"));
	json_set_bool(o, "lower_is_better",
		      json_bool(series, "lower_is_better", true));
	json_set_bool(o, "deterministic",
		      json_bool(series, "deterministic", false));
	json_set_num(baseline, "median", json_num(step, "before", 0));
	json_set_num(baseline, "noise", json_num(step, "noise", 0));
	json_set_int(baseline, "runs", json_int(step, "runs_before", 0));
	json_set(o, "baseline", baseline);
	json_set_num(after, "median", json_num(step, "after", 0));
	json_set_int(after, "runs", json_int(step, "runs_after", 0));
	json_set(o, "after", after);
	return o;
}

static bool
fits(const cJSON *series, const char *name)
{
	const char *s = json_str(series, name, "");

	for (const char *p = s; *p; p++) {
		if ((unsigned char)*p < 0x20)
			return false;
	}
	return strlen(s) <= ISSUE_BLOCK_STRING_MAX;
}

bool
issue_block_add(cJSON *block, const cJSON *series)
{
	const cJSON *step = json_get(series, "step");
	cJSON *list = cJSON_GetObjectItemCaseSensitive(block, "series");
	size_t count = json_count(block, "series");

	if (count >= ISSUE_BLOCK_SERIES_MAX || !fits(series, "metric") ||
	    !fits(series, "subject") || !fits(series, "unit"))
		return false;
	add_end(block, "last_good", step, count == 0);
	add_end(block, "first_bad", step, count == 0);
	json_push(list, series_of(series));
	return true;
}

/* These four are in strings only. */
static void
write_text(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (strchr("<>&`", *p))
			buf_fmt(out, "\\u%04x", (unsigned char)*p);
		else
			buf_chr(out, *p);
	}
}

static void
write_value(struct buf *out, const cJSON *v)
{
	AUTO_FREE char *text = json_text(v);

	write_text(out, text);
}

static void
write_name(struct buf *out, const char *name)
{
	AUTO_BUF struct buf quoted = BUF_INIT;

	json_quote(&quoted, name);
	write_text(out, quoted.data);
	buf_str(out, ": ");
}

void
issue_block_write(struct buf *out, const cJSON *block)
{
	const cJSON *member, *item;
	const char *before = "{";

	buf_str(out, HEAD "\n");
	cJSON_ArrayForEach(member, block)
	{
		buf_str(out, before);
		write_name(out, member->string);
		before = ",\n ";
		if (!cJSON_IsArray(member)) {
			write_value(out, member);
			continue;
		}
		buf_chr(out, '[');
		cJSON_ArrayForEach(item, member)
		{
			buf_str(out, item == member->child ? "\n  " : ",\n  ");
			write_value(out, item);
		}
		buf_chr(out, ']');
	}
	buf_str(out, "}\n" FENCE "\n");
}

/* --- reading ------------------------------------------------------------ */

static int
wrong(struct err *err, const char *name, const char *how)
{
	return err_set(err, ERR_INPUT,
		       "the issue's patrol-regression block: '%s' %s", name,
		       how);
}

static int
read_str(const cJSON *o, const char *name, const char **out, struct err *err)
{
	const cJSON *v = json_get(o, name);

	*out = NULL;
	if (v == NULL || cJSON_IsNull(v))
		return 0;
	if (!cJSON_IsString(v))
		return wrong(err, name, "is not a string");
	if (strlen(v->valuestring) > ISSUE_BLOCK_STRING_MAX)
		return wrong(err, name, "is too long");
	for (const char *p = v->valuestring; *p; p++) {
		if ((unsigned char)*p < 0x20)
			return wrong(err, name, "has a control character");
	}
	*out = v->valuestring;
	return 0;
}

static int
need_str(const cJSON *o, const char *name, const char **out, struct err *err)
{
	if (read_str(o, name, out, err))
		return -1;
	return *out ? 0 : wrong(err, name, "is missing");
}

static int
need_num(const cJSON *o, const char *path, double *out, struct err *err)
{
	*out = json_num(o, path, NAN);
	return isnan(*out) ? wrong(err, path, "is not a number") : 0;
}

static int
need_count(const cJSON *o, const char *path, int64_t *out, struct err *err)
{
	*out = json_int(o, path, -1);
	return *out < 0 ? wrong(err, path, "is not a count") : 0;
}

static int
need_bool(const cJSON *o, const char *name, bool *out, struct err *err)
{
	const cJSON *v = json_get(o, name);

	*out = cJSON_IsTrue(v);
	return cJSON_IsBool(v) ? 0 : wrong(err, name, "is not true or false");
}

static int
read_series(const cJSON *o, struct issue_block_series *s, struct err *err)
{
	if (need_str(o, "metric", &s->metric, err) ||
	    need_str(o, "subject", &s->subject, err) ||
	    need_str(o, "unit", &s->unit, err) ||
	    need_str(o, "kind", &s->kind, err) ||
	    need_bool(o, "lower_is_better", &s->lower_is_better, err) ||
	    need_bool(o, "deterministic", &s->deterministic, err) ||
	    need_num(o, "baseline.median", &s->median, err) ||
	    need_num(o, "baseline.noise", &s->noise, err) ||
	    need_count(o, "baseline.runs", &s->runs, err) ||
	    need_num(o, "after.median", &s->after, err) ||
	    need_count(o, "after.runs", &s->runs_after, err))
		return -1;
	return s->noise < 0 ? wrong(err, "baseline.noise", "is negative") : 0;
}

static int
read_list(const cJSON *list, struct issue_block *b, struct err *err)
{
	size_t count =
		cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
	const cJSON *one;

	if (count == 0 || count > ISSUE_BLOCK_SERIES_MAX)
		return wrong(err, "series", "is empty, too long or no list");
	b->series = mem_array(count, sizeof(*b->series));
	cJSON_ArrayForEach(one, list)
	{
		if (read_series(one, &b->series[b->count], err))
			return -1;
		b->count++;
	}
	return 0;
}

static int
read_run(const cJSON *o, const char *name, struct issue_block_run *run,
	 struct err *err)
{
	const cJSON *v = json_get(o, name);

	if (v == NULL || cJSON_IsNull(v))
		return 0;
	if (read_str(v, "id", &run->id, err) ||
	    read_str(v, "at", &run->at, err) ||
	    read_str(v, "run_id", &run->run_id, err) ||
	    read_str(v, "commit", &run->commit, err) ||
	    read_str(v, "report_url", &run->report_url, err))
		return err_wrap(err, "'%s'", name);
	return 0;
}

static int
read_block(struct issue_block *b, struct err *err)
{
	const cJSON *o = b->json, *key = json_get(o, "key");
	int64_t version = json_int(o, "schema_version", 0);

	if (version > ISSUE_BLOCK_SCHEMA) {
		(void)wrong(err, "schema_version", "is of a later patrol");
		(void)err_reason(err, "newer_schema");
		return err_hint(err, "use the patrol that wrote the issue");
	}
	if (version != ISSUE_BLOCK_SCHEMA)
		return wrong(err, "schema_version", "is not 1");
	if (read_str(key, "model", &b->model, err) ||
	    read_str(key, "serial", &b->serial, err) ||
	    read_str(key, "os", &b->os, err) ||
	    read_str(key, "unity", &b->unity, err) ||
	    read_str(key, "plan", &b->plan, err) ||
	    read_str(o, "plan", &b->plan_file, err) ||
	    read_run(o, "last_good", &b->last_good, err) ||
	    read_run(o, "first_bad", &b->first_bad, err))
		return -1;
	b->start_c = json_num(o, "start_c.median", NAN);
	b->start_reach_c = json_num(o, "start_c.reach", NAN);
	if (!(b->start_reach_c >= 0))
		b->start_c = NAN;
	return read_list(json_get(o, "series"), b, err);
}

/* Behind the line's end, or the end; GitHub's page writes CR LF. */
static const char *
next_line(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl + 1 : end;
}

/* Is the line at `p` this text? */
static bool
line_is(const char *p, const char *end, const char *text)
{
	size_t len = (size_t)(next_line(p, end) - p);

	while (len && strchr("\r\n \t", p[len - 1]))
		len--;
	return len == strlen(text) && memcmp(p, text, len) == 0;
}

/* The lines between the fences; NULL: there is none. */
static const char *
find_block(const char *body, size_t len, struct issue_block *b, size_t *size)
{
	const char *end = body + len, *p = body;

	while (p < end && !line_is(p, end, HEAD))
		p = next_line(p, end);
	if (p >= end)
		return NULL;
	b->offset = (size_t)(p - body);
	const char *from = next_line(p, end);

	for (p = from; p < end && !line_is(p, end, FENCE);)
		p = next_line(p, end);
	*size = (size_t)(p - from);
	b->size = (size_t)(next_line(p, end) - body) - b->offset;
	return from;
}

int
issue_block_parse(const char *body, size_t len, struct issue_block *out,
		  struct err *err)
{
	size_t size = 0;
	const char *text;

	memset(out, 0, sizeof(*out));
	text = find_block(body, len, out, &size);
	if (text == NULL)
		return err_set(err, ERR_NOTFOUND,
			       "the issue has no patrol-regression block");
	if (size > ISSUE_BLOCK_SIZE_MAX)
		return err_set(err, ERR_INPUT,
			       "the issue's patrol-regression block has more "
			       "than %d bytes",
			       ISSUE_BLOCK_SIZE_MAX);
	if (json_parse(text, size, "the issue's patrol-regression block",
		       &out->json, err)) {
		err->code = ERR_INPUT;
		return -1;
	}
	return read_block(out, err);
}

void
issue_block_done(struct issue_block *b)
{
	cJSON_Delete(b->json);
	free(b->series);
	memset(b, 0, sizeof(*b));
}
