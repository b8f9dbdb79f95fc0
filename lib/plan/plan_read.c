#include "plan/plan_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CANDIDATES = 128 };

void
plan_read_bad(struct plan_reader *r, const struct yaml_node *node,
	      const char *fmt, ...)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(4096);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&b, fmt, ap);
	va_end(ap);
	yaml_complain(r->c, node->line, node->col, "%s", b.data);
}

const char *
plan_read_shown(const struct yaml_node *node, char out[64])
{
	if (node->kind == YAML_LIST)
		return "a list";
	if (node->kind == YAML_MAP)
		return "a map";
	if (snprintf(out, 64, "'%.40s%s'", node->text,
		     strlen(node->text) > 40 ? "..." : "") < 0)
		return "text";
	return out;
}

struct plan_pos
plan_read_pos(const struct yaml_node *node)
{
	return (struct plan_pos){node->line, node->col};
}

int
plan_read_map(struct plan_reader *r, const struct yaml_node *node,
	      const char *what)
{
	char text[64];

	if (node->kind == YAML_MAP)
		return 0;
	plan_read_bad(r, node, "%s must be a map, not %s", what,
		      plan_read_shown(node, text));
	return -1;
}

int
plan_read_list(struct plan_reader *r, const struct yaml_node *node,
	       const char *what)
{
	char text[64];

	if (node->kind == YAML_LIST)
		return 0;
	plan_read_bad(r, node, "%s must be a list, not %s", what,
		      plan_read_shown(node, text));
	return -1;
}

const struct plan_field *
plan_read_find(const struct plan_field *fields, const char *name)
{
	for (; fields && fields->name; fields++) {
		if (strcmp(fields->name, name) == 0)
			return fields;
	}
	return NULL;
}

void
plan_read_unknown_key(struct plan_reader *r, const struct yaml_node *key,
		      const char *what, const struct plan_field *fields,
		      const struct plan_field *more)
{
	const char *names[MAX_CANDIDATES], *near;
	size_t n = 0;

	for (; fields && fields->name && n < MAX_CANDIDATES; fields++)
		names[n++] = fields->name;
	for (; more && more->name && n < MAX_CANDIDATES; more++)
		names[n++] = more->name;
	near = yaml_nearest(key->text, names, n);
	if (near)
		plan_read_bad(r, key,
			      "unknown key '%s' in %s; did you mean '%s'?",
			      key->text, what, near);
	else
		plan_read_bad(r, key, "unknown key '%s' in %s", key->text,
			      what);
}

static void
read_strings(struct plan_reader *r, const struct yaml_node *node,
	     const char *what, struct plan_strings *out)
{
	size_t n = node->kind == YAML_LIST ? node->count : 1;

	out->item = plan_mem_array(r->mem, n, sizeof(*out->item));
	for (size_t i = 0; i < n; i++) {
		const struct yaml_node *item =
			node->kind == YAML_LIST ? node->item[i] : node;

		if (plan_read_str(r, item, what, &out->item[out->count]) == 0)
			out->count++;
	}
}

static void
read_pairs(struct plan_reader *r, const struct yaml_node *node,
	   const char *what, struct plan_pairs *out)
{
	if (plan_read_map(r, node, what))
		return;
	out->item = plan_mem_array(r->mem, node->count, sizeof(*out->item));
	for (size_t i = 0; i < node->count; i++) {
		struct plan_pair *p = &out->item[out->count];

		p->at = (struct plan_pos){node->key[i]->line,
					  node->key[i]->col};
		p->key = plan_mem_dup(r->mem, node->key[i]->text);
		if (plan_read_text(r, node->item[i], p->key, &p->value) == 0)
			out->count++;
	}
}

static void
read_port(struct plan_reader *r, const struct yaml_node *node, const char *what,
	  int *out)
{
	int64_t n;

	if (plan_read_int(r, node, what, 1, 65535, &n) == 0)
		*out = (int)n;
}

/* Failures have been complained about; the default stays. */
static void
read_field(struct plan_reader *r, const struct yaml_node *node,
	   const struct plan_field *f, void *into)
{
	void *at = (char *)into + f->offset;

	switch (f->type) {
	case PLAN_FIELD_STR:
		(void)plan_read_str(r, node, f->name, at);
		break;
	case PLAN_FIELD_TEXT:
		(void)plan_read_text(r, node, f->name, at);
		break;
	case PLAN_FIELD_BOOL:
		(void)plan_read_bool(r, node, f->name, at);
		break;
	case PLAN_FIELD_INT:
		(void)plan_read_int(r, node, f->name, f->min, f->max, at);
		break;
	case PLAN_FIELD_PORT:
		read_port(r, node, f->name, at);
		break;
	case PLAN_FIELD_DURATION:
		(void)plan_read_duration(r, node, f->name, f->min, at);
		break;
	case PLAN_FIELD_SIZE:
		(void)plan_read_size(r, node, f->name, at);
		break;
	case PLAN_FIELD_WORD:
		(void)plan_read_word(r, node, f->name, f->words, at);
		break;
	case PLAN_FIELD_STRINGS:
		read_strings(r, node, f->name, at);
		break;
	case PLAN_FIELD_PAIRS:
		read_pairs(r, node, f->name, at);
		break;
	case PLAN_FIELD_CALL:
		f->read(r, node, at);
		break;
	case PLAN_FIELD_OTHER:
		break;
	}
}

void
plan_read_fields(struct plan_reader *r, const struct yaml_node *node,
		 const char *what, const struct plan_field *fields,
		 const struct plan_field *more, void *into)
{
	if (plan_read_map(r, node, what))
		return;
	for (size_t i = 0; i < node->count; i++) {
		const char *key = node->key[i]->text;
		const struct plan_field *f = plan_read_find(fields, key);

		if (f)
			read_field(r, node->item[i], f, into);
		else if (!plan_read_find(more, key))
			plan_read_unknown_key(r, node->key[i], what, fields,
					      more);
	}
}
