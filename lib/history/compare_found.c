#include "history/compare_found.h"

#include <stdlib.h>

#include "base/mem.h"

void
compare_found_of(const struct compare_line *line, struct compare_found *out)
{
	struct detect_rules rules = detect_rules();

	*out = (struct compare_found){.list = DETECT_LIST_INIT};
	out->value = mem_array(line->count, sizeof(*out->value));
	out->point = mem_array(line->count, sizeof(*out->point));
	for (size_t i = 0; i < line->count; i++) {
		if (line->point[i].unused)
			continue;
		out->value[out->count] = line->point[i].value;
		out->point[out->count++] = i;
	}
	rules.deterministic = line->deterministic;
	rules.least = line->resolution;
	detect_series(out->value, out->count, &rules, &out->list);
}

void
compare_found_done(struct compare_found *f)
{
	free(f->value);
	free(f->point);
	detect_list_done(&f->list);
}

const char *
compare_found_kind(const struct compare_line *line,
		   const struct detect_change *c)
{
	bool worse = (c->after > c->before) == line->lower_is_better;

	switch (c->kind) {
	case DETECT_SUSPECT:
		return worse ? "suspect" : "better";
	case DETECT_CREEP:
		return worse ? "creep" : "improvement";
	case DETECT_STEP:
		break;
	}
	return worse ? "regression" : "improvement";
}
