#include "history/compare_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- their metrics ------------------------------------------------------- */

enum { FIRST_SLOTS = 256 };

static uint32_t
hash_of(const char *metric, const char *subject)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (const char *p = metric; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	h = (h ^ 0xff) * 16777619u;
	for (const char *p = subject; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	return h;
}

/* Where the line is or would be; `slots` is a power of two and never full. */
static size_t *
slot_of(const struct compare_lines *l, const char *metric, const char *subject)
{
	size_t at = hash_of(metric, subject) & (l->slots - 1);

	while (l->slot[at]) {
		const struct compare_line *x = &l->item[l->slot[at] - 1];

		if (strcmp(x->subject, subject) == 0 &&
		    strcmp(x->metric, metric) == 0)
			break;
		at = (at + 1) & (l->slots - 1);
	}
	return &l->slot[at];
}

static void
grow_slots(struct compare_lines *l)
{
	if (l->slots && l->count * 2 < l->slots)
		return;
	free(l->slot);
	l->slots = l->slots ? l->slots * 2 : FIRST_SLOTS;
	l->slot = mem_array(l->slots, sizeof(*l->slot));
	for (size_t i = 0; i < l->count; i++)
		*slot_of(l, l->item[i].metric, l->item[i].subject) = i + 1;
}

static struct compare_line *
line_for(struct compare_lines *l, const cJSON *metric, const char *name,
	 const char *subject)
{
	size_t *slot;
	struct compare_line *x;

	grow_slots(l);
	slot = slot_of(l, name, subject);
	if (*slot == 0) {
		MEM_GROW(l->item, l->count, l->room);
		l->item[l->count] = (struct compare_line){.metric = name,
							  .subject = subject};
		*slot = ++l->count;
	}
	x = &l->item[*slot - 1];
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
	free(l->slot);
	*l = (struct compare_lines){.count = 0};
}
