#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/history_store.h"
#include "history/history_record.h"

struct options {
	const char *history;
	struct records_want want;
	bool json;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	HISTORY_KEY_OPTIONS(struct options),
	{"json", 0, OPT_FLAG, offsetof(struct options, json), NULL,
	 "Print the record", NULL},
	{0},
};

static void
push_row(cJSON *rows, const cJSON *metric, const cJSON *value, const char *why)
{
	AUTO_BUF struct buf text = BUF_INIT;
	AUTO_FREE char *subject = present_line_dup(value->string, 60);
	AUTO_FREE char *name =
		present_line_dup(json_str(metric, "name", ""), 60);
	const cJSON *number = why ? cJSON_GetArrayItem(value, 0) : value;
	cJSON *row = json_arr();

	present_value(&text, number->valuedouble, json_str(metric, "unit", ""));
	json_push_str(row, name);
	json_push_str(row, subject);
	json_push_str(row, text.data);
	json_push_str(row, why ? why : "");
	json_push(rows, row);
}

static void
print_record(const cJSON *r)
{
	static const char *const head[] = {"metric", "of", "value",
					   "not compared", NULL};
	AUTO_FREE char *key = history_record_key_text(r);
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *m, *v;

	(void)columns_head(rows, head);
	printf("%s\n", json_str(r, "id", ""));
	printf("%s %s%s%s\n%s\n", json_str(r, "at", ""),
	       json_str(r, "outcome", ""),
	       json_bool(r, "valid", false) ? "" : ", not compared: ",
	       json_bool(r, "valid", false) ? ""
					    : json_str(r, "invalid", "invalid"),
	       key);
	cJSON_ArrayForEach(m, json_get(r, "metrics"))
	{
		cJSON_ArrayForEach(v, json_get(m, "values"))
		{
			push_row(rows, m, v, NULL);
		}
		cJSON_ArrayForEach(v, json_get(m, "unused"))
		{
			push_row(rows, m, v,
				 cJSON_GetArrayItem(v, 1)->valuestring);
		}
	}
	columns_print(rows, stdout);
}

static int
show(const struct options *o, struct history_store *s, struct records_keys *k,
     const char *name, struct err *err)
{
	struct records *r = &s->records;
	size_t at;

	if (records_keys_find(r, k, name, &at, s->dl, err) ||
	    records_read_ids(r, &k->ids.item[at], 1, s->dl, err))
		return -1;
	if (r->runs.count == 0)
		return err_set(err, ERR_NOTFOUND, "run '%s' has just gone",
			       name);
	if (o->json) {
		AUTO_FREE char *text = json_pretty(r->runs.record[0]);

		(void)fputs(text, stdout);
	} else {
		print_record(r->runs.record[0]);
	}
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct history_store s;
	struct records_keys k;
	int rc;

	if (ctx->args.count != 1)
		return err_set(
			err, ERR_USAGE,
			"history show: name a RUN: a build's run, an id, "
			"a commit or a date");
	if (history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = history_store_keys(&s, &o->want, &k, err);
	if (rc == 0) {
		rc = show(o, &s, &k, ctx->args.item[0], err);
		records_keys_done(&k);
	}
	history_store_warn(&s);
	history_store_done(&s);
	return rc;
}

const struct command history_show_command = {
	.name = "history show",
	.summary = "Show what the history has of one run",
	.usage = "[OPTION]... RUN",
	.details = "RUN is the number of the build's run, an id of `patrol "
		   "history list --json`, a commit (seven digits or more) or a "
		   "date, 2026-11-30; of several the last, of one phone or "
		   "title with --device, --title and so on. With --json the "
		   "record as it is stored (`patrol schema history-record`).",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
