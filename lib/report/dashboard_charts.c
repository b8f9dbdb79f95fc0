#include <string.h>

#include "base/present.h"
#include "report/dashboard_parts.h"
#include "report/trend_svg.h"

enum {
	CHARTS_CHANGED = 400,
	CHARTS_LEAST = 30,
	SCREENS_SHOWN = 300,
	SERIES_LEAST = 600,
	RUNS_SHOWN = 200,
};

/* --- a screen ------------------------------------------------------------ */

static void
figure(struct dashboard *d, const struct trend_svg *v)
{
	size_t most = d->cut >= DASHBOARD_LEAST ? CHARTS_LEAST : CHARTS_CHANGED;

	if (d->cut == DASHBOARD_ALL || d->charts < most)
		trend_svg_figure(d->out, v);
	d->charts++;
}

static void
loud(struct dashboard *d, const struct trend_group *g)
{
	buf_str(d->out, "<div class=\"trends\">");
	for (size_t i = 0; i < g->loud; i++) {
		struct trend_svg v;

		trend_svg_init(&v, &d->thin, g->item[i].s);
		figure(d, &v);
		trend_svg_done(&v);
	}
	buf_str(d->out, "</div>\n");
}

/* "load  home › shop  1.84 s  (median ± noise)  ~~~~" */
static void
line(struct dashboard *d, const struct trend_svg *v)
{
	const struct trend_series *s = v->s;
	const struct trend_level *l = trend_level_of(s, s->points - 1);
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(d->out, "<b>");
	present_html(d->out, s->metric, 80);
	buf_str(d->out, "</b><span class=\"subject\">");
	if (strcmp(s->screen, s->subject) != 0) {
		trend_text_subject(&b, s);
		present_html(d->out, b.data, 120);
		buf_clear(&b);
	}
	present_value(&b, s->point[s->points - 1].value, s->unit);
	buf_str(d->out, "</span><span class=\"now\">");
	buf_html(d->out, b.data);
	buf_str(d->out, "</span><small>");
	buf_clear(&b);
	if (l) {
		present_value(&b, l->median, s->unit);
		buf_str(&b, " ± ");
		present_value(&b, l->noise, s->unit);
		buf_html(d->out, b.data);
	}
	buf_str(d->out, "</small>");
	trend_svg_draw(d->out, v, TREND_SVG_LINE);
}

/* With its chart inside, when there is room for all of them. */
static void
quiet(struct dashboard *d, const struct trend_group *g)
{
	bool charts = d->cut == DASHBOARD_ALL;

	buf_fmt(d->out,
		"<details class=\"quietlist\"%s><summary>%zu without a change"
		"</summary>",
		g->loud ? "" : " open", g->count - g->loud);
	for (size_t i = g->loud; i < g->count; i++) {
		struct trend_svg v;

		trend_svg_init(&v, &d->thin, g->item[i].s);
		buf_str(d->out, charts ? "<details><summary class=\"row\">"
				       : "<div class=\"row\">");
		line(d, &v);
		buf_str(d->out, charts ? "</summary>" : "</div>\n");
		if (charts) {
			figure(d, &v);
			buf_str(d->out, "</details>\n");
		}
		trend_svg_done(&v);
	}
	buf_str(d->out, "</details>\n");
}

static void
screen(struct dashboard *d, size_t index)
{
	const struct trend_group *g = &d->groups.group[index];

	buf_fmt(d->out, "<section id=\"%ss%zu\"><h2>", d->prefix, index);
	present_html(d->out, *g->screen ? g->screen : "the whole run", 80);
	buf_str(d->out, "</h2>\n");
	if (g->loud)
		loud(d, g);
	if (g->count > g->loud)
		quiet(d, g);
	if (d->cut < DASHBOARD_CHANGED_TABLES ||
	    (d->cut == DASHBOARD_CHANGED_TABLES && g->loud))
		trend_groups_table(d->out, &d->thin, g,
				   d->cut < DASHBOARD_NO_WEEKS
					   ? TREND_ROWS_WEEKS
					   : TREND_ROWS_RUNS);
	buf_str(d->out, "</section>\n");
}

