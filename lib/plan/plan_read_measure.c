#include <stddef.h>
#include <string.h>

#include "plan/plan_read.h"

enum { MAX_PROCEDURES = 1000, MAX_EXCLUDED = 16, MAX_AROUND = 1000 };

static const struct plan_word builtins[] = {
	{"unity.profiler", PLAN_UNITY_PROFILER},
	{"unity.snapshot", PLAN_UNITY_SNAPSHOT},
	{"unity.graphics_states", PLAN_UNITY_GRAPHICS_STATES},
	{"unity.nav", PLAN_UNITY_NAV},
	{NULL, 0},
};

static void
set_procedure(struct plan_reader *r, const struct yaml_node *node,
	      const char *what, struct plan_hook *out)
{
	out->at = (struct plan_pos){node->line, node->col};
	if (plan_read_name(r, node, what, PLAN_NAMES_PROCEDURE,
			   &out->procedure) == 0)
		out->kind = PLAN_HOOK_PROCEDURE;
}

/* `use: NAME`; only the built-in that fits the entry. */
static void
set_use(struct plan_reader *r, const struct yaml_node *node,
	enum plan_builtin fits, struct plan_hook *out)
{
	int v;

	out->at = (struct plan_pos){node->line, node->col};
	if (plan_read_word(r, node, "use", builtins, &v))
		return;
	if (v != (int)fits) {
		plan_read_bad(r, node,
			      "'%s' does something else; here it is "
			      "'%s'",
			      node->text, plan_builtin_name(fits));
		return;
	}
	out->kind = PLAN_HOOK_USE;
	out->use = fits;
}

/* Either `use`, or both `start` and `stop`. */
static void
read_start_stop(struct plan_reader *r, const struct yaml_node *node,
		const char *what, enum plan_builtin fits,
		struct plan_hook *start, struct plan_hook *stop)
{
	const struct yaml_node *use = yaml_get(node, "use");
	const struct yaml_node *first = yaml_get(node, "start");
	const struct yaml_node *last = yaml_get(node, "stop");

	if (use && (first || last)) {
		plan_read_bad(r, use,
			      "'use' and 'start'/'stop' in one entry; "
			      "keep one way");
	} else if (use) {
		set_use(r, use, fits, start);
		*stop = *start;
	} else if (first && last) {
		set_procedure(r, first, "start", start);
		set_procedure(r, last, "stop", stop);
	} else {
		plan_read_bad(r, node,
			      "%s needs 'use: %s', or 'start' and 'stop' with "
			      "the names of procedures",
			      what, plan_builtin_name(fits));
	}
}

/* A file of the app's, which is removed around a run: none other. */
static void
check_counter(struct plan_reader *r, const struct yaml_node *node,
	      const char *path)
{
	static const char *const folders[] = {"{files}/", "/data/data/"};
	size_t i = 0;

	while (i < 2 && strncmp(path, folders[i], strlen(folders[i])) != 0)
		i++;
	if (i < 2 && path[strlen(path) - 1] != '/' && !strstr(path, "/../"))
		return;
	plan_read_bad(r, node,
		      "'%s' is no file of the app's; it begins with "
		      "'{files}/', or with '/data/data/' and the package's "
		      "name",
		      path);
}

/* A whole raw log is what our own start makes of the app's Profiler. */
static void
check_filter(struct plan_reader *r, const struct yaml_node *node,
	     const struct plan_measure *m)
{
	static const char *const keys[] = {"exclude_threads", "segment",
					   "busy_time", "around", "gc_counter"};
	const struct yaml_node *filter = yaml_get(node, "filter");

	if (filter && m->profiler.start.kind != PLAN_HOOK_USE)
		plan_read_bad(r, filter,
			      "'filter' is for the whole log of "
			      "'use: unity.profiler'; a procedure filters "
			      "itself");
	for (size_t i = 0; !filter && i < sizeof(keys) / sizeof(*keys); i++) {
		const struct yaml_node *key = yaml_get(node, keys[i]);

		if (key)
			plan_read_bad(r, key,
				      "'%s' needs 'filter: device' or "
				      "'filter: host'",
				      keys[i]);
	}
	if (m->profiler.gc_counter)
		check_counter(r, yaml_get(node, "gc_counter"),
			      m->profiler.gc_counter);
	if (m->profiler.exclude.count > MAX_EXCLUDED)
		plan_read_bad(r, node, "more than %d exclude_threads",
			      MAX_EXCLUDED);
}

