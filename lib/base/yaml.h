#ifndef BASE_YAML_H
#define BASE_YAML_H /* libyaml's own header has YAML_H */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * A strict YAML reader on libyaml's events: one document, no tags, no merge
 * keys, no repeated keys, aliases within a budget, depth and size limited.
 * Every node knows its line and column (from 1).  Scalars stay strings; what
 * they mean is the caller's business, `plain` says whether they were quoted.
 */
enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	int line, col;
	bool plain;		 /* a scalar without quotes */
	char *text;		 /* a scalar's text, NUL-terminated, UTF-8 */
	struct yaml_node **item; /* a list's items, a map's values */
	struct yaml_node **key;	 /* a map's keys (scalars), else NULL */
	size_t count;
};

enum {
	YAML_MAX_BYTES = 16 << 20,
	YAML_MAX_DEPTH = 32,
	YAML_MAX_ALIAS_NODES = 10000,
	YAML_MAX_NODES = 2000000,
};

/*
 * Complaints about one file, at most YAML_MAX_COMPLAINTS kept, in order of
 * place.  Each is "file:line:col: text".
 */
enum { YAML_MAX_COMPLAINTS = 20 };

struct yaml_complaints {
	const char *file; /* borrowed, shown in each line */
	struct {
		int line, col;
		char *text;
	} item[YAML_MAX_COMPLAINTS];
	size_t count;
	size_t dropped; /* beyond the 20 */
};

void yaml_complaints_init(struct yaml_complaints *c, const char *file);
void yaml_complaints_done(struct yaml_complaints *c);
void yaml_complain(struct yaml_complaints *c, int line, int col,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* All lines, each with its end of line. */
void yaml_complaints_text(const struct yaml_complaints *c, struct buf *out);

/*
 * Parse `text`.  NULL when it is no YAML or breaks the limits: the complaints
 * say where.  Repeated keys, tags and merge keys are complaints too, though a
 * tree may still be returned so that more can be found (of a repeated key
 * it holds the first): the caller must look at c->count.  Free the tree with yaml_node_free().
 */
struct yaml_node *yaml_parse(const char *text, size_t len,
			     struct yaml_complaints *c);
void yaml_node_free(struct yaml_node *root);
/* libyaml exports a yaml_free() and calls it: ours must not stand in front. */
#define yaml_free yaml_node_free

/* The value of a key in a map, or NULL. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* The candidate nearest to `word` in spelling, or NULL when none is near. */
const char *yaml_nearest(const char *word, const char *const *candidates,
			 size_t count);

#endif
