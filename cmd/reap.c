#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/plan_file.h"
#include "farm/farm.h"
#include "farm/reap.h"

struct options {
	const char *plan;
	int64_t within_ms;
};

static const struct opt options[] = {
	{"plan", 'p', OPT_STRING, offsetof(struct options, plan), "FILE",
	 "with the farm and the bastion of this plan", "file"},
	{"within", 0, OPT_DURATION, offsetof(struct options, within_ms), "TIME",
	 "give up after this time (60s)", NULL},
	{NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

static int
reap(struct settings *set, const struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	int64_t ms = o->within_ms ? o->within_ms : 60000;
	struct progress progress;
	struct reap_count n;
	int rc;

	progress_init(&progress, STDERR_FILENO, PROGRESS_TALK);
	rc = reap_dead(set, &progress, &n, deadline_in(ctx->cancel, ms), err);
	progress_done(&progress);
	if (rc && n.left == 0)
		return -1;
	printf("%zu dead run%s, %zu given back, %zu left\n", n.runs,
	       n.runs == 1 ? "" : "s", n.given, n.left);
	return n.left ? CMD_LEFT : CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct plan *plan = NULL;
	struct settings set;
	int status = -1;

	if (ctx->args.count)
		return err_set(err, ERR_USAGE, "reap takes no arguments");
	if (o->plan && plan_file_load(o->plan, &plan, err))
		return -1;
	if (settings_load(&set, err) == 0) {
		if (plan)
			farm_settings(&set, plan);
		status = reap(&set, ctx, err);
		settings_done(&set);
	}
	plan_free(plan);
	return status;
}

const struct command reap_command = {
	.name = "reap",
	.summary = "Give back what killed runs still hold",
	.usage = "[--plan FILE] [--within TIME]",
	.details = "Reads the lease journals in PATROL_STATE_DIR. A run that "
		   "still lives is left alone; a phone that is no longer ours "
		   "is not touched. Run it with `if: always()` after "
		   "`patrol run`. A bastion is that of PATROL_SSH or of the "
		   "plan.\n\n"
		   "Exit status: 0 nothing is left, 6 something is.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
