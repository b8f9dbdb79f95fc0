#include <string.h>

#include "base/present.h"
#include "report/report_parts.h"

/*
 * The phone over time: temperature, the app's memory, the battery, on one
 * axis of time, with the screens behind and what happened above.
 */
enum {
	WIDTH = 900,
	LEFT = 66,
	RIGHT = 14,
	TOP = 34,
	PANEL_H = 84,
	PANEL_GAP = 36,
	POINTS_MAX = 1000,
	PLOT_W = WIDTH - LEFT - RIGHT,
};

struct panel {
	const char *key, *label, *cls;
	const char *unit; /* NULL: bytes */
	double least;	  /* span of the axis at least */
	int top;
	double low, high;
};

struct chart {
	struct report *r;
	const cJSON *samples;
	double from_ms, to_ms;
	int height;
};

/* A value of a sample within what can be drawn; MISSING: none. */
#define LARGEST 1e15
#define MISSING (-1e18)

static double
value_of(const cJSON *sample, const char *key)
{
	double v = json_num(sample, key, MISSING);

	if (!(v < LARGEST && v > -LARGEST))
		return v > 0 ? LARGEST : MISSING;
	return v;
}

static double
time_of(const cJSON *sample)
{
	double ms = value_of(sample, "at_ms");

	return ms < 0 ? 0 : ms;
}

static double
x_of(const struct chart *c, double ms)
{
	double span = c->to_ms - c->from_ms;

	if (ms < c->from_ms)
		ms = c->from_ms;
	if (ms > c->to_ms)
		ms = c->to_ms;
	return LEFT + (span > 0 ? (ms - c->from_ms) / span : 0) * PLOT_W;
}

static double
y_of(const struct panel *p, double v)
{
	return p->top + PANEL_H - (v - p->low) / (p->high - p->low) * PANEL_H;
}

/* False when no sample has this value. */
static bool
range(const struct chart *c, struct panel *p)
{
	const cJSON *s;
	bool any = false;
	double middle;

	cJSON_ArrayForEach(s, c->samples)
	{
		double v = value_of(s, p->key);

		if (v <= MISSING)
			continue;
		if (!any || v < p->low)
			p->low = v;
		if (!any || v > p->high)
			p->high = v;
		any = true;
	}
	if (p->high - p->low < p->least) {
		middle = (p->high + p->low) / 2;
		p->low = middle - p->least / 2;
		p->high = middle + p->least / 2;
	}
	return any;
}

static void
axis_text(const struct chart *c, const struct panel *p, double v)
{
	buf_fmt(c->r->out, "<text class=\"axis\" x=\"%d\" y=\"%.0f\">",
		LEFT - 8, y_of(p, v) + 4);
	if (p->unit)
		buf_fmt(c->r->out, "%.0f %s", v, p->unit);
	else
		buf_size(c->r->out, (long long)v);
	buf_str(c->r->out, "</text>");
}

static void
line(const struct chart *c, const struct panel *p)
{
	int n = cJSON_GetArraySize(c->samples);
	int step = n / POINTS_MAX + 1, i = 0;
	struct buf *out = c->r->out;
	bool pen = false;
	const cJSON *s;

	buf_fmt(out, "<path class=\"line %s\" d=\"", p->cls);
	cJSON_ArrayForEach(s, c->samples)
	{
		double v = value_of(s, p->key);

		if (i++ % step)
			continue;
		if (v <= MISSING)
			continue; /* this sample has others to tell */
		buf_fmt(out, "%c%.1f %.1f", pen ? 'L' : 'M',
			x_of(c, time_of(s)), y_of(p, v));
		pen = true;
	}
	buf_str(out, "\"/>\n");
}

static void
panel(const struct chart *c, const struct panel *p)
{
	struct buf *out = c->r->out;

	for (int i = 0; i <= 2; i++) {
		double v = p->low + (p->high - p->low) * i / 2;

		buf_fmt(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT,
			y_of(p, v), WIDTH - RIGHT);
		axis_text(c, p, v);
	}
	line(c, p);
	buf_fmt(out, "<text class=\"panel\" x=\"%d\" y=\"%d\">%s</text>\n",
		LEFT + 6, p->top - 7, p->label);
}

/* One shaded run of samples on one screen. */
static void
band(const struct chart *c, const char *name, double from, double to, int odd)
{
	struct buf *out = c->r->out;
	double x = x_of(c, from), w = x_of(c, to) - x;

	if (w < 0.5)
		return;
	buf_fmt(out, "<g><title>");
	report_parts_text_max(c->r, name, 60);
	buf_fmt(out,
		"</title><rect class=\"band%s\" x=\"%.1f\" y=\"%d\" "
		"width=\"%.1f\" height=\"%d\"/>",
		odd ? " odd" : "", x, TOP - 18, w, c->height - TOP - 8);
	if (w > 7.2 * (double)present_units(name) + 4) {
		buf_fmt(out, "<text class=\"bandname\" x=\"%.1f\" y=\"%d\">",
			x + w / 2, TOP - 5 - 18);
		report_parts_text_max(c->r, name, 30);
		buf_str(out, "</text>");
	}
	buf_str(out, "</g>\n");
}

static void
bands(const struct chart *c)
{
	const char *name = NULL;
	double since = c->from_ms;
	int count = 0;
	const cJSON *s;

	cJSON_ArrayForEach(s, c->samples)
	{
		const char *now = json_str(s, "screen", NULL);
		double at = time_of(s);

		if (name && now && strcmp(name, now) == 0)
			continue;
		if (name)
			band(c, name, since, at, count++ & 1);
		name = now;
		since = at;
	}
	if (name)
		band(c, name, since, c->to_ms, count & 1);
}

