#include "report/slack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "report/slack_text.h"
#include "report/verdict.h"

/* Shares of SLACK_TOTAL_MAX, so that all together never pass it. */
enum {
	VERDICT_LIMIT = 2000,
	REGRESSIONS_LIMIT = 1500,
	IMPROVEMENTS_LIMIT = 400,
	FINDINGS_LIMIT = 1300,
	CONTEXT_LIMIT = 900,
	WARNINGS_LIMIT = 600,
	LINKS_LIMIT = 1200,
	TEXT_LIMIT = 1500,
	STORE_LIMIT = 600,
	PULLS_MAX = 3,
};
_Static_assert(VERDICT_LIMIT + REGRESSIONS_LIMIT + IMPROVEMENTS_LIMIT +
			       FINDINGS_LIMIT + CONTEXT_LIMIT + WARNINGS_LIMIT +
			       LINKS_LIMIT + TEXT_LIMIT + STORE_LIMIT <=
		       SLACK_TOTAL_MAX,
	       "Slack refuses the whole message");

static void
add_verdict(cJSON *blocks, const struct verdict *v)
{
	struct slack_text t;

	slack_text_init(&t, VERDICT_LIMIT);
	slack_text_mark(&t, v->tone == VERDICT_GOOD ? "" : "*");
	slack_text_plain(&t, v->sentence);
	slack_text_mark(&t, v->tone == VERDICT_GOOD ? "" : "*");
	if (v->why) {
		slack_text_mark(&t, "\n");
		slack_text_plain(&t, v->why);
	}
	if (v->todo) {
		slack_text_mark(&t, "\nTo do: ");
		slack_text_plain(&t, v->todo);
	}
	slack_text_block(blocks, &t, "section");
}

/* "a0f9e8d..a1b2c3d · Issue #318" */
static void
where_told(struct slack_text *t, const cJSON *r, size_t start)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *issue = json_id(r, "issue");
	const char *url = json_str(r, "url", NULL);
	bool number = issue && *issue && !issue[strspn(issue, "0123456789")];
	AUTO_FREE char *label =
		number ? mem_fmt("Issue #%.12s", issue) : mem_strdup("Issue");

	if (present_url(url)) {
		slack_text_dot(t, start);
		slack_text_link(t, url, label);
	}
	verdict_commits(&b, r);
	if (b.len) {
		slack_text_dot(t, start);
		slack_text_plain(t, b.data);
	}
}

static void
regression_line(struct slack_text *t, const cJSON *r)
{
	AUTO_BUF struct buf b = BUF_INIT;

	verdict_change(&b, r);
	slack_text_plain(t, b.data);
	where_told(t, r, 0);
}

/* One block of a list, each in a line; "context" is small. */
static void
add_lines(cJSON *blocks, const cJSON *list, size_t limit,
	  void (*line)(struct slack_text *t, const cJSON *item),
	  const char *type)
{
	const cJSON *item;
	struct slack_lines l;

	slack_text_lines(&l, limit);
	cJSON_ArrayForEach(item, list)
	{
		slack_text_line(&l, line, item);
	}
	slack_text_block(blocks, slack_text_end(&l), type);
}

/* One alone is said by the verdict already. */
static void
add_regressions(cJSON *blocks, const cJSON *result)
{
	const cJSON *list = json_get(result, "regressions");
	struct slack_text t;

	if (json_count(result, "regressions") == 1 &&
	    json_bool(result, "measured", false)) {
		slack_text_init(&t, REGRESSIONS_LIMIT);
		where_told(&t, list->child, 0);
		slack_text_block(blocks, &t, "section");
		return;
	}
	add_lines(blocks, list, REGRESSIONS_LIMIT, regression_line, "section");
}

static void
improvement_line(struct slack_text *t, const cJSON *line)
{
	AUTO_FREE char *text = present_line_dup(line->valuestring, 200);

	slack_text_plain(t, text ? text : "?");
}

