#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/columns.h"
#include "cmd/graphics_file.h"

static void
push_count(cJSON *row, int64_t n)
{
	AUTO_FREE char *text = mem_fmt("%lld", (long long)n);

	json_push_str(row, text);
}

static cJSON *
head_row(const char *const *word, size_t count)
{
	cJSON *row = json_arr();

	for (size_t i = 0; i < count; i++)
		json_push_str(row, word[i]);
	return row;
}

static void
print_one(const cJSON *o, int64_t top)
{
	static const char *const head[] = {"shader", "variants", "states",
					   "without states"};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *s;

	printf("%s: %s, %s, quality level '%s', serializedVersion %s\n",
	       json_str(o, "file", ""), json_str(o, "platform", "no platform"),
	       json_str(o, "graphics_api", "no graphics API"),
	       json_str(o, "quality_level", ""),
	       json_str(o, "serialized_version", "unknown"));
	printf("%lld variants (%lld without states), %lld states, "
	       "%lld vertex layouts, %lld render passes, %lld render states\n",
	       (long long)json_int(o, "variants", 0),
	       (long long)json_int(o, "empty", 0),
	       (long long)json_int(o, "states", 0),
	       (long long)json_int(o, "vertex_layouts", 0),
	       (long long)json_int(o, "render_passes", 0),
	       (long long)json_int(o, "render_states", 0));
	json_push(rows, head_row(head, 4));
	cJSON_ArrayForEach(s, json_get(o, "shaders"))
	{
		cJSON *row;

		if (top-- <= 0)
			break;
		row = json_arr();
		json_push_str(row, json_str(s, "shader", ""));
		push_count(row, json_int(s, "variants", 0));
		push_count(row, json_int(s, "states", 0));
		push_count(row, json_int(s, "empty", 0));
		json_push(rows, row);
	}
	columns_print(rows, stdout);
}

/* How much of all of them together each one has. */
static int
coverage(struct graphics_states *g, size_t count, cJSON **out, struct err *err)
{
	struct graphics_states all;
	struct graphics_added added;
	struct buf empty = BUF_INIT;
	cJSON *list;
	int64_t variants, states;

	buf_str(&empty, "{}");
	if (graphics_states_parse(&all, "all of them", &empty, err))
		return -1;
	for (size_t i = 0; i < count; i++)
		if (graphics_states_merge(&all, &g[i], &added, err)) {
			graphics_states_done(&all);
			return -1;
		}
	list = json_arr();
	for (size_t i = 0; i <= count; i++) {
		const struct graphics_states *one = i < count ? &g[i] : &all;
		AUTO_JSON cJSON *s = graphics_stats_json(one);
		cJSON *row = json_obj();

		json_set_str(row, "file", i < count ? one->name : NULL);
		variants = json_int(s, "variants", 0);
		states = json_int(s, "states", 0);
		json_set_int(row, "variants", variants);
		json_set_int(row, "states", states);
		json_push(list, row);
	}
	graphics_states_done(&all);
	*out = list;
	return 0;
}

static void
print_coverage(const cJSON *list)
{
	static const char *const head[] = {"file", "variants", "of all",
					   "states", "of all"};
	const cJSON *total =
		cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);
	double variants = json_num(total, "variants", 0);
	double states = json_num(total, "states", 0);
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *one;

	json_push(rows, head_row(head, 5));
	cJSON_ArrayForEach(one, list)
	{
		cJSON *row = json_arr();
		double v = json_num(one, "variants", 0);
		double s = json_num(one, "states", 0);
		AUTO_FREE char *vp = NULL;
		AUTO_FREE char *sp = NULL;

		vp = mem_fmt("%.0f%%", variants > 0 ? 100 * v / variants : 100);
		sp = mem_fmt("%.0f%%", states > 0 ? 100 * s / states : 100);
		json_push_str(row, json_str(one, "file", "all of them"));
		push_count(row, (int64_t)v);
		json_push_str(row, vp);
		push_count(row, (int64_t)s);
		json_push_str(row, sp);
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

static int
show(struct cmd_context *ctx, struct graphics_states *g, struct err *err)
{
	const struct columns_options *o = ctx->options;
	AUTO_JSON cJSON *all = json_obj();
	cJSON *files = json_arr();
	cJSON *list = NULL;

	json_set(all, "files", files);
	for (size_t i = 0; i < ctx->args.count; i++) {
		cJSON *one = graphics_stats_json(&g[i]);

		json_push(files, one);
		if (!o->json)
			print_one(one, columns_top(o));
	}
	if (ctx->args.count > 1) {
		if (coverage(g, ctx->args.count, &list, err))
			return -1;
		if (!o->json)
			print_coverage(list);
		json_set(all, "coverage", list);
	}
	if (o->json)
		graphics_file_json(all);
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct graphics_states *g;
	int status;

	if (!ctx->args.count)
		return err_set(err, ERR_USAGE,
			       "graphics-states stats: name a FILE");
	if (graphics_file_read(&ctx->args, &g, err))
		return -1;
	status = show(ctx, g, err);
	graphics_file_free(g, ctx->args.count);
	return status;
}

const struct command graphics_stats_command = {
	.name = "graphics-states stats",
	.summary = "Count the variants and states of collections, by shader",
	.usage = "[OPTION]... FILE...",
	.details = "With several files, such as one a screen or a run, also "
		   "how much of all of them together each one covers; they "
		   "must be of one platform, graphics API and quality level.",
	.options = columns_options,
	.options_size = sizeof(struct columns_options),
	.run = run,
};
