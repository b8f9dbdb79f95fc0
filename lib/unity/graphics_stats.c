#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/graphics.h"
#include "unity/graphics_parts.h"

/* Sums of one shader. */
struct shader {
	char *name;
	size_t variants, states, empty;
};

struct shaders {
	struct shader *item;
	size_t count;
};

static int
by_name(const void *a, const void *b)
{
	const struct shader *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int
by_variants(const void *a, const void *b)
{
	const struct shader *x = a, *y = b;

	if (x->variants != y->variants)
		return x->variants < y->variants ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* One row a variant, then those of one shader together. */
static void
shaders_init(struct shaders *s, const struct graphics_states *g)
{
	size_t kept = 0;

	s->item = mem_array(g->count + 1, sizeof(*s->item));
	for (size_t i = 0; i < g->count; i++) {
		const struct graphics_variant *v = &g->variant[i];

		s->item[i].name = exact_json_string(v->shader);
		s->item[i].variants = 1;
		s->item[i].states = v->count;
		s->item[i].empty = v->count == 0;
	}
	qsort(s->item, g->count, sizeof(*s->item), by_name);
	for (size_t i = 0; i < g->count; i++) {
		struct shader *last = kept ? &s->item[kept - 1] : NULL;

		if (!last || strcmp(last->name, s->item[i].name) != 0) {
			s->item[kept++] = s->item[i];
			continue;
		}
		last->variants += s->item[i].variants;
		last->states += s->item[i].states;
		last->empty += s->item[i].empty;
		free(s->item[i].name);
	}
	s->count = kept;
	qsort(s->item, kept, sizeof(*s->item), by_variants);
}

static void
shaders_done(struct shaders *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->item[i].name);
	free(s->item);
}

static cJSON *
shaders_json(const struct shaders *s)
{
	cJSON *list = json_arr();

	for (size_t i = 0; i < s->count; i++) {
		cJSON *o = json_obj();

		json_set_str(o, "shader", s->item[i].name);
		json_set_int(o, "variants", (int64_t)s->item[i].variants);
		json_set_int(o, "states", (int64_t)s->item[i].states);
		json_set_int(o, "empty", (int64_t)s->item[i].empty);
		json_push(list, o);
	}
	return list;
}

static void
set_named(cJSON *o, const char *key, const struct exact_json *v,
	  const char *(*name)(int64_t))
{
	const char *known;
	int64_t n;

	if (!exact_json_i64(v, &n)) {
		json_set_str(o, key, NULL);
		return;
	}
	known = name(n);
	if (known) {
		json_set_str(o, key, known);
	} else {
		AUTO_FREE char *number = mem_fmt("%lld", (long long)n);

		json_set_str(o, key, number);
	}
}

static void
set_text(cJSON *o, const char *key, const struct exact_json *v)
{
	AUTO_FREE char *text = v ? exact_json_string(v) : NULL;

	json_set_str(o, key, text);
}

cJSON *
graphics_stats_json(const struct graphics_states *g)
{
	static const char *const map[] = {"vertex_layouts", "render_passes",
					  "render_states"};
	size_t states = 0, empty = 0;
	struct shaders s;
	cJSON *o = json_obj();

	json_set_str(o, "file", g->name);
	set_named(o, "platform", exact_json_get(g->head, "m_RuntimePlatform"),
		  graphics_platform_name);
	set_named(o, "graphics_api",
		  exact_json_get(g->head, "m_DeviceRenderer"),
		  graphics_device_name);
	set_text(o, "quality_level",
		 exact_json_get(g->head, "m_QualityLevelName"));
	set_text(o, "serialized_version",
		 exact_json_get(g->head, "serializedVersion"));
	set_text(o, "version", exact_json_get(g->head, "m_Version"));
	for (size_t i = 0; i < g->count; i++) {
		states += g->variant[i].count;
		empty += g->variant[i].count == 0;
	}
	json_set_int(o, "variants", (int64_t)g->count);
	json_set_int(o, "states", (int64_t)states);
	json_set_int(o, "empty", (int64_t)empty);
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		json_set_int(o, map[m], (int64_t)g->entry_count[m]);
	shaders_init(&s, g);
	json_set(o, "shaders", shaders_json(&s));
	shaders_done(&s);
	return o;
}
