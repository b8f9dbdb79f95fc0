#include "report/trend_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/present.h"

enum { TEXT_UNITS = 300, LEVELS_DRAWN = 12 };

/* A chart of less than this share of its middle would magnify noise. */
#define SPAN_LEAST 0.08
#define EDGE	   0.03

void
trend_svg_number(struct buf *out, double v)
{
	char text[32];
	double back;

	/* Most are, and to read it back takes longest. */
	if (fabs(v) < 1e15 && v == trunc(v)) {
		buf_fmt(out, "%lld", (long long)v);
		return;
	}
	(void)snprintf(text, sizeof(text), "%.15g", v);
	if (sscanf(text, "%lf", &back) != 1 || back < v || back > v)
		(void)snprintf(text, sizeof(text), "%.17g", v);
	buf_str(out, text);
}

/* --- the scale ----------------------------------------------------------- */

struct range {
	double low, high;
	bool any;
};

static void
widen(struct range *r, double v)
{
	if (!r->any || v < r->low)
		r->low = v;
	if (!r->any || v > r->high)
		r->high = v;
	r->any = true;
}

/* What is used, and the band of today; a wild value that is not used is cut. */
static struct range
range_of(const struct trend_svg *v)
{
	const struct trend_series *s = v->s;
	const struct trend_level *l =
		s->levels ? &s->level[s->levels - 1] : NULL;
	struct range r = {0};

	for (size_t i = 0; i < v->thin->count; i++) {
		if (v->cell[i].used) {
			widen(&r, v->cell[i].least);
			widen(&r, v->cell[i].most);
		}
	}
	if (l) {
		widen(&r, l->median - l->noise);
		widen(&r, l->median + l->noise);
	}
	for (size_t i = 0; i < s->points && !r.any; i++)
		widen(&r, s->point[i].value);
	return r;
}

void
trend_svg_init(struct trend_svg *v, const struct trend_thin *thin,
	       const struct trend_series *s)
{
	struct range r;
	double middle, least;

	*v = (struct trend_svg){.t = thin->t, .s = s, .thin = thin};
	v->cell = trend_thin_cells(thin, s);
	r = range_of(v);
	/* Halves, so that the largest numbers stay finite. */
	middle = r.low / 2 + r.high / 2;
	least = fabs(middle) * SPAN_LEAST / 2;
	if (least < 1e-9)
		least = 0.5;
	v->low = r.low - (r.high / 2 - r.low / 2) * 0.1;
	v->high = r.high + (r.high / 2 - r.low / 2) * 0.1;
	if (middle - v->low < least) {
		v->low = middle - least;
		v->high = middle + least;
	}
	/* Nothing is below nothing. */
	if (r.low >= 0 && v->low < 0)
		v->low = 0;
}

void
trend_svg_done(struct trend_svg *v)
{
	free(v->cell);
	*v = (struct trend_svg){.t = NULL};
}

int
trend_svg_y(const struct trend_svg *v, double value)
{
	double share = (value / 2 - v->low / 2) / (v->high / 2 - v->low / 2);

	/* What is not used may lie outside; the largest numbers give none. */
	if (!(share > EDGE))
		share = EDGE;
	if (share > 1 - EDGE)
		share = 1 - EDGE;
	return (int)((1 - share) * TREND_HEIGHT + 0.5);
}

/* --- lines --------------------------------------------------------------- */

/* A path of small steps: "M12 30l7-2 7 3". */
struct pen {
	struct buf *out;
	int x, y;
	bool down;
};

static void
step(struct buf *out, int n)
{
	buf_fmt(out, n < 0 ? "%d" : " %d", n);
}

static void
draw_to(struct pen *p, int x, int y)
{
	if (!p->down) {
		buf_fmt(p->out, "M%d %dl", x, y);
	} else {
		step(p->out, x - p->x);
		step(p->out, y - p->y);
	}
	p->x = x;
	p->y = y;
	p->down = true;
}

static void
lift(struct pen *p)
{
	/* A lone point is a dot. */
	if (p->down && p->out->data[p->out->len - 1] == 'l')
		buf_str(p->out, "0 0");
	p->down = false;
}

