#include <string.h>

#include "report/report_parts.h"
#include "report/trend_groups.h"
#include "report/trend_svg.h"

enum { CHARTS_MAX = 400, SCREENS_MAX = 200 };

struct trends {
	struct report *r;
	struct trend t;
	struct trend_thin thin;
	struct trend_groups groups;
	size_t charts;
};

static void
charts(struct trends *x, const struct trend_group *g, size_t from, size_t to)
{
	buf_str(x->r->out, "<div class=\"trends\">");
	for (size_t i = from; i < to && x->charts < CHARTS_MAX; i++) {
		struct trend_svg v;

		trend_svg_init(&v, &x->thin, g->item[i].s);
		trend_svg_figure(x->r->out, &v);
		trend_svg_done(&v);
		x->charts++;
	}
	buf_str(x->r->out, "</div>\n");
}

/* What is as before is one line, with all the rest inside. */
static void
screen(struct trends *x, const char *name)
{
	const struct trend_group *g = trend_groups_of(&x->groups, name);
	struct buf *out = x->r->out;

	if (g == NULL)
		return;
	if (*name == '\0')
		name = "the whole run";
	if (g->loud) {
		buf_str(out, "<h3>");
		report_parts_text_max(x->r, name, 80);
		buf_str(out, "</h3>\n");
		charts(x, g, 0, g->loud);
		buf_str(out, "<details><summary>");
	} else {
		buf_str(out, "<details><summary><b>");
		report_parts_text_max(x->r, name, 80);
		buf_str(out, "</b> ");
	}
	buf_fmt(out, "%zu without a change; all values</summary>",
		g->count - g->loud);
	if (g->count > g->loud)
		charts(x, g, g->loud, g->count);
	trend_groups_table(out, &x->thin, g, TREND_ROWS_RUNS);
	buf_str(out, "</details>\n");
}

/* A screen that was visited twice has one history. */
static bool
met_before(const cJSON *screens, const cJSON *s)
{
	const cJSON *other;

	cJSON_ArrayForEach(other, screens)
	{
		if (other == s)
			return false;
		if (strcmp(json_str(other, "name", ""),
			   json_str(s, "name", "")) == 0)
			return true;
	}
	return false;
}

static void
all(struct trends *x)
{
	const cJSON *list = json_get(x->r->result, "screens"), *s;
	size_t shown = 0;

	report_parts_open(x->r, "trends", "Trends",
			  "the last runs; a band is the level: its median and "
			  "the noise of one run");
	cJSON_ArrayForEach(s, list)
	{
		const char *name = json_str(s, "name", "");

		if (shown++ < SCREENS_MAX && *name && !met_before(list, s))
			screen(x, name);
	}
	screen(x, "");
	report_parts_close(x->r);
}

void
report_trends_write(struct report *r)
{
	const cJSON *json = json_get(r->result, "history.trends");
	struct trends x = {.r = r};
	struct err err = ERR_INIT;

	if (!cJSON_IsObject(json))
		return;
	if (trend_read(json, &x.t, &err)) {
		report_parts_open(r, "trends", "Trends", NULL);
		buf_str(r->out, "<p>They can't be shown: ");
		report_parts_text(r, err.msg);
		buf_str(r->out, ".</p>\n");
		report_parts_close(r);
		return;
	}
	trend_thin_init(&x.thin, &x.t);
	trend_groups_init(&x.groups, &x.t, 0);
	if (x.groups.count)
		all(&x);
	trend_groups_done(&x.groups);
	trend_thin_done(&x.thin);
	trend_done(&x.t);
}
