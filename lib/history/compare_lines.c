#include "history/compare_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- their metrics ------------------------------------------------------- */

static struct compare_line *
line_for(struct compare_lines *l, const cJSON *metric, const char *name,
	 const char *subject)
{
	size_t *at = pair_map_at(&l->index, name, subject);
	struct compare_line *x;

	if (*at == 0) {
		MEM_GROW(l->item, l->count, l->room);
		l->item[l->count] = (struct compare_line){.metric = name,
							  .subject = subject};
		*at = ++l->count;
	}
	x = &l->item[*at - 1];
	/* The newest record knows best. */
	x->unit = json_str(metric, "unit", "");
	x->lower_is_better = json_bool(metric, "lower_is_better", true);
	x->deterministic = json_bool(metric, "deterministic", false);
	x->resolution = json_num(metric, "resolution", 0);
	return x;
}

static void
add_point(struct compare_line *x, size_t run, double value, const char *unused)
{
	/* A record may have a value and, broken, an unused one of that name. */
	if (x->count && x->point[x->count - 1].run == run)
		return;
	MEM_GROW(x->point, x->count, x->room);
	x->point[x->count++] = (struct compare_point){run, value, unused};
	x->latest = run;
}

struct filter {
	const char *metric, *subject;
};

static void
add_metric(struct compare_lines *l, const struct compare_view *v, size_t run,
	   const cJSON *m, const struct filter *f)
{
	const char *name = json_str(m, "name", "");
	const cJSON *x;

	if (f->metric && strcmp(f->metric, name) != 0)
		return;
	cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(m, "values"))
	{
		if (f->subject == NULL || strcmp(f->subject, x->string) == 0)
			add_point(line_for(l, m, name, x->string), run,
				  x->valuedouble, v->invalid[run]);
	}
	cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(m, "unused"))
	{
		const cJSON *value = cJSON_GetArrayItem(x, 0);
		const cJSON *why = cJSON_GetArrayItem(x, 1);

		if (f->subject == NULL || strcmp(f->subject, x->string) == 0)
			add_point(line_for(l, m, name, x->string), run,
				  value->valuedouble, why->valuestring);
	}
}

void
compare_lines_of(const struct compare_view *v, const char *metric,
		 const char *subject, struct compare_lines *out)
{
	struct filter f = {metric, subject};
	const cJSON *m;

	*out = (struct compare_lines){.count = 0};
	for (size_t i = 0; i < v->count; i++) {
		cJSON_ArrayForEach(m, json_get(v->record[i], "metrics"))
		{
			add_metric(out, v, i, m, &f);
		}
	}
}

void
compare_lines_done(struct compare_lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->item[i].point);
	free(l->item);
	pair_map_done(&l->index);
	*l = (struct compare_lines){.count = 0};
}
