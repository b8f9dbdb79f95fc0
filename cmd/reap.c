#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "domain/reap.h"

struct options {
	int64_t within_ms;
};

static const struct opt options[] = {
	{"within", 0, OPT_DURATION, offsetof(struct options, within_ms), "TIME",
	 "give up after this time (60s)", NULL},
	{NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct options *o = ctx->options;
	int64_t ms = o->within_ms ? o->within_ms : 60000;
	struct settings set;
	struct progress progress;
	struct reap_count n;
	int rc;

	if (ctx->args.count)
		return err_set(err, ERR_USAGE, "reap takes no arguments");
	if (settings_load(&set, err))
		return -1;
	progress_init(&progress, STDERR_FILENO, PROGRESS_TALK);
	rc = reap_dead(&set, &progress, &n, deadline_in(ctx->cancel, ms), err);
	progress_done(&progress);
	settings_done(&set);
	if (rc && n.left == 0)
		return -1;
	printf("%zu dead run%s, %zu given back, %zu left\n", n.runs,
	       n.runs == 1 ? "" : "s", n.given, n.left);
	return n.left ? CMD_LEFT : CMD_OK;
}

const struct command reap_command = {
	.name = "reap",
	.summary = "Give back what killed runs still hold",
	.usage = "[--within TIME]",
	.details = "Reads the lease journals in PATROL_STATE_DIR. A run that "
		   "still lives is left alone; a phone that is no longer ours "
		   "is not touched. Run it with `if: always()` after "
		   "`patrol run`.\n\n"
		   "Exit status: 0 nothing is left, 6 something is.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