/* --- the runs ------------------------------------------------------------ */

static void
run_row(struct dashboard *d, const struct trend_run *r)
{
	const char *url = present_url(r->url);
	AUTO_BUF struct buf commit = BUF_INIT;

	present_commit(&commit, r->commit);
	buf_str(d->out, "<tr><td>");
	present_date(d->out, r->at);
	buf_chr(d->out, ' ');
	present_clock(d->out, r->at);
	buf_str(d->out, "<td>");
	if (url) {
		buf_str(d->out, "<a rel=\"noopener noreferrer\" href=\"");
		buf_html(d->out, url);
		buf_str(d->out, "\">");
	}
	present_html(d->out, r->run_id ? r->run_id : "report", 24);
	buf_str(d->out, url ? "</a><td><code>" : "<td><code>");
	buf_html(d->out, commit.data);
	buf_fmt(d->out, "</code><td>%s<td>",
		r->measured ? "■ measured" : "□ not measured");
	if (r->invalid) {
		buf_str(d->out, "not compared: ");
		present_html(d->out, r->invalid, 60);
		buf_str(d->out, ". ");
	}
	if (r->baseline) {
		present_html(d->out, r->baseline, 200);
		buf_str(d->out, ". ");
	}
	present_html(d->out, r->message, 300);
	buf_str(d->out, "</tr>\n");
}

static void
runs(struct dashboard *d)
{
	size_t shown = 0;

	buf_fmt(d->out,
		"<section id=\"%sruns\"><details><summary>The runs</summary>"
		"<div class=\"scroll\" tabindex=\"0\"><table class=\"runs\">"
		"<thead><tr><th>when<th>run<th>commit<th><th></tr></thead>"
		"<tbody>\n",
		d->prefix);
	for (size_t i = d->t->runs; i-- > d->thin.exact;) {
		if (shown++ == RUNS_SHOWN)
			break;
		run_row(d, &d->t->run[i]);
	}
	buf_str(d->out, "</tbody></table></div></details>\n");
}

static const char *
left_out(enum dashboard_cut cut)
{
	switch (cut) {
	case DASHBOARD_ALL:
		break;
	case DASHBOARD_CHANGED_CHARTS:
		return " What is as it was is a line and numbers in the table: "
		       "charts of all would make the page too large.";
	case DASHBOARD_NO_WEEKS:
		return " Charts are of what changed, and tables of the exact "
		       "runs alone: more would make the page too large.";
	case DASHBOARD_CHANGED_TABLES:
		return " Charts and tables are of screens that changed alone: "
		       "more would make the page too large.";
	case DASHBOARD_LEAST:
	case DASHBOARD_ONE_KEY:
	case DASHBOARD_CUTS:
		return " There are too many series for a page: some are not "
		       "shown.";
	}
	return "";
}

static void
foot(struct dashboard *d)
{
	buf_fmt(d->out,
		"<p class=\"quiet\">A band is a level: its median and the "
		"noise "
		"of one run. Hollow points are not used; each says why. "
		"The last %d days are exact (%d runs at most); before them "
		"each week has its least, median and most, for up to %d "
		"weeks.%s</p></section>\n",
		TREND_EXACT_DAYS, TREND_EXACT_RUNS, TREND_WEEKS,
		left_out(d->cut));
}

void
dashboard_charts_write(struct dashboard *d)
{
	size_t series = 0;

	if (d->cut == DASHBOARD_ONE_KEY && d->key) {
		buf_str(d->out,
			"<p class=\"quiet\">The pictures of all would make the "
			"page too large: <code>patrol history report</code> "
			"draws these with --title, --device and so on.</p>\n");
		return;
	}
	for (size_t i = 0; i < d->groups.count && i < SCREENS_SHOWN; i++) {
		series += d->groups.group[i].count;
		if (d->cut >= DASHBOARD_LEAST && series > SERIES_LEAST)
			break;
		screen(d, i);
	}
	runs(d);
	foot(d);
}
