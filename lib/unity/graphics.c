#include "unity/graphics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "unity/graphics_parts.h"
#include "unity/positions.h"

static const char variants_key[] = "m_VariantInfoMap";
static const char states_key[] = "graphicsStateInfoSet";

const struct graphics_map_names graphics_map_names[GRAPHICS_MAPS] = {
	{"m_VertexLayoutInfoMap", "vertexLayout", "vertex layout"},
	{"m_RenderPassInfoMap", "renderPass", "render pass"},
	{"m_RenderStateMap", "renderState", "render state"},
};

static int
read_state(struct graphics_variant *v, const struct exact_json *node,
	   struct err *err)
{
	struct graphics_state s = {.node = node};

	for (int m = 0; m < GRAPHICS_MAPS; m++)
		if (!exact_json_u64(
			    exact_json_get(node, graphics_map_names[m].ref),
			    &s.key[m]))
			return err_set(err, ERR_INPUT,
				       "'%s' of a state is no unsigned 64-bit "
				       "number",
				       graphics_map_names[m].ref);
	MEM_GROW(v->state, v->count, v->room);
	v->state[v->count++] = s;
	return 0;
}

static const struct exact_json *
need(const struct exact_json *in, const char *key, enum exact_json_type type,
     struct err *err)
{
	const struct exact_json *v = exact_json_get(in, key);

	if (v && v->type == type)
		return v;
	(void)err_set(err, ERR_INPUT, "'%s' is missing or of another type",
		      key);
	return NULL;
}

static int
read_variant_parts(struct graphics_variant *v, struct err *err)
{
	const struct exact_json *first, *second, *states;

	first = need(v->node, "first", EXACT_JSON_OBJECT, err);
	second = first ? need(v->node, "second", EXACT_JSON_OBJECT, err) : NULL;
	if (!second)
		return -1;
	v->hash = need(first, "Hash", EXACT_JSON_STRING, err);
	if (!v->hash)
		return -1;
	v->shader = need(second, "shaderName", EXACT_JSON_STRING, err);
	if (!v->shader)
		return -1;
	v->keywords = need(second, "keywordNames", EXACT_JSON_STRING, err);
	if (!v->keywords)
		return -1;
	if (!exact_json_i64(exact_json_get(second, "subShaderIndex"),
			    &v->subshader) ||
	    !exact_json_i64(exact_json_get(second, "passIndex"), &v->pass))
		return err_set(err, ERR_INPUT,
			       "'subShaderIndex' or 'passIndex' is missing or "
			       "no whole number");
	states = need(second, states_key, EXACT_JSON_ARRAY, err);
	if (!states)
		return -1;
	for (const struct exact_json *s = states->first; s; s = s->next)
		if (read_state(v, s, err))
			return -1;
	return 0;
}

static int
read_variants(struct graphics_states *g, struct err *err)
{
	const struct exact_json *map;

	map = need(g->doc.root, variants_key, EXACT_JSON_ARRAY, err);
	if (!map)
		return -1;
	for (const struct exact_json *n = map->first; n; n = n->next) {
		struct graphics_variant *v;

		MEM_GROW(g->variant, g->count, g->room);
		v = &g->variant[g->count++];
		memset(v, 0, sizeof(*v));
		v->node = n;
		if (read_variant_parts(v, err))
			return err_wrap(err, "variant %zu", g->count);
	}
	return 0;
}

/* No two variants of one hash differ in more than their states. */
static int
check_variants(const struct graphics_states *g, struct err *err)
{
	struct positions index = {NULL, 0, 0};
	int rc = 0;

	for (size_t i = 0; i < g->count && rc == 0; i++) {
		const struct graphics_variant *v = &g->variant[i];
		size_t is = graphics_parts_find(g, &index, v->hash);

		if (is == POSITIONS_NONE)
			positions_add(&index, exact_json_hash(v->hash), i);
		else if (!graphics_parts_same_variant(&g->variant[is], v))
			rc = err_set(err, ERR_INPUT,
				     "variant %.*s has two contents",
				     (int)v->hash->len, v->hash->text);
	}
	positions_done(&index);
	return rc;
}

