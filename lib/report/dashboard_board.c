#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/present.h"
#include "report/dashboard_parts.h"
#include "report/trend_svg.h"

enum { CHANGES_SHOWN = 40, SCREENS_SHOWN = 300, MOVES_SHOWN = 2 };

/* Less than this between two days is no word, nor is what noise does alone. */
#define MOVE_LEAST  0.02
#define MOVE_NOISES 3

/* --- what was said ------------------------------------------------------- */

struct change {
	const struct trend_series *s;
	const struct trend_mark *m;
};

struct changes {
	struct change *item;
	size_t count, room;
};

static void
change_row(struct dashboard *d, const struct trend_series *s,
	   const struct trend_mark *m)
{
	const struct trend_word *w = trend_text_word(m->kind);
	const struct trend_run *seen = &d->t->run[s->point[m->seen].run];
	const char *url = present_url(seen->url);
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(d->out,
		"<tr class=\"%s\"><td><span class=\"chip %s\">%s %s"
		"</span><td>",
		w->kind, m->kind == TREND_IMPROVEMENT ? "good" : "bad", w->sign,
		w->word);
	trend_text_change(&b, s, m);
	buf_html(d->out, b.data);
	if (m->line) {
		buf_str(d->out, "<p class=\"quiet\">");
		present_html(d->out, m->line, 300);
		buf_str(d->out, "</p>");
	}
	buf_clear(&b);
	trend_text_range(&b, d->t, s, m);
	buf_str(d->out, "<td><code>");
	buf_html(d->out, b.data);
	buf_str(d->out, "</code><td>");
	if (url) {
		buf_str(d->out, "<a rel=\"noopener noreferrer\" href=\"");
		buf_html(d->out, url);
		buf_str(d->out, "\">");
	}
	present_date(d->out, seen->at);
	buf_str(d->out, url ? "</a></tr>\n" : "</tr>\n");
}

/* What got worse, then what got better; of each the newest word first. */
static int
worse_first(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	bool xb = x->m->kind == TREND_IMPROVEMENT;
	bool yb = y->m->kind == TREND_IMPROVEMENT;
	size_t i = x->s->point[x->m->seen].run, k = y->s->point[y->m->seen].run;

	if (xb != yb)
		return xb ? 1 : -1;
	if (i != k)
		return i > k ? -1 : 1;
	return x->s < y->s ? -1 : x->s > y->s;
}

static void
collect(const struct dashboard *d, struct changes *all)
{
	for (size_t i = 0; i < d->t->count; i++) {
		const struct trend_series *s = &d->t->series[i];

		for (size_t k = 0; k < s->marks; k++) {
			const struct trend_mark *m = &s->mark[k];

			if (m->kind == TREND_SUSPECT ||
			    s->point[m->seen].run < d->thin.exact)
				continue;
			MEM_GROW(all->item, all->count, all->room);
			all->item[all->count++] = (struct change){s, m};
		}
	}
	if (all->count)
		qsort(all->item, all->count, sizeof(*all->item), worse_first);
}

static void
changes(struct dashboard *d)
{
	struct changes all = {0};

	collect(d, &all);
	if (all.count) {
		buf_fmt(d->out,
			"<section id=\"%schanges\"><h2>What changed <small>in "
			"%d days</small></h2>\n<div class=\"scroll\">"
			"<table class=\"changes\"><thead><tr><th><th>what"
			"<th>commits<th>said</tr></thead><tbody>\n",
			d->prefix, TREND_EXACT_DAYS);
		for (size_t i = 0; i < all.count && i < CHANGES_SHOWN; i++)
			change_row(d, all.item[i].s, all.item[i].m);
		buf_str(d->out, "</tbody></table></div>\n");
		if (all.count > CHANGES_SHOWN)
			buf_fmt(d->out, "<p class=\"quiet\">and %zu more</p>\n",
				all.count - CHANGES_SHOWN);
		buf_str(d->out, "</section>\n");
	}
	free(all.item);
}

/* --- the screens --------------------------------------------------------- */

