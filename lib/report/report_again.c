#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "report/report.h"
#include "report/report_parts.h"

static void
stage_row(struct report *r, const cJSON *s, int64_t longest)
{
	const char *status = json_str(s, "status", "?");
	const char *tone = strcmp(status, "ok") == 0	   ? "good"
			   : strcmp(status, "warn") == 0   ? "warn"
			   : strcmp(status, "failed") == 0 ? "bad"
							   : "quiet";
	int64_t ms = json_int(s, "ms", -1);

	buf_str(r->out, "<tr><td>");
	report_parts_text_max(r, json_str(s, "name", "?"), 60);
	buf_str(r->out, "<td>");
	report_parts_chip(r, tone, status);
	buf_str(r->out, "<td class=\"n\">");
	if (ms >= 0) {
		buf_duration(r->out, ms);
		buf_fmt(r->out,
			"<span class=\"bar %s\"><i style=\"width:%.0f%%\"></i>"
			"</span>",
			strcmp(tone, "good") == 0 ? "plain" : tone,
			100.0 * (double)ms / (double)longest);
	}
	buf_str(r->out, "<td>");
	report_parts_text_max(r, json_str(s, "message", NULL), 200);
	buf_str(r->out, "</tr>\n");
}

static void
stages(struct report *r)
{
	const cJSON *s;
	int64_t longest = 1;
	size_t shown = 0;

	if (json_count(r->result, "stages") == 0)
		return;
	cJSON_ArrayForEach(s, json_get(r->result, "stages"))
	{
		if (json_int(s, "ms", 0) > longest)
			longest = json_int(s, "ms", 0);
	}
	report_parts_open(r, "stages", "Where the time went", NULL);
	buf_str(r->out, "<table class=\"stages\"><tbody>\n");
	cJSON_ArrayForEach(s, json_get(r->result, "stages"))
	{
		if (shown++ == 100)
			break;
		stage_row(r, s, longest);
	}
	buf_str(r->out, "</tbody></table>\n");
	report_parts_close(r);
}

static void
fact(struct report *r, const char *label, const char *path)
{
	AUTO_FREE char *value = json_id(r->result, path);

	if (value == NULL || *value == '\0')
		return;
	buf_fmt(r->out, "<div><dt>%s</dt><dd>", label);
	report_parts_text_max(r, value, 200);
	buf_str(r->out, "</dd></div>\n");
}

static void
facts(struct report *r)
{
	const cJSON *v;

	buf_str(r->out, "<dl class=\"facts\">\n");
	fact(r, "Run", "build.run_id");
	fact(r, "Commit", "build.commit");
	fact(r, "Branch", "build.branch");
	fact(r, "Artifact", "build.artifact.name");
	fact(r, "Artifact digest", "build.artifact.digest");
	fact(r, "Package", "build.apk.package");
	fact(r, "Version", "build.apk.version_name");
	fact(r, "APK sha256", "build.apk.sha256");
	fact(r, "Phone", "device.model");
	fact(r, "Serial", "device.serial");
	fact(r, "Android", "device.os");
	fact(r, "GPU", "device.gpu");
	fact(r, "ABI", "device.abi");
	fact(r, "Farm", "device.farm");
	fact(r, "Plan", "plan.file");
	fact(r, "Plan sha256", "plan.sha256");
	fact(r, "Route hash", "plan.route_hash");
	cJSON_ArrayForEach(v, json_get(r->result, "versions"))
	{
		if (!v->string || !cJSON_IsString(v))
			continue;
		buf_str(r->out, "<div><dt>");
		report_parts_text_max(r, v->string, 40);
		buf_str(r->out, "</dt><dd>");
		report_parts_text_max(r, v->valuestring, 100);
		buf_str(r->out, "</dd></div>\n");
	}
	buf_str(r->out, "</dl>\n");
}

static void
settings(struct report *r)
{
	const cJSON *s;
	size_t n = 0;

	if (json_count(r->result, "settings") == 0)
		return;
	buf_str(r->out, "<details><summary>Settings</summary><table><tbody>\n");
	cJSON_ArrayForEach(s, json_get(r->result, "settings"))
	{
		if (n++ == 200)
			break;
		buf_str(r->out, "<tr><td><code>");
		report_parts_text_max(r, json_str(s, "name", "?"), 80);
		buf_str(r->out, "</code><td>");
		report_parts_text_max(r, json_str(s, "value", "set"), 200);
		buf_str(r->out, "<td class=\"quiet\">");
		report_parts_text_max(r, json_str(s, "from", ""), 20);
		buf_str(r->out, "</tr>\n");
	}
	buf_str(r->out, "</tbody></table></details>\n");
}

static void
logs(struct report *r)
{
	const cJSON *l;
	size_t n = 0;

	if (json_count(r->result, "logs") == 0)
		return;
	buf_str(r->out, "<p class=\"quiet\">In the folder beside this page: ");
	cJSON_ArrayForEach(l, json_get(r->result, "logs"))
	{
		int64_t bytes = json_int(l, "size_bytes", -1);

		if (n == 20)
			break;
		buf_str(r->out, n++ ? ", <code>" : "<code>");
		report_parts_text_max(r, json_str(l, "file", "?"), 120);
		buf_str(r->out, "</code>");
		if (bytes >= 0) {
			buf_str(r->out, " (");
			buf_size(r->out, bytes);
			buf_chr(r->out, ')');
		}
	}
	buf_str(r->out, "</p>\n");
}

void
report_again_write(struct report *r)
{
	const char *command = json_str(r->result, "command", NULL);

	stages(r);
	report_parts_open(r, "again", "To run it again", NULL);
	if (command) {
		buf_str(r->out, "<pre>");
		report_parts_text(r, command);
		buf_str(r->out, "</pre>\n");
	}
	facts(r);
	settings(r);
	logs(r);
	report_parts_close(r);
}
