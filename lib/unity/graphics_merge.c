#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/graphics.h"
#include "unity/graphics_parts.h"
#include "unity/positions.h"

const char *
graphics_device_name(int64_t device)
{
	static const struct {
		int64_t n;
		const char *name;
	} known[] = {
		{2, "Direct3D 11"}, {11, "OpenGL ES 3"}, {16, "Metal"},
		{17, "OpenGL"},	    {18, "Direct3D 12"}, {21, "Vulkan"},
		{28, "WebGPU"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].n == device)
			return known[i].name;
	return NULL;
}

const char *
graphics_platform_name(int64_t platform)
{
	static const struct {
		int64_t n;
		const char *name;
	} known[] = {
		{1, "macOS"},  {2, "Windows"},	{7, "Windows editor"},
		{8, "iOS"},    {11, "Android"}, {13, "Linux"},
		{17, "WebGL"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].n == platform)
			return known[i].name;
	return NULL;
}

/* "21 (Vulkan)", "'Mobile'", "nothing" */
static void
show_value(struct buf *out, const struct exact_json *v,
	   const char *(*name)(int64_t))
{
	const char *known = NULL;
	int64_t n;

	if (!v) {
		buf_str(out, "nothing");
		return;
	}
	if (name && exact_json_i64(v, &n))
		known = name(n);
	if (v->type == EXACT_JSON_STRING)
		buf_chr(out, '\'');
	buf_escaped(out, v->text ? v->text : "...", v->text ? v->len : 3);
	if (v->type == EXACT_JSON_STRING)
		buf_chr(out, '\'');
	if (known)
		buf_fmt(out, " (%s)", known);
}

static bool
same_or_both_absent(const struct exact_json *a, const struct exact_json *b)
{
	return a && b ? exact_json_same(a, b) : a == b;
}

static bool
is_map(const struct exact_json *member)
{
	static const char *const names[] = {
		"m_VariantInfoMap",
		"m_VertexLayoutInfoMap",
		"m_RenderPassInfoMap",
		"m_RenderStateMap",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == member->key_len &&
		    memcmp(names[i], member->key, member->key_len) == 0)
			return true;
	return false;
}

/* What a newer Unity may have added we can't merge, only keep. */
static int
check_rest(const struct graphics_states *g, const struct graphics_states *from,
	   struct err *err)
{
	static const char name_key[] = "m_Name"; /* may differ: stale */

	for (const struct exact_json *m = from->head->first; m; m = m->next) {
		AUTO_FREE char *key = mem_strndup(m->key, m->key_len);

		if (is_map(m) || strcmp(key, name_key) == 0)
			continue;
		if (!same_or_both_absent(exact_json_get(g->head, key), m))
			return err_set(err, ERR_INPUT,
				       "'%s' differs between %s and %s, and "
				       "patrol does not know how to merge it",
				       key, g->name, from->name);
	}
	return 0;
}

static int
check_head(const struct graphics_states *g, const struct graphics_states *from,
	   struct err *err)
{
	static const struct {
		const char *key, *what;
		const char *(*name)(int64_t);
	} must[] = {
		{"m_RuntimePlatform", "platform", graphics_platform_name},
		{"m_DeviceRenderer", "graphics API", graphics_device_name},
		{"m_QualityLevelName", "quality level", NULL},
		{"m_Version", "m_Version", NULL},
		{"serializedVersion", "serializedVersion", NULL},
	};

	for (size_t i = 0; i < sizeof(must) / sizeof(*must); i++) {
		const struct exact_json *a, *b;
		AUTO_BUF struct buf what = BUF_INIT_MAX(500);

		a = exact_json_get(g->head, must[i].key);
		b = exact_json_get(from->head, must[i].key);
		if (same_or_both_absent(a, b))
			continue;
		show_value(&what, a, must[i].name);
		buf_fmt(&what, " in %s, ", g->name);
		show_value(&what, b, must[i].name);
		buf_fmt(&what, " in %s", from->name);
		return err_set(
			err, ERR_INPUT,
			"another %s: %s; only traces of one kind go together",
			must[i].what, what.data);
	}
	return check_rest(g, from, err);
}

