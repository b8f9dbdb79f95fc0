#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/mem.h"

enum {
	MAX_ANCHORS = 1000,
	FEW_KEYS = 16, /* up to here comparing all pairs is cheap */
};

struct anchor {
	char *name;
	const struct yaml_node *node;
};

struct reader {
	yaml_parser_t parser;
	struct yaml_complaints *c;
	const char *text;
	size_t len;
	struct anchor *anchor;
	size_t anchor_count, anchor_room;
	struct yaml_node refused; /* kept until the end */
	size_t refused_room;
	size_t nodes;
	size_t alias_nodes;
};

static int
mark_line(yaml_mark_t mark)
{
	return (int)mark.line + 1;
}

static int
mark_col(yaml_mark_t mark)
{
	return (int)mark.column + 1;
}

/* Line and column of a byte; in UTF-16 by its units. */
static void
place_of_byte(const struct reader *r, size_t offset, int *line, int *col)
{
	const unsigned char *s = (const unsigned char *)r->text;
	bool le = r->len > 1 && s[0] == 0xFF && s[1] == 0xFE;
	bool be = r->len > 1 && s[0] == 0xFE && s[1] == 0xFF;
	size_t step = le || be ? 2 : 1;
	size_t i = step == 2 ? 2 : 0;

	*line = 1;
	*col = 1;
	if (step == 1 && r->len > 2 && memcmp(s, "\xEF\xBB\xBF", 3) == 0)
		i = 3;
	for (; i + step <= r->len && i < offset; i += step) {
		unsigned c = step == 1 ? s[i]
			     : le      ? s[i] | (unsigned)s[i + 1] << 8
				       : s[i + 1] | (unsigned)s[i] << 8;

		if (c == '\n') {
			(*line)++;
			*col = 1;
		} else if (step == 2 || (c & 0xC0) != 0x80) {
			(*col)++;
		}
	}
}

static void
complain_reader(struct reader *r)
{
	const char *problem = r->parser.problem;
	const char *hint = "";
	int line, col;

	/* Only the offset is right: the mark stands at the buffer's start. */
	place_of_byte(r, r->parser.problem_offset, &line, &col);
	if (problem && strstr(problem, "UTF-8"))
		hint = "; the file is not UTF-8 (Shift_JIS?), save it as UTF-8";
	yaml_complain(r->c, line, col, "%s%s",
		      problem ? problem : "cannot be read", hint);
}

/* The bytes of one line, without its end. */
static const char *
line_text(const struct reader *r, int line, size_t *len)
{
	const char *s = r->text, *end = r->text + r->len;

	for (int i = 1; i < line && s < end; i++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!nl)
			break;
		s = nl + 1;
	}
	*len = 0;
	while (s + *len < end && s[*len] != '\n' && s[*len] != '\r')
		(*len)++;
	return s;
}

static const char *
syntax_hint(const struct reader *r, const char *problem, int line)
{
	size_t len, i = 0;
	const char *s = line_text(r, line, &len);

	while (i < len && (s[i] == ' ' || s[i] == '\t')) {
		if (s[i] == '\t')
			return "; tab used for indentation, use spaces";
		i++;
	}
	if (strstr(problem, "cannot start any token"))
		return "; put text that begins with '@', '`' or '%' in quotes";
	if (strstr(problem, "mapping values are not allowed"))
		return "; put text that contains ': ' in quotes";
	if (strstr(problem, "expected ',' or"))
		return "; a bracket is not closed, or a comma is missing";
	if (strstr(problem, "could not find expected ':'"))
		return "; a key needs ': ' behind it";
	return "";
}

static void
complain_parser(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem ? p->problem : "is no YAML";
	int line = mark_line(p->problem_mark);

	if (p->error == YAML_READER_ERROR) {
		complain_reader(r);
		return;
	}
	yaml_complain(r->c, line, mark_col(p->problem_mark), "%s%s%s%s",
		      p->context ? p->context : "", p->context ? ": " : "",
		      problem, syntax_hint(r, problem, line));
}

