#include "cmd/plan_file.h"

#include <stdio.h>

#include "base/buf.h"

int
plan_file_load(const char *path, struct plan **plan, struct err *err)
{
	struct yaml_complaints c;
	int rc = plan_load(path, plan, &c, err);

	yaml_complaints_done(&c);
	return rc;
}

int
plan_file_use(struct cmd_context *ctx, const char *command,
	      int (*use)(struct cmd_context *ctx, struct plan *plan,
			 struct err *err),
	      struct err *err)
{
	AUTO_BUF struct buf faults = BUF_INIT;
	struct yaml_complaints c;
	struct plan *plan;
	int status;

	if (ctx->args.count != 1)
		return err_set(err, ERR_USAGE, "%s: name one FILE", command);
	if (plan_load(ctx->args.item[0], &plan, &c, err)) {
		if (c.count == 0)
			return -1;
		yaml_complaints_text(&c, &faults);
		yaml_complaints_done(&c);
		(void)fputs(faults.data, stderr);
		return CMD_USAGE;
	}
	status = use(ctx, plan, err);
	plan_free(plan);
	yaml_complaints_done(&c);
	return status;
}
