#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/plan_file.h"
#include "plan/route.h"

struct options {
	bool json;
	struct opt_list visit;
};

static const struct opt options[] = {
	{"json", 0, OPT_FLAG, offsetof(struct options, json), NULL,
	 "Print JSON for other programs", NULL},
	{"visit", 0, OPT_LIST, offsetof(struct options, visit), "SCREEN",
	 "Visit this screen instead of the plan's, can be given several times",
	 NULL},
	{0},
};

static void
print_json(const struct plan *plan, const struct route *route)
{
	AUTO_JSON cJSON *o = route_json(plan, route);
	AUTO_FREE char *text = json_pretty(o);

	(void)fputs(text, stdout);
}

static void
print_text(const struct plan *plan, const struct route *route)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(256 << 20);
	AUTO_BUF struct buf safe = BUF_INIT_MAX(256 << 20);

	route_text(plan, route, &text);
	for (const char *s = text.data; *s;) {
		const char *end = strchrnul(s, '\n');

		buf_escaped(&safe, s, (size_t)(end - s));
		buf_chr(&safe, '\n');
		s = *end ? end + 1 : end;
	}
	(void)fputs(safe.data, stdout);
}

static int
show(struct cmd_context *ctx, struct plan *plan, struct err *err)
{
	const struct options *o = ctx->options;
	struct route route;

	if (o->visit.count &&
	    plan_set_visits(plan, o->visit.item, o->visit.count, err))
		return -1;
	if (route_compute(plan, &route, err))
		return -1;
	if (o->json)
		print_json(plan, &route);
	else
		print_text(plan, &route);
	route_done(&route);
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	return plan_file_use(ctx, "plan route", show, err);
}

const struct command plan_route_command = {
	.name = "plan route",
	.summary = "Show the route of a plan: every step, its cost, the hash",
	.usage = "[OPTION]... FILE",
	.details = "Visits are made strictly in the plan's order. Between two "
		   "the way is the shortest by total cost, then by number of "
		   "steps, then by the transitions' numbers, so the same plan "
		   "gives the same route every day. The hash names the route "
		   "and stands in the result of a run.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