static int
next_event(struct reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return 0;
	complain_parser(r);
	return -1;
}

static struct yaml_node *
node_new(struct reader *r, enum yaml_kind kind, int line, int col)
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

static void
node_add(struct yaml_node *node, size_t *room, struct yaml_node *key,
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

static struct yaml_node *
node_copy(struct reader *r, const struct yaml_node *from, int line, int col,
	  int depth)
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
	node = node_new(r, from->kind, from->line, from->col);
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
		node_add(node, &room, key, value);
	}
	return node;
}

static struct yaml_node *
read_alias(struct reader *r, const yaml_event_t *event, int depth)
{
	const char *name = (const char *)event->data.alias.anchor;
	int line = mark_line(event->start_mark);
	int col = mark_col(event->start_mark);

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

static int
add_anchor(struct reader *r, const char *name, const struct yaml_node *node)
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
complain_repeated(struct reader *r, const struct yaml_node *first,
		  struct yaml_node *again)
{
	yaml_complain(r->c, again->line, again->col,
		      "key '%s' is repeated: lines %d and %d", again->text,
		      first->line, again->line);
	again->kind = YAML_LIST; /* the mark for drop_repeated() */
}

/* Readers see each key once; what is dropped may have an anchor. */
static void
drop_repeated(struct reader *r, struct yaml_node *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		if (map->key[i]->kind == YAML_SCALAR) {
			map->key[kept] = map->key[i];
			map->item[kept++] = map->item[i];
			continue;
		}
		map->key[i]->kind = YAML_SCALAR;
		node_add(&r->refused, &r->refused_room, NULL, map->key[i]);
		node_add(&r->refused, &r->refused_room, NULL, map->item[i]);
	}
	map->count = kept;
}

static void
check_few_keys(struct reader *r, struct yaml_node *map)
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
check_many_keys(struct reader *r, struct yaml_node *map)
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

static void
check_keys(struct reader *r, struct yaml_node *map)
{
	size_t before = r->c->count + r->c->dropped;

	if (map->count <= FEW_KEYS)
		check_few_keys(r, map);
	else
		check_many_keys(r, map);
	if (r->c->count + r->c->dropped != before)
		drop_repeated(r, map);
}

static struct yaml_node *read_node(struct reader *r, yaml_event_t *event,
				   int depth);

/* Is this key one that a map may have?  Complains when not. */
static bool
good_key(struct reader *r, const struct yaml_node *key)
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

/* The items up to the end event.  Takes over nothing on failure. */
static int
read_children(struct reader *r, struct yaml_node *node, int depth)
{
	struct yaml_node *key = NULL;
	size_t room = 0;

	for (;;) {
		struct yaml_node *child;
		yaml_event_t event;

		if (next_event(r, &event))
			break;
		if (event.type == YAML_SEQUENCE_END_EVENT ||
		    event.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&event);
			return 0;
		}
		child = read_node(r, &event, depth + 1);
		if (!child)
			break;
		if (node->kind == YAML_LIST) {
			node_add(node, &room, NULL, child);
		} else if (!key) {
			key = child;
		} else if (good_key(r, key)) {
			node_add(node, &room, key, child);
			key = NULL;
		} else {
			/* An anchor may point into them. */
			node_add(&r->refused, &r->refused_room, NULL, key);
			node_add(&r->refused, &r->refused_room, NULL, child);
			key = NULL;
		}
	}
	yaml_node_free(key);
	return -1;
}

static struct yaml_node *
read_scalar(struct reader *r, const yaml_event_t *event, int line, int col)
{
	struct yaml_node *node = node_new(r, YAML_SCALAR, line, col);
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (!node)
		return NULL;
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (memchr(text, 0, len))
		yaml_complain(r->c, line, col, "text with a NUL byte in it");
	node->text = mem_strndup(text, len);
	return node;
}

