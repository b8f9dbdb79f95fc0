#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

static void
regression(struct report *r, const cJSON *g)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *issue = json_id(g, "issue");
	const char *line = json_str(g, "line", NULL);

	verdict_change(&b, g);
	buf_str(r->out, "<tr><td>");
	report_parts_chip(r, "bad",
			  strcmp(json_str(g, "kind", ""), "creep") == 0
				  ? "◢ creeping"
				  : "▲ worse");
	buf_str(r->out, "<td>");
	buf_html(r->out, b.data);
	if (line) {
		buf_str(r->out, "<p class=\"quiet\">");
		report_parts_text_max(r, line, 400);
		buf_str(r->out, "</p>");
	}
	buf_clear(&b);
	verdict_commits(&b, g);
	buf_str(r->out, "<td><code>");
	buf_html(r->out, b.data);
	buf_str(r->out, "</code><td>");
	if (issue && *issue && !issue[strspn(issue, "0123456789")]) {
		AUTO_FREE char *label = mem_fmt("#%.12s", issue);

		report_parts_link(r, json_str(g, "url", NULL), label);
	} else {
		report_parts_link(r, json_str(g, "url", NULL), "issue");
	}
	buf_str(r->out, "</tr>\n");
}

static void
regressions(struct report *r)
{
	size_t shown = 0, count = json_count(r->result, "regressions");
	const cJSON *g;

	if (count == 0)
		return;
	report_parts_open(r, "worse", "What got worse", NULL);
	buf_str(r->out, "<table class=\"changes\"><thead><tr><th><th>what"
			"<th>commits<th></tr></thead><tbody>\n");
	cJSON_ArrayForEach(g, json_get(r->result, "regressions"))
	{
		if (shown++ == REPORT_ROWS_MAX)
			break;
		regression(r, g);
	}
	buf_str(r->out, "</tbody></table>\n");
	report_parts_more(r, count > REPORT_ROWS_MAX ? count - REPORT_ROWS_MAX
						     : 0);
	report_parts_close(r);
}

static void
lines(struct report *r, const char *path, const char *title)
{
	const cJSON *line;

	if (json_count(r->result, path) == 0)
		return;
	buf_fmt(r->out, "<h3>%s</h3><ul class=\"plainlist\">\n", title);
	cJSON_ArrayForEach(line, json_get(r->result, path))
	{
		buf_str(r->out, "<li>");
		report_parts_text_max(r, line->valuestring, 400);
		buf_str(r->out, "</li>\n");
	}
	buf_str(r->out, "</ul>\n");
}

/* One day alone decides nothing; those who look closely want to know. */
static void
others(struct report *r)
{
	if (json_count(r->result, "comparison.suspects") +
		    json_count(r->result, "comparison.improvements") ==
	    0)
		return;
	report_parts_open(r, "others", "What else moved", NULL);
	lines(r, "comparison.suspects", "? Suspect, not confirmed");
	lines(r, "comparison.improvements", "✓ Better");
	report_parts_close(r);
}

static void
excerpt(struct report *r, const char *text)
{
	size_t lines = 0;

	if (text == NULL || *text == '\0')
		return;
	buf_str(r->out, "<pre>");
	while (*text && lines++ < 60) {
		size_t n = strcspn(text, "\n");
		char line[400];
		size_t keep = n < sizeof(line) - 1 ? n : sizeof(line) - 1;

		memcpy(line, text, keep);
		line[keep] = '\0';
		report_parts_text_max(r, line, 300);
		buf_chr(r->out, '\n');
		text += n + (text[n] == '\n');
	}
	buf_str(r->out, "</pre>\n");
}

static void
file_name(struct report *r, const char *what, const char *file)
{
	if (!present_file(file))
		return;
	buf_fmt(r->out, " %s <code>", what);
	report_parts_text_max(r, file, 200);
	buf_str(r->out, "</code>");
}

