#include "report/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"

enum { SENTENCE_UNITS = 600, TEXT_UNITS = 400 };

static bool
is(const cJSON *result, const char *key, const char *value)
{
	return strcmp(json_str(result, key, ""), value) == 0;
}

/* "Starfall daily 30 Nov: " */
static void
lead(const cJSON *result, struct buf *out)
{
	present_line(out, json_str(result, "title", "patrol"), 80);
	buf_chr(out, ' ');
	present_date(out, json_str(result, "started_at", NULL));
	while (out->len && out->data[out->len - 1] == ' ')
		buf_truncate(out, out->len - 1);
	buf_str(out, ": ");
}

static void
count_screens(const cJSON *result, struct verdict *v)
{
	const cJSON *screen;

	cJSON_ArrayForEach(screen, json_get(result, "screens"))
	{
		v->planned++;
		if (!is(screen, "status", "visited"))
			continue;
		v->visited++;
		if (json_bool(screen, "off_route", false))
			v->off_route++;
	}
}

static bool
failed(const cJSON *result, const char *path)
{
	return strcmp(json_str(result, path, ""), "failed") == 0;
}

/* "9/9 screens (1 off-route), measured" */
static void
coverage(const cJSON *result, const struct verdict *v, struct buf *out)
{
	if (v->planned) {
		buf_fmt(out, "%zu/%zu screens", v->visited, v->planned);
		if (v->off_route)
			buf_fmt(out, " (%zu off-route)", v->off_route);
		buf_str(out, ", ");
	}
	buf_str(out, v->measured ? "measured"
		     : v->wanted ? "nothing measured"
				 : "no measurement planned");
	if (v->measured && failed(result, "captures.profiler.status"))
		buf_str(out, " but for the Profiler capture");
	else if (v->measured &&
		 failed(result, "captures.graphics_states.status"))
		buf_str(out, " but for the graphics states");
}

/* What happened, in the result's own words or in the table's. */
static void
cause(const cJSON *result, struct buf *out)
{
	const char *holder = json_str(result, "device.held_by.name", NULL);
	const char *since = json_str(result, "device.held_by.since", NULL);
	const struct verdict_reason *r =
		verdict_reason(json_str(result, "reason", NULL));
	const char *message = json_str(result, "message", NULL);

	if (is(result, "reason", "device_busy") && holder) {
		present_line(out, json_str(result, "device.model", "the phone"),
			     60);
		buf_str(out, " held by ");
		present_line(out, holder, 80);
		if (since) {
			buf_str(out, " since ");
			present_since(out, since,
				      json_str(result, "started_at", NULL));
		}
	} else if (message && *message) {
		present_line(out, message, TEXT_UNITS);
	} else if (r) {
		buf_str(out, r->words);
	} else {
		buf_str(out, "no reason was recorded");
	}
}

/* End a sentence that may end already. */
static void
stop(struct buf *out)
{
	while (out->len && strchr(" .", out->data[out->len - 1]))
		buf_truncate(out, out->len - 1);
	buf_chr(out, '.');
}

/* Of a first word that is one, and no file or name. */
static void
capital(struct buf *out, size_t at)
{
	const char *word = out->data + at;
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz");

	if (n > 0 && (word[n] == ' ' || word[n] == '\0' || word[n] == ','))
		out->data[at] = (char)(*word - 'a' + 'A');
}

/* "NOTHING MEASURED, 3rd day running. Pixel 6 held by qa-team since ..." */
static void
say_none(const cJSON *result, struct verdict *v, struct buf *out)
{
	size_t at;

	v->word = "NOTHING MEASURED";
	if (v->tone == VERDICT_GOOD)
		v->tone = VERDICT_NONE;
	buf_str(out, v->word);
	if (v->unmeasured_days > 1) {
		buf_str(out, ", ");
		present_ordinal(out, v->unmeasured_days);
		buf_str(out, " day running");
	}
	buf_str(out, ". ");
	at = out->len;
	if (is(result, "outcome", "passed"))
		buf_fmt(out,
			"%zu of %zu screens visited, but no data of a "
			"measurement arrived",
			v->visited, v->planned);
	else
		cause(result, out);
	capital(out, at);
	stop(out);
}

/* What is new before what was said already, a step before a creep. */
static const cJSON *
first_of(const cJSON *regressions)
{
	const cJSON *r, *best = NULL;
	int64_t most = -1;

	cJSON_ArrayForEach(r, regressions)
	{
		int64_t weight = 2 * json_bool(r, "new", false) +
				 !is(r, "kind", "creep");

		if (weight > most) {
			most = weight;
			best = r;
		}
	}
	return best;
}

