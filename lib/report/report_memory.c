/* What the snapshots say of each screen's memory, and what grew. */
#include <string.h>

#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

enum { TYPES_SHOWN = 8, AREAS_SHOWN = 8, GROWN_SHOWN = 8, GROWN_IN_LINE = 3 };

static void
grown(struct buf *out, int64_t bytes)
{
	buf_str(out, bytes < 0 ? "−" : "+");
	buf_size(out, bytes < 0 ? -bytes : bytes);
}

/* Of a total since the earlier run; 0: not known or none. */
static int64_t
total_grown(const cJSON *snapshot, const char *name)
{
	const cJSON *t;

	cJSON_ArrayForEach(t, json_get(snapshot, "growth.totals"))
	{
		if (strcmp(json_str(t, "name", ""), name) == 0)
			return json_int(t, "grown", 0);
	}
	return 0;
}

static void
total_cell(struct report *r, const cJSON *snapshot, const char *label,
	   const char *name)
{
	int64_t bytes = json_int(json_get(snapshot, "totals"), name, -1);
	int64_t more = total_grown(snapshot, name);

	buf_fmt(r->out, "<td class=\"n\" data-label=\"%s\">", label);
	if (bytes < 0)
		return;
	buf_size(r->out, bytes);
	if (more) {
		buf_str(r->out, "<br><small>");
		grown(r->out, more);
		buf_str(r->out, "</small>");
	}
}

/* "▲ Texture2D +61 MiB, Mesh +9 MiB" */
static void
grown_line(struct report *r, const cJSON *snapshot)
{
	const char *why = json_str(snapshot, "growth.message", NULL);
	const cJSON *t;
	size_t n = 0;

	if (why) {
		buf_str(r->out, "<p class=\"quiet\">not compared: ");
		report_parts_text_max(r, why, 200);
		buf_str(r->out, "</p>");
		return;
	}
	cJSON_ArrayForEach(t, json_get(snapshot, "growth.types"))
	{
		int64_t bytes = json_int(t, "bytes_grown", 0);

		if (bytes <= 0 || n == GROWN_IN_LINE)
			break;
		buf_str(r->out, n++ ? ", " : "<p class=\"why\">▲ ");
		report_parts_text_max(r, json_str(t, "name", "?"), 60);
		buf_chr(r->out, ' ');
		grown(r->out, bytes);
	}
	if (n)
		buf_str(r->out, "</p>");
	else if (json_get(snapshot, "growth.types"))
		buf_str(r->out, "<p class=\"quiet\">no type grew</p>");
}

static void
name_cell(struct report *r, const cJSON *row)
{
	buf_str(r->out, "<tr><td>");
	report_parts_text_max(r, json_str(row, "name", "?"), 80);
	buf_str(r->out, "<td class=\"n\">");
}

static void
grown_rows(struct report *r, const cJSON *snapshot, const char *path,
	   const char *head)
{
	const cJSON *v, *list = json_get(snapshot, path);
	size_t n = 0;

	if (cJSON_GetArraySize(list) == 0)
		return;
	buf_fmt(r->out,
		"<table class=\"rows\"><thead><tr><th>%s<th class=\"n\">grown"
		"<th class=\"n\">to</tr></thead>\n",
		head);
	cJSON_ArrayForEach(v, list)
	{
		if (n++ == GROWN_SHOWN)
			break;
		name_cell(r, v);
		grown(r->out, json_int(v, "bytes_grown", 0));
		buf_str(r->out, "<td class=\"n\">");
		buf_size(r->out, json_int(v, "bytes_after", 0));
		buf_str(r->out, "</tr>\n");
	}
	buf_str(r->out, "</table>");
}

static void
largest_rows(struct report *r, const cJSON *list, const char *head, size_t most)
{
	const cJSON *v;
	size_t n = 0;

	if (cJSON_GetArraySize(list) == 0)
		return;
	buf_fmt(r->out,
		"<table class=\"rows\"><thead><tr><th>%s<th class=\"n\">count"
		"<th class=\"n\">size</tr></thead>\n",
		head);
	cJSON_ArrayForEach(v, list)
	{
		if (n++ == most)
			break;
		name_cell(r, v);
		present_count(r->out, json_int(v, "count", 0));
		buf_str(r->out, "<td class=\"n\">");
		buf_size(r->out, json_int(v, "bytes", 0));
		buf_str(r->out, "</tr>\n");
	}
	buf_str(r->out, "</table>");
}

