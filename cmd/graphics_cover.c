#include "cmd/graphics_cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/columns.h"

/* Those of `take` together; NULL: all. */
static int
unite(const struct graphics_cover *c, const bool *take, cJSON **stats,
      struct err *err)
{
	struct graphics_states all;
	struct graphics_added added;
	struct buf empty = BUF_INIT;
	int rc = 0;

	buf_str(&empty, "{}");
	if (graphics_states_parse(&all, c->g[0].name, &empty, err))
		return -1;
	for (size_t i = 0; rc == 0 && i < c->count; i++)
		if (!take || take[i])
			rc = graphics_states_merge(&all, &c->g[i], &added, err);
	if (rc == 0)
		*stats = graphics_stats_json(&all);
	graphics_states_done(&all);
	return rc;
}

static void
copy_counts(cJSON *row, const cJSON *stats)
{
	json_set_int(row, "variants", json_int(stats, "variants", 0));
	json_set_int(row, "states", json_int(stats, "states", 0));
}

static const cJSON *
shader_of(const cJSON *stats, const char *name)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(stats, "shaders"))
	{
		if (strcmp(json_str(s, "shader", ""), name) == 0)
			return s;
	}
	return NULL;
}

static cJSON *
by_shader(cJSON *const *each, size_t count, const cJSON *all)
{
	cJSON *list = json_arr();
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(all, "shaders"))
	{
		const char *name = json_str(s, "shader", "");
		cJSON *row = json_obj(), *files = json_arr();

		json_set_str(row, "shader", name);
		copy_counts(row, s);
		for (size_t i = 0; i < count; i++) {
			cJSON *one = json_obj();

			copy_counts(one, shader_of(each[i], name));
			json_push(files, one);
		}
		json_set(row, "files", files);
		json_push(list, row);
	}
	return list;
}

static bool
visits(const struct graphics_cover *c, size_t i, const char *screen)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, c->screens[i])
	{
		if (strcmp(s->valuestring, screen) == 0)
			return true;
	}
	return false;
}

/* With it, and what no run without it has. */
static int
one_screen(const struct graphics_cover *c, const char *screen, const cJSON *all,
	   cJSON *list, struct err *err)
{
	AUTO_FREE bool *with = mem_array(c->count, sizeof(*with));
	AUTO_FREE bool *without = mem_array(c->count, sizeof(*without));
	AUTO_JSON cJSON *there = NULL, *elsewhere = NULL;
	cJSON *row;
	int64_t runs = 0;

	for (size_t i = 0; i < c->count; i++) {
		with[i] = visits(c, i, screen);
		without[i] = !with[i];
		runs += with[i];
	}
	if (unite(c, with, &there, err) || unite(c, without, &elsewhere, err))
		return -1;
	row = json_obj();
	json_set_str(row, "screen", screen);
	json_set_int(row, "runs", runs);
	copy_counts(row, there);
	json_set_int(row, "only_variants",
		     json_int(all, "variants", 0) -
			     json_int(elsewhere, "variants", 0));
	json_set_int(row, "only_states",
		     json_int(all, "states", 0) -
			     json_int(elsewhere, "states", 0));
	json_push(list, row);
	return 0;
}

static int
by_screen(const struct graphics_cover *c, const cJSON *all, cJSON *list,
	  struct err *err)
{
	AUTO_JSON cJSON *seen = json_obj();

	for (size_t i = 0; i < c->count; i++) {
		const cJSON *s;

		cJSON_ArrayForEach(s, c->screens[i])
		{
			if (cJSON_GetObjectItemCaseSensitive(seen,
							     s->valuestring))
				continue;
			json_set_bool(seen, s->valuestring, true);
			if (one_screen(c, s->valuestring, all, list, err))
				return -1;
		}
	}
	return 0;
}

int
graphics_cover_json(const struct graphics_cover *c, cJSON *into,
		    struct err *err)
{
	cJSON **each = mem_array(c->count, sizeof(cJSON *));
	AUTO_JSON cJSON *all = NULL;
	cJSON *list, *screens = json_arr();
	int rc = unite(c, NULL, &all, err);