/* Those of the graphics states, of this run. */
static void
add_pull_requests(struct slack_text *t, const cJSON *result)
{
	const cJSON *p;
	size_t n = 0;

	cJSON_ArrayForEach(p, json_get(result, "pull_requests"))
	{
		int64_t number = json_int(p, "number", 0);
		AUTO_FREE char *label =
			number > 0 ? mem_fmt("PR #%lld", (long long)number)
				   : mem_strdup("Pull request");

		if (!present_url(json_str(p, "url", NULL)) || n++ == PULLS_MAX)
			continue;
		slack_text_dot(t, 0);
		slack_text_link(t, json_str(p, "url", NULL), label);
	}
}

static void
finding_line(struct slack_text *t, const cJSON *screen)
{
	AUTO_FREE char *name =
		present_line_dup(json_str(screen, "name", "?"), 80);
	AUTO_FREE char *why =
		present_line_dup(json_str(screen, "message", NULL), 160);

	slack_text_plain(t, name);
	slack_text_mark(t,
			strcmp(json_str(screen, "status", ""), "crashed") == 0
				? " crashed"
				: " not reached");
	if (why && *why) {
		slack_text_mark(t, ": ");
		slack_text_plain(t, why);
	}
}

/* Crashes and unreached screens, by name. */
static void
add_findings(cJSON *blocks, const cJSON *result)
{
	const cJSON *s;
	struct slack_lines l;

	slack_text_lines(&l, FINDINGS_LIMIT);
	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		const char *status = json_str(s, "status", "");

		if (strcmp(status, "crashed") == 0 ||
		    strcmp(status, "unreached") == 0)
			slack_text_line(&l, finding_line, s);
	}
	slack_text_block(blocks, slack_text_end(&l), "section");
}

static void
warning_line(struct slack_text *t, const cJSON *warning)
{
	AUTO_FREE char *line =
		present_line_dup(json_str(warning, "message", "?"), 160);

	slack_text_plain(t, line);
}

/* "upload ok", or what went wrong with it. */
static void
say_upload(struct slack_text *t, const cJSON *result, size_t start)
{
	const cJSON *u;
	size_t ok = 0, failed = 0;
	const char *message = NULL;

	cJSON_ArrayForEach(u, json_get(result, "uploads"))
	{
		if (strcmp(json_str(u, "status", ""), "ok") == 0) {
			ok++;
			continue;
		}
		if (failed++ == 0)
			message = json_str(u, "message", NULL);
	}
	if (ok + failed == 0)
		return;
	slack_text_dot(t, start);
	if (failed == 0) {
		slack_text_mark(t, "upload ok");
		return;
	}
	char text[64];

	(void)snprintf(text, sizeof(text), "*upload failed* (%zu of %zu)",
		       failed, ok + failed);
	slack_text_mark(t, text);
	if (message) {
		AUTO_FREE char *line = present_line_dup(message, 160);

		slack_text_mark(t, ": ");
		slack_text_plain(t, line);
	}
}

static void
add_context(cJSON *blocks, const cJSON *result, const struct verdict *v)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *subject =
		present_line_dup(json_str(result, "build.subject", NULL), 120);
	struct slack_text t;

	slack_text_init(&t, CONTEXT_LIMIT);
	if (v->word && strcmp(v->word, "NOTHING MEASURED") == 0) {
		present_line(&b, json_str(result, "title", "patrol"), 80);
		buf_chr(&b, ' ');
		present_date(&b, json_str(result, "started_at", NULL));
		if (v->planned)
			buf_fmt(&b, " · %zu/%zu screens", v->visited,
				v->planned);
		slack_text_plain(&t, b.data);
		buf_clear(&b);
	}
	present_build(&b, result);
	if (b.len) {
		slack_text_dot(&t, 0);
		slack_text_plain(&t, b.data);
	}
	if (subject && *subject) {
		slack_text_dot(&t, 0);
		slack_text_plain(&t, subject);
	}
	buf_clear(&b);
	present_device(&b, result);
	if (b.len) {
		slack_text_dot(&t, 0);
		slack_text_plain(&t, b.data);
	}
	say_upload(&t, result, 0);
	slack_text_block(blocks, &t, "context");
}

