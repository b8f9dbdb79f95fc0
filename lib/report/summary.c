#include "report/summary.h"

#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "report/verdict.h"

enum {
	ROWS_BYTES = 300 << 10, /* of the table of screens */
	PLACES_MAX = 50,
	CELL_UNITS = 200,
};

/* What would begin a list, a heading or a quote at the start of a line. */
static bool
begins(const char *line, const char *p)
{
	size_t digits = strspn(line, "0123456789");

	if (p == line)
		return strchr("-+=#", *p) != NULL;
	return p == line + digits && (*p == '.' || *p == ')');
}

void
summary_escape(struct buf *out, const char *s)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, s, 0);
	for (const char *p = line.data; *p; p++) {
		if (*p == '&')
			buf_str(out, "&amp;");
		else if (*p == '<')
			buf_str(out, "&lt;");
		else if (*p == '>')
			buf_str(out, "&gt;");
		else if (*p == '@')
			buf_str(out, "&#64;"); /* nobody is mentioned */
		else {
			if (strchr("\\`*_[]|~", *p) || begins(line.data, p) ||
			    (*p == ':' && p[1] == '/'))
				buf_chr(out, '\\');
			buf_chr(out, *p);
		}
	}
}

static void
cell(struct buf *out, const char *s)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, s ? s : "", CELL_UNITS);
	summary_escape(out, line.data);
}

static void
link_to(struct buf *out, const char *label, const char *url)
{
	if (!present_url(url) || strchr(url, '(') || strchr(url, ')'))
		return;
	buf_fmt(out, "[%s](%s) ", label, url);
}

static void
pull_requests(const cJSON *result, struct buf *out)
{
	const cJSON *p;
	size_t shown = 0;

	cJSON_ArrayForEach(p, json_get(result, "pull_requests"))
	{
		AUTO_FREE char *label =
			mem_fmt("Pull request #%lld",
				(long long)json_int(p, "number", 0));

		if (shown++ < PLACES_MAX)
			link_to(out, label, json_str(p, "url", NULL));
	}
}

static void
head(const cJSON *result, const struct verdict *v, struct buf *out)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(out, "### %s\n\n", v->word);
	summary_escape(out, v->sentence);
	if (v->why) {
		buf_chr(out, ' ');
		summary_escape(out, v->why);
	}
	if (v->todo) {
		buf_str(out, "\n\n**To do:** ");
		summary_escape(out, v->todo);
	}
	buf_str(out, "\n\n");
	present_build(&b, result);
	if (b.len)
		buf_str(&b, " · ");
	present_device(&b, result);
	summary_escape(out, b.data);
	buf_str(out, "\n\n");
	link_to(out, "Report", json_str(result, "report_url", NULL));
	link_to(out, "Dashboard", json_str(result, "dashboard_url", NULL));
	link_to(out, "Commits", json_str(result, "build.compare_url", NULL));
	link_to(out, "Build", json_str(result, "build.run_url", NULL));
	pull_requests(result, out);
	buf_str(out, "\n");
}

static void
duration_cell(struct buf *out, const cJSON *s, const char *key)
{
	int64_t ms = json_int(s, key, -1);

	buf_str(out, " | ");
	if (ms >= 0)
		buf_duration(out, ms);
}

static void
screen_row(const cJSON *s, struct buf *out)
{
	int64_t memory = json_int(s, "memory_bytes", -1);
	double c = json_num(s, "phone.after.battery_c", -1000);
	const char *why = json_str(s, "message", NULL);

	buf_fmt(out, "| %lld | ", (long long)json_int(s, "visit", 0));
	cell(out, json_str(s, "name", "?"));
	buf_str(out, " | ");
	cell(out, json_str(s, "status", "?"));
	duration_cell(out, s, "reached_ms");
	duration_cell(out, s, "settle_ms");
	buf_str(out, " | ");
	if (memory >= 0)
		buf_size(out, memory);
	buf_str(out, " | ");
	if (c > -100)
		buf_fmt(out, "%.0f °C", c);
	buf_str(out, " | ");
	if (json_bool(s, "off_route", false)) {
		buf_str(out, "off-route");
		if (!why)
			why = json_str(s, "off_route_reason", NULL);
		if (why)
			buf_str(out, ": ");
	}
	cell(out, why);
	buf_str(out, " |\n");
}

static void
screens(const cJSON *result, struct buf *out)
{
	const cJSON *s;
	size_t start = out->len, left = json_count(result, "screens");

	if (left == 0)
		return;
	buf_str(out, "\n| # | screen | status | load | settle | memory | "
		     "phone | notes |\n"
		     "|--:|:--|:--|--:|--:|--:|--:|:--|\n");
	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		if (out->len - start > ROWS_BYTES)
			break;
		screen_row(s, out);
		left--;
	}
	if (left)
		buf_fmt(out, "\n%zu more in the report.\n", left);
}