/* States of `from` that `into` lacks, behind its own. */
static size_t
merge_states(struct graphics_variant *into, const struct graphics_variant *from)
{
	AUTO_FREE bool *is_new = mem_array(from->count + 1, sizeof(*is_new));
	size_t count = graphics_parts_new_states(into, from, is_new);

	for (size_t i = 0; i < from->count; i++) {
		if (!is_new[i])
			continue;
		MEM_GROW(into->state, into->count, into->room);
		into->state[into->count++] = from->state[i];
	}
	return count;
}

static int
merge_variants(struct graphics_states *g, const struct graphics_states *from,
	       struct graphics_added *added, struct err *err)
{
	struct positions index = {NULL, 0, 0};
	int rc = 0;

	graphics_parts_positions(&index, g);
	for (size_t i = 0; i < from->count && rc == 0; i++) {
		const struct graphics_variant *v = &from->variant[i];
		size_t is = graphics_parts_find(g, &index, v->hash);

		if (is == POSITIONS_NONE) {
			struct graphics_variant fresh = *v;

			fresh.state = NULL;
			fresh.count = fresh.room = 0;
			is = g->count;
			MEM_GROW(g->variant, g->count, g->room);
			g->variant[g->count++] = fresh;
			positions_add(&index, exact_json_hash(v->hash), is);
			added->variants++;
		} else if (!graphics_parts_same_variant(&g->variant[is], v)) {
			rc = err_set(err, ERR_INPUT,
				     "variant %.*s has one content in %s and "
				     "another in %s",
				     (int)v->hash->len, v->hash->text, g->name,
				     from->name);
		}
		if (rc == 0)
			added->states += merge_states(&g->variant[is], v);
	}
	positions_done(&index);
	return rc;
}

static int
merge_map(struct graphics_states *g, const struct graphics_states *from, int m,
	  struct graphics_added *added, struct err *err)
{
	struct positions index = {NULL, 0, 0};
	int rc = 0;

	for (size_t i = 0; i < g->entry_count[m]; i++)
		positions_add(&index, g->entry[m][i].key, i);
	for (size_t i = 0; i < from->entry_count[m] && rc == 0; i++) {
		const struct graphics_entry *e = &from->entry[m][i];
		size_t at, is = positions_first(&index, e->key, &at);

		if (is == POSITIONS_NONE) {
			positions_add(&index, e->key, g->entry_count[m]);
			MEM_GROW(g->entry[m], g->entry_count[m],
				 g->entry_room[m]);
			g->entry[m][g->entry_count[m]++] = *e;
			added->entries++;
		} else if (!exact_json_same(g->entry[m][is].node, e->node)) {
			rc = err_set(err, ERR_INPUT,
				     "%s %" PRIu64 " has one content in %s and "
				     "another in %s",
				     graphics_map_names[m].word, e->key,
				     g->name, from->name);
		}
	}
	positions_done(&index);
	return rc;
}

int
graphics_states_merge(struct graphics_states *g,
		      const struct graphics_states *from,
		      struct graphics_added *added, struct err *err)
{
	memset(added, 0, sizeof(*added));
	if (!from->head->first)
		return 0;
	if (!g->head->first)
		g->head = from->head;
	else if (check_head(g, from, err))
		return -1;
	if (merge_variants(g, from, added, err))
		return -1;
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		if (merge_map(g, from, m, added, err))
			return -1;
	return 0;
}

size_t
graphics_states_sweep(struct graphics_states *g)
{
	size_t dropped = 0;

	for (int m = 0; m < GRAPHICS_MAPS; m++) {
		struct positions used = {NULL, 0, 0};
		size_t at, kept = 0;

		for (size_t i = 0; i < g->count; i++)
			for (size_t s = 0; s < g->variant[i].count; s++) {
				uint64_t key = g->variant[i].state[s].key[m];

				if (positions_first(&used, key, &at) ==
				    POSITIONS_NONE)
					positions_add(&used, key, 0);
			}
		for (size_t i = 0; i < g->entry_count[m]; i++)
			if (positions_first(&used, g->entry[m][i].key, &at) !=
			    POSITIONS_NONE)
				g->entry[m][kept++] = g->entry[m][i];
		dropped += g->entry_count[m] - kept;
		g->entry_count[m] = kept;
		positions_done(&used);
	}
	return dropped;
}
