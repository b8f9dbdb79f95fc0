#include <string.h>

#include "base/present.h"
#include "report/trend_svg.h"

enum { TEXT_UNITS = 300, LINES_SHOWN = 3, TICKS = 4 };

/* --- marks --------------------------------------------------------------- */

static void
mark_words(struct buf *out, const struct trend_svg *v,
	   const struct trend_mark *m)
{
	buf_str(out, trend_text_word(m->kind)->kind);
	buf_str(out, m->kind == TREND_SUSPECT ? " on " : " since ");
	trend_text_date(out, v->t, v->s->point[m->point].run);
	if (m->kind != TREND_SUSPECT) {
		buf_str(out, ", said ");
		trend_text_date(out, v->t, v->s->point[m->seen].run);
	}
	if (m->line) {
		buf_str(out, ": ");
		present_line(out, m->line, TEXT_UNITS);
	}
}

/* Was it confirmed later?  Then the other sign says it. */
static bool
is_confirmed(const struct trend_svg *v, const struct trend_mark *m)
{
	for (size_t i = 0; i < v->s->marks; i++) {
		const struct trend_mark *o = &v->s->mark[i];

		if (o->kind != TREND_SUSPECT && o->point <= m->point &&
		    m->point <= o->seen)
			return true;
	}
	return false;
}

/* Signs stand above what got worse and below what got better. */
static void
mark(struct buf *out, const struct trend_svg *v, const struct trend_mark *m)
{
	const struct trend_word *w = trend_text_word(m->kind);
	size_t slot = v->thin->of_run[v->s->point[m->point].run];
	AUTO_BUF struct buf b = BUF_INIT;
	double value;

	if (slot == SIZE_MAX ||
	    (m->kind == TREND_SUSPECT &&
	     (v->thin->slot[slot].week || is_confirmed(v, m))))
		return;
	value = v->thin->slot[slot].week ? v->cell[slot].median
					 : v->s->point[m->point].value;
	mark_words(&b, v, m);
	buf_fmt(out,
		"<i class=\"m %s\" data-point=\"%zu\" style=\"left:%.1f%%;"
		"top:%.0f%%\" title=\"",
		w->kind, m->point, v->thin->slot[slot].x * 100.0 / TREND_WIDTH,
		trend_svg_y(v, value) * 100.0 / TREND_HEIGHT);
	buf_html(out, b.data);
	buf_fmt(out, "\">%s</i>", w->sign);
}

static void
marks(struct buf *out, const struct trend_svg *v)
{
	for (size_t i = 0; i < v->s->marks; i++)
		mark(out, v, &v->s->mark[i]);
}

static void
said(struct buf *out, const struct trend_svg *v, const struct trend_mark *m)
{
	AUTO_BUF struct buf b = BUF_INIT;

	mark_words(&b, v, m);
	buf_fmt(out, "<p class=\"said\"><b>%s</b> ",
		trend_text_word(m->kind)->sign);
	buf_html(out, b.data);
	buf_clear(&b);
	if (m->kind != TREND_SUSPECT)
		trend_text_range(&b, v->t, v->s, m);
	if (b.len) {
		buf_str(out, " <code>");
		buf_html(out, b.data);
		buf_str(out, "</code>");
	}
	buf_str(out, "</p>");
}

/* The last words, for those who see no signs; suspects of today alone. */
static void
lines(struct buf *out, const struct trend_svg *v)
{
	const struct trend_mark *today = trend_suspect(v->t, v->s);
	size_t shown = 0;

	if (today)
		said(out, v, today);
	for (size_t i = v->s->marks; i-- > 0 && shown < LINES_SHOWN;) {
		const struct trend_mark *m = &v->s->mark[i];

		if (m->kind == TREND_SUSPECT ||
		    v->s->point[m->seen].run < v->thin->exact)
			continue;
		said(out, v, m);
		shown++;
	}
}

/* --- together ------------------------------------------------------------ */

void
trend_svg_state(struct buf *out, const struct trend_svg *v)
{
	const struct trend_mark *m = trend_last_change(v->s, v->thin->recent);
	const char *tone = "warn";

	if (m == NULL)
		m = trend_suspect(v->t, v->s);
	if (m == NULL) {
		buf_str(out, "<span class=\"chip\">unchanged</span>");
		return;
	}
	if (m->kind == TREND_REGRESSION || m->kind == TREND_CREEP)
		tone = "bad";
	else if (m->kind == TREND_IMPROVEMENT)
		tone = "good";
	buf_fmt(out, "<span class=\"chip %s\">%s %s", tone,
		trend_text_word(m->kind)->sign, trend_text_word(m->kind)->word);
	if (m->kind != TREND_SUSPECT) {
		buf_str(out, ", ");
		trend_text_days(out, v->s, m);
	}
	buf_str(out, "</span>");
}

static void
caption(struct buf *out, const struct trend_svg *v)
{
	const struct trend_series *s = v->s;
	size_t last = trend_used_before(s, s->points);
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(out, "<figcaption><b>");
	present_html(out, s->metric, 80);
	buf_str(out, "</b> ");
	if (strcmp(s->screen, s->subject) != 0) {
		trend_text_subject(&b, s);
		buf_str(out, "<small>");
		present_html(out, b.data, 120);
		buf_str(out, "</small> ");
		buf_clear(&b);
	}
	if (last != SIZE_MAX) {
		present_value(&b, s->point[last].value, s->unit);
		buf_str(out, "<span class=\"now\">");
		buf_html(out, b.data);
		buf_str(out, "</span> ");
	}
	trend_svg_state(out, v);
	buf_str(out, "</figcaption>");
}

static void
axis(struct buf *out, const struct trend_svg *v)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(out, "<div class=\"y\"><span>");
	present_value(&b, v->high, v->s->unit);
	buf_html(out, b.data);
	buf_clear(&b);
	buf_str(out, "</span><span>");
	present_value(&b, v->low, v->s->unit);
	buf_html(out, b.data);
	buf_str(out, "</span></div>");
}

static void
dates(struct buf *out, const struct trend_svg *v)
{
	const struct trend_thin *th = v->thin;
	size_t last = th->count - 1, ticks = th->count < TICKS ? 1 : TICKS;

	buf_str(out, "<div class=\"x\">");
	for (size_t i = 0; i <= ticks && th->count; i++) {
		const struct trend_slot *sl = &th->slot[last * i / ticks];

		if (i > 0 && last == 0)
			break;
		buf_fmt(out, "<span style=\"left:%.1f%%\">",
			sl->x * 100.0 / TREND_WIDTH);
		trend_text_date(out, v->t, sl->from);
		buf_str(out, "</span>");
	}
	buf_str(out, "</div>");
}

void
trend_svg_figure(struct buf *out, const struct trend_svg *v)
{
	buf_str(out, "<figure class=\"trend\" data-metric=\"");
	present_html(out, v->s->metric, 200);
	buf_str(out, "\" data-subject=\"");
	present_html(out, v->s->subject, 400);
	buf_str(out, "\">");
	caption(out, v);
	buf_str(out, "<div class=\"plot\">");
	axis(out, v);
	buf_str(out, "<div class=\"area\">");
	trend_svg_draw(out, v, TREND_SVG_POINTS);
	marks(out, v);
	buf_str(out, "</div>");
	if (v->thin->count)
		dates(out, v);
	buf_str(out, "</div>");
	lines(out, v);
	buf_str(out, "</figure>\n");
}
