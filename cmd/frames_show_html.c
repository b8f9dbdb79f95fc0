#include "base/mem.h"
#include "cmd/frames_show.h"
#include "unity/raw_plot.h"

static const char style[] =
	"body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;"
	"max-width:1300px;padding:0 1em;color:#222;background:#fff}"
	"table{border-collapse:collapse;width:100%}"
	"th,td{text-align:left;padding:.3em .6em;"
	"border-bottom:1px solid #ddd;vertical-align:top}"
	".n{text-align:right;font-variant-numeric:tabular-nums}"
	"svg{width:100%;min-width:640px;height:auto}svg "
	"text{font-size:12px;fill:#666}"
	".time{fill:#2a6fb0}.gc{fill:#b0602a}"
	".target{stroke:#c33;stroke-dasharray:4;fill:none}"
	".sums{white-space:pre-line}h1{font-size:1.4em;overflow-wrap:anywhere}"
	".wide{overflow-x:auto}img{max-height:160px}"
	"@media(prefers-color-scheme:dark){body{color:#ddd;"
	"background:#181a1c}th,td{border-color:#444}}";

static void
cell(struct buf *b, const char *text)
{
	buf_str(b, "<td>");
	buf_html(b, text);
	buf_str(b, "</td>");
}

static void
row(const struct frames_view *v, size_t i, struct buf *b)
{
	const struct raw_list *l = v->list;
	const struct raw_row *r = &l->row[i];
	const struct frames_place *p = &v->marks->place[i];
	AUTO_BUF struct buf text = BUF_INIT_MAX(4096);
	AUTO_FREE char *place = frames_show_place(p);
	size_t count = 0;
	const struct raw_self_row *self =
		raw_self_of(&l->self, r->ordinal, &count);

	buf_fmt(b,
		"<tr><td class=\"n\">%u</td><td class=\"n\">%.3f</td>"
		"<td class=\"n\">%.2f</td><td class=\"n\">%.2f</td>"
		"<td class=\"n\">",
		p->original, (double)(r->start_ns - v->origin_ns) / 1e9,
		(double)r->ns / 1e6, (double)r->busy_ns / 1e6);
	if (r->has_gc)
		buf_size(b, (long long)r->gc_bytes);
	buf_str(b, "</td>");
	cell(b, place);
	for (size_t k = 0; k < count && k < 3; k++) {
		const char *name = raw_self_name(&l->self, self[k].marker);

		buf_fmt(&text, "%s%s %.2f ms", k ? ", " : "",
			name ? name : "(not defined)",
			(double)raw_format_ns(&l->scan->head, self[k].self) /
				1e6);
	}
	cell(b, text.data);
	buf_str(b, "<td>");
	if (p->screenshot) {
		buf_str(b, "<img loading=\"lazy\" alt=\"\" src=\"");
		buf_html(b, v->base);
		buf_html(b, p->screenshot);
		buf_str(b, "\">");
	}
	buf_str(b, "</td></tr>\n");
}

void
frames_show_html(const struct frames_view *v, struct buf *out)
{
	AUTO_BUF struct buf sums = BUF_INIT;

	buf_str(out, "<!doctype html>\n<html lang=\"en\">\n"
		     "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		     "content=\"width=device-width, initial-scale=1\">\n"
		     "<title>");
	buf_html(out, v->title);
	buf_fmt(out, "</title>\n<style>%s</style>\n<h1>", style);
	buf_html(out, v->title);
	buf_str(out, "</h1>\n<p class=\"sums\">");
	frames_show_sums(v, &sums);
	buf_html(out, sums.data);
	buf_str(out, "</p>\n");
	buf_str(out, "<div class=\"wide\">");
	raw_plot_svg(v->list, v->target_ns, out);
	buf_str(out, "</div>\n");
	buf_str(out, "<div class=\"wide\"><table><tr><th class=\"n\">Frame"
		     "<th class=\"n\">At, s<th class=\"n\">ms"
		     "<th class=\"n\">busy ms<th class=\"n\">allocated"
		     "<th>Where<th>Heaviest markers, time of their own"
		     "<th></tr>\n");
	for (size_t i = 0; i < v->top; i++)
		row(v, v->order[i], out);
	buf_str(out, "</table></div>\n");
}
