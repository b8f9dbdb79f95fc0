#include <string.h>

#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

/*
 * The route as it was walked: steps from left to right in rows that turn at
 * the end, as a line of text does not.  A stop of the patrol is a full box, a
 * screen only passed a small one; a detour is an amber arc over its step.
 */
enum {
	COLUMNS = 5,
	BOX_W = 118,
	BOX_H = 46,
	GAP_X = 82,
	GAP_Y = 84,
	TURN_Y = 60, /* of the line to the next row, below the box */
	MARGIN = 30,
	STEPS_MAX = 200,
};

struct spot {
	int x, y; /* of the box's left top corner */
	int row;
};

static struct spot
spot_of(int i)
{
	struct spot s = {.row = i / COLUMNS};
	int column = i % COLUMNS;

	s.x = MARGIN + column * (BOX_W + GAP_X);
	s.y = MARGIN + s.row * (BOX_H + GAP_Y);
	return s;
}

/* What really happened on the way from -> to, if the walk got that far. */
struct walked {
	const cJSON *straight; /* the planned transition */
	const cJSON *detour;   /* the last of a detour that led here */
	const char *by;	       /* the screen the detour passed; or NULL */
};

static bool
same(const cJSON *v, const char *key, const char *name)
{
	return strcmp(json_str(v, key, ""), name ? name : "") == 0;
}

/*
 * From `*at` on, so that a step walked twice finds its own time; `*at` moves
 * behind what was found.
 */
static struct walked
walked_of(const cJSON **at, const char *from, const char *to)
{
	struct walked w = {0};
	const cJSON *t, *before = NULL;

	/* What was walked again comes after the tour. */
	for (t = *at; t && json_int(t, "repeat", 0) == 0; t = t->next) {
		bool detour = json_bool(t, "detour", false);

		if (w.straight && !detour)
			break;
		if (!detour && same(t, "from", from) && same(t, "to", to)) {
			w.straight = t;
			*at = t->next;
		}
		if (detour && w.straight && same(t, "to", to)) {
			w.detour = t;
			if (before && before != w.straight)
				w.by = json_str(before, "to", NULL);
			break;
		}
		before = t;
	}
	return w;
}

static void
svg_text(struct report *r, int x, int y, const char *cls, const char *s,
	 size_t units)
{
	buf_fmt(r->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, cls);
	report_parts_text_max(r, s, units);
	buf_str(r->out, "</text>");
}

/*
 * The visit that this step of the route was for: the n-th stop is screens[]'s
 * n-th, since one screen may be visited twice.
 */
static const cJSON *
visit_of(const struct report *r, const cJSON *step)
{
	const cJSON *s, *steps = json_get(r->result, "route.steps");
	int stops = 0;

	cJSON_ArrayForEach(s, steps)
	{
		if (s == step)
			break;
		stops += json_bool(s, "visit", false);
	}
	s = cJSON_GetArrayItem(json_get(r->result, "screens"), stops);
	return s && strcmp(json_str(s, "name", ""),
			   json_str(step, "to", "?")) == 0
		       ? s
		       : NULL;
}

static void
box(struct report *r, int i, const cJSON *step)
{
	const char *name = json_str(step, "to", "?");
	bool stop = json_bool(step, "visit", false);
	const cJSON *screen = stop ? visit_of(r, step) : NULL;
	const char *tone = stop && screen ? report_parts_tone(screen) : "quiet";
	struct spot s = spot_of(i);
	int inset = stop ? 0 : 8;
	bool absent = screen &&
		      strcmp(json_str(screen, "status", ""), "visited") != 0 &&
		      strcmp(json_str(screen, "status", ""), "crashed") != 0;

	buf_fmt(r->out, "<g class=\"box %s%s%s\"><title>", tone,
		stop ? "" : " pass", stop && absent ? " dotted" : "");
	report_parts_text_max(r, json_str(step, "action", "?"), 200);
	buf_fmt(r->out,
		"</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		"rx=\"%d\"/>",
		s.x + inset, s.y + inset / 2, BOX_W - 2 * inset, BOX_H - inset,
		stop ? 9 : 18);
	svg_text(r, s.x + BOX_W / 2, s.y + (stop ? 20 : 28), "name", name, 15);
	if (stop)
		svg_text(r, s.x + BOX_W / 2, s.y + 36, "state",
			 screen ? report_parts_status(screen) : "planned", 20);
	buf_str(r->out, "</g>\n");
}

/* The line to box i: along the row, or down to the start of the next. */
static void
line_to(struct report *r, int i, const char *cls)
{
	struct spot a = spot_of(i - 1), b = spot_of(i);
	int ay = a.y + BOX_H / 2, by = b.y + BOX_H / 2;
	int turn = a.y + BOX_H + TURN_Y;

	if (a.row == b.row)
		buf_fmt(r->out, "<path class=\"%s\" d=\"M%d %d H%d\"/>", cls,
			a.x + BOX_W, ay, b.x - 2);
	else
		buf_fmt(r->out,
			"<path class=\"%s\" d=\"M%d %d V%d H%d V%d H%d\"/>",
			cls, a.x + BOX_W / 2, a.y + BOX_H, turn, MARGIN / 2, by,
			b.x - 2);
}

