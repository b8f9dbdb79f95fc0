#include <stdio.h>

#include "base/buf.h"
#include "cmd/plan_file.h"

static int
show(struct cmd_context *ctx, struct plan *plan, struct err *err)
{
	AUTO_BUF struct buf warnings = BUF_INIT;

	(void)ctx;
	(void)err;
	yaml_complaints_text(&plan->warnings, &warnings);
	if (plan->warnings.count)
		(void)fprintf(stderr, "%s", warnings.data);
	printf("ok: %zu screens, %zu transitions, %zu visits, %zu "
	       "interrupts, %zu procedures, %zu warnings\n",
	       plan->screen_count, plan->transition_count,
	       plan->route.visit_count, plan->interrupt_count,
	       plan->procedure_count,
	       plan->warnings.count + plan->warnings.dropped);
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	return plan_file_use(ctx, "plan check", show, err);
}

const struct command plan_check_command = {
	.name = "plan check",
	.summary = "Check a plan and say what is wrong, with line and column",
	.usage = "FILE",
	.details =
		"Reads the plan as strictly as a run does: unknown and "
		"repeated keys, values out of their form, names that do not "
		"exist, screens that nothing reaches. Up to 20 faults are "
		"told at once, each as FILE:LINE:COLUMN. Warnings do not "
		"change the exit status: 0 for a good plan, 2 for a bad one.",
	.run = run,
};
