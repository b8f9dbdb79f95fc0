#include <string.h>

#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

/*
 * The Profiler's frames over the run: a plot of all of them, and each kept
 * spike with where it was, what it did, and what the screen looked like.
 */
enum {
	WIDTH = 900,
	LEFT = 66,
	RIGHT = 14,
	TOP = 30,
	TIME_H = 150,
	GC_H = 56,
	GAP = 34,
	PLOT_W = WIDTH - LEFT - RIGHT,
	TIME_Y = TOP + TIME_H,
	GC_Y = TIME_Y + GAP + GC_H,
	HEIGHT = GC_Y + 24,
	SPIKES_SHOWN = 12,
	SPIKES_MARKED = 200,
	RECORDINGS_SHOWN = 20,
	WARNINGS_SHOWN = 10,
	COLUMNS_MOST = 4000,
	SIXTY_FPS_US = 16667,
};

/* What can be drawn, whatever a result says. */
#define LARGEST 1e15

struct plot {
	struct report *r;
	const cJSON *trend;
	double from_ms, to_ms;
	double most_ms, most_gc;
};

static double
within(double v, double most)
{
	return v > 0 ? v < most ? v : most : 0;
}

static double
item(const cJSON *row, int i)
{
	const cJSON *v = cJSON_GetArrayItem(row, i);
	double d = cJSON_IsNumber(v) ? v->valuedouble : 0;

	return d > 0 && d < LARGEST ? d : 0;
}

static double
x_of(const struct plot *p, double ms)
{
	double part = (ms - p->from_ms) / (p->to_ms - p->from_ms);

	return LEFT + (part < 0 ? 0 : part > 1 ? 1 : part) * PLOT_W;
}

static bool
measure_plot(struct plot *p)
{
	const cJSON *row;
	bool any = false;

	cJSON_ArrayForEach(row, p->trend)
	{
		double at = item(row, 0), ms = item(row, 1), gc = item(row, 2);

		if (!any || at < p->from_ms)
			p->from_ms = at;
		if (!any || at + ms > p->to_ms)
			p->to_ms = at + ms;
		p->most_ms = ms > p->most_ms ? ms : p->most_ms;
		p->most_gc = gc > p->most_gc ? gc : p->most_gc;
		any = true;
	}
	return any && p->to_ms > p->from_ms && p->most_ms > 0;
}

/* Bars as wide as the time until the next ones. */
static void
bars(const struct plot *p, int value, double most, int bottom, int high)
{
	const cJSON *row;
	int n = 0;

	buf_fmt(p->r->out, "<path class=\"%s\" d=\"",
		value == 1 ? "frametime" : "alloc");
	cJSON_ArrayForEach(row, p->trend)
	{
		double v = item(row, value), at = item(row, 0);
		double x = x_of(p, at), w;

		if (n++ >= COLUMNS_MOST)
			break;
		if (v <= 0)
			continue;
		w = x_of(p, row->next ? item(row->next, 0) : p->to_ms) - x;
		if (w < 1)
			w = 1;
		if (w > 6)
			w = 6;
		buf_fmt(p->r->out, "M%.1f %dv-%.1fh%.1fv%.1fz", x, bottom,
			v / most * high, w, v / most * high);
	}
	buf_str(p->r->out, "\"/>\n");
}

/* The stays on screens, behind. */
static void
bands(const struct plot *p)
{
	struct buf *out = p->r->out;
	const cJSON *s;
	int odd = 0;

	cJSON_ArrayForEach(s, json_get(p->r->result, "screens"))
	{
		double at = json_num(s, "at_ms", -1), to = p->to_ms;
		const char *name = json_str(s, "name", "");
		double x, w;

		if (at < 0 || at > LARGEST)
			continue;
		for (const cJSON *n = s->next; n; n = n->next) {
			if (json_num(n, "at_ms", -1) >= at) {
				to = json_num(n, "at_ms", -1);
				break;
			}
		}
		x = x_of(p, at);
		w = x_of(p, to) - x;
		buf_str(out, "<g><title>");
		report_parts_text_max(p->r, name, 60);
		buf_fmt(out,
			"</title><rect class=\"band%s\" x=\"%.1f\" y=\"%d\" "
			"width=\"%.1f\" height=\"%d\"/>",
			odd++ & 1 ? " odd" : "", x, TOP - 18, w,
			GC_Y - TOP + 18);
		if (w > 7.2 * (double)present_units(name) + 4) {
			buf_fmt(out,
				"<text class=\"bandname\" x=\"%.1f\" "
				"y=\"%d\">",
				x + w / 2, TOP - 5);
			report_parts_text_max(p->r, name, 30);
			buf_str(out, "</text>");
		}
		buf_str(out, "</g>\n");
	}
}