/* Does something else begin between the runs, `from` not included? */
static bool
breaks(const struct trend *t, size_t from, size_t to)
{
	for (size_t i = from + 1; i <= to; i++) {
		if (t->run[i].baseline)
			return true;
	}
	return false;
}

static size_t
run_of(const struct trend_svg *v, size_t slot)
{
	return v->s->point[v->cell[slot].first].run;
}

static void
line(struct buf *out, const struct trend_svg *v)
{
	struct pen pen = {.out = out};
	size_t last = SIZE_MAX;

	buf_str(out, "<path class=\"line\" d=\"");
	for (size_t i = 0; i < v->thin->count; i++) {
		const struct trend_cell *c = &v->cell[i];

		if (c->used == 0)
			continue;
		if (last != SIZE_MAX && breaks(v->t, last, run_of(v, i)))
			lift(&pen);
		draw_to(&pen, v->thin->slot[i].x, trend_svg_y(v, c->median));
		last = run_of(v, i);
	}
	lift(&pen);
	buf_str(out, "\"/>");
}

/* From the least to the most of each week. */
static void
weeks(struct buf *out, const struct trend_svg *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->thin->count; i++) {
		const struct trend_cell *c = &v->cell[i];
		int top, bottom;

		if (!v->thin->slot[i].week || c->used == 0)
			continue;
		top = trend_svg_y(v, c->most);
		bottom = trend_svg_y(v, c->least);
		buf_fmt(out, "%sM%d %dv%d",
			n++ ? ""
			    : "<path class=\"weeks\" "
			      "d=\"",
			v->thin->slot[i].x, top, bottom - top);
	}
	if (n)
		buf_str(out, "\"/>");
}

/* The slot of the first drawn point at or after `point`; count: none. */
static size_t
slot_from(const struct trend_svg *v, size_t point)
{
	for (size_t i = point; i < v->s->points; i++) {
		size_t slot = v->thin->of_run[v->s->point[i].run];

		if (slot != SIZE_MAX)
			return slot;
	}
	return v->thin->count;
}

static void
level_title(struct buf *out, const struct trend_svg *v,
	    const struct trend_level *l)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, "median ");
	present_value(&b, l->median, v->s->unit);
	buf_str(&b, " ± ");
	present_value(&b, l->noise, v->s->unit);
	buf_fmt(&b, " of %zu runs since ", l->to - l->from + 1);
	trend_text_date(&b, v->t, v->s->point[l->from].run);
	buf_html(out, b.data);
}

static void
levels(struct buf *out, const struct trend_svg *v, enum trend_svg_detail detail)
{
	const struct trend_series *s = v->s;
	size_t first = s->levels > LEVELS_DRAWN ? s->levels - LEVELS_DRAWN : 0;

	for (size_t i = first; i < s->levels; i++) {
		const struct trend_level *l = &s->level[i];
		size_t a = slot_from(v, l->from);
		size_t b = v->thin->of_run[s->point[l->to].run];
		int x, end, top, bottom;

		if (a == v->thin->count || b == SIZE_MAX || b < a)
			continue;
		x = v->thin->slot[a].x - v->thin->slot[a].half;
		end = v->thin->slot[b].x + v->thin->slot[b].half;
		top = trend_svg_y(v, l->median + l->noise);
		bottom = trend_svg_y(v, l->median - l->noise);
		buf_fmt(out, "<path class=\"band\" d=\"M%d %dH%dV%dH%dz\">", x,
			top, end, bottom > top ? bottom : top + 1, x);
		if (detail == TREND_SVG_POINTS) {
			buf_str(out, "<title>");
			level_title(out, v, l);
			buf_str(out, "</title>");
		}
		buf_fmt(out, "</path><path class=\"median\" d=\"M%d %dH%d\"/>",
			x, trend_svg_y(v, l->median), end);
	}
}

/* --- points -------------------------------------------------------------- */

