#include <stdio.h>

#include "cmd/graphics_file.h"

struct options {
	const char *output;
};

static const struct opt options[] = {
	{"output", 'o', OPT_STRING, offsetof(struct options, output), "FILE",
	 "Where to write it, stdout when not given; may be BASE", "file"},
	{0},
};

static int
merge(const struct cmd_context *ctx, struct graphics_states *g, struct err *err)
{
	const struct options *o = ctx->options;
	struct graphics_added added;

	for (size_t i = 1; i < ctx->args.count; i++) {
		if (graphics_states_merge(&g[0], &g[i], &added, err))
			return -1;
		(void)fprintf(stderr,
			      "%s: %zu new variants, %zu new states, "
			      "%zu new entries\n",
			      g[i].name, added.variants, added.states,
			      added.entries);
	}
	return graphics_file_write(&g[0], o->output, err);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct graphics_states *g;
	int rc;

	if (ctx->args.count < 2)
		return err_set(err, ERR_USAGE,
			       "graphics-states merge: name BASE and at least "
			       "one NEW");
	if (graphics_file_read(&ctx->args, &g, err))
		return -1;
	rc = merge(ctx, g, err);
	graphics_file_free(g, ctx->args.count);
	return rc ? -1 : CMD_OK;
}

const struct command graphics_merge_command = {
	.name = "graphics-states merge",
	.summary = "Put what the NEW collections have more behind what BASE "
		   "has",
	.usage = "[OPTION]... BASE NEW...",
	.details = "Variants are one by their hash, then their states are "
		   "united, then what these lead to. Numbers keep all their "
		   "digits and the text is laid out as Unity lays it out. "
		   "Refused (exit status 2, nothing is written): another "
		   "platform, graphics API, quality level, m_Version or "
		   "serializedVersion, and one key with two contents.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