	if (rc == 0) {
		list = json_arr();
		for (size_t i = 0; i <= c->count; i++) {
			cJSON *row = json_obj();

			if (i < c->count)
				each[i] = graphics_stats_json(&c->g[i]);
			json_set_str(row, "file",
				     i < c->count ? c->g[i].name : NULL);
			copy_counts(row, i < c->count ? each[i] : all);
			json_push(list, row);
		}
		json_set(into, "coverage", list);
		json_set(into, "coverage_by_shader",
			 by_shader(each, c->count, all));
		rc = by_screen(c, all, screens, err);
	}
	json_set(into, "coverage_by_screen", screens);
	for (size_t i = 0; i < c->count; i++)
		cJSON_Delete(each[i]);
	free(each);
	return rc;
}

static void
push_share(cJSON *row, int64_t part, int64_t all)
{
	AUTO_FREE char *text = mem_fmt(
		"%.0f%%", all > 0 ? 100.0 * (double)part / (double)all : 100.0);

	json_push_str(row, text);
}

static void
push_both(cJSON *row, const cJSON *one, const cJSON *all)
{
	int64_t v = json_int(one, "variants", 0);
	int64_t s = json_int(one, "states", 0);

	columns_count(row, v);
	push_share(row, v, json_int(all, "variants", 0));
	columns_count(row, s);
	push_share(row, s, json_int(all, "states", 0));
}

static void
print_files(const cJSON *list, const cJSON *total)
{
	static const char *const head[] = {"file",   "variants", "of all",
					   "states", "of all",	 NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *one;

	(void)columns_head(rows, head);
	cJSON_ArrayForEach(one, list)
	{
		cJSON *row = json_arr();

		json_push_str(row, json_str(one, "file", "all of them"));
		push_both(row, one, total);
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

/* What part of a shader's variants each file has, in the files' order. */
static void
print_shaders(const cJSON *list, int64_t top)
{
	enum { MOST_FILES = 9 };
	static const char *const words[] = {"shader", "variants", NULL};
	AUTO_JSON cJSON *rows = json_arr();
	cJSON *head = columns_head(rows, words);
	const cJSON *one, *f;
	int files = cJSON_GetArraySize(
		json_get(cJSON_GetArrayItem(list, 0), "files"));

	for (int i = 0; i < files && i < MOST_FILES; i++) {
		AUTO_FREE char *text = mem_fmt("file %d", i + 1);

		json_push_str(head, text);
	}
	cJSON_ArrayForEach(one, list)
	{
		cJSON *row;
		int n = 0;

		if (top-- <= 0)
			break;
		row = json_arr();
		json_push_str(row, json_str(one, "shader", ""));
		columns_count(row, json_int(one, "variants", 0));
		cJSON_ArrayForEach(f, json_get(one, "files"))
		{
			if (n++ < MOST_FILES)
				push_share(row, json_int(f, "variants", 0),
					   json_int(one, "variants", 0));
		}
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

static void
print_screens(const cJSON *list, const cJSON *total)
{
	static const char *const head[] = {"screen",
					   "runs",
					   "variants",
					   "of all",
					   "states",
					   "of all",
					   "variants only there",
					   "states only there",
					   NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *one;

	(void)columns_head(rows, head);
	cJSON_ArrayForEach(one, list)
	{
		cJSON *row = json_arr();

		json_push_str(row, json_str(one, "screen", ""));
		columns_count(row, json_int(one, "runs", 0));
		push_both(row, one, total);
		columns_count(row, json_int(one, "only_variants", 0));
		columns_count(row, json_int(one, "only_states", 0));
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

void
graphics_cover_print(const cJSON *from, int64_t top)
{
	const cJSON *list = json_get(from, "coverage");
	const cJSON *total =
		cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);

	print_files(list, total);
	if (json_count(from, "coverage_by_shader"))
		print_shaders(json_get(from, "coverage_by_shader"), top);
	if (json_count(from, "coverage_by_screen"))
		print_screens(json_get(from, "coverage_by_screen"), total);
}
