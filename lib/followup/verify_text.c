#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "followup/verify.h"
#include "report/summary.h"

enum {
	NAME_UNITS = 120,
	SERIES_SHOWN = 30,
	COMMENT_MAX = 60000, /* bytes; GitHub's limit is 65,536 characters */
};

/* Where it stands in the comment, to be found by programs. */
#define MARKER "<!-- patrol-verify -->"

static const char *
word_of(const cJSON *o)
{
	const char *verdict = json_str(o, "verdict", "?");

	return strcmp(verdict, "not_fixed") == 0	? "not fixed"
	       : strcmp(verdict, "not_comparable") == 0 ? "not comparable"
							: verdict;
}

static void
add_name(struct buf *out, const cJSON *s)
{
	const char *subject = json_str(s, "subject", "");

	if (*subject) {
		present_line(out, subject, NAME_UNITS);
		buf_chr(out, ' ');
	}
	present_line(out, json_str(s, "metric", ""), NAME_UNITS);
}

/* "1.84 s, 1.9 s, off_route" */
static void
add_values(struct buf *out, const cJSON *s)
{
	const char *unit = json_str(s, "unit", "");
	const cJSON *v;

	cJSON_ArrayForEach(v, json_get(s, "values"))
	{
		const char *why = json_str(v, "unused", NULL);

		if (v->prev->next)
			buf_str(out, ", ");
		if (why)
			present_line(out, why, NAME_UNITS);
		else
			present_value(out, json_num(v, "value", 0), unit);
	}
}

char *
verify_text_line(const cJSON *s)
{
	const char *unit = json_str(s, "unit", "");
	long long valid = json_int(s, "valid", 0);
	bool exact = json_bool(s, "deterministic", false);
	struct buf out = BUF_INIT;

	add_name(&out, s);
	buf_fmt(&out, ": %s: ", word_of(s));
	if (valid > 0) {
		buf_str(&out, exact ? "at worst " : "median ");
		present_value(&out, json_num(s, "median", 0), unit);
		buf_str(&out, " of ");
	}
	buf_fmt(&out, "%lld valid (", valid);
	add_values(&out, s);
	buf_str(&out, "), baseline ");
	present_value(&out, json_num(s, "baseline", 0), unit);
	if (!exact) {
		buf_str(&out, " ± ");
		present_value(&out, json_num(s, "noise", 0), unit);
	}
	buf_str(&out, ", regression ");
	present_value(&out, json_num(s, "regression", 0), unit);
	if (!exact) {
		buf_str(&out, ", limit ");
		present_value(&out, json_num(s, "limit", 0), unit);
	}
	return buf_take(&out);
}

char *
verify_text_message(const cJSON *verdict)
{
	const cJSON *series = json_get(verdict, "series"), *s;
	const char *state = json_str(verdict, "verdict", "");
	const char *unfit = json_str(verdict, "unfit.message", NULL);

	if (unfit && strcmp(state, "undecided") == 0)
		return mem_fmt("not decided: %s", unfit);
	cJSON_ArrayForEach(s, series)
	{
		if (strcmp(json_str(s, "verdict", ""), state) == 0)
			return mem_strdup(json_str(s, "line", ""));
	}
	return mem_strdup("nothing of the issue was measured");
}

/* A cell of a table: one line, and no bar ends it. */
static void
cell(struct buf *out, const char *text)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, text, 2 * NAME_UNITS);
	buf_str(out, "| ");
	summary_escape(out, line.data ? line.data : "");
	buf_chr(out, ' ');
}

static void
number(struct buf *out, const cJSON *s, const char *key)
{
	AUTO_BUF struct buf b = BUF_INIT;
	double v = json_num(s, key, NAN);

	if (isnan(v))
		buf_str(&b, "–");
	else
		present_value(&b, v, json_str(s, "unit", ""));
	cell(out, b.data);
}

static void
row(struct buf *out, const cJSON *s)
{
	AUTO_BUF struct buf name = BUF_INIT;
	AUTO_BUF struct buf values = BUF_INIT;

	add_name(&name, s);
	add_values(&values, s);
	cell(out, name.data);
	number(out, s, "baseline");
	number(out, s, "regression");
	number(out, s, "median");
	cell(out, values.data ? values.data : "");
	number(out, s, "limit");
	cell(out, word_of(s));
	buf_str(out, "|\n");
}

static void
add_build(struct buf *out, const cJSON *verdict)
{
	const cJSON *run = json_get(verdict, "run");
	const char *url = present_url(json_str(run, "run_url", NULL));
	const char *id = json_str(run, "run_id", NULL);

	buf_str(out, "Build ");
	if (id && url)
		buf_fmt(out, "[%s](%s)", id, url);
	else
		summary_escape(out, id ? id : "of a local APK");
	if (json_str(run, "commit", NULL)) {
		buf_str(out, ", ");
		summary_escape(out, json_str(run, "commit", ""));
	}
	buf_fmt(out,
		", %lld repetitions, each in a new process of the app.\n\n",
		(long long)json_int(verdict, "repetitions", 0));
}

static void
add_unfit(struct buf *out, const cJSON *verdict)
{
	const char *why = json_str(verdict, "unfit.message", NULL);

	if (why == NULL)
		return;
	buf_str(out, "This run does not count: ");
	summary_escape(out, why);
	buf_str(out, ".\n\n");
}

static void
add_refused(struct buf *out, const cJSON *verdict)
{
	const cJSON *r;

	cJSON_ArrayForEach(r, json_get(verdict, "refused"))
	{
		AUTO_BUF struct buf line = BUF_INIT;

		add_name(&line, r);
		buf_str(&line, ": ");
		present_line(&line, json_str(r, "why", ""), NAME_UNITS);
		if (out->len + line.len > COMMENT_MAX)
			return;
		buf_str(out, "\nNot verified here: ");
		summary_escape(out, line.data);
		buf_chr(out, '\n');
	}
}

void
verify_text_comment(struct buf *out, const cJSON *verdict)
{
	const cJSON *s;
	size_t shown = 0, all = json_count(verdict, "series");

	buf_fmt(out, "%s\n**%s**\n\n", MARKER,
		strcmp(json_str(verdict, "verdict", ""), "verified") == 0
			? "Verified"
		: strcmp(json_str(verdict, "verdict", ""), "not_fixed") == 0
			? "Not fixed"
			: "Undecided: the label stays");
	add_build(out, verdict);
	add_unfit(out, verdict);
	buf_str(out, "| metric | baseline | regression | median now | values "
		     "| limit | verdict |\n|---|---|---|---|---|---|---|\n");
	cJSON_ArrayForEach(s, json_get(verdict, "series"))
	{
		if (shown == SERIES_SHOWN || out->len > COMMENT_MAX)
			break;
		row(out, s);
		shown++;
	}
	if (shown < all)
		buf_fmt(out, "\n%zu more are in verify.json.\n", all - shown);
	buf_str(out, "\nVerified: the median is nearer to the baseline than to "
		     "the regression, and within the limit: the baseline and "
		     "max(3 noise, 5 %). Sizes and counts compare exactly, "
		     "their worst value.\n");
	add_refused(out, verdict);
}