static void
refuse_tag(struct reader *r, const yaml_char_t *tag, int line, int col)
{
	if (tag)
		yaml_complain(r->c, line, col,
			      "tags are not supported: '%s'; what a value is "
			      "follows from its key",
			      (const char *)tag);
}

/* Consumes the event.  NULL ends the parse; the complaint has been made. */
static struct yaml_node *
read_node(struct reader *r, yaml_event_t *event, int depth)
{
	int line = mark_line(event->start_mark);
	int col = mark_col(event->start_mark);
	struct yaml_node *node = NULL;
	const yaml_char_t *anchor = NULL;
	int rc = 0;

	if (depth > YAML_MAX_DEPTH) {
		yaml_complain(r->c, line, col, "nested deeper than %d",
			      YAML_MAX_DEPTH);
	} else if (event->type == YAML_ALIAS_EVENT) {
		node = read_alias(r, event, depth);
	} else if (event->type == YAML_SCALAR_EVENT) {
		refuse_tag(r, event->data.scalar.tag, line, col);
		anchor = event->data.scalar.anchor;
		node = read_scalar(r, event, line, col);
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		refuse_tag(r, event->data.sequence_start.tag, line, col);
		anchor = event->data.sequence_start.anchor;
		node = node_new(r, YAML_LIST, line, col);
		rc = node ? read_children(r, node, depth) : -1;
	} else {
		refuse_tag(r, event->data.mapping_start.tag, line, col);
		anchor = event->data.mapping_start.anchor;
		node = node_new(r, YAML_MAP, line, col);
		rc = node ? read_children(r, node, depth) : -1;
		if (rc == 0)
			check_keys(r, node);
	}
	if (node && rc == 0)
		rc = add_anchor(r, (const char *)anchor, node);
	yaml_event_delete(event);
	if (rc) {
		yaml_node_free(node);
		return NULL;
	}
	return node;
}

/* Skip to the first node: stream start, document start. */
static struct yaml_node *
read_document(struct reader *r)
{
	struct yaml_node *root = NULL;
	yaml_event_t event;

	for (;;) {
		if (next_event(r, &event))
			return NULL;
		if (event.type == YAML_STREAM_END_EVENT) {
			yaml_event_delete(&event);
			yaml_complain(r->c, 1, 1, "the file is empty");
			return NULL;
		}
		if (event.type != YAML_STREAM_START_EVENT &&
		    event.type != YAML_DOCUMENT_START_EVENT)
			break;
		yaml_event_delete(&event);
	}
	root = read_node(r, &event, 1);
	if (!root)
		return NULL;
	if (next_event(r, &event))
		goto fail;
	yaml_event_delete(&event); /* the document's end */
	if (next_event(r, &event))
		goto fail;
	if (event.type != YAML_STREAM_END_EVENT)
		yaml_complain(r->c, mark_line(event.start_mark),
			      mark_col(event.start_mark),
			      "a second document begins here; one file holds "
			      "one");
	yaml_event_delete(&event);
	return root;
fail:
	yaml_node_free(root);
	return NULL;
}

struct yaml_node *
yaml_parse(const char *text, size_t len, struct yaml_complaints *c)
{
	struct reader r = {.c = c,
			   .text = text,
			   .len = len,
			   .refused = {.kind = YAML_LIST}};
	struct yaml_node *root;

	if (len > YAML_MAX_BYTES) {
		yaml_complain(c, 1, 1, "the file is larger than %d MiB",
			      YAML_MAX_BYTES >> 20);
		return NULL;
	}
	if (!yaml_parser_initialize(&r.parser)) {
		yaml_complain(c, 1, 1, "out of memory");
		return NULL;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text,
				     len);
	root = read_document(&r);
	for (size_t i = 0; i < r.anchor_count; i++)
		free(r.anchor[i].name);
	free(r.anchor);
	for (size_t i = 0; i < r.refused.count; i++)
		yaml_node_free(r.refused.item[i]);
	free(r.refused.item);
	yaml_parser_delete(&r.parser);
	return root;
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
