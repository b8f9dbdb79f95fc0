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
	bool json;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
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

static cJSON *
head(void)
{
	static const char *const words[] = {"metric", "of", "value",
					    "not compared"};
	cJSON *row = json_arr();

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		json_push_str(row, words[i]);
	return row;
}

static void
print_record(const cJSON *r)
{
	AUTO_FREE char *key = history_record_key_text(r);
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *m, *v;

	json_push(rows, head());
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

/* The last that fits: by id, by the build's run, by commit or date. */
static const cJSON *
find(const struct compare_runs *runs, const char *name)
{
	for (size_t i = runs->count; i > 0; i--) {
		if (history_record_is(runs->record[i - 1], name))
			return runs->record[i - 1];
	}
	return NULL;
}

static int
show(const struct options *o, const struct history_store *s, const char *name,
     struct err *err)
{
	const cJSON *r = find(&s->records.runs, name);

	if (r == NULL) {
		err_set(err, ERR_NOTFOUND, "no run '%s' in %s", name,
			history_url(s->records.history));
		return err_hint(err, "`patrol history list --all` shows them");
	}
	if (o->json) {
		AUTO_FREE char *text = json_pretty(r);

		(void)fputs(text, stdout);
	} else {
		print_record(r);
	}
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct history_store s;
	int rc;

	if (ctx->args.count != 1)
		return err_set(
			err, ERR_USAGE,
			"history show: name a RUN: a build's run, an id, "
			"a commit or a date");
	if (history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = history_store_read(&s, 0, err);
	if (rc == 0)
		rc = show(o, &s, ctx->args.item[0], err);
	history_store_done(&s);
	return rc;
}

const struct command history_show_command = {
	.name = "history show",
	.summary = "Show what the history has of one run",
	.usage = "[OPTION]... RUN",
	.details = "RUN is the number of the build's run, an id of `patrol "
		   "history list --json`, a commit (seven digits or more) or a "
		   "date, 2026-11-30; of several the last. With --json the "
		   "record as it is stored (`patrol schema history-record`).",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
