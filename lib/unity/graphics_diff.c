#include <string.h>

#include "base/mem.h"
#include "unity/graphics.h"
#include "unity/graphics_parts.h"

static void
set_text(cJSON *o, const char *key, const struct exact_json *v)
{
	AUTO_FREE char *text = exact_json_string(v);

	json_set_str(o, key, text);
}

/* What `b` has that `a` lacks, a row for each variant that has something. */
static cJSON *
added(const struct graphics_states *a, const struct graphics_states *b)
{
	static const struct graphics_variant nothing;
	struct positions index = {NULL, 0, 0};
	cJSON *o = json_obj(), *list = json_arr();
	size_t variants = 0, states = 0;

	graphics_merge_variant_positions(&index, a);
	for (size_t i = 0; i < b->count; i++) {
		const struct graphics_variant *v = &b->variant[i];
		AUTO_FREE bool *is_new = mem_array(v->count + 1, 1);
		size_t is = graphics_merge_find_variant(a, &index, v->hash);
		bool fresh = is == POSITIONS_NONE;
		size_t count = graphics_merge_new_states(
			fresh ? &nothing : &a->variant[is], v, is_new);
		cJSON *row;

		if (!fresh && !count)
			continue;
		variants += fresh;
		states += count;
		row = json_obj();
		set_text(row, "shader", v->shader);
		json_set_int(row, "subshader", v->subshader);
		json_set_int(row, "pass", v->pass);
		set_text(row, "keywords", v->keywords);
		set_text(row, "hash", v->hash);
		json_set_bool(row, "variant", fresh);
		json_set_int(row, "states", (int64_t)count);
		json_push(list, row);
	}
	positions_done(&index);
	json_set_int(o, "variants", (int64_t)variants);
	json_set_int(o, "states", (int64_t)states);
	json_set(o, "rows", list);
	return o;
}

cJSON *
graphics_diff_json(const struct graphics_states *a,
		   const struct graphics_states *b)
{
	cJSON *o = json_obj();

	json_set_str(o, "a", a->name);
	json_set_str(o, "b", b->name);
	json_set(o, "added", added(a, b));
	json_set(o, "removed", added(b, a));
	return o;
}
