#include <string.h>

#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

enum { IMAGES_PER_SCREEN = 12, ATTEMPTS_SHOWN = 20 };

/* The largest values: what the bars in the table are drawn against. */
struct scale {
	int64_t load, memory;
};

static struct scale
scale_of(const cJSON *result)
{
	struct scale max = {1, 1};
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		int64_t load = json_int(s, "reached_ms", 0);
		int64_t memory = json_int(s, "memory_bytes", 0);

		if (load > max.load)
			max.load = load;
		if (memory > max.memory)
			max.memory = memory;
	}
	return max;
}

static void
cell(struct report *r, const char *label)
{
	buf_fmt(r->out, "<td class=\"n\" data-label=\"%s\">", label);
}

static void
bar(struct report *r, int64_t value, int64_t max, const char *tone)
{
	double percent = 100.0 * (double)value / (double)max;

	buf_fmt(r->out,
		"<span class=\"bar %s\"><i style=\"width:%.0f%%\"></i>"
		"</span>",
		tone, percent < 1 ? 1 : percent);
}

static void
load_cell(struct report *r, const cJSON *s, const struct scale *max)
{
	int64_t ms = json_int(s, "reached_ms", -1);

	cell(r, "load");
	if (ms < 0)
		return;
	buf_duration(r->out, ms);
	bar(r, ms, max->load,
	    json_bool(s, "off_route", false) ? "warn" : "plain");
}

static void
memory_cell(struct report *r, const cJSON *s, const struct scale *max)
{
	int64_t bytes = json_int(s, "memory_bytes", -1);

	cell(r, "memory");
	if (bytes < 0)
		return;
	buf_size(r->out, bytes);
	bar(r, bytes, max->memory, "plain");
}

static void
phone_cell(struct report *r, const cJSON *s)
{
	double before = json_num(s, "phone.before.battery_c", -1000);
	double after = json_num(s, "phone.after.battery_c", -1000);
	int64_t thermal = json_int(s, "phone.after.thermal_status", 0);

	cell(r, "phone");
	if (before > -100 && after > -100 && after - before >= 0.05)
		buf_fmt(r->out, "%.1f→%.1f °C", before, after);
	else if (after > -100 || before > -100)
		buf_fmt(r->out, "%.1f °C", after > -100 ? after : before);
	if (thermal > 0 && present_thermal(thermal)) {
		buf_str(r->out, "<br>");
		report_parts_chip(r, "warn", present_thermal(thermal));
	}
}

static void
snapshot_cell(struct report *r, const cJSON *s)
{
	const char *status = json_str(s, "snapshot.status", NULL);
	int64_t bytes = json_int(s, "snapshot.size_bytes", -1);

	cell(r, "snapshot");
	if (status == NULL)
		return;
	if (strcmp(status, "taken") != 0) {
		report_parts_chip(
			r, strcmp(status, "failed") == 0 ? "bad" : "quiet",
			status);
		return;
	}
	if (bytes >= 0)
		buf_size(r->out, bytes);
	else
		buf_str(r->out, "taken");
}

static void
attempt(struct report *r, const cJSON *a)
{
	const char *status = json_str(a, "status", "?");
	int64_t ms = json_int(a, "ms", -1);
	const char *message = json_str(a, "message", NULL);

	buf_str(r->out, "<li>");
	report_parts_chip(r, strcmp(status, "ok") == 0 ? "good" : "warn",
			  status);
	buf_chr(r->out, ' ');
	report_parts_text_max(r, json_str(a, "from", "start"), 80);
	buf_str(r->out, " by <code>");
	report_parts_text_max(r, json_str(a, "action", "?"), 200);
	buf_str(r->out, "</code>");
	if (ms >= 0) {
		buf_str(r->out, ", ");
		buf_duration(r->out, ms);
	}
	if (message) {
		buf_str(r->out, ": ");
		report_parts_text(r, message);
	}
	buf_str(r->out, "</li>");
}

static void
images(struct report *r, const cJSON *s)
{
	const cJSON *image;
	size_t shown = 0;

	if (json_count(s, "images") == 0)
		return;
	buf_str(r->out, "<div class=\"gallery\">");
	cJSON_ArrayForEach(image, json_get(s, "images"))
	{
		const char *caption = json_str(image, "caption", "");

		if (shown++ == IMAGES_PER_SCREEN)
			break;
		buf_str(r->out, "<figure>");
		report_parts_image(r, json_str(image, "file", NULL), caption);
		buf_str(r->out, "<figcaption>");
		report_parts_text_max(r, caption, 100);
		buf_str(r->out, "</figcaption></figure>");
	}
	buf_str(r->out, "</div>");
}

/* Some ways have several steps: only one that failed was a retry. */
static void
steps_line(struct report *r, const cJSON *attempts)
{
	const cJSON *a;
	size_t n = 0, failed = 0;

	cJSON_ArrayForEach(a, attempts)
	{
		n++;
		if (strcmp(json_str(a, "status", "ok"), "ok") != 0)
			failed++;
	}
	buf_fmt(r->out, "<details><summary>%zu steps", n);
	if (failed)
		buf_fmt(r->out, ", %zu failed", failed);
	buf_str(r->out, "</summary><ul>");
}

