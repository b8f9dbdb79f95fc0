#include "base/yaml_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct yaml_node *
yaml_node_new(struct yaml_reader *r, enum yaml_kind kind, int line, int col)
{
	struct yaml_node *node;

	if (++r->nodes > YAML_MAX_NODES) {
		yaml_complain(r->c, line, col, "more than %d values",
			      YAML_MAX_NODES);
		return NULL;
	}
	node = mem_alloc(sizeof(*node));
	node->kind = kind;
	node->line = line;
	node->col = col;
	return node;
}

void
yaml_node_free(struct yaml_node *root)
{
	if (!root)
		return;
	for (size_t i = 0; i < root->count; i++) {
		if (root->key)
			yaml_node_free(root->key[i]);
		yaml_node_free(root->item[i]);
	}
	free(root->key);
	free(root->item);
	free(root->text);
	free(root);
}

void
yaml_node_add(struct yaml_node *node, size_t *room, struct yaml_node *key,
	      struct yaml_node *value)
{
	if (node->count == *room) {
		*room = *room ? *room * 2 : 4;
		node->item = mem_resize(node->item, *room, sizeof(*node->item));
		if (node->kind == YAML_MAP)
			node->key = mem_resize(node->key, *room,
					       sizeof(*node->key));
	}
	if (node->kind == YAML_MAP)
		node->key[node->count] = key;
	node->item[node->count++] = value;
}

struct yaml_node *
yaml_get(const struct yaml_node *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return NULL;
	for (size_t i = 0; i < map->count; i++) {
		if (strcmp(map->key[i]->text, key) == 0)
			return map->item[i];
	}
	return NULL;
}