static void
say_worse(const cJSON *result, struct verdict *v, struct buf *out)
{
	const cJSON *list = json_get(result, "regressions");
	size_t n = json_count(result, "regressions");

	v->word = "WORSE";
	v->tone = VERDICT_BAD;
	lead(result, out);
	verdict_change(out, first_of(list));
	buf_str(out, ". ");
	if (n > 1)
		buf_fmt(out, "%zu more got worse. ", n - 1);
	else if (json_count(result, "comparison.suspects") == 0 &&
		 json_count(result, "comparison.improvements") == 0)
		buf_str(out, "Rest unchanged. ");
	coverage(result, v, out);
	buf_chr(out, '.');
}

static void
say_fine(const cJSON *result, struct verdict *v, struct buf *out)
{
	v->word = "PASSED";
	v->tone = VERDICT_GOOD;
	lead(result, out);
	buf_str(out, "fine. ");
	coverage(result, v, out);
	/* Only who has compared may say so. */
	if (json_bool(result, "compared", false))
		buf_str(out, ", nothing worse");
	buf_chr(out, '.');
	if (v->visited < v->planned)
		v->why = mem_fmt("%zu screen%s could not be visited; the plan "
				 "lets that pass.",
				 v->planned - v->visited,
				 v->planned - v->visited == 1 ? "" : "s");
}

static void
say_failed(const cJSON *result, struct verdict *v, struct buf *out)
{
	lead(result, out);
	cause(result, out);
	stop(out);
	if (is(result, "kind", "try"))
		return;
	buf_chr(out, ' ');
	coverage(result, v, out);
	buf_chr(out, '.');
}

/* "com.x: started in 2.21 s on Pixel 6, memory 210→368 MiB, no crash." */
static void
say_try(const cJSON *result, struct verdict *v, struct buf *out)
{
	int64_t start = json_int(result, "startup_ms.first_screen", -1);
	const char *model = json_str(result, "device.model", NULL);
	size_t crashes = json_count(result, "crashes");
	const cJSON *sample;
	int64_t first = -1, last = -1;

	v->word = "STARTED";
	v->tone = VERDICT_GOOD;
	cJSON_ArrayForEach(sample, json_get(result, "timeline"))
	{
		int64_t m = json_int(sample, "memory_bytes", -1);

		if (m >= 0 && first < 0)
			first = m;
		if (m >= 0)
			last = m;
	}
	present_line(out, json_str(result, "title", "the app"), 80);
	buf_str(out, ": started");
	if (start >= 0) {
		buf_str(out, " in ");
		buf_duration(out, start);
	}
	if (model) {
		buf_str(out, " on ");
		present_line(out, model, 60);
	}
	if (last >= 0) {
		buf_str(out, ", memory ");
		present_range(out, (double)first, (double)last, "bytes");
	}
	if (crashes == 0)
		buf_str(out, ", no crash.");
	else
		buf_fmt(out, ", %zu crash%s.", crashes,
			crashes == 1 ? "" : "es");
}

/* "issue 318, ...: home>shop load: verified: median 1.85 s of 5 ..." */
static void
say_verify(const cJSON *result, struct verdict *v, struct buf *out)
{
	v->word = is(result, "outcome", "passed")	   ? "VERIFIED"
		  : is(result, "reason", "not_fixed")	   ? "NOT FIXED"
		  : is(result, "reason", "undecided")	   ? "UNDECIDED"
		  : is(result, "reason", "not_comparable") ? "NOT COMPARABLE"
							   : v->word;
	lead(result, out);
	cause(result, out);
	stop(out);
}

static const struct {
	const char *outcome, *word;
	enum verdict_tone tone;
} words[] = {
	{"passed", "PASSED", VERDICT_GOOD},
	{"failed", "FAILED", VERDICT_BAD},
	{"skipped", "SKIPPED", VERDICT_NONE},
	{"invalid_input", "INVALID INPUT", VERDICT_BAD},
	{"infra_error", "COULD NOT RUN", VERDICT_BAD},
	{"timed_out", "OUT OF TIME", VERDICT_BAD},
	{"cancelled", "CANCELLED", VERDICT_NONE},
};

