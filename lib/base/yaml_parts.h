#ifndef YAML_PARTS_H
#define YAML_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "base/yaml.h"

/* The pieces of the reader; only yaml*.c include this. */
struct yaml_anchor {
	char *name;
	const struct yaml_node *node;
};

struct yaml_reader {
	yaml_parser_t parser;
	struct yaml_complaints *c;
	const char *text;
	size_t len;
	struct yaml_anchor *anchor;
	size_t anchor_count, anchor_room;
	struct yaml_node refused; /* kept until the end */
	size_t refused_room;
	size_t nodes;
	size_t alias_nodes;
};

static inline int
yaml_parts_line(yaml_mark_t mark)
{
	return (int)mark.line + 1;
}

static inline int
yaml_parts_col(yaml_mark_t mark)
{
	return (int)mark.column + 1;
}

/* yaml_syntax.c: what libyaml stumbled on, where, and the cure. */
void yaml_syntax_complain(struct yaml_reader *r);

/* yaml_node.c: NULL after a complaint, when there are too many. */
struct yaml_node *yaml_node_new(struct yaml_reader *r, enum yaml_kind kind,
				int line, int col);
/* `key`: NULL in a list.  `room` is of the arrays, from 0. */
void yaml_node_add(struct yaml_node *node, size_t *room, struct yaml_node *key,
		   struct yaml_node *value);

/* yaml_anchor.c: `name` may be NULL; -1 after a complaint. */
int yaml_anchor_add(struct yaml_reader *r, const char *name,
		    const struct yaml_node *node);
/* A copy of what the alias stands for; NULL after a complaint. */
struct yaml_node *yaml_anchor_read(struct yaml_reader *r,
				   const yaml_event_t *event, int depth);

/* yaml_keys.c: is this key one that a map may have?  Complains when not. */
bool yaml_keys_good(struct yaml_reader *r, const struct yaml_node *key);
/* Readers see each key once; what repeats one is a complaint. */
void yaml_keys_check(struct yaml_reader *r, struct yaml_node *map);

#endif
