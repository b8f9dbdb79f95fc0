#include <string.h>

#include "base/present.h"
#include "report/report_parts.h"

static const char *
tone(const struct verdict *v)
{
	return v->tone == VERDICT_GOOD	 ? "good"
	       : v->tone == VERDICT_NONE ? "warn"
					 : "bad";
}

/* "Starfall daily · 30 Nov · build 4242 a1b2c3d · Pixel 6, 31→37 °C" */
static void
eyebrow(struct report *r)
{
	AUTO_BUF struct buf b = BUF_INIT;
	const char *start = json_str(r->result, "started_at", NULL);
	size_t len;

	present_line(&b, json_str(r->result, "title", "patrol"), 80);
	if (start) {
		buf_str(&b, " · ");
		present_date(&b, start);
		buf_chr(&b, ' ');
		present_clock(&b, start);
		buf_str(&b, " UTC");
	}
	buf_str(&b, " · ");
	len = b.len;
	present_build(&b, r->result);
	if (b.len > len)
		buf_str(&b, " · ");
	len = b.len;
	present_device(&b, r->result);
	if (b.len == len && len >= strlen(" · "))
		buf_truncate(&b, len - strlen(" · "));
	buf_str(r->out, "<p class=\"eyebrow\">");
	buf_html(r->out, b.data);
	buf_str(r->out, "</p>\n");
}

static void
links(struct report *r)
{
	static const struct {
		const char *path, *label;
	} to[] = {
		{"dashboard_url", "Dashboard"},
		{"build.compare_url", "Commits"},
		{"build.run_url", "Build"},
		{"report_url", "Workflow run"},
	};

	buf_str(r->out, "<p class=\"links\">");
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++)
		report_parts_link(r, json_str(r->result, to[i].path, NULL),
				  to[i].label);
	buf_str(r->out, "</p>\n");
}

static void
verdict(struct report *r)
{
	const struct verdict *v = r->verdict;

	buf_fmt(r->out, "<div class=\"verdict %s\">\n", tone(v));
	/* PASSED is what the plan says of a game that got worse. */
	report_parts_chip(r, tone(v),
			  strcmp(v->word, "WORSE") == 0 ? v->word : v->state);
	buf_str(r->out, "<h1>");
	report_parts_text(r, v->sentence);
	buf_str(r->out, "</h1>\n");
	if (v->why) {
		buf_str(r->out, "<p>");
		report_parts_text(r, v->why);
		buf_str(r->out, "</p>\n");
	}
	if (v->todo) {
		buf_str(r->out, "<p class=\"todo\"><b>To do</b> ");
		report_parts_text(r, v->todo);
		buf_str(r->out, "</p>\n");
	}
	if (!json_bool(r->result, "comparable", true)) {
		buf_str(r->out, "<p>Not compared with other days: ");
		report_parts_text(r,
				  json_str(r->result, "not_comparable_reason",
					   "the build is another one"));
		buf_str(r->out, ".</p>\n");
	}
	links(r);
	buf_str(r->out, "</div>\n");
}

static void
number(struct report *r, const char *label, const char *value, const char *note)
{
	buf_fmt(r->out, "<div><dt>%s</dt><dd>%s", label, value);
	if (note && *note) {
		buf_str(r->out, " <small>");
		buf_html(r->out, note);
		buf_str(r->out, "</small>");
	}
	buf_str(r->out, "</dd></div>\n");
}

static void
duration_number(struct report *r, const char *label, const char *path)
{
	AUTO_BUF struct buf b = BUF_INIT;
	int64_t ms = json_int(r->result, path, -1);

	if (ms < 0)
		return;
	buf_duration(&b, ms);
	number(r, label, b.data, NULL);
}

static void
count_number(struct report *r, const char *label, const char *path,
	     const char *of_path)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf note = BUF_INIT;
	int64_t n = json_int(r->result, path, -1);
	int64_t of = of_path ? json_int(r->result, of_path, -1) : -1;

	if (n < 0)
		return;
	present_count(&b, n);
	if (of >= 0) {
		buf_str(&note, "of ");
		present_count(&note, of);
	}
	number(r, label, b.data, note.data);
}

