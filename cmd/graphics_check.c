#include <stdio.h>

#include "cmd/graphics_file.h"

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct graphics_states *g;

	if (!ctx->args.count)
		return err_set(err, ERR_USAGE,
			       "graphics-states check: name a FILE");
	if (graphics_file_read(&ctx->args, &g, err))
		return -1;
	for (size_t i = 0; i < ctx->args.count; i++) {
		size_t states = 0, left;

		for (size_t v = 0; v < g[i].count; v++)
			states += g[i].variant[v].count;
		printf("ok: %s: %zu variants, %zu states", g[i].name,
		       g[i].count, states);
		left = graphics_states_sweep(&g[i]);
		if (left)
			printf(", %zu entries that no state leads to", left);
		printf("\n");
	}
	graphics_file_free(g, ctx->args.count);
	return CMD_OK;
}

const struct command graphics_check_command = {
	.name = "graphics-states check",
	.summary = "Check GraphicsStateCollection files: each key leads "
		   "somewhere",
	.usage = "FILE...",
	.details = "Exit status 2 and one line with the place when a file is "
		   "no collection, a state leads to an entry that is not "
		   "there, or one key has two contents. FILE may be - for "
		   "stdin.",
	.run = run,
};
