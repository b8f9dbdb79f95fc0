/* The traced graphics states, and what merging them with the base did. */
#include <string.h>

#include "base/present.h"
#include "report/report_parts.h"

static void
count(struct report *r, const cJSON *o, const char *key, const char *one,
      const char *many)
{
	int64_t n = json_int(o, key, 0);

	present_count(r->out, n);
	buf_fmt(r->out, " %s", n == 1 ? one : many);
}

static void
code(struct report *r, const char *text)
{
	buf_str(r->out, "<code>");
	report_parts_text_max(r, text, 200);
	buf_str(r->out, "</code>");
}

static void
pruned_line(struct report *r, const cJSON *m)
{
	if (json_int(m, "not_found", 0) +
		    json_int(m, "lines_not_understood", 0) ==
	    0) {
		buf_str(r->out, "<p class=\"quiet\">The log of the run tells "
				"of no variant that warm-up did not find."
				"</p>\n");
		return;
	}
	buf_str(r->out, "<p>Warm-up did not find ");
	count(r, m, "not_found", "variant", "variants");
	buf_str(r->out, ", as the log tells: ");
	count(r, m, "pruned", "was", "were");
	buf_str(r->out, " dropped");
	if (json_int(m, "near_misses", 0) > 0) {
		buf_str(r->out, ", ");
		count(r, m, "near_misses", "is", "are");
		buf_str(r->out, " kept, as the keywords are only near");
	}
	if (json_int(m, "not_in_it", 0) > 0) {
		buf_str(r->out, ", ");
		count(r, m, "not_in_it", "is", "are");
		buf_str(r->out, " not in the file");
	}
	if (json_int(m, "lines_not_understood", 0) > 0) {
		buf_str(r->out, ", and ");
		count(r, m, "lines_not_understood", "line was", "lines were");
		buf_str(r->out, " not understood");
	}
	buf_str(r->out, ".</p>\n");
}

static void
merged_lines(struct report *r, const cJSON *m)
{
	const char *why = json_str(m, "message", NULL);

	if (why) {
		buf_str(r->out, "<p>Not merged with ");
		code(r, json_str(m, "base", "?"));
		buf_str(r->out, ": ");
		report_parts_text(r, why);
		buf_str(r->out, ".</p>\n");
		return;
	}
	buf_str(r->out, "<p>To the ");
	count(r, m, "base_variants", "variant", "variants");
	buf_str(r->out, " of ");
	code(r, json_str(m, "base", "?"));
	buf_str(r->out, " this run adds ");
	count(r, m, "added_variants", "variant", "variants");
	buf_str(r->out, " and ");
	count(r, m, "added_states", "state", "states");
	buf_str(r->out, ". Both together are ");
	code(r, json_str(m, "file", "?"));
	buf_str(r->out, " with ");
	count(r, m, "variants", "variant", "variants");
	buf_str(r->out, " and ");
	count(r, m, "states", "state", "states");
	buf_str(r->out, "; the base is as it was.</p>\n");
	pruned_line(r, m);
}

static void
shaders(struct report *r, const cJSON *o)
{
	int64_t all = json_int(o, "shader_count", 0);
	size_t n = json_count(o, "shaders");
	const cJSON *s;

	if (n == 0)
		return;
	buf_str(r->out, "<table class=\"rows\"><thead><tr><th>shader"
			"<th class=\"n\">variants<th class=\"n\">states"
			"</tr></thead>\n");
	cJSON_ArrayForEach(s, json_get(o, "shaders"))
	{
		buf_str(r->out, "<tr><td>");
		report_parts_text_max(r, json_str(s, "shader", "?"), 120);
		buf_str(r->out, "<td class=\"n\">");
		present_count(r->out, json_int(s, "variants", 0));
		buf_str(r->out, "<td class=\"n\">");
		present_count(r->out, json_int(s, "states", 0));
		buf_str(r->out, "</tr>\n");
	}
	buf_str(r->out, "</table>\n<p class=\"quiet\">");
	if (all > (int64_t)n)
		buf_fmt(r->out, "%lld more shaders are in the file. ",
			(long long)all - (long long)n);
	buf_str(r->out, "The trace is of the whole run: which screen drew a "
			"state is not in it.</p>\n");
}

void
report_states_write(struct report *r)
{
	const cJSON *c = json_get(r->result, "captures.graphics_states");
	const cJSON *m = json_get(c, "merged");
	bool merged = json_get(m, "shaders") != NULL;

	if (m == NULL && json_count(c, "shaders") == 0)
		return;
	report_parts_open(r, "states", "Graphics states",
			  json_str(c, "api", NULL));
	if (cJSON_IsObject(m))
		merged_lines(r, m);
	shaders(r, merged ? m : c);
	report_parts_close(r);
}
