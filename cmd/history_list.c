#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/history_store.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "history/history_record.h"

enum { SHOWN = 30 };

struct options {
	const char *history;
	int64_t last;
	bool all, json;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{"last", 'n', OPT_COUNT, offsetof(struct options, last), "N",
	 "The newest N runs (30)", NULL},
	{"all", 'a', OPT_FLAG, offsetof(struct options, all), NULL, "All runs",
	 NULL},
	{"json", 0, OPT_FLAG, offsetof(struct options, json), NULL,
	 "Print JSON, without the metrics", NULL},
	{0},
};

static size_t
values_of(const cJSON *record)
{
	const cJSON *m;
	size_t n = 0;

	cJSON_ArrayForEach(m, json_get(record, "metrics"))
	{
		n += (size_t)cJSON_GetArraySize(json_get(m, "values"));
	}
	return n;
}

static void
push_line(cJSON *row, const char *text)
{
	AUTO_FREE char *line = present_line_dup(text, 60);

	json_push_str(row, line ? line : "");
}

static cJSON *
row_of(const cJSON *r)
{
	AUTO_BUF struct buf commit = BUF_INIT;
	AUTO_FREE char *values = mem_fmt("%zu", values_of(r));
	AUTO_FREE char *at = mem_fmt("%.16s", json_str(r, "at", ""));
	cJSON *row = json_arr();

	if (strchr(at, 'T'))
		*strchr(at, 'T') = ' ';
	present_commit(&commit, json_str(r, "commit", NULL));
	json_push_str(row, at);
	push_line(row, json_str(r, "run_id", ""));
	json_push_str(row, commit.data ? commit.data : "");
	push_line(row, json_str(r, "key.model", ""));
	json_push_str(row, json_str(r, "outcome", ""));
	json_push_str(row, values);
	push_line(row, json_bool(r, "valid", false)
			       ? ""
			       : json_str(r, "invalid", "invalid"));
	return row;
}

static void
print_table(const struct compare_runs *runs)
{
	static const char *const head[] = {"ended (UTC)", "build",   "commit",
					   "phone",	  "outcome", "values",
					   "not compared"};
	AUTO_JSON cJSON *rows = json_arr();
	cJSON *first = json_arr();

	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		json_push_str(first, head[i]);
	json_push(rows, first);
	for (size_t i = 0; i < runs->count; i++)
		json_push(rows, row_of(runs->record[i]));
	columns_print(rows, stdout);
}

static void
print_json(struct compare_runs *runs)
{
	AUTO_JSON cJSON *list = json_arr();
	AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < runs->count; i++) {
		cJSON *r = cJSON_Duplicate(runs->record[i], true);

		cJSON_DeleteItemFromObjectCaseSensitive(r, "metrics");
		json_set_int(r, "values", (int64_t)values_of(runs->record[i]));
		json_push(list, r);
	}
	text = json_pretty(list);
	(void)fputs(text, stdout);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	size_t most = o->all ? 0 : o->last ? (size_t)o->last : SHOWN;
	struct history_store s;
	int rc;

	if (stray_word(&ctx->args, &history_list_command, err))
		return -1;
	if (history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = history_store_read(&s, most, err);
	if (rc == 0 && o->json)
		print_json(&s.records.runs);
	else if (rc == 0 && s.records.runs.count == 0)
		printf("no runs in %s\n", history_url(s.records.history));
	else if (rc == 0)
		print_table(&s.records.runs);
	history_store_done(&s);
	return rc ? -1 : CMD_OK;
}

const struct command history_list_command = {
	.name = "history list",
	.summary = "Show the runs of the history",
	.usage = "[OPTION]...",
	.details = "One line for each run, the newest last. `not compared` "
		   "says why a run is kept and shown, but not used to decide.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
