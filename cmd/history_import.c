#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"
#include "history/history_record.h"

enum { FILE_MAX = 64 << 20, RUNS_MAX = 20000 };

struct options {
	const char *history;
	bool dry_run;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{"dry-run", 'n', OPT_FLAG, offsetof(struct options, dry_run), NULL,
	 "Check the files and add nothing", NULL},
	{0},
};

struct made {
	cJSON **item;
	size_t count, room;
};

static int
take(struct made *m, const cJSON *in, const char *name, struct err *err)
{
	cJSON *record;

	if (m->count >= RUNS_MAX)
		return err_set(err, ERR_INPUT, "there are more than %d runs",
			       RUNS_MAX);
	if (history_record_import(in, name, &record, err))
		return -1;
	MEM_GROW(m->item, m->count, m->room);
	m->item[m->count++] = record;
	return 0;
}

/* One run, or a list of them. */
static int
take_file(struct made *m, const char *path, struct err *err)
{
	AUTO_JSON cJSON *in = NULL;
	const cJSON *one;
	int n = 0;

	if (json_read_file(path, FILE_MAX, &in, err))
		return err->code == ERR_PROTO
			       ? err_hint(err, "`patrol schema history-import` "
					       "has its form; NaN and Infinity "
					       "are no JSON")
			       : -1;
	if (!cJSON_IsArray(in))
		return take(m, in, path, err);
	cJSON_ArrayForEach(one, in)
	{
		AUTO_FREE char *name = mem_fmt("%s: [%d]", path, n++);

		if (take(m, one, name, err))
			return -1;
	}
	return 0;
}

static int
add(const struct options *o, const struct made *m, const struct cancel *cancel,
    struct err *err)
{
	struct history_store s;
	size_t added;
	int rc;

	if (o->dry_run) {
		printf("%zu runs could be added\n", m->count);
		return CMD_OK;
	}
	if (history_store_open(&s, o->history, cancel, err))
		return -1;
	rc = records_add_made(&s.records, m->item, m->count, &added, s.dl, err);
	history_store_done(&s);
	if (rc)
		return -1;
	printf("added %zu, %zu were there already\n", added, m->count - added);
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct made m = {.item = NULL};
	int rc = 0;

	if (ctx->args.count == 0)
		return err_set(err, ERR_USAGE, "history import: name a FILE");
	for (size_t i = 0; rc == 0 && i < ctx->args.count; i++)
		rc = take_file(&m, ctx->args.item[i], err);
	if (rc == 0 && m.count == 0)
		log_warn("there are no runs in what was named");
	if (rc == 0)
		rc = add(ctx->options, &m, ctx->cancel, err);
	for (size_t i = 0; i < m.count; i++)
		cJSON_Delete(m.item[i]);
	free(m.item);
	return rc;
}

const struct command history_import_command = {
	.name = "history import",
	.summary = "Add numbers of another program to the history",
	.usage = "[OPTION]... FILE...",
	.details = "FILE (- is stdin) is JSON: a run, or a list of runs, with "
		   "the time, what it ran on and its numbers:\n\n"
		   "  {\"at\": \"2026-11-30T09:45:02Z\", \"run_id\": \"4242\", "
		   "\"commit\": \"a1b2c3d\",\n"
		   "   \"key\": {\"model\": \"iPhone 14\", \"os\": \"17.5\", "
		   "\"unity\": \"6000.0.23f1\"},\n"
		   "   \"metrics\": [{\"name\": \"load\", \"subject\": "
		   "\"home>shop\",\n"
		   "                \"value\": 1840, \"unit\": \"ms\"}]}\n\n"
		   "`lower_is_better` (true) and `deterministic` (false) are "
		   "said of a metric where they differ. Runs of another `key` "
		   "are never compared with each other. `patrol schema "
		   "history-import` is its schema.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