static void
read_profiler(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_word filters[] = {
		{"device", PLAN_FILTER_DEVICE},
		{"host", PLAN_FILTER_HOST},
		{NULL, 0},
	};
	static const struct plan_field fields[] = {
		{.name = "use", .type = PLAN_FIELD_OTHER},
		{.name = "start", .type = PLAN_FIELD_OTHER},
		{.name = "stop", .type = PLAN_FIELD_OTHER},
		{.name = "filter",
		 .type = PLAN_FIELD_WORD,
		 .words = filters,
		 .offset = offsetof(struct plan_measure, profiler.filter)},
		{.name = "exclude_threads",
		 .type = PLAN_FIELD_STRINGS,
		 .offset = offsetof(struct plan_measure, profiler.exclude)},
		{.name = "segment",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan_measure, profiler.segment_ms)},
		{.name = "busy_time",
		 .type = PLAN_FIELD_BOOL,
		 .offset = offsetof(struct plan_measure, profiler.busy)},
		{.name = "around",
		 .type = PLAN_FIELD_INT,
		 .max = MAX_AROUND,
		 .offset = offsetof(struct plan_measure, profiler.around)},
		{.name = "gc_counter",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_measure, profiler.gc_counter)},
		{.name = "frame_time",
		 .type = PLAN_FIELD_DURATION,
		 .offset =
			 offsetof(struct plan_measure, profiler.frame_time_ms)},
		{.name = "gc_alloc",
		 .type = PLAN_FIELD_SIZE,
		 .offset = offsetof(struct plan_measure,
				    profiler.gc_alloc_bytes)},
		{.name = "max_output",
		 .type = PLAN_FIELD_SIZE,
		 .offset = offsetof(struct plan_measure,
				    profiler.max_output_bytes)},
		{.name = NULL},
	};
	struct plan_measure *m = into;

	m->profiler.used = true;
	plan_read_fields(r, node, "profiler", fields, NULL, m);
	if (node->kind != YAML_MAP)
		return;
	read_start_stop(r, node, "profiler", PLAN_UNITY_PROFILER,
			&m->profiler.start, &m->profiler.stop);
	check_filter(r, node, m);
}

/* {use: NAME}, or the name of a procedure. */
static void
read_single(struct plan_reader *r, const struct yaml_node *node,
	    const char *what, enum plan_builtin fits, struct plan_hook *out)
{
	static const struct plan_field fields[] = {
		{.name = "use", .type = PLAN_FIELD_OTHER},
		{.name = NULL},
	};
	const struct yaml_node *use = yaml_get(node, "use");

	if (node->kind != YAML_MAP) {
		set_procedure(r, node, what, out);
		return;
	}
	plan_read_fields(r, node, what, fields, NULL, out);
	if (use)
		set_use(r, use, fits, out);
	else
		plan_read_bad(r, node,
			      "%s needs 'use: %s' or the name of a procedure",
			      what, plan_builtin_name(fits));
}

static void
read_snapshot(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_measure *m = into;

	m->snapshot.used = true;
	read_single(r, node, "snapshot", PLAN_UNITY_SNAPSHOT,
		    &m->snapshot.take);
}