static void
snapshot_number(struct report *r)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf note = BUF_INIT;
	const cJSON *s;
	long long bytes = 0;
	size_t taken = 0;

	cJSON_ArrayForEach(s, json_get(r->result, "screens"))
	{
		if (strcmp(json_str(s, "snapshot.status", ""), "taken") != 0)
			continue;
		taken++;
		bytes += json_int(s, "snapshot.size_bytes", 0);
	}
	if (taken == 0)
		return;
	buf_fmt(&b, "%zu", taken);
	if (bytes)
		buf_size(&note, bytes);
	number(r, "Snapshots", b.data, note.data);
}

static void
numbers(struct report *r)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf note = BUF_INIT;
	const struct verdict *v = r->verdict;
	bool try = strcmp(json_str(r->result, "kind", ""), "try") == 0;

	buf_str(r->out, "<dl class=\"numbers\">\n");
	if (!try && v->planned) {
		buf_fmt(&b, "%zu<i>/%zu</i>", v->visited, v->planned);
		if (v->off_route)
			buf_fmt(&note, "%zu off-route", v->off_route);
		number(r, "Screens", b.data, note.data);
	}
	if (!try)
		number(r, "Measured", v->measured ? "yes" : "no", NULL);
	count_number(r, "Frames kept", "captures.profiler.frames_kept",
		     "captures.profiler.frames_total");
	snapshot_number(r);
	count_number(r, "Graphics states", "captures.graphics_states.variants",
		     NULL);
	duration_number(r, "Process start", "startup_ms.process");
	duration_number(r, "First screen", "startup_ms.first_screen");
	duration_number(r, "Took", "duration_ms");
	buf_str(r->out, "</dl>\n");
}

/* A sign a day, the same as the dashboard's; the words are in its title. */
static const struct day_sign {
	const char *cls, *sign, *word;
} day_signs[] = {
	{"good", "■", "measured"},
	{"bad", "✕", "measured, found something"},
	{"none", "□", "nothing measured"},
	{"bad", "▲", "worse"},
};

static const struct day_sign *
sign_of(const cJSON *d)
{
	if (!json_bool(d, "measured", false))
		return &day_signs[2];
	if (json_count(d, "regressions") || json_bool(d, "worse", false))
		return &day_signs[3];
	return &day_signs[strcmp(json_str(d, "outcome", ""), "passed") != 0];
}

static void
day(struct report *r, const cJSON *d, const char *date, const char *extra)
{
	const char *outcome = json_str(d, "outcome", "unknown");
	const char *message = json_str(d, "message", NULL);
	const char *url = present_url(json_str(d, "url", NULL));
	bool measured = json_bool(d, "measured", false);
	const struct day_sign *sg = sign_of(d);

	buf_fmt(r->out, "<li class=\"%s%s\"><%s title=\"", sg->cls, extra,
		url ? "a" : "span");
	report_parts_text_max(r, outcome, 30);
	buf_str(r->out, measured ? ", measured" : ", not measured");
	if (message) {
		buf_str(r->out, ": ");
		report_parts_text_max(r, message, 200);
	}
	if (url) {
		buf_str(r->out, "\" rel=\"noopener noreferrer\" href=\"");
		buf_html(r->out, url);
	}
	buf_fmt(r->out, "\">%s ", sg->sign);
	present_date(r->out, date);
	buf_fmt(r->out, "</%s></li>", url ? "a" : "span");
}

static void
days(struct report *r)
{
	const char *today = json_str(r->result, "started_at", "");
	const cJSON *d;
	int n = (int)json_count(r->result, "history.days");
	int i = 0;

	if (n == 0)
		return;
	buf_str(r->out, "<ol class=\"days\" aria-label=\"earlier days\">");
	cJSON_ArrayForEach(d, json_get(r->result, "history.days"))
	{
		const char *date = json_str(d, "date", "");

		/* An earlier run of this day is no other day. */
		if (i++ < n - 13 || strncmp(date, today, 10) == 0)
			continue;
		day(r, d, date, "");
	}
	day(r, r->result, today, " today");
	buf_str(r->out, "</ol>\n<p class=\"legend quiet\">");
	for (size_t k = 0; k < sizeof(day_signs) / sizeof(*day_signs); k++)
		buf_fmt(r->out, "<span>%s %s</span> ", day_signs[k].sign,
			day_signs[k].word);
	buf_str(r->out, "</p>\n");
}

void
report_head_write(struct report *r)
{
	buf_str(r->out, "<header>\n");
	eyebrow(r);
	verdict(r);
	days(r);
	numbers(r);
	buf_str(r->out, "</header>\n");
}
