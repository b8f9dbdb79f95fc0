#include "followup/issue_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int
see(void *arg, const struct github_issue *i, struct err *err)
{
	struct issue_find *f = arg;
	struct issue_known k = {.number = i->number, .open = i->open};

	(void)err; /* an issue that is none of ours is no error */
	if (!issue_marker_read(i->body, &k.marker, NULL, NULL))
		return 0;
	k.url = mem_strdup(i->url);
	MEM_GROW(f->item, f->count, f->room);
	f->item[f->count++] = k;
	return 0;
}

int
issue_find_all(struct github *g, const char *label, struct issue_find *out,
	       struct deadline dl, struct err *err)
{
	*out = (struct issue_find){.item = NULL};
	if (github_issue_list(g, label, "all", see, out, dl, err) == 0)
		return 0;
	issue_find_done(out);
	return -1;
}

void
issue_find_done(struct issue_find *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->item[i].url);
		issue_marker_done(&f->item[i].marker);
	}
	free(f->item);
	*f = (struct issue_find){.item = NULL};
}

static bool
has_range(const struct issue_known *k, const struct issue_marker *m)
{
	return issue_marker_common(&m->range, &k->marker.range) ==
	       m->range.count;
}

/* How well it fits; 0: not at all. */
static size_t
fit(const struct issue_known *k, const struct issue_marker *m)
{
	enum { OPEN = 1000, RANGE = 10000 };
	size_t series = issue_marker_common(&m->series, &k->marker.series);
	bool range = has_range(k, m);

	if (!range && series * 2 < m->series.count)
		return 0;
	return series + (k->open ? OPEN : 1) + (range ? RANGE : 0);
}

const struct issue_known *
issue_find_match(const struct issue_find *f, const struct issue_marker *m,
		 bool *same)
{
	const struct issue_known *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < f->count; i++) {
		size_t now = fit(&f->item[i], m);

		if (now > most) {
			best = &f->item[i];
			most = now;
		}
	}
	*same = best && issue_marker_common(&m->range, &best->marker.range) > 0;
	return best;
}
