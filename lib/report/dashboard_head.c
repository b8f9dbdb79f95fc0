#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "base/wall.h"
#include "history/compare.h"
#include "report/dashboard_parts.h"

enum { DAY_S = 86400, DAYS = 14, TEXT_UNITS = 300 };

static int64_t
day_of(int64_t at_s)
{
	return at_s / DAY_S;
}

static const struct trend_run *
last_run(const struct dashboard *d)
{
	return d->t->runs ? &d->t->run[d->t->runs - 1] : NULL;
}

static const struct trend_run *
last_measured(const struct dashboard *d)
{
	for (size_t i = d->t->runs; i-- > 0;) {
		if (d->t->run[i].measured)
			return &d->t->run[i];
	}
	return NULL;
}

/* --- worse --------------------------------------------------------------- */

struct counts {
	size_t worse, creeps, maybe, better;
	const struct trend_item *first; /* the worst */
};

static struct counts
count(const struct dashboard *d)
{
	struct counts c = {0};

	for (size_t i = 0; i < d->groups.count; i++) {
		const struct trend_group *g = &d->groups.group[i];

		for (size_t k = 0; k < g->loud; k++) {
			const struct trend_item *it = &g->item[k];

			c.worse += it->rank == TREND_WORSE;
			c.creeps += it->rank == TREND_CREEPS;
			c.maybe += it->rank == TREND_MAYBE;
			c.better += it->rank == TREND_BETTER;
			if (it->rank >= TREND_CREEPS &&
			    (!c.first || it->rank > c.first->rank))
				c.first = it;
		}
	}
	return c;
}

static void
say_worse(struct buf *out, const struct dashboard *d, const struct counts *c)
{
	const struct trend_series *s = c->first->s;
	const struct trend_mark *m = trend_last_change(s, d->thin.recent);
	size_t more = c->worse + c->creeps - 1;

	trend_text_change(out, s, m);
	buf_str(out, m->kind == TREND_CREEP ? ", creeping, " : ", ");
	trend_text_days(out, s, m);
	if (more)
		buf_fmt(out, "; %zu more got worse", more);
	buf_chr(out, '.');
}

/* Days since something was measured; -1: never. */
static int64_t
unmeasured_days(const struct dashboard *d)
{
	const struct trend_run *r = last_measured(d);

	return r ? day_of(d->now_s) - day_of(r->at_s) : -1;
}

static void
say_unmeasured(struct buf *out, const struct dashboard *d, int64_t days)
{
	const struct trend_run *last = last_run(d), *r = last_measured(d);

	buf_str(out, "NOTHING MEASURED");
	if (days > 1)
		buf_fmt(out, " for %lld days", (long long)days);
	buf_str(out, ". ");
	if (!last) {
		buf_str(out, "There are no runs yet.");
		return;
	}
	if (last->measured) {
		buf_str(out, "No run since ");
		present_date(out, last->at);
	} else {
		present_line(out,
			     last->message   ? last->message
			     : last->outcome ? last->outcome
					     : "no reason was recorded",
			     TEXT_UNITS);
	}
	buf_chr(out, '.');
	if (r && r != last) {
		buf_str(out, " Last measured ");
		present_date(out, r->at);
		buf_chr(out, '.');
	}
}

static void
also(struct buf *out, const struct dashboard *d, const struct counts *c,
     bool measured)
{
	if (!measured && c->first) {
		buf_str(out, "Before that: ");
		say_worse(out, d, c);
		buf_chr(out, ' ');
	}
	if (c->maybe)
		buf_fmt(out, "%zu suspect, not yet confirmed. ", c->maybe);
	if (c->better)
		buf_fmt(out, "%zu got better. ", c->better);
	for (size_t i = d->thin.recent; i < d->t->runs; i++) {
		if (!d->t->run[i].baseline)
			continue;
		present_date(out, d->t->run[i].at);
		buf_str(out, ": ");
		present_line(out, d->t->run[i].baseline, TEXT_UNITS);
		buf_str(out, ". ");
	}
	if (measured && last_run(d)->invalid) {
		buf_str(out, "The last run is shown and not compared: ");
		present_line(out, last_run(d)->invalid, TEXT_UNITS);
		buf_str(out, ". ");
	}
}

/* The day before is fresh: this day's run may be still to come. */
static bool
is_measured(const struct dashboard *d)
{
	return last_run(d) && last_run(d)->measured && unmeasured_days(d) <= 1;
}

struct dashboard_state
dashboard_head_state(const struct dashboard *d)
{
	if (!is_measured(d))
		return (struct dashboard_state){"none", "□", "not measured"};
	if (count(d).first)
		return (struct dashboard_state){"bad", "▲", "worse"};
	return (struct dashboard_state){"good", "■", "fine"};
}

static void
verdict(struct dashboard *d)
{
	struct counts c = count(d);
	int64_t days = unmeasured_days(d);
	bool measured = is_measured(d);
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(d->out, "<div class=\"verdict %s\">\n<span class=\"chip %s\">",
		measured && !c.first ? "good" : "bad",
		measured && !c.first ? "good" : "bad");
	if (!measured)
		buf_str(d->out, "NOT MEASURED");
	else
		buf_str(d->out, c.first ? "WORSE" : "FINE");
	buf_str(d->out, "</span><h1>");
	if (!measured) {
		say_unmeasured(&b, d, days);
	} else if (c.first) {
		say_worse(&b, d, &c);
		buf_str(&b, " Measured.");
	} else {
		buf_fmt(&b, "Fine: measured, nothing got worse in %d days.",
			TREND_RECENT_DAYS);
	}
	buf_html(d->out, b.data);
	buf_clear(&b);
	also(&b, d, &c, measured);
	buf_str(d->out, "</h1><p>");
	buf_html(d->out, b.data);
	buf_str(d->out, "</p></div>\n");
}