static void
rule(const struct plot *p, double ms, const char *cls)
{
	double y = TIME_Y - ms / p->most_ms * TIME_H;

	if (ms <= 0 || ms > p->most_ms)
		return;
	buf_fmt(p->r->out, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>", cls, LEFT,
		y, WIDTH - RIGHT);
	buf_fmt(p->r->out,
		"<text class=\"axis\" x=\"%d\" y=\"%.1f\">%.4g ms</text>\n",
		LEFT - 8, y + 4, ms);
}

static void
mark_spikes(const struct plot *p, const cJSON *spikes)
{
	const cJSON *s;
	int n = 0;

	cJSON_ArrayForEach(s, spikes)
	{
		double at = json_num(s, "at_ms", -1), ms = json_num(s, "ms", 0);

		if (n++ >= SPIKES_MARKED)
			break;
		if (at < 0 || !(ms > 0 && ms < LARGEST))
			continue;
		buf_fmt(p->r->out,
			"<circle class=\"%s\" cx=\"%.1f\" "
			"cy=\"%.1f\" r=\"4\"><title>",
			json_str(s, "disturbed_by", NULL) ? "ours" : "spike",
			x_of(p, at + ms / 2),
			TIME_Y - within(ms / p->most_ms, 1) * TIME_H);
		buf_fmt(p->r->out, "%.0f ms, ", ms);
		report_parts_text_max(p->r, json_str(s, "screen", "?"), 60);
		buf_str(p->r->out, "</title></circle>\n");
	}
}

static void
draw(struct plot *p, const cJSON *profiler)
{
	struct buf *out = p->r->out;

	buf_fmt(out,
		"<div class=\"scroll\"><svg class=\"phone frames\" "
		"role=\"img\" "
		"viewBox=\"0 0 %d %d\"><title>Frame times and allocations over "
		"the run</title>\n",
		WIDTH, p->most_gc > 0 ? HEIGHT : TIME_Y + 24);
	bands(p);
	buf_fmt(out, "<text class=\"axis\" x=\"%d\" y=\"%d\">0</text>",
		LEFT - 8, TIME_Y + 4);
	bars(p, 1, p->most_ms, TIME_Y, TIME_H);
	if (p->most_ms < 300)
		rule(p, SIXTY_FPS_US / 1e3, "grid");
	rule(p, json_num(profiler, "frame_time_ms", 0), "limit");
	rule(p, p->most_ms, "grid");
	mark_spikes(p, json_get(profiler, "spikes"));
	if (p->most_gc > 0) {
		bars(p, 2, p->most_gc, GC_Y, GC_H);
		buf_fmt(out,
			"<text class=\"panel\" x=\"%d\" y=\"%d\">"
			"Allocated in a frame</text>"
			"<text class=\"axis\" x=\"%d\" y=\"%d\">",
			LEFT + 6, TIME_Y + GAP - 7, LEFT - 8, GC_Y - GC_H + 4);
		buf_size(out, (long long)p->most_gc);
		buf_str(out, "</text>");
	}
	buf_fmt(out, "<text class=\"tick\" x=\"%d\" y=\"%d\">", LEFT,
		(p->most_gc > 0 ? GC_Y : TIME_Y) + 18);
	buf_duration(out, (long long)p->from_ms);
	buf_fmt(out, "</text><text class=\"tick\" x=\"%d\" y=\"%d\">",
		WIDTH - RIGHT - 14, (p->most_gc > 0 ? GC_Y : TIME_Y) + 18);
	buf_duration(out, (long long)p->to_ms);
	buf_str(out, "</text></svg></div>\n");
}

