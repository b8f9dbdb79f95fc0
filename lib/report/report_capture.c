#include <string.h>

#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

enum { FAILED_SHOWN = 4 };

static void
term(struct report *r, const char *label)
{
	buf_fmt(r->out, "<div><dt>%s</dt><dd>", label);
}

static void
term_end(struct report *r)
{
	buf_str(r->out, "</dd></div>\n");
}

static const char *
capture_tone(const char *status)
{
	if (strcmp(status, "stopped") == 0 || strcmp(status, "pulled") == 0)
		return "good";
	return strcmp(status, "off") == 0 ? "quiet" : "bad";
}

static void
capture_head(struct report *r, const cJSON *c, const char *title)
{
	const char *status = json_str(c, "status", "off");
	const char *message = json_str(c, "message", NULL);

	buf_fmt(r->out, "<article class=\"card\"><h3>%s ", title);
	report_parts_chip(r, capture_tone(status), status);
	buf_str(r->out, "</h3>");
	if (message) {
		buf_str(r->out, "<p class=\"why\">");
		report_parts_text(r, message);
		buf_str(r->out, "</p>");
	}
	buf_str(r->out, "<dl>");
}

static void
number_term(struct report *r, const cJSON *c, const char *label,
	    const char *key, void (*say)(struct buf *, long long))
{
	int64_t v = json_int(c, key, -1);

	if (v < 0)
		return;
	term(r, label);
	say(r->out, v);
	term_end(r);
}

/* As the plan says it: 2 MB are not 1.9 MiB to who wrote them. */
static void
threshold(struct buf *out, long long bytes)
{
	if (bytes >= 100000 && bytes % 100000 == 0)
		buf_fmt(out, "%.6g MB", (double)bytes / 1e6);
	else
		buf_size(out, bytes);
}

static void
profiler(struct report *r)
{
	const cJSON *c = json_get(r->result, "captures.profiler");
	int64_t total = json_int(c, "frames_total", -1);
	int64_t kept = json_int(c, "frames_kept", -1);

	if (!cJSON_IsObject(c))
		return;
	capture_head(r, c, "Profiler");
	if (kept >= 0 && total >= 0) {
		term(r, "Frames kept");
		present_count(r->out, kept);
		buf_str(r->out, " of ");
		present_count(r->out, total);
		term_end(r);
	}
	number_term(r, c, "Slower than", "frame_time_ms", buf_duration);
	number_term(r, c, "Or allocating", "gc_alloc_bytes", threshold);
	number_term(r, c, "Data", "size_bytes", buf_size);
	if (cJSON_IsBool(json_get(c, "uploaded"))) {
		term(r, "Uploaded");
		buf_str(r->out, json_bool(c, "uploaded", false) ? "yes" : "no");
		term_end(r);
	}
	buf_str(r->out, "</dl>");
	report_parts_link(r, json_str(c, "url", NULL), "Open the capture");
	buf_str(r->out, "</article>\n");
}

static void
graphics_states(struct report *r)
{
	const cJSON *c = json_get(r->result, "captures.graphics_states");
	const char *file = json_str(c, "file", NULL);

	if (!cJSON_IsObject(c))
		return;
	capture_head(r, c, "Graphics states");
	number_term(r, c, "Variants", "variants", present_count);
	number_term(r, c, "States", "states", present_count);
	number_term(r, c, "Data", "size_bytes", buf_size);
	if (file) {
		term(r, "File");
		buf_str(r->out, "<code>");
		report_parts_text_max(r, file, 200);
		buf_str(r->out, "</code>");
		term_end(r);
	}
	buf_str(r->out, "</dl></article>\n");
}

/* One line when all went well, else each that failed. */
static void
uploads(struct report *r)
{
	size_t ok = 0, failed = 0, n = json_count(r->result, "uploads");
	long long bytes = 0;
	const cJSON *u;

	if (n == 0)
		return;
	cJSON_ArrayForEach(u, json_get(r->result, "uploads"))
	{
		bool good = strcmp(json_str(u, "status", ""), "ok") == 0;

		ok += good;
		failed += !good;
		bytes += good ? json_int(u, "size_bytes", 0) : 0;
	}
	buf_str(r->out, "<article class=\"card\"><h3>Uploads ");
	report_parts_chip(r, failed ? "bad" : "good", failed ? "failed" : "ok");
	buf_fmt(r->out, "</h3><p>%zu of %zu arrived", ok, n);
	if (bytes) {
		buf_str(r->out, ", ");
		buf_size(r->out, bytes);
	}
	buf_str(r->out, "</p><ul class=\"plainlist\">");
	n = 0;
	cJSON_ArrayForEach(u, json_get(r->result, "uploads"))
	{
		if (strcmp(json_str(u, "status", ""), "ok") == 0 ||
		    n++ >= FAILED_SHOWN)
			continue;
		buf_str(r->out, "<li>");
		report_parts_text_max(r, json_str(u, "name", "?"), 80);
		buf_str(r->out, ": ");
		report_parts_text_max(r, json_str(u, "message", "failed"), 200);
		buf_str(r->out, "</li>");
	}
	buf_str(r->out, "</ul>");
	report_parts_more(r, n > FAILED_SHOWN ? n - FAILED_SHOWN : 0);
	buf_str(r->out, "</article>\n");
}

static void
metrics(struct report *r)
{
	size_t shown = 0, n = json_count(r->result, "metrics");
	const cJSON *m;

	if (n == 0)
		return;
	buf_str(r->out, "<details class=\"wide\"><summary>Metrics");
	buf_fmt(r->out,
		" (%zu)</summary><table><thead><tr><th>screen"
		"<th>metric<th class=\"n\">value</tr></thead>\n",
		n);
	cJSON_ArrayForEach(m, json_get(r->result, "metrics"))
	{
		AUTO_BUF struct buf b = BUF_INIT;

		if (shown++ == REPORT_ROWS_MAX)
			break;
		present_value(&b, json_num(m, "value", 0),
			      json_str(m, "unit", NULL));
		buf_str(r->out, "<tr><td>");
		report_parts_text_max(r, json_str(m, "screen", ""), 80);
		buf_str(r->out, "<td>");
		report_parts_text_max(r, json_str(m, "name", "?"), 120);
		buf_str(r->out, "<td class=\"n\">");
		buf_html(r->out, b.data);
		buf_str(r->out, "</tr>\n");
	}
	buf_str(r->out, "</table></details>\n");
	report_parts_more(r, n > REPORT_ROWS_MAX ? n - REPORT_ROWS_MAX : 0);
}

void
report_capture_write(struct report *r)
{
	if (!cJSON_IsObject(json_get(r->result, "captures")) &&
	    json_count(r->result, "uploads") +
			    json_count(r->result, "metrics") ==
		    0)
		return;
	report_parts_open(r, "capture", "What was measured", NULL);
	buf_str(r->out, "<div class=\"cards\">\n");
	profiler(r);
	graphics_states(r);
	uploads(r);
	buf_str(r->out, "</div>\n");
	metrics(r);
	report_parts_close(r);
}
