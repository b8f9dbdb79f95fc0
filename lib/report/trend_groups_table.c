#include <stdlib.h>
#include <string.h>

#include "base/present.h"
#include "report/trend_groups.h"
#include "report/trend_svg.h"

enum { UNUSED_UNITS = 60 };

struct table {
	struct buf *out;
	const struct trend_thin *thin;
	const struct trend_series *s[TREND_COLUMNS_MAX];
	struct trend_cell *cell[TREND_COLUMNS_MAX];
	size_t columns;
};

static bool
is_bytes(const struct trend_series *s)
{
	return s->unit && strcmp(s->unit, "bytes") == 0;
}

static void
head(const struct table *t)
{
	buf_str(t->out, "<table class=\"values\"><thead><tr><th>run");
	for (size_t i = 0; i < t->columns; i++) {
		const struct trend_series *s = t->s[i];
		AUTO_BUF struct buf b = BUF_INIT;

		buf_str(t->out, "<th>");
		if (strcmp(s->screen, s->subject) != 0) {
			trend_text_subject(&b, s);
			present_html(t->out, b.data, 120);
			buf_str(t->out, "<br>");
		}
		present_html(t->out, s->metric, 80);
		if (s->unit && *s->unit && !is_bytes(s) &&
		    strcmp(s->unit, "count") != 0) {
			buf_str(t->out, ", ");
			present_html(t->out, s->unit, 20);
		}
	}
	buf_str(t->out, "</thead><tbody>\n");
}

/* Numbers stay numbers, for who copies them; bytes nobody can read. */
static void
number(struct buf *out, const struct trend_series *s, double v)
{
	if (is_bytes(s))
		present_value(out, v, s->unit);
	else
		trend_svg_number(out, v);
}

static void
run_cell(struct buf *out, const struct trend_series *s,
	 const struct trend_point *p)
{
	buf_str(out, p->unused ? "<td class=u" : "<td");
	if (is_bytes(s)) {
		buf_str(out, " data-v=");
		trend_svg_number(out, p->value);
	}
	buf_chr(out, '>');
	number(out, s, p->value);
	if (p->unused) {
		buf_str(out, " <small>");
		present_html(out, p->unused, UNUSED_UNITS);
		buf_str(out, "</small>");
	}
}

static void
week_cell(struct buf *out, const struct trend_series *s,
	  const struct trend_cell *c)
{
	buf_str(out, "<td>");
	if (c->used == 0)
		return;
	number(out, s, c->median);
	if (c->used == 1)
		return;
	buf_str(out, " (");
	number(out, s, c->least);
	buf_str(out, "–");
	number(out, s, c->most);
	buf_chr(out, ')');
}

static void
row_head(const struct table *t, const struct trend_slot *sl)
{
	const struct trend_run *r = &t->thin->t->run[sl->from];
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(t->out, "<tr><th>");
	if (sl->week) {
		buf_str(t->out, "week of ");
		trend_text_date(t->out, t->thin->t, sl->from);
		return;
	}
	present_date(t->out, r->at);
	buf_chr(t->out, ' ');
	present_clock(t->out, r->at);
	present_commit(&b, r->commit);
	if (b.len) {
		buf_chr(t->out, ' ');
		buf_html(t->out, b.data);
	}
}

static void
row(const struct table *t, size_t slot)
{
	const struct trend_slot *sl = &t->thin->slot[slot];
	bool any = false;

	for (size_t i = 0; i < t->columns; i++)
		any = any || t->cell[i][slot].count;
	if (!any)
		return;
	row_head(t, sl);
	for (size_t i = 0; i < t->columns; i++) {
		const struct trend_cell *c = &t->cell[i][slot];

		if (sl->week)
			week_cell(t->out, t->s[i], c);
		else if (c->count)
			run_cell(t->out, t->s[i], &t->s[i]->point[c->first]);
		else
			buf_str(t->out, "<td>");
	}
	buf_chr(t->out, '\n');
}

void
trend_groups_table(struct buf *out, const struct trend_thin *thin,
		   const struct trend_group *g, enum trend_rows rows)
{
	struct table t = {.out = out, .thin = thin};

	while (t.columns < g->count && t.columns < TREND_COLUMNS_MAX) {
		const struct trend_series *s = g->item[t.columns].s;

		t.s[t.columns] = s;
		t.cell[t.columns++] = trend_thin_cells(thin, s);
	}
	buf_str(out, "<details class=\"all\"><summary>all values</summary>"
		     "<div class=\"scroll\" tabindex=\"0\">");
	head(&t);
	for (size_t i = thin->count; i-- > 0;) {
		if (thin->slot[i].week && rows == TREND_ROWS_RUNS)
			break;
		row(&t, i);
	}
	buf_str(out, "</tbody></table>");
	if (g->count > TREND_COLUMNS_MAX)
		buf_fmt(out,
			"<p class=\"quiet\">%zu more series are not "
			"in this table</p>",
			g->count - TREND_COLUMNS_MAX);
	buf_str(out, "</div></details>\n");
	for (size_t i = 0; i < t.columns; i++)
		free(t.cell[i]);
}