static void
details(struct report *r, const cJSON *snapshot)
{
	buf_str(r->out, "<details><summary>by type and by area</summary>"
			"<div class=\"cards\">");
	if (json_count(snapshot, "growth.types") +
	    json_count(snapshot, "growth.areas")) {
		buf_str(r->out, "<div>");
		grown_rows(r, snapshot, "growth.types", "native type");
		buf_str(r->out, "</div><div>");
		grown_rows(r, snapshot, "growth.areas", "area");
		buf_str(r->out, "</div>");
	}
	buf_str(r->out, "<div>");
	largest_rows(r, json_get(snapshot, "types"), "native type",
		     TYPES_SHOWN);
	buf_str(r->out, "</div><div>");
	largest_rows(r, json_get(snapshot, "areas"), "area", AREAS_SHOWN);
	buf_str(r->out, "</div>");
	buf_str(r->out, "</div></details>");
}

static void
row(struct report *r, const cJSON *s)
{
	const cJSON *snapshot = json_get(s, "snapshot");

	buf_str(r->out, "<tr><td class=\"name\"><b>");
	report_parts_text_max(r, json_str(s, "name", "?"), 80);
	buf_str(r->out, "</b>");
	grown_line(r, snapshot);
	buf_str(r->out, "</td>");
	total_cell(r, snapshot, "resident", "resident_bytes");
	total_cell(r, snapshot, "native", "native_object_bytes");
	total_cell(r, snapshot, "managed", "managed_heap_bytes");
	total_cell(r, snapshot, "graphics", "graphics_bytes");
	buf_str(r->out, "</tr>\n<tr class=\"more\"><td colspan=\"5\">");
	details(r, snapshot);
	buf_str(r->out, "</td></tr>\n");
}

/* "Compared with 29 Nov, build 4241 a0f9e8d." */
static void
compared_line(struct report *r)
{
	const cJSON *p = json_get(r->result, "previous");
	const char *why = json_str(p, "message", NULL);
	const char *at = json_str(p, "ended_at", NULL);
	AUTO_BUF struct buf b = BUF_INIT;

	if (!cJSON_IsObject(p))
		return;
	buf_str(&b, why ? "Not compared with " : "Compared with ");
	if (at)
		present_date(&b, at);
	else
		buf_str(&b, "an earlier day");
	if (json_str(p, "run_id", NULL)) {
		buf_str(&b, ", build ");
		present_line(&b, json_str(p, "run_id", ""), 40);
	}
	if (json_str(p, "commit", NULL)) {
		buf_chr(&b, ' ');
		present_commit(&b, json_str(p, "commit", ""));
	}
	if (why) {
		buf_str(&b, ": ");
		present_line(&b, why, 300);
	}
	buf_str(r->out, "<p>");
	buf_html(r->out, b.data);
	buf_str(r->out, ".</p>\n");
}

static size_t
with_sums(const cJSON *result)
{
	const cJSON *s;
	size_t n = 0;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		n += cJSON_IsObject(json_get(s, "snapshot.totals"));
	}
	return n;
}

void
report_memory_write(struct report *r)
{
	size_t n = with_sums(r->result), shown = 0;
	const cJSON *s;

	if (n == 0)
		return;
	report_parts_open(r, "memory", "Memory", "in the snapshots");
	compared_line(r);
	buf_str(r->out, "<table class=\"memory\"><thead><tr><th>screen"
			"<th class=\"n\">resident<th class=\"n\">native objects"
			"<th class=\"n\">managed heap<th class=\"n\">graphics"
			"</tr></thead>\n<tbody>\n");
	cJSON_ArrayForEach(s, json_get(r->result, "screens"))
	{
		if (!cJSON_IsObject(json_get(s, "snapshot.totals")))
			continue;
		if (shown++ == REPORT_ROWS_MAX)
			break;
		row(r, s);
	}
	buf_str(r->out, "</tbody></table>\n<p class=\"quiet\">Whose bytes are "
			"whose is decided otherwise than in the editor's "
			"Memory Profiler window, so sums differ from it. Two "
			"snapshots are counted alike.</p>\n");
	report_parts_more(r, n > REPORT_ROWS_MAX ? n - REPORT_ROWS_MAX : 0);
	report_parts_close(r);
}
