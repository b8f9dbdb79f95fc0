#include <string.h>

#include "base/present.h"
#include "domain/report_parts.h"

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
	report_parts_chip(r, tone(v), v->state);
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

/* One square a day: filled measured, hollow not; the word in its title. */
static void
day(struct report *r, const char *date, bool measured, const char *outcome,
    const char *message, const char *extra)
{
	AUTO_BUF struct buf d = BUF_INIT;
	const char *cls = !measured			   ? "none"
			  : strcmp(outcome, "passed") == 0 ? "good"
							   : "bad";

	present_date(&d, date);
	buf_fmt(r->out, "<li class=\"%s%s\"><span title=\"%s: ", cls, extra,
		d.data);
	report_parts_text_max(r, outcome, 30);
	buf_str(r->out, measured ? ", measured" : ", not measured");
	if (message) {
		buf_str(r->out, ": ");
		report_parts_text_max(r, message, 200);
	}
	buf_fmt(r->out, "\">%s</span></li>", d.data);
}

static void
days(struct report *r)
{
	const cJSON *d;
	int n = (int)json_count(r->result, "history.days");
	int i = 0;

	if (n == 0)
		return;
	buf_str(r->out, "<ol class=\"days\" aria-label=\"earlier days\">");
	cJSON_ArrayForEach(d, json_get(r->result, "history.days"))
	{
		if (i++ < n - 13)
			continue;
		day(r, json_str(d, "date", ""), json_bool(d, "measured", false),
		    json_str(d, "outcome", "unknown"),
		    json_str(d, "message", NULL), "");
	}
	day(r, json_str(r->result, "started_at", ""), r->verdict->measured,
	    json_str(r->result, "outcome", "unknown"), NULL, " today");
	buf_str(r->out, "</ol>\n<p class=\"legend quiet\">"
			"<span class=\"key good\"></span>fine "
			"<span class=\"key bad\"></span>found something "
			"<span class=\"key none\"></span>nothing measured</p>"
			"\n");
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