static void
regressions(const cJSON *result, struct buf *out)
{
	const cJSON *r;
	size_t shown = 0, n = json_count(result, "regressions");

	if (n)
		buf_str(out, "\n**Worse**\n\n");
	cJSON_ArrayForEach(r, json_get(result, "regressions"))
	{
		AUTO_BUF struct buf b = BUF_INIT;

		if (shown++ == PLACES_MAX)
			break;
		verdict_change(&b, r);
		buf_str(out, "- ");
		summary_escape(out, b.data);
		buf_chr(out, ' ');
		buf_clear(&b);
		verdict_commits(&b, r);
		summary_escape(out, b.data);
		buf_str(out, b.len ? " " : "");
		link_to(out, "issue", json_str(r, "url", NULL));
		buf_chr(out, '\n');
	}
	if (n > PLACES_MAX)
		buf_fmt(out, "- %zu more in the report\n", n - PLACES_MAX);
}

/* What may become one, and what is better: here, and in no first line. */
static void
lines(const cJSON *result, const char *path, const char *title, struct buf *out)
{
	const cJSON *line;
	size_t shown = 0, n = json_count(result, path);

	if (n)
		buf_fmt(out, "\n**%s**\n\n", title);
	cJSON_ArrayForEach(line, json_get(result, path))
	{
		if (shown++ == PLACES_MAX)
			break;
		buf_str(out, "- ");
		cell(out, line->valuestring);
		buf_chr(out, '\n');
	}
	if (n > PLACES_MAX)
		buf_fmt(out, "- %zu more in the report\n", n - PLACES_MAX);
}

/* Errors with their places, as a plan's 20. */
static void
errors(const cJSON *result, struct buf *out)
{
	const cJSON *e;
	size_t shown = 0, n = json_count(result, "errors");

	if (n)
		buf_str(out, "\n**What went wrong**\n\n");
	cJSON_ArrayForEach(e, json_get(result, "errors"))
	{
		const char *where = json_str(e, "where", NULL);

		if (shown++ == PLACES_MAX)
			break;
		buf_str(out, "- ");
		if (where) {
			cell(out, where);
			buf_str(out, ": ");
		}
		cell(out, json_str(e, "message", "?"));
		buf_chr(out, '\n');
	}
	if (n > PLACES_MAX)
		buf_fmt(out, "- %zu more in the report\n", n - PLACES_MAX);
}

static void
warnings(const cJSON *result, struct buf *out)
{
	const cJSON *w;
	size_t shown = 0, n = json_count(result, "warnings");

	if (n)
		buf_str(out, "\n**Worth a look**\n\n");
	cJSON_ArrayForEach(w, json_get(result, "warnings"))
	{
		if (shown++ == PLACES_MAX)
			break;
		buf_str(out, "- ");
		cell(out, json_str(w, "message", "?"));
		buf_chr(out, '\n');
	}
	if (n > PLACES_MAX)
		buf_fmt(out, "- %zu more in the report\n", n - PLACES_MAX);
}

static void
captures(const cJSON *result, struct buf *out)
{
	int64_t total = json_int(result, "captures.profiler.frames_total", -1);
	int64_t kept = json_int(result, "captures.profiler.frames_kept", -1);
	int64_t variants =
		json_int(result, "captures.graphics_states.variants", -1);

	if (total < 0 && variants < 0)
		return;
	buf_chr(out, '\n');
	if (total >= 0 && kept >= 0) {
		present_count(out, kept);
		buf_str(out, " of ");
		present_count(out, total);
		buf_str(out, " frames kept. ");
	}
	if (variants >= 0) {
		present_count(out, variants);
		buf_str(out, " graphics states.");
	}
	buf_chr(out, '\n');
}

static void
foot(const cJSON *result, struct buf *out)
{
	AUTO_FREE char *command =
		present_line_dup(json_str(result, "command", NULL), 1000);

	if (command && !strchr(command, '`'))
		buf_fmt(out, "\nRun it again: `%s`\n", command);
}

void
summary_write(const cJSON *result, struct buf *out)
{
	struct verdict v;

	verdict_init(&v, result);
	head(result, &v, out);
	regressions(result, out);
	lines(result, "comparison.suspects", "Suspect, not confirmed", out);
	lines(result, "comparison.improvements", "Better", out);
	screens(result, out);
	errors(result, out);
	warnings(result, out);
	captures(result, out);
	foot(result, out);
	verdict_done(&v);
}
