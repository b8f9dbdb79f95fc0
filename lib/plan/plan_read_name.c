#include "plan/plan_read.h"

#include "base/mem.h"

/* All names of one kind, for the nearest; only when there is an error. */
static const char *
nearest_name(struct plan_reader *r, enum plan_names kind, const char *word)
{
	const struct plan *p = r->plan;
	size_t n = kind == PLAN_NAMES_SCREEN ? p->screen_count
					     : p->procedure_count;
	AUTO_FREE const char **names = mem_array(n + 1, sizeof(char *));

	for (size_t i = 0; i < n; i++)
		names[i] = kind == PLAN_NAMES_SCREEN ? p->screen[i].name
						     : p->procedure[i].name;
	return yaml_nearest(word, names, n);
}

int
plan_read_name(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, enum plan_names kind, int *out)
{
	const char *near = NULL;
	char text[64];

	if (node->kind != YAML_SCALAR) {
		plan_read_bad(r, node, "%s must be a name, not %s", what,
			      plan_read_shown(node, text));
		return -1;
	}
	*out = plan_mem_name_find(r->mem, kind, node->text);
	if (*out >= 0)
		return 0;
	if (r->c->count < YAML_MAX_COMPLAINTS)
		near = nearest_name(r, kind, node->text);
	plan_read_bad(r, node, "%s: there is no %s %s%s%s%s", what,
		      kind == PLAN_NAMES_SCREEN ? "screen" : "procedure",
		      plan_read_shown(node, text),
		      near ? "; did you mean '" : "", near ? near : "",
		      near ? "'?" : "");
	return -1;
}