static const struct column {
	const char *label;
	const char *metric[3]; /* a series' name begins with one of them */
} columns[] = {
	{"load", {"load", NULL, NULL}},
	{"stalls", {"stalls", "stall", NULL}},
	{"worst", {"worst", NULL, NULL}},
	{"memory", {"memory", NULL, NULL}},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static bool
fits(const struct column *c, const struct trend_series *s)
{
	for (size_t i = 0; i < 3 && c->metric[i]; i++) {
		if (strncasecmp(s->metric, c->metric[i],
				strlen(c->metric[i])) == 0)
			return true;
	}
	return false;
}

/* Of several ways to a screen the one that was walked last. */
static const struct trend_series *
series_of(const struct trend_group *g, const struct column *c)
{
	const struct trend_series *best = NULL;

	for (size_t i = 0; i < g->count; i++) {
		const struct trend_series *s = g->item[i].s;

		if (fits(c, s) &&
		    (!best || s->point[s->points - 1].run >
				      best->point[best->points - 1].run))
			best = s;
	}
	return best;
}

/* One that no screen has is left out. */
static bool
is_there(const struct dashboard *d, const struct column *c)
{
	for (size_t i = 0; i < d->groups.count; i++) {
		if (series_of(&d->groups.group[i], c))
			return true;
	}
	return false;
}

static void
value_cell(struct dashboard *d, const struct column *c,
	   const struct trend_series *s)
{
	const struct trend_point *p = s ? &s->point[s->points - 1] : NULL;
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(d->out, "<td class=\"n\" data-label=\"%s\">", c->label);
	if (!p)
		return;
	present_value(&b, p->value, s->unit);
	buf_html(d->out, b.data);
	if (p->unused) {
		buf_str(d->out, "<small class=\"out\">○ ");
		present_html(d->out, p->unused, 60);
		buf_str(d->out, "</small>");
	}
}

/* Today beside the valid run before: its share, and whether that is worse. */
static bool
move_of(const struct dashboard *d, const struct trend_series *s, double *share)
{
	size_t now = trend_used_before(s, s->points), before;
	const struct trend_level *l = trend_level_of(s, s->points - 1);
	double by;

	if (now == SIZE_MAX || s->point[now].run + 1 != d->t->runs)
		return false;
	before = trend_used_before(s, now);
	if (before == SIZE_MAX || !(fabs(s->point[before].value) > 0))
		return false;
	by = s->point[now].value - s->point[before].value;
	if (l && fabs(by) < MOVE_NOISES * l->noise)
		return false;
	*share = by / fabs(s->point[before].value);
	return fabs(*share) >= MOVE_LEAST && isfinite(*share);
}

struct move {
	const struct trend_item *item;
	double share;
};

static void
moves(struct dashboard *d, const struct trend_group *g)
{
	struct move most[MOVES_SHOWN + 1];
	size_t n = 0, at;
	double share;

	buf_str(d->out,
		"<td class=\"moves\" data-label=\"vs last valid day\">");
	for (size_t i = 0; i < g->count; i++) {
		if (!move_of(d, g->item[i].s, &share))
			continue;
		for (at = n; at > 0 && fabs(most[at - 1].share) < fabs(share);
		     at--)
			most[at] = most[at - 1];
		most[at] = (struct move){&g->item[i], share};
		if (n < MOVES_SHOWN)
			n++;
	}
	for (size_t i = 0; i < n; i++) {
		const struct trend_series *s = most[i].item->s;
		bool worse = (most[i].share > 0) == s->lower_is_better;

		buf_fmt(d->out, "<span class=\"%s\">%s ", worse ? "up" : "down",
			worse ? "▲" : "✓");
		present_html(d->out, s->metric, 40);
		buf_fmt(d->out, " %+.0f %%</span> ", most[i].share * 100);
	}
	if (n == 0)
		buf_str(d->out, "<span class=\"quiet\">as before</span>");
}

static void
screen_row(struct dashboard *d, size_t index, const bool there[COLUMNS])
{
	const struct trend_group *g = &d->groups.group[index];
	const struct trend_series *s = g->item[0].s;
	const struct trend_series *load = series_of(g, &columns[0]);
	struct trend_svg v;

	trend_svg_init(&v, &d->thin, g->loud || !load ? s : load);
	buf_fmt(d->out, "<tr><th scope=\"row\"><a href=\"#%ss%zu\">", d->prefix,
		index);
	present_html(d->out, *g->screen ? g->screen : "the whole run", 80);
	buf_str(d->out, "</a> ");
	if (g->loud)
		trend_svg_state(d->out, &v);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (there[i])
			value_cell(d, &columns[i], series_of(g, &columns[i]));
	}
	moves(d, g);
	buf_str(d->out, "<td class=\"trendcell\" data-label=\"trend\">");
	trend_svg_draw(d->out, &v, TREND_SVG_LINE);
	buf_str(d->out, "<small>");
	present_html(d->out, v.s->metric, 40);
	buf_str(d->out, "</small></tr>\n");
	trend_svg_done(&v);
}

void
dashboard_board_write(struct dashboard *d)
{
	size_t n = d->groups.count;
	size_t most =
		d->cut >= DASHBOARD_LEAST ? SCREENS_SHOWN / 3 : SCREENS_SHOWN;
	bool there[COLUMNS];

	changes(d);
	if (n == 0 || (d->cut == DASHBOARD_ONE_KEY && d->key))
		return;
	buf_fmt(d->out,
		"<section id=\"%sscreens\"><h2>Screens <small>the last run "
		"of each</small></h2>\n<table class=\"board\"><thead><tr>"
		"<th>screen",
		d->prefix);
	for (size_t i = 0; i < COLUMNS; i++) {
		there[i] = is_there(d, &columns[i]);
		if (there[i])
			buf_fmt(d->out, "<th class=\"n\">%s", columns[i].label);
	}
	buf_str(d->out, "<th>vs last valid day<th>trend</tr></thead>"
			"<tbody>\n");
	for (size_t i = 0; i < n && i < most; i++)
		screen_row(d, i, there);
	buf_str(d->out, "</tbody></table>\n");
	if (n > most)
		buf_fmt(d->out, "<p class=\"quiet\">and %zu more</p>\n",
			n - most);
	buf_str(d->out, "</section>\n");
}
