#ifndef PLAN_READ_H
#define PLAN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/yaml.h"
#include "plan/plan.h"
#include "plan/plan_mem.h"

/*
 * From YAML to struct plan, split by topic; private to plan*.c.
 *
 * A reader complains and goes on: what it could not read keeps its default,
 * so that one load finds every fault.  The plan is thrown away when there is
 * a complaint, so half-read things need only be safe, not right.
 */
struct plan_reader {
	struct plan *plan;
	struct plan_mem *mem;
	struct yaml_complaints *c;
	const char *dir; /* of the plan file */
};

struct plan_word {
	const char *name; /* NULL ends a table */
	int value;
};

enum plan_field_type {
	PLAN_FIELD_STR,	     /* const char * */
	PLAN_FIELD_TEXT,     /* const char *, {name} checked */
	PLAN_FIELD_BOOL,     /* bool */
	PLAN_FIELD_INT,	     /* int64_t, min..max */
	PLAN_FIELD_PORT,     /* int */
	PLAN_FIELD_DURATION, /* int64_t ms, from min */
	PLAN_FIELD_SIZE,     /* int64_t bytes */
	PLAN_FIELD_WORD,     /* an enum (int) of `words` */
	PLAN_FIELD_STRINGS,  /* struct plan_strings: one or a list */
	PLAN_FIELD_PAIRS,    /* struct plan_pairs: a map of strings */
	PLAN_FIELD_CALL,     /* `read` does it */
	PLAN_FIELD_OTHER,    /* known, but read elsewhere */
};

/* One key of a map; tables end with a NULL name. */
struct plan_field {
	const char *name;
	enum plan_field_type type;
	size_t offset;
	const struct plan_word *words;
	int64_t min, max;
	void (*read)(struct plan_reader *r, const struct yaml_node *node,
		     void *into);
};

/* Complain about a node. */
void plan_read_bad(struct plan_reader *r, const struct yaml_node *node,
		   const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What a node is, for messages; long text is cut. */
const char *plan_read_shown(const struct yaml_node *node, char out[64]);
struct plan_pos plan_read_pos(const struct yaml_node *node);
/* A name that is none of a table's or of a kind of thing, with the nearest. */
void plan_read_unknown_key(struct plan_reader *r, const struct yaml_node *key,
			   const char *what, const struct plan_field *fields,
			   const struct plan_field *more);

/*
 * Read a map's fields into a struct.  `what` names it in messages.  Keys of
 * `more` (may be NULL) are known too but left alone.
 */
void plan_read_fields(struct plan_reader *r, const struct yaml_node *node,
		      const char *what, const struct plan_field *fields,
		      const struct plan_field *more, void *into);
const struct plan_field *plan_read_find(const struct plan_field *fields,
					const char *name);

/* Each complains and returns -1 when the node is not such a value. */
int plan_read_map(struct plan_reader *r, const struct yaml_node *node,
		  const char *what);
int plan_read_list(struct plan_reader *r, const struct yaml_node *node,
		   const char *what);

/* plan_read_value.c, likewise. */
int plan_read_str(struct plan_reader *r, const struct yaml_node *node,
		  const char *what, const char **out);
int plan_read_text(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, const char **out);
int plan_read_bool(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, bool *out);
int plan_read_int(struct plan_reader *r, const struct yaml_node *node,
		  const char *what, int64_t min, int64_t max, int64_t *out);
int plan_read_duration(struct plan_reader *r, const struct yaml_node *node,
		       const char *what, int64_t min_ms, int64_t *out_ms);
int plan_read_size(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, int64_t *out_bytes);
int plan_read_word(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, const struct plan_word *words, int *out);
/* A number from 0 to 1, "0.25". */
int plan_read_part(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, double *out);
/* Any value as JSON: plain true, false, null and numbers are what they say. */
const cJSON *plan_read_json(struct plan_reader *r,
			    const struct yaml_node *node);
/* The place of a byte within a scalar; exact where it stands on one line. */
void plan_read_bad_at(struct plan_reader *r, const struct yaml_node *node,
		      size_t offset, const struct err *err);

/* plan_read_file.c: JavaScript: text, or {file: path}.  `file` may be NULL: text only. */
int plan_read_js(struct plan_reader *r, const struct yaml_node *node,
		 const char *what, const char **code, const char **file);
/* A file, beside the plan or absolute; NULL after a complaint. */
const char *plan_read_path(struct plan_reader *r, const struct yaml_node *node,
			   const char *what);
/* plan_read_name.c: index of a named screen or procedure. */
int plan_read_name(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, enum plan_names kind, int *out);

/* plan_read_top.c: all that is not the graph. */
void plan_read_top(struct plan_reader *r, const struct yaml_node *root);

/* plan_read_device.c: which phone, and what when it is busy. */
void plan_read_device(struct plan_reader *r, const struct yaml_node *node,
		      void *into);

/* plan_read_pred.c */
const struct plan_pred *plan_read_pred(struct plan_reader *r,
				       const struct yaml_node *node,
				       const char *what);

/* plan_read_action.c */
/* One action out of a map; keys of `others` belong to somebody else. */
void plan_read_action(struct plan_reader *r, const struct yaml_node *node,
		      const char *path, const struct plan_field *others,
		      struct plan_action *out);
/* A list of actions, or a single one. */
void plan_read_action_list(struct plan_reader *r, const struct yaml_node *node,
			   const char *path, struct plan_actions *out);

/* plan_read_measure.c: procedures, and what measures. */
void plan_read_measure(struct plan_reader *r, const struct yaml_node *root);

/* plan_read_graph.c: the route, and all that its files below read. */
void plan_read_graph(struct plan_reader *r, const struct yaml_node *root);
/* plan_read_screen.c: their names, before anything names one. */
void plan_read_screens(struct plan_reader *r, const struct yaml_node *node);
/* plan_read_transition.c: `transitions`, and `back` of each screen. */
void plan_read_transitions(struct plan_reader *r, const struct yaml_node *root);
/* plan_read_interrupt.c */
void plan_read_interrupts(struct plan_reader *r, const struct yaml_node *node);
/* plan_read_top.c, for screens too. */
extern const struct plan_field plan_read_top_settle[];
extern const struct plan_field plan_read_top_evidence[];
extern const struct plan_word plan_read_top_snapshot[];

/* plan_check.c: what only the whole can show. */
void plan_check_whole(struct plan_reader *r);

#endif
