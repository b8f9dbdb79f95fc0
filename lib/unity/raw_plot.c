#include "unity/raw_plot.h"

#include <stdlib.h>

#include "base/mem.h"

enum { COLUMNS = 1200, HIGH = 200, GC_HIGH = 60, LEFT = 60, GAP = 20 };

struct column {
	uint64_t ns, gc;
};

struct plot {
	struct column *column;
	size_t columns;
	uint64_t most_ns, most_gc;
};

static void
gather(const struct raw_list *l, struct plot *p)
{
	p->columns = l->count < COLUMNS ? l->count : COLUMNS;
	p->column = mem_array(p->columns + 1, sizeof(*p->column));
	for (size_t i = 0; i < l->count; i++) {
		const struct raw_row *r = &l->row[i];
		struct column *c = &p->column[i * p->columns / l->count];

		if (r->ns > c->ns)
			c->ns = r->ns;
		if (r->gc_bytes > c->gc)
			c->gc = r->gc_bytes;
		if (r->ns > p->most_ns)
			p->most_ns = r->ns;
		if (r->gc_bytes > p->most_gc)
			p->most_gc = r->gc_bytes;
	}
}

static double
part(uint64_t v, uint64_t most, int high)
{
	return most ? (double)v / (double)most * high : 0;
}

static void
bars(const struct plot *p, bool gc, struct buf *out)
{
	int high = gc ? GC_HIGH : HIGH;
	int bottom = gc ? HIGH + GAP + GC_HIGH : HIGH;
	double wide = (double)COLUMNS / (double)(p->columns ? p->columns : 1);

	buf_fmt(out, "<path class=\"%s\" d=\"", gc ? "gc" : "time");
	for (size_t i = 0; i < p->columns; i++) {
		const struct column *c = &p->column[i];
		double h = gc ? part(c->gc, p->most_gc, high)
			      : part(c->ns, p->most_ns, high);

		if (h > 0)
			buf_fmt(out, "M%.1f %dv-%.1fh%.2fv%.1fz",
				LEFT + (double)i * wide, bottom, h, wide, h);
	}
	buf_str(out, "\"/>\n");
}

void
raw_plot_svg(const struct raw_list *l, uint64_t target_ns, struct buf *out)
{
	struct plot p = {0};

	gather(l, &p);
	buf_fmt(out,
		"<svg class=\"frames\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"frame times\">\n",
		LEFT + COLUMNS, HIGH + GAP + GC_HIGH);
	buf_fmt(out,
		"<text x=\"0\" y=\"12\">%.1f ms</text>"
		"<text x=\"0\" y=\"%d\">0 ms</text>\n",
		(double)p.most_ns / 1e6, HIGH);
	bars(&p, false, out);
	if (target_ns && target_ns < p.most_ns) {
		double y = HIGH - part(target_ns, p.most_ns, HIGH);

		buf_fmt(out, "<path class=\"target\" d=\"M%d %.1fh%d\"/>\n",
			LEFT, y, COLUMNS);
	}
	if (p.most_gc) {
		buf_fmt(out, "<text x=\"0\" y=\"%d\">", HIGH + GAP + 12);
		buf_size(out, (long long)p.most_gc);
		buf_str(out, "</text>\n");
		bars(&p, true, out);
	}
	buf_str(out, "</svg>\n");
	free(p.column);
}
