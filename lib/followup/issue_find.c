#include "followup/issue_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LOST_LOOK = 50 }; /* one request */

static void
add(struct issue_find *f, const struct github_issue *i)
{
	struct issue_known k = {.number = i->number, .open = i->open};

	if (!issue_marker_read(i->body, &k.marker, NULL, NULL))
		return; /* none of ours */
	k.url = mem_strdup(i->url);
	MEM_GROW(f->item, f->count, f->room);
	f->item[f->count++] = k;
}

static int
see(void *arg, const struct github_issue *i, struct err *err)
{
	struct issue_find *f = arg;

	(void)err; /* an issue that is none of ours is no error */
	if (i->number <= f->newest)
		return 1;
	if (i->number > f->coming)
		f->coming = i->number;
	add(f, i);
	return 0;
}

int
issue_find_more(struct github *g, const char *label, struct issue_find *f,
		struct deadline dl, struct err *err)
{
	if (github_issue_list(g, label, "all", see, f, dl, err))
		return -1;
	f->newest = f->coming;
	return 0;
}

struct lost {
	const char *label;
	struct issue_find *found;
	int left;
};

static int
see_lost(void *arg, const struct github_issue *i, struct err *err)
{
	struct lost *l = arg;

	(void)err; /* as above */
	if (!github_issue_has_label(i, l->label))
		add(l->found, i);
	return --l->left == 0;
}

int
issue_find_lost(struct github *g, const char *label, struct issue_find *out,
		struct deadline dl, struct err *err)
{
	struct lost l = {label, out, LOST_LOOK};

	*out = (struct issue_find){.item = NULL};
	return github_issue_list(g, NULL, "open", see_lost, &l, dl, err);
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

		/* Of equals the first, so that all runs agree on it. */
		if (now > most ||
		    (now && now == most && f->item[i].number < best->number)) {
			best = &f->item[i];
			most = now;
		}
	}
	*same = best && issue_marker_common(&m->range, &best->marker.range) > 0;
	return best;
}
