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
	struct records_want want;
	int64_t last;
	bool all, keys, json;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	HISTORY_KEY_OPTIONS(struct options),
	{"last", 'l', OPT_COUNT, offsetof(struct options, last), "N",
	 "The newest N runs (30)", NULL},
	{"all", 'a', OPT_FLAG, offsetof(struct options, all), NULL, "All runs",
	 NULL},
	{"keys", 'k', OPT_FLAG, offsetof(struct options, keys), NULL,
	 "Show the titles, phones and so on that there are, not their runs",
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
	static const char *const head[] = {"ended (UTC)",  "build",   "commit",
					   "phone",	   "outcome", "values",
					   "not compared", NULL};
	AUTO_JSON cJSON *rows = json_arr();

	(void)columns_head(rows, head);
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

/* --- whose they are ------------------------------------------------------ */

static const char *const key_paths[] = {"title",  "key.model", "key.serial",
					"key.os", "key.unity", "key.plan"};

static cJSON *
key_row(const struct records_keys *k, const struct records_key *x)
{
	AUTO_FREE char *last =
		mem_fmt("%.4s-%.2s-%.2s", k->ids.item[x->last],
			k->ids.item[x->last] + 4, k->ids.item[x->last] + 6);
	cJSON *row = json_arr();

	for (size_t i = 0; i < sizeof(key_paths) / sizeof(*key_paths); i++)
		push_line(row, json_str(x->record, key_paths[i], ""));
	columns_count(row, (int64_t)x->runs);
	json_push_str(row, last);
	return row;
}

static void
print_keys(const struct records_keys *k)
{
	static const char *const head[] = {"title", "phone",	"serial",
					   "OS",    "Unity",	"route",
					   "runs",  "last run", NULL};
	AUTO_JSON cJSON *rows = json_arr();

	(void)columns_head(rows, head);
	for (size_t i = 0; i < k->count; i++) {
		if (k->item[i].wanted)
			json_push(rows, key_row(k, &k->item[i]));
	}
	columns_print(rows, stdout);
}

static void
print_keys_json(const struct records_keys *k)
{
	AUTO_JSON cJSON *list = json_arr();
	AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < k->count; i++) {
		const struct records_key *x = &k->item[i];
		cJSON *o;

		if (!x->wanted)
			continue;
		o = json_obj();
		json_set_str(o, "title", json_str(x->record, "title", NULL));
		json_set(o, "key",
			 x->record ? cJSON_Duplicate(json_get(x->record, "key"),
						     true)
				   : json_obj());
		json_set_int(o, "runs", (int64_t)x->runs);
		json_set_str(o, "last", k->ids.item[x->last]);
		json_push(list, o);
	}
	text = json_pretty(list);
	(void)fputs(text, stdout);
}

/* --- all ----------------------------------------------------------------- */

static void
print_runs(const struct options *o, struct records *r)
{
	if (o->json)
		print_json(&r->runs);
	else if (r->runs.count == 0)
		printf("no runs in %s\n", history_url(r->history));
	else
		print_table(&r->runs);
}

static int
list(const struct options *o, struct history_store *s, struct err *err)
{
	size_t most = o->all ? 0 : o->last ? (size_t)o->last : SHOWN;
	struct records *r = &s->records;
	struct records_keys k;
	int rc;

	if (!o->keys && !records_keys_wants(&o->want)) {
		rc = records_read(r, most, s->dl, err);
	} else if (records_keys_read(r, o->all ? 0 : RECORDS_KEYS_IDS, &k,
				     s->dl, err)) {
		return -1;
	} else {
		rc = records_keys_narrow(r, &k, &o->want, s->dl, err);
		if (rc == 0)
			rc = o->keys ? records_keys_name(r, &k, s->dl, err)
				     : records_keys_wanted(r, &k, most, s->dl,
							   err);
		if (rc == 0 && o->keys)
			(o->json ? print_keys_json : print_keys)(&k);
		records_keys_done(&k);
	}
	if (rc == 0 && !o->keys)
		print_runs(o, r);
	history_store_warn(s);
	return rc;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct history_store s;
	int rc;

	if (stray_word(&ctx->args, &history_list_command, err))
		return -1;
	if (history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = list(o, &s, err);
	history_store_done(&s);
	return rc ? -1 : CMD_OK;
}

const struct command history_list_command = {
	.name = "history list",
	.summary = "Show the runs of the history",
	.usage = "[OPTION]...",
	.details =
		"One line for each run, the newest last. `not compared` says "
		"why a run is kept and shown, but not used to decide.\n\n"
		"A store may hold the runs of several titles, phones, OS "
		"builds, Unity versions and routes. --keys shows which, the "
		"one that ran last first; --title, --device, --os, --unity "
		"and --route choose, here and in `compare`, `history show` "
		"and `history report`.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
