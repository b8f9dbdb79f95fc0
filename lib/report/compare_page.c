#include "report/compare_page.h"

#include <string.h>

#include "base/present.h"
#include "history/compare.h"
#include "report/page.h"

enum { TEXT_UNITS = 300 };

/* States in the order in which they are shown, and how each looks. */
static const struct state {
	const char *name, *words, *chip;
} states[] = {
	{"regression", "worse", "bad"},
	{"creep", "creeping", "bad"},
	{"suspect", "suspect", "warn"},
	{"improvement", "better", "good"},
	{"unchanged", "as before", ""},
	{"too_little_history", "too little history", ""},
	{"unused", "not compared", ""},
	{"not_comparable", "not compared", "warn"}, /* of a whole run only */
};
enum { STATES = sizeof(states) / sizeof(states[0]), TOLD = 4 };

static const struct state *
state_of(const char *name)
{
	for (size_t i = 0; i < STATES; i++) {
		if (strcmp(states[i].name, name) == 0)
			return &states[i];
	}
	return NULL;
}

static void
chip(struct buf *out, const struct state *s, const char *name)
{
	buf_fmt(out, "<span class=\"chip %s\">", s ? s->chip : "");
	present_html(out, s ? s->words : name, TEXT_UNITS);
	buf_str(out, "</span>");
}

static void
cell(struct buf *out, const cJSON *series, const char *field, const char *label)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(series, field);
	AUTO_BUF struct buf text = BUF_INIT;

	buf_fmt(out, "<td class=\"n\" data-label=\"%s\"", label);
	if (cJSON_IsNumber(v)) {
		present_value(&text, v->valuedouble,
			      json_str(series, "unit", ""));
		buf_fmt(out, " data-value=\"%.15g\">", v->valuedouble);
		present_html(out, text.data, TEXT_UNITS);
	} else {
		buf_chr(out, '>');
	}
}

static void
row(struct buf *out, const struct state *s, const cJSON *series)
{
	buf_str(out, "<tr><td>");
	chip(out, s, s->name);
	buf_str(out, "<td>");
	present_html(out, json_str(series, "subject", ""), TEXT_UNITS);
	buf_str(out, "<td>");
	present_html(out, json_str(series, "metric", ""), TEXT_UNITS);
	cell(out, series, "base", "previous");
	cell(out, series, "median", "median");
	cell(out, series, "value", "this run");
	buf_str(out, "<td>");
	present_html(out, json_str(series, "line", ""), TEXT_UNITS);
	buf_str(out, "</tr>\n");
}

/* A table of the series in states[first..last). */
static void
table(struct buf *out, const cJSON *comparison, size_t first, size_t last)
{
	const cJSON *s;

	buf_str(out, "<table class=\"series\"><thead><tr><th><th>where"
		     "<th>metric<th class=\"n\">previous<th class=\"n\">median"
		     "<th class=\"n\">this run<th>why</tr></thead><tbody>\n");
	for (size_t i = first; i < last; i++) {
		cJSON_ArrayForEach(s, json_get(comparison, "series"))
		{
			if (strcmp(json_str(s, "state", ""), states[i].name) ==
			    0)
				row(out, &states[i], s);
		}
	}
	buf_str(out, "</tbody></table>\n");
}

static size_t
count(const cJSON *comparison, size_t first, size_t last)
{
	const cJSON *s;
	size_t n = 0;

	for (size_t i = first; i < last; i++) {
		cJSON_ArrayForEach(s, json_get(comparison, "series"))
		{
			n += strcmp(json_str(s, "state", ""), states[i].name) ==
			     0;
		}
	}
	return n;
}

static void
run_words(struct buf *out, const char *what, const cJSON *run)
{
	AUTO_BUF struct buf text = BUF_INIT;

	buf_fmt(&text, "%s ", what);
	present_date(&text, json_str(run, "at", NULL));
	buf_fmt(&text, ", build %s", json_str(run, "run_id", "unknown"));
	if (*json_str(run, "commit", "")) {
		buf_chr(&text, ' ');
		present_commit(&text, json_str(run, "commit", NULL));
	}
	present_html(out, text.data, TEXT_UNITS);
}

void
compare_page_write(struct buf *out, const cJSON *c)
{
	const char *verdict = json_str(c, "verdict", "");
	const struct state *s = state_of(verdict);
	const cJSON *base = json_get(c, "base");
	AUTO_BUF struct buf key = BUF_INIT;

	page_begin(out, NULL, json_str(c, "message", "patrol"), NULL);
	buf_str(out, "<p class=\"eyebrow\">");
	compare_key(&key, c);
	present_html(out, key.data, TEXT_UNITS);
	buf_str(out, " · ");
	run_words(out, "run of", json_get(c, "run"));
	if (cJSON_IsObject(base))
		run_words(out, ", beside", base);
	buf_fmt(out, "</p>\n<div class=\"verdict %s\">", s ? s->chip : "warn");
	chip(out, s, verdict);
	buf_str(out, "<h1>");
	present_html(out, json_str(c, "message", ""), TEXT_UNITS);
	buf_str(out, "</h1></div>\n");
	if (count(c, 0, TOLD)) {
		buf_str(out, "<section><h2>What changed</h2>\n");
		table(out, c, 0, TOLD);
		buf_str(out, "</section>\n");
	}
	if (count(c, TOLD, STATES)) {
		buf_fmt(out,
			"<section><details><summary>%zu others</summary>\n",
			count(c, TOLD, STATES));
		table(out, c, TOLD, STATES);
		buf_str(out, "</details></section>\n");
	}
	page_end(out);
}
