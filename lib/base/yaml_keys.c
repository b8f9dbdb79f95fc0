#include "base/yaml_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FEW_KEYS = 16 }; /* up to here comparing all pairs is cheap */

/* For sorting a map's keys: by text, then by place. */
static int
by_key(const void *a, const void *b)
{
	const struct yaml_node *x = *(struct yaml_node *const *)a;
	const struct yaml_node *y = *(struct yaml_node *const *)b;
	int d = strcmp(x->text, y->text);

	if (d == 0)
		d = (x->line > y->line) - (x->line < y->line);
	if (d == 0)
		d = (x->col > y->col) - (x->col < y->col);
	return d;
}

static void
complain_repeated(struct yaml_reader *r, const struct yaml_node *first,
		  struct yaml_node *again)
{
	yaml_complain(r->c, again->line, again->col,
		      "key '%s' is repeated: lines %d and %d", again->text,
		      first->line, again->line);
	again->kind = YAML_LIST; /* the mark for drop_repeated() */
}

/* Readers see each key once; what is dropped may have an anchor. */
static void
drop_repeated(struct yaml_reader *r, struct yaml_node *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		if (map->key[i]->kind == YAML_SCALAR) {
			map->key[kept] = map->key[i];
			map->item[kept++] = map->item[i];
			continue;
		}
		map->key[i]->kind = YAML_SCALAR;
		yaml_node_add(&r->refused, &r->refused_room, NULL, map->key[i]);
		yaml_node_add(&r->refused, &r->refused_room, NULL,
			      map->item[i]);
	}
	map->count = kept;
}

static void
check_few_keys(struct yaml_reader *r, struct yaml_node *map)
{
	for (size_t i = 1; i < map->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(map->key[i]->text, map->key[j]->text) == 0) {
				complain_repeated(r, map->key[j], map->key[i]);
				break;
			}
		}
	}
}

static void
check_many_keys(struct yaml_reader *r, struct yaml_node *map)
{
	struct yaml_node **sorted =
		mem_dup(map->key, map->count * sizeof(struct yaml_node *));

	qsort(sorted, map->count, sizeof(struct yaml_node *), by_key);
	for (size_t i = 1; i < map->count; i++) {
		if (strcmp(sorted[i - 1]->text, sorted[i]->text) == 0)
			complain_repeated(r, sorted[i - 1], sorted[i]);
	}
	free(sorted);
}

void
yaml_keys_check(struct yaml_reader *r, struct yaml_node *map)
{
	size_t before = r->c->count + r->c->dropped;

	if (map->count <= FEW_KEYS)
		check_few_keys(r, map);
	else
		check_many_keys(r, map);
	if (r->c->count + r->c->dropped != before)
		drop_repeated(r, map);
}

bool
yaml_keys_good(struct yaml_reader *r, const struct yaml_node *key)
{
	if (key->kind != YAML_SCALAR) {
		yaml_complain(r->c, key->line, key->col,
			      "a key must be a word; put text that begins with "
			      "'{' or '[' in quotes");
		return false;
	}
	if (key->plain && strcmp(key->text, "<<") == 0) {
		yaml_complain(r->c, key->line, key->col,
			      "merge keys ('<<') are not supported; write the "
			      "fields out");
		return false;
	}
	return true;
}