static void
week_point(struct buf *out, const struct trend_svg *v, size_t slot)
{
	const struct trend_cell *c = &v->cell[slot];
	const struct trend_slot *sl = &v->thin->slot[slot];
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(out, "<g class=\"p w\" data-least=\"");
	trend_svg_number(out, c->least);
	buf_str(out, "\" data-median=\"");
	trend_svg_number(out, c->median);
	buf_str(out, "\" data-most=\"");
	trend_svg_number(out, c->most);
	buf_str(&b, "week of ");
	trend_text_date(&b, v->t, sl->from);
	buf_fmt(&b, ", %zu run%s: ", c->used, c->used == 1 ? "" : "s");
	present_value(&b, c->median, v->s->unit);
	buf_str(&b, ", ");
	present_range(&b, c->least, c->most, v->s->unit);
	buf_str(out, "\"><title>");
	buf_html(out, b.data);
	buf_fmt(out, "</title><path d=\"M%d 0v%d\"/></g>", sl->x, TREND_HEIGHT);
}

static void
run_point(struct buf *out, const struct trend_svg *v, size_t slot)
{
	const struct trend_point *p = &v->s->point[v->cell[slot].first];
	int x = v->thin->slot[slot].x, y = trend_svg_y(v, p->value);
	AUTO_BUF struct buf b = BUF_INIT;

	present_value(&b, p->value, v->s->unit);
	buf_str(&b, " · ");
	trend_text_run(&b, &v->t->run[p->run]);
	buf_fmt(out, "<g class=\"p%s\" data-run=\"%zu\" data-value=\"",
		p->unused ? " u" : "", p->run);
	trend_svg_number(out, p->value);
	if (p->unused) {
		buf_str(&b, " · not used: ");
		present_line(&b, p->unused, TEXT_UNITS);
		buf_str(out, "\" data-unused=\"");
		present_html(out, p->unused, TEXT_UNITS);
	}
	buf_str(out, "\"><title>");
	buf_html(out, b.data);
	buf_fmt(out, "</title><path d=\"M%d 0v%d\"/><path d=\"M%d %dh0\"/>", x,
		TREND_HEIGHT, x, y);
	/* Hollow: its middle is the ground's. */
	if (p->unused)
		buf_fmt(out, "<path d=\"M%d %dh0\"/>", x, y);
	buf_str(out, "</g>");
}

static void
points(struct buf *out, const struct trend_svg *v)
{
	for (size_t i = 0; i < v->thin->count; i++) {
		if (v->cell[i].count == 0)
			continue;
		if (!v->thin->slot[i].week)
			run_point(out, v, i);
		else if (v->cell[i].used)
			week_point(out, v, i);
	}
}

/* Where a new baseline began: the values on its two sides do not compare. */
static void
baselines(struct buf *out, const struct trend_svg *v)
{
	for (size_t i = 1; i < v->t->runs; i++) {
		size_t slot = v->thin->of_run[i];

		if (!v->t->run[i].baseline || slot == SIZE_MAX || slot == 0)
			continue;
		buf_fmt(out, "<g class=\"new\"><title>");
		trend_text_date(out, v->t, i);
		buf_str(out, ": ");
		present_html(out, v->t->run[i].baseline, TEXT_UNITS);
		buf_fmt(out, "</title><path d=\"M%d 0v%d\"/></g>",
			v->thin->slot[slot].x - v->thin->slot[slot].half,
			TREND_HEIGHT);
	}
}

/* --- together ------------------------------------------------------------ */

void
trend_svg_draw(struct buf *out, const struct trend_svg *v,
	       enum trend_svg_detail detail)
{
	bool all = detail == TREND_SVG_POINTS;
	AUTO_BUF struct buf name = BUF_INIT;

	buf_fmt(out,
		"<svg class=\"%s\" viewBox=\"0 0 %d %d\" "
		"preserveAspectRatio=\"none\"",
		all ? "chart" : "chart spark", TREND_WIDTH, TREND_HEIGHT);
	if (all) {
		trend_text_subject(&name, v->s);
		buf_str(out, " role=\"img\" aria-label=\"");
		present_html(out, v->s->metric, 80);
		buf_chr(out, ' ');
		present_html(out, name.data, 120);
		buf_fmt(out, ", %zu values\">", v->s->points);
	} else {
		buf_str(out, " aria-hidden=\"true\">");
	}
	levels(out, v, detail);
	if (all) {
		weeks(out, v);
		baselines(out, v);
	}
	line(out, v);
	if (all)
		points(out, v);
	buf_str(out, "</svg>");
}