static void
read_graphics_states(struct plan_reader *r, const struct yaml_node *node,
		     void *into)
{
	static const struct plan_field fields[] = {
		{.name = "use", .type = PLAN_FIELD_OTHER},
		{.name = "start", .type = PLAN_FIELD_OTHER},
		{.name = "stop", .type = PLAN_FIELD_OTHER},
		{.name = "pull",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_measure, graphics_states.pull)},
		{.name = "base", .type = PLAN_FIELD_OTHER},
		{.name = NULL},
	};
	const struct yaml_node *base = yaml_get(node, "base");
	struct plan_measure *m = into;

	m->graphics_states.used = true;
	plan_read_fields(r, node, "graphics_states", fields, NULL, m);
	if (base)
		m->graphics_states.base = plan_read_path(r, base, "base");
	if (node->kind == YAML_MAP)
		read_start_stop(
			r, node, "graphics_states", PLAN_UNITY_GRAPHICS_STATES,
			&m->graphics_states.start, &m->graphics_states.stop);
}

static void
read_metadata(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_measure *m = into;

	set_procedure(r, node, "metadata", &m->metadata);
}

static void
read_nav(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_measure *m = into;

	read_single(r, node, "nav", PLAN_UNITY_NAV, &m->nav);
}

static void
set_defaults(struct plan_measure *m)
{
	struct plan_hook *hooks[] = {
		&m->profiler.start,
		&m->profiler.stop,
		&m->snapshot.take,
		&m->graphics_states.start,
		&m->graphics_states.stop,
		&m->metadata,
		&m->nav,
	};

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		hooks[i]->procedure = -1;
	m->profiler.segment_ms = 10000;
	m->profiler.frame_time_ms = 300;
	m->profiler.gc_alloc_bytes = 2000000;
	m->profiler.max_output_bytes = 1500000000;
}

static void
read_procedures(struct plan_reader *r, const struct yaml_node *node)
{
	struct plan *p = r->plan;

	if (plan_read_map(r, node, "procedures"))
		return;
	if (node->count > MAX_PROCEDURES) {
		plan_read_bad(r, node, "more than %d procedures",
			      MAX_PROCEDURES);
		return;
	}
	p->procedure =
		plan_mem_array(r->mem, node->count, sizeof(*p->procedure));
	p->procedure_count = node->count;
	plan_mem_names(r->mem, PLAN_NAMES_PROCEDURE, node->count);
	/* All names first: procedures may call each other. */
	for (size_t i = 0; i < node->count; i++) {
		p->procedure[i].name = plan_mem_dup(r->mem, node->key[i]->text);
		p->procedure[i].at = (struct plan_pos){node->key[i]->line,
						       node->key[i]->col};
		plan_mem_name_add(r->mem, PLAN_NAMES_PROCEDURE,
				  p->procedure[i].name, (int)i);
	}
	for (size_t i = 0; i < node->count; i++) {
		const char *path = plan_mem_fmt(r->mem, "procedures.%s",
						p->procedure[i].name);

		plan_read_action_list(r, node->item[i], path,
				      &p->procedure[i].actions);
	}
}

void
plan_read_measure(struct plan_reader *r, const struct yaml_node *root)
{
	static const struct plan_field fields[] = {
		{.name = "profiler",
		 .type = PLAN_FIELD_CALL,
		 .read = read_profiler},
		{.name = "snapshot",
		 .type = PLAN_FIELD_CALL,
		 .read = read_snapshot},
		{.name = "graphics_states",
		 .type = PLAN_FIELD_CALL,
		 .read = read_graphics_states},
		{.name = "metadata",
		 .type = PLAN_FIELD_CALL,
		 .read = read_metadata},
		{.name = "nav", .type = PLAN_FIELD_CALL, .read = read_nav},
		{.name = NULL},
	};
	const struct yaml_node *procedures = yaml_get(root, "procedures");
	const struct yaml_node *measure = yaml_get(root, "measure");

	set_defaults(&r->plan->measure);
	if (procedures)
		read_procedures(r, procedures);
	if (measure)
		plan_read_fields(r, measure, "measure", fields, NULL,
				 &r->plan->measure);
}