static int
read_map(struct graphics_states *g, int m, struct err *err)
{
	const char *name = graphics_map_names[m].map;
	const struct exact_json *map;

	map = need(g->doc.root, name, EXACT_JSON_ARRAY, err);
	if (!map)
		return -1;
	for (const struct exact_json *n = map->first; n; n = n->next) {
		struct graphics_entry e = {.node = n};

		if (!exact_json_u64(exact_json_get(n, "first"), &e.key) ||
		    !exact_json_get(n, "second"))
			return err_set(err, ERR_INPUT,
				       "entry %zu of '%s' lacks an unsigned "
				       "64-bit 'first' or a 'second'",
				       g->entry_count[m] + 1, name);
		MEM_GROW(g->entry[m], g->entry_count[m], g->entry_room[m]);
		g->entry[m][g->entry_count[m]++] = e;
	}
	return 0;
}

/* Every key that a state has leads somewhere. */
static int
check_references(const struct graphics_states *g, int m,
		 const struct positions *index, struct err *err)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct graphics_variant *v = &g->variant[i];

		for (size_t s = 0; s < v->count; s++) {
			size_t at;

			if (positions_first(index, v->state[s].key[m], &at) ==
			    POSITIONS_NONE)
				return err_set(err, ERR_INPUT,
					       "state %zu of variant %zu (%.*s)"
					       " leads to %s %" PRIu64
					       ", which is not there",
					       s + 1, i + 1, (int)v->hash->len,
					       v->hash->text,
					       graphics_map_names[m].word,
					       v->state[s].key[m]);
		}
	}
	return 0;
}

static int
check_map(const struct graphics_states *g, int m, struct err *err)
{
	struct positions index = {NULL, 0, 0};
	int rc = 0;

	for (size_t i = 0; i < g->entry_count[m] && rc == 0; i++) {
		const struct graphics_entry *e = &g->entry[m][i];
		size_t at, is = positions_first(&index, e->key, &at);

		if (is == POSITIONS_NONE)
			positions_add(&index, e->key, i);
		else if (!exact_json_same(g->entry[m][is].node, e->node))
			rc = err_set(err, ERR_INPUT,
				     "%s %" PRIu64 " has two contents",
				     graphics_map_names[m].word, e->key);
	}
	if (rc == 0)
		rc = check_references(g, m, &index, err);
	positions_done(&index);
	return rc;
}

static int
read_all(struct graphics_states *g, struct err *err)
{
	if (g->doc.root->type != EXACT_JSON_OBJECT)
		return err_set(err, ERR_INPUT, "not a JSON object");
	if (g->doc.root->count == 0)
		return 0; /* as the editor creates it */
	if (!exact_json_get(g->doc.root, variants_key))
		return err_set(err, ERR_INPUT,
			       "no GraphicsStateCollection: '%s' is missing",
			       variants_key);
	if (read_variants(g, err) || check_variants(g, err))
		return -1;
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		if (read_map(g, m, err) || check_map(g, m, err))
			return -1;
	return 0;
}

int
graphics_states_parse(struct graphics_states *g, const char *name,
		      struct buf *text, struct err *err)
{
	memset(g, 0, sizeof(*g));
	g->name = mem_strdup(name);
	g->text = *text;
	buf_init(text, BUF_DEFAULT_LIMIT);
	if (exact_json_parse(&g->doc, g->text.data, g->text.len, err) ||
	    read_all(g, err)) {
		(void)err_wrap(err, "%s", name);
		graphics_states_done(g);
		return -1;
	}
	g->head = g->doc.root;
	return 0;
}

int
graphics_states_read(struct graphics_states *g, const char *path,
		     struct err *err)
{
	struct buf text = BUF_INIT_MAX(GRAPHICS_LIMIT);

