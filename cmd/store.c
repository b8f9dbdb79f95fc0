#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/outcome.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "report/store.h"

enum { RESULT_MAX = 64 << 20 };

struct options {
	const char *out, *store;
	int64_t within_ms;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"out", 'o', OPT_STRING, AT(out), "DIR",
	 "folder of the result (patrol-out)", "dir"},
	{"store", 0, OPT_STRING, AT(store), "URL",
	 "where to, sftp://USER@HOST[:PORT]/PATH (as the run was told)", NULL},
	{"within", 0, OPT_DURATION, AT(within_ms), "TIME",
	 "give up after this time (PATROL_BUDGET_STORE)", NULL},
	{NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

/* The run knows: its URL ends with its own folder's name. */
static void
as_the_run_was_told(const cJSON *result, struct settings *set)
{
	const char *url = json_str(result, "store.url", NULL);
	const char *slash = url ? strrchr(url, '/') : NULL;
	AUTO_FREE char *base = NULL;

	if (slash == NULL)
		return;
	base = mem_strndup(url, (size_t)(slash - url));
	settings_override(set, "PATROL_STORE", base, SETTINGS_PLAN);
}

static int
put(const struct options *o, const char *dir, struct settings *set,
    const struct cancel *cancel, struct err *err)
{
	int64_t ms = o->within_ms ? o->within_ms : set->budget.store_ms;
	AUTO_FREE char *path = file_join(dir, "result.json");
	AUTO_JSON cJSON *result = NULL;
	AUTO_BUF struct buf size = BUF_INIT;

	if (json_read_file(path, RESULT_MAX, &result, err))
		return err_hint(err, "only a run that has ended can be stored");
	settings_override(set, "PATROL_STORE", o->store, SETTINGS_OPTION);
	as_the_run_was_told(result, set);
	if (set->store == NULL)
		return err_set(err, ERR_USAGE,
			       "where to? Give --store URL or set "
			       "PATROL_STORE");
	if (store_put(result, dir, set, deadline_in(cancel, ms), err))
		return -1;
	buf_size(&size, json_int(result, "store.bytes", 0));
	printf("stored %lld files, %s: %s\n",
	       (long long)json_int(result, "store.files", 0), size.data,
	       json_str(result, "store.url", ""));
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	const char *dir = o->out ? o->out : "patrol-out";
	AUTO_FD int lock = -1;
	struct settings set;
	int rc;

	if (stray_word(&ctx->args, &store_command, err))
		return -1;
	if (outcome_lock(dir, &lock, err) || settings_load(&set, err))
		return -1;
	rc = put(o, dir, &set, ctx->cancel, err);
	settings_done(&set);
	return rc;
}

const struct command store_command = {
	.name = "store",
	.summary = "Upload a run's folder once more",
	.usage = "[--out DIR] [--store URL]",
	.details =
		"What `patrol run --store` does at its end: puts the folder "
		"below PATH of an SFTP server, in a folder of its own, goes on "
		"where an earlier attempt ended, and puts result.json last. "
		"What it says about the upload is written into result.json.\n\n"
		"Logs in as the tunnel does: PATROL_SSH_KEY or an agent, and "
		"PATROL_SSH_KNOWN_HOSTS.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