/* A crash is worth a first word even on a day without a measurement. */
static bool
crashed(const cJSON *result)
{
	return is(result, "reason", "crash") ||
	       is(result, "reason", "app_crashed");
}

static void
by_outcome(const cJSON *result, struct verdict *v)
{
	v->word = "UNKNOWN";
	v->tone = VERDICT_NONE;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (is(result, "outcome", words[i].outcome)) {
			v->word = words[i].word;
			v->tone = words[i].tone;
		}
	}
	if (crashed(result) && v->tone == VERDICT_BAD)
		v->word = "CRASHED";
	v->state = v->word;
}

static void
left_behind(const cJSON *result, struct verdict *v, struct buf *out)
{
	const cJSON *item;
	bool first = true;

	if (json_count(result, "left_behind") == 0)
		return;
	buf_str(out, " LEFT BEHIND: ");
	cJSON_ArrayForEach(item, json_get(result, "left_behind"))
	{
		if (!first)
			buf_str(out, ", ");
		first = false;
		present_line(out, json_str(item, "name", "something"), 40);
	}
	buf_chr(out, '.');
	v->tone = VERDICT_BAD;
}

/* Why the first thing did not arrive says better what to do. */
static const struct verdict_reason *
missing_reason(const cJSON *result)
{
	const cJSON *u;

	cJSON_ArrayForEach(u, json_get(result, "uploads"))
	{
		if (is(u, "status", "failed"))
			return verdict_reason(json_str(u, "reason", NULL));
	}
	return NULL;
}

static void
add_todo(const cJSON *result, struct verdict *v)
{
	const char *reason = json_str(result, "reason", NULL);
	const struct verdict_reason *r;

	if (json_count(result, "left_behind"))
		reason = "left_behind";
	else if (!reason && v->unmeasured_days &&
		 is(result, "outcome", "passed"))
		reason = "not_measured";
	r = verdict_reason(reason);
	if (reason && strcmp(reason, "not_measured") == 0 &&
	    missing_reason(result))
		r = missing_reason(result);
	if (r && r->cure)
		v->todo = mem_strdup(r->cure);
	else if (is(result, "outcome", "infra_error"))
		v->todo = mem_strdup("Run `patrol doctor`: it tries each "
				     "service and says what is wrong.");
}

/* Since when, and how much went by unmeasured. */
static void
add_gap(const cJSON *result, struct verdict *v)
{
	AUTO_BUF struct buf b = BUF_INIT;
	const char *last = json_str(result, "history.last_measured", NULL);
	int64_t commits = json_int(result, "history.unmeasured_commits", 0);

	if (last) {
		buf_str(&b, "Last measured ");
		present_date(&b, last);
		buf_str(&b, ". ");
	}
	if (commits > 0)
		buf_fmt(&b, "%lld commit%s unmeasured.", (long long)commits,
			commits == 1 ? "" : "s");
	while (b.len && b.data[b.len - 1] == ' ')
		buf_truncate(&b, b.len - 1);
	if (b.len && v->why == NULL)
		v->why = buf_take(&b);
}

void
verdict_init(struct verdict *v, const cJSON *result)
{
	AUTO_BUF struct buf b = BUF_INIT;
	bool try = is(result, "kind", "try");
	bool verify = is(result, "kind", "verify");

	*v = (struct verdict){0};
	v->measured = json_bool(result, "measured", false);
	v->wanted = json_bool(result, "measures", true);
	count_screens(result, v);
	by_outcome(result, v);
	if (!v->measured && v->wanted && !try && !verify)
		v->unmeasured_days =
			1 + json_int(result, "history.unmeasured_days", 0);
	if (try && is(result, "outcome", "passed"))
		say_try(result, v, &b);
	else if (verify)
		say_verify(result, v, &b);
	else if (try)
		say_failed(result, v, &b);
	else if (!v->measured && !crashed(result) &&
		 (v->wanted || !is(result, "outcome", "passed")))
		say_none(result, v, &b);
	else if (json_count(result, "regressions"))
		say_worse(result, v, &b);
	else if (is(result, "outcome", "passed"))
		say_fine(result, v, &b);
	else
		say_failed(result, v, &b);
	if (v->unmeasured_days)
		add_gap(result, v);
	left_behind(result, v, &b);
	add_todo(result, v);
	v->sentence = present_line_dup(b.data, SENTENCE_UNITS);
}

void
verdict_done(struct verdict *v)
{
	free(v->sentence);
	free(v->why);
	free(v->todo);
	*v = (struct verdict){0};
}