/* How it was reached; all steps, when it took more than one. */
static void
reached_by(struct report *r, const cJSON *s)
{
	const cJSON *attempts = json_get(s, "attempts");
	size_t n = json_count(s, "attempts"), shown = 0;
	const cJSON *a = cJSON_GetArrayItem(attempts, 0);

	if (n == 1 && json_str(a, "action", NULL)) {
		buf_str(r->out, "<p class=\"quiet\">");
		if (json_str(a, "from", NULL)) {
			buf_str(r->out, "from ");
			report_parts_text_max(r, json_str(a, "from", ""), 60);
			buf_chr(r->out, ' ');
		}
		buf_str(r->out, "by <code>");
		report_parts_text_max(r, json_str(a, "action", ""), 160);
		buf_str(r->out, "</code></p>");
	}
	if (n < 2)
		return;
	steps_line(r, attempts);
	cJSON_ArrayForEach(a, attempts)
	{
		if (shown++ == ATTEMPTS_SHOWN)
			break;
		attempt(r, a);
	}
	buf_str(r->out, "</ul></details>");
}

static void
screen_cell(struct report *r, const cJSON *s)
{
	const char *why = json_str(s, "message", NULL);

	if (why == NULL)
		why = json_str(s, "off_route_reason", NULL);
	buf_str(r->out, "<td class=\"name\"><b>");
	report_parts_text_max(r, json_str(s, "name", "?"), 80);
	buf_str(r->out, "</b> ");
	report_parts_chip(r, report_parts_tone(s), report_parts_status(s));
	if (why) {
		buf_str(r->out, "<p class=\"why\">");
		report_parts_text_max(r, why, 300);
		buf_str(r->out, "</p>");
	}
	reached_by(r, s);
	images(r, s);
	buf_str(r->out, "</td>");
}

static void
row(struct report *r, const cJSON *s, const struct scale *max)
{
	int64_t ms = json_int(s, "settle_ms", -1);

	buf_fmt(r->out, "<tr class=\"%s\"><td class=\"pic\">",
		report_parts_tone(s));
	report_parts_image(r, json_str(s, "screenshot", NULL),
			   json_str(s, "name", "?"));
	buf_str(r->out, "</td>");
	screen_cell(r, s);
	load_cell(r, s, max);
	cell(r, "settle");
	if (ms >= 0)
		buf_duration(r->out, ms);
	memory_cell(r, s, max);
	phone_cell(r, s);
	snapshot_cell(r, s);
	buf_str(r->out, "</tr>\n");
}

static void
table(struct report *r)
{
	struct scale max = scale_of(r->result);
	const cJSON *s;
	size_t shown = 0, n = json_count(r->result, "screens");

	report_parts_open(r, "screens", "Screens", "in the order of the visit");
	buf_str(r->out, "<table class=\"screens\"><thead><tr><th>"
			"<th>screen<th class=\"n\">load"
			"<th class=\"n\">settle<th class=\"n\">memory"
			"<th class=\"n\">phone<th class=\"n\">snapshot"
			"</tr></thead>\n<tbody>\n");
	cJSON_ArrayForEach(s, json_get(r->result, "screens"))
	{
		if (shown++ == REPORT_ROWS_MAX)
			break;
		row(r, s, &max);
	}
	buf_str(r->out, "</tbody></table>\n");
	report_parts_more(r, n > REPORT_ROWS_MAX ? n - REPORT_ROWS_MAX : 0);
}

/* Without a plan there is no table: what the phone showed, in order. */
static void
album(struct report *r)
{
	const cJSON *s;
	size_t shown = 0;

	report_parts_open(r, "screens", "What the phone showed", NULL);
	cJSON_ArrayForEach(s, json_get(r->result, "screens"))
	{
		if (shown++ == 20)
			break;
		buf_str(r->out, "<div class=\"gallery large\"><figure>");
		report_parts_image(r, json_str(s, "screenshot", NULL),
				   json_str(s, "name", "?"));
		buf_str(r->out, "<figcaption>");
		report_parts_text_max(r, json_str(s, "name", "?"), 100);
		buf_str(r->out, "</figcaption></figure></div>");
		images(r, s);
	}
}

static void
interrupts(struct report *r)
{
	const cJSON *i;
	size_t shown = 0, n = json_count(r->result, "interrupts");

	if (n == 0)
		return;
	buf_str(r->out, "<h3>Interrupts</h3><ul class=\"plainlist\">");
	cJSON_ArrayForEach(i, json_get(r->result, "interrupts"))
	{
		int64_t at = json_int(i, "at_ms", -1);

		if (shown++ == 50)
			break;
		buf_str(r->out, "<li><b>");
		report_parts_text_max(r, json_str(i, "name", "?"), 80);
		buf_str(r->out, "</b> on ");
		report_parts_text_max(r, json_str(i, "screen", "?"), 80);
		if (at >= 0) {
			buf_str(r->out, " after ");
			buf_duration(r->out, at);
		}
		buf_str(r->out, ", ");
		report_parts_text_max(r, json_str(i, "status", "handled"), 20);
		buf_str(r->out, " by <code>");
		report_parts_text_max(r, json_str(i, "action", "?"), 200);
		buf_str(r->out, "</code></li>\n");
	}
	buf_str(r->out, "</ul>\n");
	report_parts_more(r, n > 50 ? n - 50 : 0);
}

void
report_screens_write(struct report *r)
{
	if (json_count(r->result, "screens") == 0)
		return;
	if (strcmp(json_str(r->result, "kind", ""), "try") == 0)
		album(r);
	else
		table(r);
	interrupts(r);
	report_repeats_write(r);
	report_parts_close(r);
}