	if (file_read(path, &text, err)) {
		buf_done(&text);
		return -1;
	}
	return graphics_states_parse(g, path, &text, err);
}

void
graphics_states_done(struct graphics_states *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->variant[i].state);
	free(g->variant);
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		free(g->entry[m]);
	exact_json_done(&g->doc);
	buf_done(&g->text);
	free(g->name);
	memset(g, 0, sizeof(*g));
	buf_init(&g->text, BUF_DEFAULT_LIMIT);
}

static void
write_key(struct buf *out, const struct exact_json *m, int level)
{
	exact_json_line(out, level);
	buf_chr(out, '"');
	buf_add(out, m->key, m->key_len);
	buf_str(out, "\": ");
}

/* One element of an array, and what stands around it. */
static void
write_item(struct buf *out, size_t i, int level)
{
	if (i)
		buf_chr(out, ',');
	exact_json_line(out, level);
}

static void
write_end(struct buf *out, size_t count, int level)
{
	if (count)
		exact_json_line(out, level);
	buf_chr(out, ']');
}

static void
write_second(const struct graphics_variant *v, const struct exact_json *second,
	     struct buf *out)
{
	buf_chr(out, '{');
	for (const struct exact_json *m = second->first; m; m = m->next) {
		write_key(out, m, 4);
		if (exact_json_get(second, states_key) == m) {
			buf_chr(out, '[');
			for (size_t i = 0; i < v->count; i++) {
				write_item(out, i, 5);
				exact_json_write(v->state[i].node, 5, out);
			}
			write_end(out, v->count, 4);
		} else {
			exact_json_write(m, 4, out);
		}
		if (m->next)
			buf_chr(out, ',');
	}
	exact_json_line(out, 3);
	buf_chr(out, '}');
}

static void
write_variants(const struct graphics_states *g, struct buf *out)
{
	buf_chr(out, '[');
	for (size_t i = 0; i < g->count; i++) {
		const struct graphics_variant *v = &g->variant[i];

		write_item(out, i, 2);
		buf_chr(out, '{');
		for (const struct exact_json *m = v->node->first; m;
		     m = m->next) {
			write_key(out, m, 3);
			if (exact_json_get(v->node, "second") == m)
				write_second(v, m, out);
			else
				exact_json_write(m, 3, out);
			if (m->next)
				buf_chr(out, ',');
		}
		exact_json_line(out, 2);
		buf_chr(out, '}');
	}
	write_end(out, g->count, 1);
}

static void
write_map(const struct graphics_states *g, int m, struct buf *out)
{
	buf_chr(out, '[');
	for (size_t i = 0; i < g->entry_count[m]; i++) {
		write_item(out, i, 2);
		exact_json_write(g->entry[m][i].node, 2, out);
	}
	write_end(out, g->entry_count[m], 1);
}

/* Which of the four maps a top key is: GRAPHICS_MAPS: variants; -1: none. */
static int
which_map(const struct exact_json *head, const struct exact_json *member)
{
	if (exact_json_get(head, variants_key) == member)
		return GRAPHICS_MAPS;
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		if (exact_json_get(head, graphics_map_names[m].map) == member)
			return m;
	return -1;
}

void
graphics_states_write(const struct graphics_states *g, struct buf *out)
{
	if (!g->head->first) {
		buf_str(out, "{}");
		return;
	}
	buf_chr(out, '{');
	for (const struct exact_json *n = g->head->first; n; n = n->next) {
		int m = which_map(g->head, n);

		write_key(out, n, 1);
		if (m == GRAPHICS_MAPS)
			write_variants(g, out);
		else if (m >= 0)
			write_map(g, m, out);
		else
			exact_json_write(n, 1, out);
		if (n->next)
			buf_chr(out, ',');
	}
	exact_json_line(out, 0);
	buf_chr(out, '}');
}