static void
crash(struct report *r, const cJSON *c)
{
	const char *kind = json_str(c, "kind", "crash");
	const char *screen = json_str(c, "screen", NULL);
	int64_t at = json_int(c, "at_ms", -1);

	buf_str(r->out, "<article class=\"finding\">");
	report_parts_image(r, json_str(c, "screenshot", NULL),
			   "the screen before it");
	buf_str(r->out, "<div><h3>");
	report_parts_chip(r, "bad", kind);
	if (screen) {
		buf_str(r->out, " on ");
		report_parts_text_max(r, screen, 80);
	}
	if (at >= 0) {
		buf_str(r->out, " <small>after ");
		buf_duration(r->out, at);
		buf_str(r->out, "</small>");
	}
	buf_str(r->out, "</h3><p>");
	report_parts_text(r, json_str(c, "message", NULL));
	buf_str(r->out, "</p>\n");
	excerpt(r, json_str(c, "excerpt", NULL));
	buf_str(r->out, "<p class=\"quiet\">");
	if (json_bool(c, "restarted", false))
		buf_str(r->out, "The app was restarted and the walk went on.");
	file_name(r, "Tombstone", json_str(c, "tombstone", NULL));
	file_name(r, "Log", json_str(c, "logcat", NULL));
	buf_str(r->out, "</p></div></article>\n");
}

static void
crashes(struct report *r)
{
	size_t shown = 0, n = json_count(r->result, "crashes");
	const cJSON *c;

	if (n == 0)
		return;
	report_parts_open(r, "crashes", "Crashes and hangs", NULL);
	cJSON_ArrayForEach(c, json_get(r->result, "crashes"))
	{
		if (shown++ == 20)
			break;
		crash(r, c);
	}
	report_parts_more(r, n > 20 ? n - 20 : 0);
	report_parts_close(r);
}

static void
error(struct report *r, const cJSON *e)
{
	const struct verdict_reason *reason =
		verdict_reason(json_str(e, "reason", NULL));
	const char *where = json_str(e, "where", NULL);

	buf_str(r->out, "<li>");
	if (where) {
		buf_str(r->out, "<code>");
		report_parts_text_max(r, where, 200);
		buf_str(r->out, "</code> ");
	}
	report_parts_text(r, json_str(e, "message", "no message"));
	/* The verdict has said this one. */
	if (reason && reason->cure &&
	    (!r->verdict->todo || strcmp(reason->cure, r->verdict->todo))) {
		buf_str(r->out, " <span class=\"quiet\">");
		report_parts_text(r, reason->cure);
		buf_str(r->out, "</span>");
	}
	buf_str(r->out, "</li>\n");
}

static void
errors(struct report *r)
{
	size_t shown = 0, n = json_count(r->result, "errors");
	size_t left = json_count(r->result, "left_behind");
	const cJSON *e;

	if (n + left == 0)
		return;
	report_parts_open(r, "errors", "What went wrong", NULL);
	buf_str(r->out, "<ul class=\"errors\">\n");
	cJSON_ArrayForEach(e, json_get(r->result, "left_behind"))
	{
		buf_str(r->out, "<li>");
		report_parts_chip(r, "bad", "left behind");
		buf_str(r->out, " <b>");
		report_parts_text_max(r, json_str(e, "name", "?"), 80);
		buf_str(r->out, "</b> ");
		report_parts_text(r, json_str(e, "message", NULL));
		buf_str(r->out, "</li>\n");
	}
	cJSON_ArrayForEach(e, json_get(r->result, "errors"))
	{
		if (shown++ == REPORT_ROWS_MAX)
			break;
		error(r, e);
	}
	buf_str(r->out, "</ul>\n");
	report_parts_more(r, n > REPORT_ROWS_MAX ? n - REPORT_ROWS_MAX : 0);
	report_parts_close(r);
}

static void
warnings(struct report *r)
{
	size_t shown = 0, n = json_count(r->result, "warnings");
	const cJSON *w;

	if (n == 0)
		return;
	report_parts_open(r, "warnings", "Worth a look", NULL);
	buf_str(r->out, "<ul class=\"errors\">\n");
	cJSON_ArrayForEach(w, json_get(r->result, "warnings"))
	{
		if (shown++ == REPORT_ROWS_MAX)
			break;
		error(r, w);
	}
	buf_str(r->out, "</ul>\n");
	report_parts_more(r, n > REPORT_ROWS_MAX ? n - REPORT_ROWS_MAX : 0);
	report_parts_close(r);
}

void
report_findings_write(struct report *r)
{
	regressions(r);
	crashes(r);
	errors(r);
	others(r);
	warnings(r);
}
