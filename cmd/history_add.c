#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"

struct options {
	const char *history;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{0},
};

static int
run(struct cmd_context *ctx, struct err *err)
{
	static const char *const here = "patrol-out";
	const struct options *o = ctx->options;
	size_t n = ctx->args.count ? ctx->args.count : 1, read = 0, added = 0;
	const char *const *path = ctx->args.count ? ctx->args.item : &here;
	cJSON **result = mem_array(n, sizeof(*result));
	struct history_store s;
	int rc = 0;

	while (rc == 0 && read < n) {
		rc = history_store_result(path[read], &result[read], err);
		read += rc == 0;
	}
	if (rc == 0 &&
	    (rc = history_store_open(&s, o->history, ctx->cancel, err)) == 0) {
		rc = records_add(&s.records, (const cJSON *const *)result, read,
				 &added, s.dl, err);
		history_store_done(&s);
	}
	for (size_t i = 0; i < read; i++)
		cJSON_Delete(result[i]);
	free(result);
	if (rc)
		return -1;
	printf("added %zu, %zu were there already\n", added, read - added);
	return CMD_OK;
}

const struct command history_add_command = {
	.name = "history add",
	.summary = "Add runs to the history",
	.usage = "[OPTION]... [DIR|FILE]...",
	.details = "Adds the record of each run, whose output folder or "
		   "result.json is named (patrol-out when none is), to the "
		   "history. `patrol run --history` does it by itself. A "
		   "record that is there is not added again, so a folder of "
		   "old results can be added at any time:\n\n"
		   "  patrol history add --history dir:days runs/*/",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
