#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/yaml_parts.h"

static int
next_event(struct yaml_reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return 0;
	yaml_syntax_complain(r);
	return -1;
}

static struct yaml_node *read_node(struct yaml_reader *r, yaml_event_t *event,
				   int depth);

/* The items up to the end event.  Takes over nothing on failure. */
static int
read_children(struct yaml_reader *r, struct yaml_node *node, int depth)
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
			yaml_node_add(node, &room, NULL, child);
		} else if (!key) {
			key = child;
		} else if (yaml_keys_good(r, key)) {
			yaml_node_add(node, &room, key, child);
			key = NULL;
		} else {
			/* An anchor may point into them. */
			yaml_node_add(&r->refused, &r->refused_room, NULL, key);
			yaml_node_add(&r->refused, &r->refused_room, NULL,
				      child);
			key = NULL;
		}
	}
	yaml_node_free(key);
	return -1;
}

static struct yaml_node *
read_scalar(struct yaml_reader *r, const yaml_event_t *event, int line, int col)
{
	struct yaml_node *node = yaml_node_new(r, YAML_SCALAR, line, col);
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
refuse_tag(struct yaml_reader *r, const yaml_char_t *tag, int line, int col)
{
	if (tag)
		yaml_complain(r->c, line, col,
			      "tags are not supported: '%s'; what a value is "
			      "follows from its key",
			      (const char *)tag);
}

/* Consumes the event.  NULL ends the parse; the complaint has been made. */
static struct yaml_node *
read_node(struct yaml_reader *r, yaml_event_t *event, int depth)
{
	int line = yaml_parts_line(event->start_mark);
	int col = yaml_parts_col(event->start_mark);
	struct yaml_node *node = NULL;
	const yaml_char_t *anchor = NULL;
	int rc = 0;

	if (depth > YAML_MAX_DEPTH) {
		yaml_complain(r->c, line, col, "nested deeper than %d",
			      YAML_MAX_DEPTH);
	} else if (event->type == YAML_ALIAS_EVENT) {
		node = yaml_anchor_read(r, event, depth);
	} else if (event->type == YAML_SCALAR_EVENT) {
		refuse_tag(r, event->data.scalar.tag, line, col);
		anchor = event->data.scalar.anchor;
		node = read_scalar(r, event, line, col);
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		refuse_tag(r, event->data.sequence_start.tag, line, col);
		anchor = event->data.sequence_start.anchor;
		node = yaml_node_new(r, YAML_LIST, line, col);
		rc = node ? read_children(r, node, depth) : -1;
	} else {
		refuse_tag(r, event->data.mapping_start.tag, line, col);
		anchor = event->data.mapping_start.anchor;
		node = yaml_node_new(r, YAML_MAP, line, col);
		rc = node ? read_children(r, node, depth) : -1;
		if (rc == 0)
			yaml_keys_check(r, node);
	}
	if (node && rc == 0)
		rc = yaml_anchor_add(r, (const char *)anchor, node);
	yaml_event_delete(event);
	if (rc) {
		yaml_node_free(node);
		return NULL;
	}
	return node;
}

/* Skip to the first node: stream start, document start. */
static struct yaml_node *
read_document(struct yaml_reader *r)
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
		yaml_complain(r->c, yaml_parts_line(event.start_mark),
			      yaml_parts_col(event.start_mark),
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
	struct yaml_reader r = {.c = c,
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