static void
label(struct report *r, int i, const char *text, const char *cls, int dy)
{
	struct spot a = spot_of(i - 1), b = spot_of(i);

	if (a.row == b.row)
		svg_text(r, (a.x + BOX_W + b.x) / 2, a.y + BOX_H / 2 + dy, cls,
			 text, 16);
	else
		svg_text(r, b.x + 60, b.y - GAP_Y + TURN_Y - 6, cls, text, 16);
}

/* Amber, above the step that did not work. */
static void
detour(struct report *r, int i, const struct walked *w)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct spot a = spot_of(i - 1), c = spot_of(i);

	buf_str(&b, w->by ? "by " : "detour");
	present_line(&b, w->by, 14);
	if (a.row == c.row) {
		buf_fmt(r->out,
			"<path class=\"detour\" d=\"M%d %d C%d %d %d %d %d "
			"%d\"/>",
			a.x + BOX_W - 22, a.y + BOX_H, a.x + BOX_W + 10,
			a.y + BOX_H + 34, c.x - 10, a.y + BOX_H + 34, c.x + 22,
			c.y + BOX_H + 3);
		svg_text(r, (a.x + BOX_W + c.x) / 2, a.y + BOX_H + 42, "amber",
			 b.data, 20);
	} else {
		svg_text(r, c.x + 60, c.y - GAP_Y + TURN_Y + 16, "amber",
			 b.data, 20);
	}
}

static void
edge(struct report *r, int i, const cJSON *step, const cJSON **at)
{
	struct walked w = walked_of(at, json_str(step, "from", NULL),
				    json_str(step, "to", "?"));
	const char *status = json_str(w.straight, "status", NULL);
	int64_t ms = json_int(w.straight, "ms", -1);
	AUTO_BUF struct buf b = BUF_INIT;

	if (status == NULL) {
		line_to(r, i, "edge never");
		return;
	}
	if (strcmp(status, "ok") != 0) {
		line_to(r, i, "edge broken");
		buf_str(&b, "✕ ");
		present_line(&b, status, 10);
		label(r, i, b.data, "amber", -8);
	} else {
		line_to(r, i, "edge");
		if (ms >= 0)
			buf_duration(&b, ms);
		label(r, i, b.data, "time", -8);
	}
	if (w.detour)
		detour(r, i, &w);
}

static void
describe(struct report *r, int steps)
{
	const cJSON *s;
	int i = 0;

	buf_str(r->out, "<title>The route, step by step</title><desc>");
	cJSON_ArrayForEach(s, json_get(r->result, "route.steps"))
	{
		if (i == steps)
			break;
		if (i++)
			buf_str(r->out, ", ");
		report_parts_text_max(r, json_str(s, "to", "?"), 60);
	}
	buf_str(r->out, "</desc>\n");
}

static void
graph(struct report *r, int steps)
{
	int rows = (steps + COLUMNS - 1) / COLUMNS;
	int columns = steps < COLUMNS ? steps : COLUMNS;
	int w = 2 * MARGIN + columns * (BOX_W + GAP_X) - GAP_X;
	int h = 2 * MARGIN + rows * (BOX_H + GAP_Y) - GAP_Y + 8;
	const cJSON *s, *at = json_get(r->result, "transitions");
	int i = 0;

	at = at ? at->child : NULL;
	buf_fmt(r->out,
		"<div class=\"scroll\"><svg class=\"route\" role=\"img\" "
		"viewBox=\"0 0 %d %d\" style=\"max-width:%dpx;min-width:%dpx\">"
		"\n",
		w, h, w, w * 7 / 10);
	describe(r, steps);
	buf_str(r->out,
		"<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" "
		"refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
		"orient=\"auto\"><path class=\"tip\" "
		"d=\"M0 0L8 4L0 8z\"/></marker>"
		"<marker id=\"ambertip\" viewBox=\"0 0 8 8\" refX=\"7\" "
		"refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
		"orient=\"auto\"><path class=\"ambertip\" "
		"d=\"M0 0L8 4L0 8z\"/></marker></defs>\n");
	cJSON_ArrayForEach(s, json_get(r->result, "route.steps"))
	{
		if (i == steps)
			break;
		if (i > 0)
			edge(r, i, s, &at);
		box(r, i++, s);
	}
	buf_str(r->out, "</svg></div>\n");
}

void
report_route_write(struct report *r)
{
	size_t n = json_count(r->result, "route.steps");

	if (n == 0 || json_count(r->result, "screens") == 0)
		return; /* nothing was walked */
	report_parts_open(r, "route", "Route",
			  "times from the action to the screen");
	graph(r, n > STEPS_MAX ? STEPS_MAX : (int)n);
	report_parts_more(r, n > STEPS_MAX ? n - STEPS_MAX : 0);
	buf_str(r->out, "<p class=\"legend quiet\">Full boxes are stops, "
			"small ones are only passed. Amber is a detour, "
			"dotted was not reached.</p>\n");
	report_parts_close(r);
}
