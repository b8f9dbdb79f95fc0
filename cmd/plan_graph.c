#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "cmd/plan_file.h"
#include "plan/graph.h"
#include "plan/route.h"

enum { DRAW_MS = 60000, MAX_GRAPH = 256 << 20 };

struct options {
	const char *format;
	const char *out;
};

static const struct opt options[] = {
	{"format", 'f', OPT_STRING, offsetof(struct options, format), "FORMAT",
	 "dot, mermaid, svg or text (default text)", "dot mermaid svg text"},
	{"out", 'o', OPT_STRING, offsetof(struct options, out), "FILE",
	 "Write to FILE instead of standard output", "file"},
	{0},
};

static int
draw(const struct cmd_context *ctx, const struct plan *plan,
     const struct route *route, struct buf *out, struct err *err)
{
	const struct options *o = ctx->options;
	const char *format = o->format ? o->format : "text";

	if (strcmp(format, "dot") == 0)
		graph_dot(plan, route, out);
	else if (strcmp(format, "mermaid") == 0)
		graph_mermaid(plan, route, out);
	else if (strcmp(format, "text") == 0)
		graph_text(plan, route, out);
	else if (strcmp(format, "svg") == 0)
		return graph_svg(plan, route, out,
				 deadline_in(ctx->cancel, DRAW_MS), err);
	else
		return err_set(err, ERR_USAGE,
			       "--format is dot, mermaid, svg or text, not "
			       "'%s'",
			       format);
	return buf_check(out, "the graph", err);
}

static int
show(struct cmd_context *ctx, struct plan *plan, struct err *err)
{
	const struct options *o = ctx->options;
	AUTO_BUF struct buf out = BUF_INIT_MAX(MAX_GRAPH);
	struct route route;
	int rc;

	if (route_compute(plan, &route, err))
		return -1;
	rc = draw(ctx, plan, &route, &out, err);
	route_done(&route);
	if (rc)
		return -1;
	if (o->out)
		return file_write(o->out, out.data, out.len, err);
	(void)fwrite(out.data, 1, out.len, stdout); /* checked at exit */
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	return plan_file_use(ctx, "plan graph", show, err);
}

const struct command plan_graph_command = {
	.name = "plan graph",
	.summary = "Draw a plan's screens, transitions and route",
	.usage = "[OPTION]... FILE",
	.details = "dot is Graphviz's language, mermaid is drawn by GitHub in "
		   "Markdown, svg needs Graphviz's `dot` in the PATH. What the "
		   "route uses is drawn thicker; a transition back is dashed, "
		   "a disabled one dotted.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
