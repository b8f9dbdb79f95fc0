#include <stdio.h>

#include "cmd/columns.h"
#include "cmd/graphics_file.h"

struct options {
	bool json;
};

static const struct opt options[] = {
	{"json", 0, OPT_FLAG, offsetof(struct options, json), NULL,
	 "Print JSON for other programs", NULL},
	{0},
};

static void
print_side(const char *word, const cJSON *side)
{
	static const char *const head[] = {"what", "shader", "subshader",
					   "pass", "states", "keywords",
					   NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *r;

	printf("%s: %lld variants, %lld states\n", word,
	       (long long)json_int(side, "variants", 0),
	       (long long)json_int(side, "states", 0));
	if (!json_count(side, "rows"))
		return;
	(void)columns_head(rows, head);
	cJSON_ArrayForEach(r, json_get(side, "rows"))
	{
		cJSON *row = json_arr();

		json_push_str(row, json_bool(r, "variant", false) ? "variant"
								  : "states");
		json_push_str(row, json_str(r, "shader", ""));
		columns_count(row, json_int(r, "subshader", 0));
		columns_count(row, json_int(r, "pass", 0));
		columns_count(row, json_int(r, "states", 0));
		json_push_str(row, json_str(r, "keywords", ""));
		json_push(rows, row);
	}
	columns_print(rows, stdout);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct graphics_states *g;
	AUTO_JSON cJSON *diff = NULL;

	if (ctx->args.count != 2)
		return err_set(err, ERR_USAGE,
			       "graphics-states diff: name two files, OLD and "
			       "NEW");
	if (graphics_file_read(&ctx->args, &g, err))
		return -1;
	diff = graphics_diff_json(&g[0], &g[1]);
	if (o->json) {
		graphics_file_json(diff);
	} else {
		print_side("added", json_get(diff, "added"));
		print_side("removed", json_get(diff, "removed"));
	}
	graphics_file_free(g, 2);
	return CMD_OK;
}

const struct command graphics_diff_command = {
	.name = "graphics-states diff",
	.summary = "Show what NEW has that OLD lacks, and the reverse",
	.usage = "[OPTION]... OLD NEW",
	.details = "A variant is known by its hash, a state by all that it "
		   "says. The exit status is 0, different or not.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
