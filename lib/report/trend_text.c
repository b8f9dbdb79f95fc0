#include "report/trend.h"

#include <math.h>
#include <string.h>

#include "base/present.h"

enum { NAME_UNITS = 80 };

static const struct trend_word words[] = {
	[TREND_SUSPECT] = {"suspect", "?", "suspect"},
	[TREND_REGRESSION] = {"regression", "▲", "worse"},
	[TREND_CREEP] = {"creep", "◢", "creeping"},
	[TREND_IMPROVEMENT] = {"improvement", "✓", "better"},
};

const struct trend_word *
trend_text_word(enum trend_kind kind)
{
	return &words[kind];
}

void
trend_text_subject(struct buf *out, const struct trend_series *s)
{
	const char *to = strrchr(s->subject, '>');

	if (to) {
		buf_add(out, s->subject, (size_t)(to - s->subject));
		buf_fmt(out, " › %s", to + 1);
	} else {
		buf_str(out, s->subject);
	}
}

void
trend_text_change(struct buf *out, const struct trend_series *s,
		  const struct trend_mark *m)
{
	const struct trend_level *now = trend_level_of(s, m->point);
	const struct trend_level *was = trend_level_before(s, m->point);
	size_t last = trend_used_before(s, m->point);
	double after = now ? now->median : s->point[m->point].value;
	double before = was ? was->median : after;

	if (!isnan(m->before)) {
		before = m->before;
		after = m->after;
	} else if (m->kind == TREND_SUSPECT) {
		after = s->point[m->point].value;
		before = now ? now->median : after;
	} else if (!was && last != SIZE_MAX) {
		before = s->point[last].value;
	}
	present_line(out, s->screen, NAME_UNITS);
	buf_str(out, *s->screen ? ": " : "");
	present_line(out, s->metric, NAME_UNITS);
	buf_chr(out, ' ');
	present_range(out, before, after, s->unit);
	if (before > 0)
		buf_fmt(out, " (%+.0f %%)", (after / before - 1) * 100);
}

void
trend_text_days(struct buf *out, const struct trend_series *s,
		const struct trend_mark *m)
{
	long long n = 0;

	for (size_t i = m->seen; i < s->points; i++)
		n += s->point[i].unused == NULL;
	if (n < 2) {
		buf_str(out, "new");
		return;
	}
	present_ordinal(out, n);
	buf_str(out, " day");
}

void
trend_text_date(struct buf *out, const struct trend *t, size_t run)
{
	const char *at = t->run[run].at, *last = t->run[t->runs - 1].at;

	present_date(out, at);
	if (strncmp(at, last, 5) != 0)
		buf_fmt(out, " %.4s", at);
}

void
trend_text_run(struct buf *out, const struct trend_run *r)
{
	present_date(out, r->at);
	buf_chr(out, ' ');
	present_clock(out, r->at);
	if (r->run_id) {
		buf_str(out, " · run ");
		present_line(out, r->run_id, 24);
	}
	if (r->commit) {
		buf_str(out, " · ");
		present_commit(out, r->commit);
	}
}

void
trend_text_range(struct buf *out, const struct trend *t,
		 const struct trend_series *s, const struct trend_mark *m)
{
	size_t last = trend_used_before(s, m->point);
	const char *good =
		last == SIZE_MAX ? NULL : t->run[s->point[last].run].commit;

	present_commits(out, good, t->run[s->point[m->point].run].commit);
}
