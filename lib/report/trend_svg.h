#ifndef TREND_SVG_H
#define TREND_SVG_H

#include "report/trend_thin.h"

/*
 * One series as a picture for a page, in HTML that needs no script: report.css
 * has its looks.  It is as wide as its place; text is never scaled.
 *
 * A point is <g class="p" data-value="1840" data-run="12"><title>...: its
 * number is the JSON's, data-run counts the runs of the trends.  class "u": it
 * is not used, and data-unused says why.  A week is <g class="p w"> with
 * data-least, data-median and data-most.
 */
struct trend_svg {
	const struct trend *t;
	const struct trend_series *s;
	const struct trend_thin *thin;
	struct trend_cell *cell; /* of trend_thin_cells(); owned */
	double low, high;	 /* of the axis */
};

void trend_svg_init(struct trend_svg *v, const struct trend_thin *thin,
		    const struct trend_series *s);
void trend_svg_done(struct trend_svg *v);

enum trend_svg_detail {
	TREND_SVG_POINTS, /* each with its number, commit and words on hover */
	TREND_SVG_LINE,	  /* a line without words, for a row of a table */
};
void trend_svg_draw(struct buf *out, const struct trend_svg *v,
		    enum trend_svg_detail detail);
/* Where a value is, from the top of TREND_HEIGHT. */
int trend_svg_y(const struct trend_svg *v, double value);

/* <figure>: name, value of today, state, chart, what was said of it. */
void trend_svg_figure(struct buf *out, const struct trend_svg *v);
/* "▲ worse, 3rd run" as a chip; what is as before says "unchanged". */
void trend_svg_state(struct buf *out, const struct trend_svg *v);
/* A number as JSON has it: reading it back gives the same. */
void trend_svg_number(struct buf *out, double v);

#endif