static void
time_cell(struct report *r, const cJSON *times, const char *key)
{
	double ms = json_num(times, key, -1);

	buf_str(r->out, "<td class=\"n\">");
	if (ms >= 0 && ms < LARGEST)
		buf_fmt(r->out, ms < 100 ? "%.1f ms" : "%.0f ms", ms);
}

/* One row a recording: usually there is one. */
static void
sums(struct report *r, const cJSON *recordings)
{
	const cJSON *o;
	int n = 0;

	buf_str(r->out,
		"<div class=\"scroll\"><table class=\"sums\"><thead><tr>"
		"<th>frames<th class=\"n\">kept<th class=\"n\">p50"
		"<th class=\"n\">p90<th class=\"n\">p99<th class=\"n\">worst"
		"<th class=\"n\">over 50 ms<th class=\"n\">time over 25 ms"
		"<th class=\"n\">log<th class=\"n\">kept of it"
		"</tr></thead>\n");
	cJSON_ArrayForEach(o, recordings)
	{
		const cJSON *t = json_get(o, "times");

		if (!json_bool(o, "ok", false) || n++ >= RECORDINGS_SHOWN)
			continue;
		buf_str(r->out, "<tr><td>");
		present_count(r->out, json_int(o, "frames", 0));
		buf_str(r->out, "<td class=\"n\">");
		present_count(r->out, json_int(o, "kept", 0));
		time_cell(r, t, "p50_ms");
		time_cell(r, t, "p90_ms");
		time_cell(r, t, "p99_ms");
		time_cell(r, t, "max_ms");
		buf_str(r->out, "<td class=\"n\">");
		present_count(r->out, json_int(t, "from_50_ms", 0));
		buf_fmt(r->out, "<td class=\"n\">%.1f %%<td class=\"n\">",
			100 * within(json_num(t, "share_over_25_ms", 0), 1));
		buf_size(r->out, json_int(o, "bytes_in", 0));
		buf_str(r->out, "<td class=\"n\">");
		buf_size(r->out, json_int(o, "bytes_out", 0));
		buf_str(r->out, "</tr>\n");
	}
	buf_str(r->out, "</table></div>\n");
}

/* What the filter warned of, and recordings that are none. */
static void
warnings(struct report *r, const cJSON *recordings)
{
	const cJSON *o, *w;
	int n = 0;

	cJSON_ArrayForEach(o, recordings)
	{
		const char *why = json_str(o, "message", NULL);

		if (why && n++ < WARNINGS_SHOWN) {
			buf_str(r->out, "<p class=\"why\">");
			report_parts_chip(
				r, json_bool(o, "ok", false) ? "warn" : "bad",
				json_bool(o, "ok", false) ? "ended early"
							  : "lost");
			buf_chr(r->out, ' ');
			report_parts_text(r, why);
			buf_str(r->out, "</p>\n");
		}
		cJSON_ArrayForEach(w, json_get(o, "warnings"))
		{
			if (!cJSON_IsString(w) || n++ >= WARNINGS_SHOWN)
				continue;
			buf_str(r->out, "<p class=\"why\">");
			report_parts_chip(r, "warn", "warning");
			buf_chr(r->out, ' ');
			report_parts_text(r, w->valuestring);
			buf_str(r->out, "</p>\n");
		}
	}
}

/* Each picture once: a screen has several spikes. */
static bool
shown_before(const cJSON *spikes, const cJSON *spike, const char *file)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, spikes)
	{
		if (s == spike)
			return false;
		if (strcmp(json_str(s, "screenshot", ""), file) == 0)
			return true;
	}
	return false;
}

