#include <stdio.h>

#include <string.h>

#include "base/buf.h"
#include "cmd/graphics_file.h"

struct options {
	struct opt_list logs;
	const char *output;
	bool several;
};

static const struct opt options[] = {
	{"log", 0, OPT_LIST, offsetof(struct options, logs), "FILE",
	 "Drop the variants that this player's log or logcat says were not "
	 "found, can be given several times",
	 "file"},
	{"output", 'o', OPT_STRING, offsetof(struct options, output), "FILE",
	 "Where to write it, stdout when not given; may be FILE itself",
	 "file"},
	{"drop-several", 0, OPT_FLAG, offsetof(struct options, several), NULL,
	 "Also drop where one line of the log fits several variants", NULL},
	{0},
};

static void
tell_one(const struct graphics_missing *m, const char *what)
{
	AUTO_BUF struct buf line = BUF_INIT;

	buf_escaped(&line, m->shader, strlen(m->shader));
	buf_fmt(&line, ", subshader %lld, pass %lld: ", (long long)m->subshader,
		(long long)m->pass);
	if (*m->keywords)
		buf_escaped(&line, m->keywords, strlen(m->keywords));
	else
		buf_str(&line, "no keywords");
	(void)fprintf(stderr, "%s: %s\n", what, line.data);
}

static void
tell(const struct graphics_log *log, size_t dropped, const struct options *o)
{
	size_t near = 0, nowhere = 0;

	for (size_t i = 0; i < log->count; i++) {
		const struct graphics_missing *m = &log->missing[i];

		if (m->matches > 1 && !o->several)
			tell_one(m, "kept, it fits several variants");
		else if (!m->matches && m->near)
			tell_one(m, "kept, only near");
		near += !m->matches && m->near;
		nowhere += !m->matches && !m->near;
	}
	(void)fprintf(stderr,
		      "%zu lines read, %zu variants not found: %zu dropped, "
		      "%zu near misses, %zu not in the collection, %zu lines "
		      "not understood\n",
		      log->lines, log->count, dropped, near, nowhere,
		      log->unparsed);
	if (log->dropped)
		(void)fprintf(stderr, "%zu more were too many to look at\n",
			      log->dropped);
}

static int
prune(const struct cmd_context *ctx, struct graphics_states *g,
      struct graphics_log *log, struct err *err)
{
	const struct options *o = ctx->options;
	size_t entries = 0, dropped;

	for (size_t i = 0; i < o->logs.count; i++)
		if (graphics_log_read(log, o->logs.item[i], err))
			return -1;
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		entries += g->entry_count[m];
	dropped = graphics_states_prune(g, log,
					o->several ? GRAPHICS_DROP_SEVERAL
						   : GRAPHICS_KEEP_SEVERAL);
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		entries -= g->entry_count[m];
	if (o->logs.count)
		tell(log, dropped, o);
	(void)fprintf(stderr, "%zu entries dropped that no state leads to\n",
		      entries);
	return graphics_file_write(g, o->output, err);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct graphics_log log = {0};
	struct graphics_states g;
	int rc;

	if (ctx->args.count != 1)
		return err_set(err, ERR_USAGE,
			       "graphics-states prune: name one FILE");
	if (graphics_states_read(&g, ctx->args.item[0], err))
		return -1;
	rc = prune(ctx, &g, &log, err);
	graphics_log_done(&log);
	graphics_states_done(&g);
	return rc ? -1 : CMD_OK;
}

const struct command graphics_prune_command = {
	.name = "graphics-states prune",
	.summary = "Drop variants that warm-up did not find",
	.usage = "[OPTION]... FILE",
	.details = "A variant goes only when a line of the log names its "
		   "shader, subshader, pass and just its keywords; what is "
		   "only near is listed and kept. What stands before "
		   "\"Shader\" in a line, as logcat puts it, is skipped. "
		   "Entries that nothing leads to go as well.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
