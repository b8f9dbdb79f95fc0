#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/columns.h"
#include "cmd/graphics_cover.h"
#include "cmd/graphics_file.h"

static void
print_one(const cJSON *o, int64_t top)
{
	static const char *const head[] = {"shader", "variants", "states",
					   "without states", NULL};
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
	(void)columns_head(rows, head);
	cJSON_ArrayForEach(s, json_get(o, "shaders"))
	{
		cJSON *row;

		if (top-- <= 0)
			break;
		row = json_arr();
		json_push_str(row, json_str(s, "shader", ""));
		columns_count(row, json_int(s, "variants", 0));
		columns_count(row, json_int(s, "states", 0));
		columns_count(row, json_int(s, "empty", 0));
		json_push(rows, row);
	}
	columns_print(rows, stdout);
}

/*
 * A run's folder stands for the collection in it, and knows its screens.
 * `*path` is free()d by the caller.
 */
static int
resolve(const char *arg, char **path, cJSON **screens, struct err *err)
{
	enum { RESULT_MAX = 64 << 20 };
	AUTO_FREE char *told = file_join(arg, "result.json");
	AUTO_JSON cJSON *result = NULL;
	const char *file;
	const cJSON *s;
	struct stat st;

	*screens = NULL;
	*path = NULL;
	if (stat(arg, &st) || !S_ISDIR(st.st_mode)) {
		*path = mem_strdup(arg);
		return 0;
	}
	if (json_read_file(told, RESULT_MAX, &result, err))
		return -1;
	file = json_str(result, "captures.graphics_states.file", NULL);
	if (!file) {
		err_set(err, ERR_INPUT, "the run '%s' has no collection", arg);
		return err_hint(err, "measure.graphics_states of its plan "
				     "traces one");
	}
	*path = file_join(arg, file);
	*screens = json_arr();
	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		if (strcmp(json_str(s, "status", ""), "visited") == 0)
			json_push_str(*screens, json_str(s, "name", ""));
	}
	return 0;
}

static int
show(const struct columns_options *o, const struct graphics_cover *c,
     struct err *err)
{
	AUTO_JSON cJSON *all = json_obj();
	cJSON *files = json_arr();

	json_set(all, "files", files);
	for (size_t i = 0; i < c->count; i++) {
		cJSON *one = graphics_stats_json(&c->g[i]);

		json_push(files, one);
		if (!o->json)
			print_one(one, columns_top(o));
	}
	if (c->count > 1 && graphics_cover_json(c, all, err))
		return -1;
	if (o->json)
		graphics_file_json(all);
	else if (c->count > 1)
		graphics_cover_print(all, columns_top(o));
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	size_t n = ctx->args.count;
	const char **path = mem_array(n + 1, sizeof(*path));
	cJSON **screens = mem_array(n + 1, sizeof(cJSON *));
	struct opt_list files = {.item = path};
	struct graphics_states *g;
	int status = -1;

	for (; files.count < n; files.count++) {
		char *name;

		if (resolve(ctx->args.item[files.count], &name,
			    &screens[files.count], err)) {
			free(name);
			break;
		}
		path[files.count] = name;
	}
	if (n == 0) {
		err_set(err, ERR_USAGE, "graphics-states stats: name a FILE");
	} else if (files.count == n &&
		   graphics_file_read(&files, &g, err) == 0) {
		struct graphics_cover c = {
			.g = g,
			.screens = (const cJSON *const *)screens,
			.count = n};

		status = show(ctx->options, &c, err);
		graphics_file_free(g, n);
	}
	for (size_t i = 0; i < n; i++) {
		free((char *)(uintptr_t)path[i]);
		cJSON_Delete(screens[i]);
	}
	free(path);
	free(screens);
	return status;
}

const struct command graphics_stats_command = {
	.name = "graphics-states stats",
	.summary = "Count the variants and states of collections, by shader",
	.usage = "[OPTION]... FILE...",
	.details = "With several files, such as one a run, also how much of "
		   "all of them together each one covers, and of each shader; "
		   "they must be of one platform, graphics API and quality "
		   "level. FILE may be a run's output folder, which has the "
		   "collection it traced: then also by screen, how much the "
		   "runs have that visited it, and how much no other run has. "
		   "Runs with different --visit tell most.",
	.options = columns_options,
	.options_size = sizeof(struct columns_options),
	.run = run,
};