/* Where the phone was throttled, and how much. */
static void
throttled(const struct chart *c, const struct panel *p)
{
	struct buf *out = c->r->out;
	int64_t status = 0;
	double since = 0;
	const cJSON *s;

	for (s = c->samples->child;; s = s->next) {
		int64_t now = s ? json_int(s, "thermal_status", 0) : 0;
		double at = s ? time_of(s) : c->to_ms;

		if (now != status || !s) {
			const char *word = present_thermal(status);

			if (status > 0 && word)
				buf_fmt(out,
					"<g class=\"hot\"><title>%s</title>"
					"<rect x=\"%.1f\" y=\"%d\" "
					"width=\"%.1f\" height=\"%d\"/>"
					"<text x=\"%.1f\" y=\"%d\">%s</text>"
					"</g>\n",
					word, x_of(c, since), p->top,
					x_of(c, at) - x_of(c, since), PANEL_H,
					x_of(c, since) + 6,
					p->top + PANEL_H - 8, word);
			status = now;
			since = at;
		}
		if (!s)
			break;
	}
}

static void
events(const struct chart *c, const char *list, const char *key,
       const char *cls, const char *sign)
{
	struct buf *out = c->r->out;
	const cJSON *e;
	size_t n = 0;

	cJSON_ArrayForEach(e, json_get(c->r->result, list))
	{
		double at = value_of(e, "at_ms");

		if (at < 0 || n++ == 200)
			continue;
		buf_fmt(out, "<g class=\"event %s\"><title>", cls);
		report_parts_text_max(c->r, json_str(e, key, "?"), 60);
		buf_fmt(out,
			"</title><path d=\"M%.1f %dV%d\"/>"
			"<text x=\"%.1f\" y=\"%d\">%s</text></g>\n",
			x_of(c, at), TOP - 10, c->height - 26,
			x_of(c, at) + (*cls == 'b' ? 4 : -4), c->height - 14,
			sign);
	}
}

static void
times(const struct chart *c)
{
	static const double steps_s[] = {5,   10,  15,	30,   60,  120,
					 300, 600, 900, 1800, 3600};
	double span_s = (c->to_ms - c->from_ms) / 1000, step = 7200;

	for (size_t i = 0; i < sizeof(steps_s) / sizeof(steps_s[0]); i++) {
		if (span_s / steps_s[i] <= 8) {
			step = steps_s[i];
			break;
		}
	}
	for (int i = 0; i <= 10 && i * step <= span_s; i++) {
		long s = (long)(i * step);

		buf_fmt(c->r->out,
			"<text class=\"tick\" x=\"%.1f\" y=\"%d\">"
			"%ld:%02ld</text>",
			x_of(c, c->from_ms + (double)s * 1000), c->height - 2,
			s / 60, s % 60);
	}
	buf_chr(c->r->out, '\n');
}

static void
draw(struct chart *c, struct panel *panels, size_t n)
{
	struct buf *out = c->r->out;

	c->height = TOP + (int)n * (PANEL_H + PANEL_GAP) + 22;
	buf_fmt(out,
		"<div class=\"scroll\"><svg class=\"phone\" role=\"img\" "
		"viewBox=\"0 0 %d %d\"><title>Temperature, memory and battery "
		"over time</title>\n",
		WIDTH, c->height);
	bands(c);
	for (size_t i = 0; i < n; i++) {
		panels[i].top = TOP + 16 + (int)i * (PANEL_H + PANEL_GAP);
		if (strcmp(panels[i].key, "battery_c") == 0)
			throttled(c, &panels[i]);
		panel(c, &panels[i]);
	}
	events(c, "interrupts", "name", "warn", "interrupt");
	events(c, "crashes", "kind", "bad", "crash");
	times(c);
	buf_str(out, "</svg></div>\n");
}

void
report_phone_write(struct report *r)
{
	static const struct panel all[] = {
		{.key = "battery_c",
		 .label = "Battery temperature",
		 .cls = "heat",
		 .unit = "°C",
		 .least = 4},
		{.key = "memory_bytes",
		 .label = "Memory of the app",
		 .cls = "memory",
		 .least = 64 << 20},
		{.key = "free_bytes",
		 .label = "Free memory of the phone",
		 .cls = "free",
		 .least = 256 << 20},
		{.key = "battery_pct",
		 .label = "Battery level",
		 .cls = "level",
		 .unit = "%",
		 .least = 10},
	};
	struct panel used[sizeof(all) / sizeof(all[0])];
	struct chart c = {.r = r, .samples = json_get(r->result, "timeline")};
	const cJSON *first, *last;
	size_t n = 0;
	int count = c.samples ? cJSON_GetArraySize(c.samples) : 0;

	if (count < 2 || !cJSON_IsArray(c.samples))
		return;
	first = cJSON_GetArrayItem(c.samples, 0);
	last = cJSON_GetArrayItem(c.samples, count - 1);
	c.from_ms = time_of(first);
	c.to_ms = time_of(last);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		used[n] = all[i];
		if (range(&c, &used[n]))
			n++;
	}
	if (n == 0 || c.to_ms <= c.from_ms)
		return;
	report_parts_open(r, "phone", "The phone over time", NULL);
	draw(&c, used, n);
	report_parts_close(r);
}