static void
spike_row(struct report *r, const cJSON *spikes, const cJSON *s)
{
	const char *file = json_str(s, "screenshot", NULL);
	const char *from = json_str(s, "from", NULL);
	const char *marker = json_str(s, "marker.name", NULL);
	const char *thread = json_str(s, "marker.thread", NULL);
	double ms = json_num(s, "ms", 0);
	int64_t gc = json_int(s, "gc_bytes", -1);

	buf_str(r->out, "<tr><td class=\"pic\">");
	if (file && !shown_before(spikes, s, file))
		report_parts_image(r, file, json_str(s, "screen", ""));
	buf_str(r->out, "<td class=\"name\"><b>");
	if (from) {
		report_parts_text_max(r, from, 60);
		buf_str(r->out, "→");
	}
	report_parts_text_max(r, json_str(s, "screen", "before the walk"), 60);
	buf_str(r->out, "</b>");
	if (marker) {
		buf_str(r->out, "<p>");
		report_parts_text_max(r, marker, 120);
		buf_fmt(r->out, " %.0f ms",
			within(json_num(s, "marker.self_ms", 0), LARGEST));
		if (thread) {
			buf_str(r->out, " <small>");
			report_parts_text_max(r, thread, 60);
			buf_str(r->out, "</small>");
		}
		buf_str(r->out, "</p>");
	}
	buf_fmt(r->out, "<td class=\"n\" data-label=\"time\">%.0f ms",
		within(ms, LARGEST));
	buf_str(r->out, "<td class=\"n\" data-label=\"allocated\">");
	if (gc >= 0)
		buf_size(r->out, gc);
	buf_str(r->out, "<td class=\"n\" data-label=\"at\">");
	buf_duration(r->out, json_int(s, "at_ms", 0));
	buf_fmt(r->out, "<td class=\"n\" data-label=\"frame\">%lld</tr>\n",
		(long long)json_int(s, "frame", 0));
}

static void
spike_table(struct report *r, const cJSON *spikes)
{
	size_t shown = 0, ours = 0;
	const cJSON *s;

	cJSON_ArrayForEach(s, spikes)
	{
		if (json_str(s, "disturbed_by", NULL)) {
			ours++;
			continue;
		}
		if (shown++ >= SPIKES_SHOWN)
			continue;
		if (shown == 1)
			buf_str(r->out,
				"<h3>The worst of the kept frames</h3>"
				"<table class=\"screens "
				"spikes\"><thead><tr><th><th>"
				"where, and what took longest"
				"<th class=\"n\">time<th class=\"n\">allocated"
				"<th class=\"n\">at<th class=\"n\">frame</tr>"
				"</thead>\n");
		spike_row(r, spikes, s);
	}
	if (shown)
		buf_str(r->out, "</table>\n");
	report_parts_more(r, shown > SPIKES_SHOWN ? shown - SPIKES_SHOWN : 0);
	if (ours)
		buf_fmt(r->out,
			"<p class=\"quiet\">%zu kept %s the patrol's own "
			"doing (snapshots, screenshots, restarts, a new file "
			"of the log) and left out.</p>\n",
			ours, ours == 1 ? "frame is" : "frames are");
}

/* Where they are, and what shows more of them. */
static void
way_on(struct report *r, const cJSON *profiler)
{
	const char *file = json_str(profiler, "file", NULL);

	if (!file || json_int(profiler, "frames_kept", 0) <= 0)
		return;
	buf_str(r->out, "<p class=\"quiet\">All of them, with what each "
			"thread did, in this folder: <code>patrol frames ");
	report_parts_text(r, file);
	buf_str(r->out, " --marks result.json --markers</code></p>\n");
}

void
report_frames_write(struct report *r)
{
	const cJSON *profiler = json_get(r->result, "captures.profiler");
	const cJSON *recordings = json_get(profiler, "recordings");
	struct plot p = {.r = r, .trend = json_get(profiler, "trend")};
	const char *where = json_str(profiler, "filter", NULL);

	if (!cJSON_IsArray(recordings) || recordings->child == NULL)
		return;
	report_parts_open(r, "frames", "Frames",
			  where && strcmp(where, "device") == 0
				  ? "the whole log, filtered on the phone"
				  : "the whole log, filtered by patrol");
	warnings(r, recordings);
	sums(r, recordings);
	if (cJSON_IsArray(p.trend) && measure_plot(&p))
		draw(&p, profiler);
	spike_table(r, json_get(profiler, "spikes"));
	way_on(r, profiler);
	report_parts_close(r);
}