/* Where people look for it later there is nothing: they must know. */
static void
add_store(cJSON *blocks, const cJSON *result)
{
	const char *state = json_str(result, "store.state", "stored");
	AUTO_FREE char *why = present_line_dup(
		json_str(result, "store.message", "it was not finished"), 400);
	struct slack_text t;

	if (strcmp(state, "stored") == 0)
		return;
	slack_text_init(&t, STORE_LIMIT);
	slack_text_mark(&t, "*Not stored*: ");
	slack_text_plain(&t, why);
	slack_text_block(blocks, &t, "section");
}

static void
add_links(cJSON *blocks, const cJSON *result, const struct verdict *v)
{
	static const struct {
		const char *path, *label;
	} links[] = {
		{"report_url", "Report"},
		{"dashboard_url", "Dashboard"},
		{"build.compare_url", "Commits"},
		{"build.run_url", "Build"},
	};
	struct slack_text t;

	slack_text_init(&t, LINKS_LIMIT);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		const char *url = json_str(result, links[i].path, NULL);
		const char *label = links[i].label;

		if (!present_url(url))
			continue;
		if (i == 0 && v->unmeasured_days)
			label = "Why";
		slack_text_dot(&t, 0);
		slack_text_link(&t, url, label);
	}
	add_pull_requests(&t, result);
	slack_text_block(blocks, &t, "section");
}

/* The notification's text: the verdict, and what to do. */
static cJSON *
message_of(const struct verdict *v, cJSON *blocks)
{
	cJSON *message = json_obj();
	struct slack_text t;

	slack_text_init(&t, TEXT_LIMIT);
	slack_text_plain(&t, v->sentence);
	json_set_str(message, "text", t.b.data);
	buf_done(&t.b);
	json_set(message, "blocks", blocks);
	return message;
}

cJSON *
slack_message(const cJSON *result)
{
	cJSON *blocks = json_arr();
	struct verdict v;
	cJSON *message;

	verdict_init(&v, result);
	add_verdict(blocks, &v);
	add_regressions(blocks, result);
	add_findings(blocks, result);
	/* Nobody has to do anything. */
	add_lines(blocks, json_get(result, "comparison.improvements"),
		  IMPROVEMENTS_LIMIT, improvement_line, "context");
	add_context(blocks, result, &v);
	/* They decided nothing, but may decide a later day. */
	add_lines(blocks, json_get(result, "warnings"), WARNINGS_LIMIT,
		  warning_line, "context");
	add_store(blocks, result);
	add_links(blocks, result, &v);
	message = message_of(&v, blocks);
	verdict_done(&v);
	return message;
}

cJSON *
slack_alert(const char *sentence, const char *why, const char *todo,
	    const char *url, const char *label)
{
	cJSON *blocks = json_arr();
	struct verdict v = {
		.tone = VERDICT_BAD,
		.word = "NOTHING MEASURED",
		.sentence = mem_strdup(sentence),
		.why = mem_strdup(why),
		.todo = mem_strdup(todo),
	};
	cJSON *message;
	struct slack_text t;

	add_verdict(blocks, &v);
	slack_text_init(&t, LINKS_LIMIT);
	slack_text_link(&t, url, label);
	slack_text_block(blocks, &t, "section");
	message = message_of(&v, blocks);
	verdict_done(&v);
	return message;
}

cJSON *
slack_missing(const char *report_url)
{
	return slack_alert("NOTHING MEASURED. The patrol did not even start: "
			   "there is no result.",
			   NULL, verdict_reason("no_result")->cure, report_url,
			   "Why");
}

void
slack_text(const cJSON *message, struct buf *out)
{
	AUTO_FREE char *text = json_text(message);

	buf_str(out, text);
	buf_chr(out, '\n');
}
