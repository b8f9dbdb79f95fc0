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

/* A title and one line for each of a list, if there are any. */
static void
bullets(const cJSON *result, const char *path, const char *title,
	void (*line)(const cJSON *one, struct buf *out), struct buf *out)
{
	const cJSON *one;
	size_t shown = 0, n = json_count(result, path);

	if (n)
		buf_fmt(out, "\n**%s**\n\n", title);
	cJSON_ArrayForEach(one, json_get(result, path))
	{
		if (shown++ == PLACES_MAX)
			break;
		buf_str(out, "- ");
		line(one, out);
		buf_chr(out, '\n');
	}
	if (n > PLACES_MAX)
		buf_fmt(out, "- %zu more in the report\n", n - PLACES_MAX);
}

static void
regression(const cJSON *r, struct buf *out)
{
	AUTO_BUF struct buf b = BUF_INIT;

	verdict_change(&b, r);
	summary_escape(out, b.data);
	buf_chr(out, ' ');
	buf_clear(&b);
	verdict_commits(&b, r);
	summary_escape(out, b.data);
	buf_str(out, b.len ? " " : "");
	link_to(out, "issue", json_str(r, "url", NULL));
}

static void
text(const cJSON *one, struct buf *out)
{
	cell(out, one->valuestring);
}

static void
message(const cJSON *one, struct buf *out)
{
	cell(out, json_str(one, "message", "?"));
}

/* With its place, as a plan's 20. */
static void
error(const cJSON *e, struct buf *out)
{
	const char *where = json_str(e, "where", NULL);

	if (where) {
		cell(out, where);
		buf_str(out, ": ");
	}
	message(e, out);
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
	bullets(result, "regressions", "Worse", regression, out);
	/* What may become one, and what is better: in no first line. */
	bullets(result, "comparison.suspects", "Suspect, not confirmed", text,
		out);
	bullets(result, "comparison.improvements", "Better", text, out);
	screens(result, out);
	bullets(result, "errors", "What went wrong", error, out);
	bullets(result, "warnings", "Worth a look", message, out);
	captures(result, out);
	foot(result, out);
	verdict_done(&v);
}
