#include "base/yaml_parts.h"

#include <string.h>

#include "base/mem.h"

enum { MAX_ANCHORS = 1000 };

static struct yaml_node *
node_copy(struct yaml_reader *r, const struct yaml_node *from, int line,
	  int col, int depth)
{
	struct yaml_node *node;
	size_t room = 0;

	if (++r->alias_nodes > YAML_MAX_ALIAS_NODES) {
		yaml_complain(r->c, line, col,
			      "aliases expand to more than %d values",
			      YAML_MAX_ALIAS_NODES);
		return NULL;
	}
	if (depth > YAML_MAX_DEPTH) {
		yaml_complain(r->c, line, col, "nested deeper than %d",
			      YAML_MAX_DEPTH);
		return NULL;
	}
	node = yaml_node_new(r, from->kind, from->line, from->col);
	if (!node)
		return NULL;
	node->plain = from->plain;
	node->text = mem_strdup(from->text);
	for (size_t i = 0; i < from->count; i++) {
		struct yaml_node *key = NULL, *value;

		value = node_copy(r, from->item[i], line, col, depth + 1);
		if (value && from->key)
			key = node_copy(r, from->key[i], line, col, depth + 1);
		if (!value || (from->key && !key)) {
			yaml_node_free(value);
			yaml_node_free(node);
			return NULL;
		}
		yaml_node_add(node, &room, key, value);
	}
	return node;
}

struct yaml_node *
yaml_anchor_read(struct yaml_reader *r, const yaml_event_t *event, int depth)
{
	const char *name = (const char *)event->data.alias.anchor;
	int line = yaml_parts_line(event->start_mark);
	int col = yaml_parts_col(event->start_mark);

	for (size_t i = r->anchor_count; i > 0; i--) {
		if (strcmp(r->anchor[i - 1].name, name) == 0)
			return node_copy(r, r->anchor[i - 1].node, line, col,
					 depth);
	}
	yaml_complain(r->c, line, col,
		      "'*%s' is an alias without an anchor before it; put text "
		      "that begins with '*' in quotes",
		      name);
	return NULL;
}

int
yaml_anchor_add(struct yaml_reader *r, const char *name,
		const struct yaml_node *node)
{
	if (!name)
		return 0;
	if (r->anchor_count == MAX_ANCHORS) {
		yaml_complain(r->c, node->line, node->col,
			      "more than %d anchors", MAX_ANCHORS);
		return -1;
	}
	MEM_GROW(r->anchor, r->anchor_count, r->anchor_room);
	r->anchor[r->anchor_count].name = mem_strdup(name);
	r->anchor[r->anchor_count++].node = node;
	return 0;
}