/* --- the last days ------------------------------------------------------- */

struct day {
	const struct trend_run
		*run; /* the last of it that measured, else any */
	size_t index;
};

static struct day
day_at(const struct dashboard *d, int64_t number)
{
	struct day day = {.run = NULL};

	for (size_t i = d->t->runs; i-- > 0;) {
		const struct trend_run *r = &d->t->run[i];

		if (day_of(r->at_s) < number)
			break;
		if (day_of(r->at_s) == number &&
		    (!day.run || (r->measured && !day.run->measured)))
			day = (struct day){r, i};
	}
	return day;
}

/* Is it a run since which something is worse? */
static bool
is_worse(const struct dashboard *d, size_t run)
{
	for (size_t i = 0; i < d->groups.count; i++) {
		const struct trend_group *g = &d->groups.group[i];

		for (size_t k = 0; k < g->loud; k++) {
			const struct trend_series *s = g->item[k].s;
			const struct trend_mark *m;

			/* A creep is of no day. */
			if (g->item[k].rank != TREND_WORSE)
				continue;
			m = trend_last_change(s, d->thin.recent);
			if (s->point[m->point].run <= run)
				return true;
		}
	}
	return false;
}

static const struct sign {
	const char *cls, *sign, *word;
} signs[] = {
	{"good", "■", "measured"},
	{"bad", "▲", "measured, worse"},
	{"none", "□", "not measured"},
	{"gap", "·", "no run"},
};

static const struct sign *
sign_of(const struct dashboard *d, const struct day *day)
{
	if (!day->run)
		return &signs[3];
	if (!day->run->measured)
		return &signs[2];
	return &signs[is_worse(d, day->index)];
}

static void
day_title(struct buf *out, const struct day *day, const struct sign *sg,
	  const char *date)
{
	present_date(out, date);
	buf_fmt(out, ": %s", sg->word);
	if (!day->run)
		return;
	if (day->run->outcome && strcmp(day->run->outcome, "passed") != 0) {
		buf_str(out, ", ");
		present_line(out, day->run->outcome, 30);
	}
	if (day->run->message) {
		buf_str(out, ": ");
		present_line(out, day->run->message, TEXT_UNITS);
	} else if (day->run->invalid) {
		buf_str(out, ", not compared: ");
		present_line(out, day->run->invalid, TEXT_UNITS);
	}
}

static void
one_day(struct dashboard *d, int64_t number, struct buf *why)
{
	struct day day = day_at(d, number);
	const struct sign *sg = sign_of(d, &day);
	const char *url = day.run ? present_url(day.run->url) : NULL;
	AUTO_BUF struct buf date = BUF_INIT;
	AUTO_BUF struct buf title = BUF_INIT;

	wall_text(&date, number * DAY_S);
	day_title(&title, &day, sg, date.data);
	buf_fmt(d->out, "<li class=\"%s\"><%s title=\"", sg->cls,
		url ? "a" : "span");
	buf_html(d->out, title.data);
	if (url) {
		buf_str(d->out, "\" href=\"");
		buf_html(d->out, url);
		buf_str(d->out, "\" rel=\"noopener noreferrer");
	}
	buf_fmt(d->out, "\">%s<small>", sg->sign);
	buf_fmt(d->out, "%.2s", date.data + 8);
	buf_fmt(d->out, "</small></%s></li>", url ? "a" : "span");
	if (sg == &signs[2] || (day.run && !day.run->valid)) {
		buf_str(why, "<li>");
		buf_html(why, title.data);
		buf_str(why, "</li>");
	}
}

static void
days(struct dashboard *d)
{
	int64_t last = day_of(d->now_s);
	AUTO_BUF struct buf why = BUF_INIT;

	buf_fmt(d->out, "<ol class=\"strip\" aria-label=\"the last %d days\">",
		DAYS);
	for (int64_t n = last - DAYS + 1; n <= last; n++)
		one_day(d, n, &why);
	buf_str(d->out, "</ol>\n<p class=\"quiet\">");
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		buf_fmt(d->out, "<span class=\"sign\">%s %s</span> ",
			signs[i].sign, signs[i].word);
	buf_str(d->out, "</p>\n");
	if (why.len) {
		buf_str(d->out, "<details><summary>why some days are not "
				"compared</summary><ul>");
		buf_str(d->out, why.data);
		buf_str(d->out, "</ul></details>\n");
	}
}

/* "Starfall: Pixel 6 (1A2B), OS 14, Unity 6000.0, route 9f3c · 34 runs" */
static void
eyebrow(struct dashboard *d)
{
	AUTO_BUF struct buf b = BUF_INIT;

	compare_key(&b, d->t->json);
	buf_fmt(&b, "%s%zu runs", b.len ? " · " : "", d->t->runs);
	if (last_run(d)) {
		buf_str(&b, ", the last ");
		trend_text_run(&b, last_run(d));
	}
	buf_str(d->out, "<p class=\"eyebrow\">");
	buf_html(d->out, b.data);
	buf_str(d->out, "</p>\n");
}

void
dashboard_head_write(struct dashboard *d)
{
	buf_fmt(d->out, "<header id=\"%shead\">\n", d->prefix);
	eyebrow(d);
	verdict(d);
	days(d);
	buf_str(d->out, "</header>\n");
}
