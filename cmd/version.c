#include <stdio.h>

#include "cmd/cmd.h"

static int
run(struct cmd_context *ctx, struct err *err)
{
	(void)ctx;
	(void)err;
	printf("patrol %s\n", PATROL_VERSION);
	return CMD_OK;
}

const struct command version_command = {
	.name = "version",
	.summary = "Print the version",
	.usage = "",
	.details = "One line: the name and the version.",
	.run = run,
};
