#include "domain/slack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "domain/verdict.h"

/* Shares of SLACK_TOTAL_MAX, so that all together never pass it. */
enum {
	VERDICT_LIMIT = 2000,
	REGRESSIONS_LIMIT = 1500,
	FINDINGS_LIMIT = 1500,
	CONTEXT_LIMIT = 900,
	WARNINGS_LIMIT = 600,
	LINKS_LIMIT = 1400,
	TEXT_LIMIT = 1500,
	STORE_LIMIT = 600,
	MORE_UNITS = 40, /* kept free for "and N more" */
	LINES_MAX = 12,
};
_Static_assert(VERDICT_LIMIT + REGRESSIONS_LIMIT + FINDINGS_LIMIT +
			       CONTEXT_LIMIT + WARNINGS_LIMIT + LINKS_LIMIT +
			       TEXT_LIMIT + STORE_LIMIT <=
		       SLACK_TOTAL_MAX,
	       "Slack refuses the whole message");

/* Text of one block: `units` never passes `limit`. */
struct text {
	struct buf b;
	size_t units, limit;
	bool full;
};

static void
text_init(struct text *t, size_t limit)
{
	*t = (struct text){.b = BUF_INIT, .limit = limit};
}

/* Whole or not at all; one unit is kept for the ellipsis. */
static bool
put(struct text *t, const char *s, size_t len, size_t units)
{
	if (t->full)
		return false;
	if (t->units + units > t->limit - 1) {
		buf_str(&t->b, "…");
		t->units++;
		t->full = true;
		return false;
	}
	buf_add(&t->b, s, len);
	t->units += units;
	return true;
}

/* Markup of ours. */
static void
mark(struct text *t, const char *s)
{
	put(t, s, strlen(s), present_units(s));
}

/* Text of anybody, escaped as Slack wants it: & < > and nothing else. */
static void
plain(struct text *t, const char *s)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, s, 0);
	for (const char *p = line.data; *p;) {
		size_t units, n = present_char(p, &units);
		const char *e = *p == '&'   ? "&amp;"
				: *p == '<' ? "&lt;"
				: *p == '>' ? "&gt;"
					    : NULL;

		if (!(e ? put(t, e, strlen(e), strlen(e))
			: put(t, p, n, units)))
			return;
		p += n;
	}
}

/* <url|label>, whole or not at all. */
static void
link_to(struct text *t, const char *url, const char *label)
{
	AUTO_BUF struct buf b = BUF_INIT;

	url = present_url(url);
	if (url == NULL)
		return;
	buf_chr(&b, '<');
	for (; *url; url++) {
		if (*url == '&')
			buf_str(&b, "&amp;");
		else
			buf_chr(&b, *url);
	}
	buf_fmt(&b, "|%s>", label);
	put(t, b.data, b.len, present_units(b.data));
}

/* " · " between two things on a line. */
static void
dot(struct text *t, size_t start)
{
	if (t->b.len > start)
		mark(t, " · ");
}

/*
 * A list of lines: the first that does not fit is taken back, and the rest is
 * counted.
 */
struct lines {
	struct text t;
	size_t shown, more;
};

static void
lines_init(struct lines *l, size_t limit)
{
	*l = (struct lines){0};
	text_init(&l->t, limit - MORE_UNITS);
}

static void
lines_add(struct lines *l, void (*line)(struct text *t, const cJSON *item),
	  const cJSON *item)
{
	size_t len = l->t.b.len, units = l->t.units;

	if (l->shown == LINES_MAX || l->more) {
		l->more++;
		return;
	}
	if (len)
		mark(&l->t, "\n");
	mark(&l->t, "• ");
	line(&l->t, item);
	if (!l->t.full) {
		l->shown++;
		return;
	}
	buf_truncate(&l->t.b, len);
	l->t.units = units;
	l->t.full = false;
	l->more++;
}

static struct text *
lines_end(struct lines *l)
{
	char more[MORE_UNITS];

	l->t.limit += MORE_UNITS;
	if (l->more) {
		(void)snprintf(more, sizeof(more), "%sand %zu more",
			       l->shown ? "\n" : "", l->more);
		mark(&l->t, more);
	}
	return &l->t;
}

static cJSON *
text_object(struct text *t, const char *type)
{
	cJSON *o = json_obj();

	json_set_str(o, "type", type);
	json_set_str(o, "text", t->b.data);
	/* Nothing in it is a mention or a channel. */
	if (strcmp(type, "mrkdwn") == 0)
		json_set_bool(o, "verbatim", true);
	return o;
}

/* Take `t` and put it behind as one block; empty text makes none. */
static void
add_block(cJSON *blocks, struct text *t, const char *type)
{
	cJSON *block;

	if (t->b.len && cJSON_GetArraySize(blocks) < SLACK_BLOCKS_MAX) {
		block = json_obj();
		json_set_str(block, "type", type);
		if (strcmp(type, "context") == 0) {
			cJSON *elements = json_arr();

			json_push(elements, text_object(t, "mrkdwn"));
			json_set(block, "elements", elements);
		} else {
			json_set(block, "text", text_object(t, "mrkdwn"));
		}
		json_push(blocks, block);
	}
	buf_done(&t->b);
}

static void
add_verdict(cJSON *blocks, const struct verdict *v)
{
	struct text t;

	text_init(&t, VERDICT_LIMIT);
	mark(&t, v->tone == VERDICT_GOOD ? "" : "*");
	plain(&t, v->sentence);
	mark(&t, v->tone == VERDICT_GOOD ? "" : "*");
	if (v->why) {
		mark(&t, "\n");
		plain(&t, v->why);
	}
	if (v->todo) {
		mark(&t, "\nTo do: ");
		plain(&t, v->todo);
	}
	add_block(blocks, &t, "section");
}

static void
regression_line(struct text *t, const cJSON *r)
{
	AUTO_BUF struct buf b = BUF_INIT;
	const char *screen = json_str(r, "screen", NULL);
	const char *unit = json_str(r, "unit", NULL);
	double before = json_num(r, "before", 0);
	double after = json_num(r, "after", 0);

	if (screen) {
		present_line(&b, screen, 80);
		buf_str(&b, ": ");
	}
	present_line(&b, json_str(r, "metric", "a metric"), 80);
	buf_chr(&b, ' ');
	present_range(&b, before, after, unit);
	if (before > 0)
		buf_fmt(&b, " (%+.0f %%)", (after / before - 1) * 100);
	if (json_int(r, "days", 0) > 1) {
		buf_str(&b, ", ");
		present_ordinal(&b, json_int(r, "days", 0));
		buf_str(&b, " day");
	}
	plain(t, b.data);
	if (present_url(json_str(r, "url", NULL))) {
		mark(t, " · ");
		link_to(t, json_str(r, "url", NULL), "issue");
	}
}

static void
add_regressions(cJSON *blocks, const cJSON *result)
{
	const cJSON *r;
	struct lines l;

	lines_init(&l, REGRESSIONS_LIMIT);
	cJSON_ArrayForEach(r, json_get(result, "regressions"))
	{
		lines_add(&l, regression_line, r);
	}
	add_block(blocks, lines_end(&l), "section");
}

static void
finding_line(struct text *t, const cJSON *screen)
{
	AUTO_FREE char *name =
		present_line_dup(json_str(screen, "name", "?"), 80);
	AUTO_FREE char *why =
		present_line_dup(json_str(screen, "message", NULL), 160);

	plain(t, name);
	mark(t, strcmp(json_str(screen, "status", ""), "crashed") == 0
			? " crashed"
			: " not reached");
	if (why && *why) {
		mark(t, ": ");
		plain(t, why);
	}
}

/* Crashes and unreached screens, by name. */
static void
add_findings(cJSON *blocks, const cJSON *result)
{
	const cJSON *s;
	struct lines l;

	lines_init(&l, FINDINGS_LIMIT);
	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		const char *status = json_str(s, "status", "");

		if (strcmp(status, "crashed") == 0 ||
		    strcmp(status, "unreached") == 0)
			lines_add(&l, finding_line, s);
	}
	add_block(blocks, lines_end(&l), "section");
}

static void
warning_line(struct text *t, const cJSON *warning)
{
	AUTO_FREE char *line =
		present_line_dup(json_str(warning, "message", "?"), 160);

	plain(t, line);
}

/* Small: they decided nothing, but may decide a later day. */
static void
add_warnings(cJSON *blocks, const cJSON *result)
{
	const cJSON *w;
	struct lines l;

	lines_init(&l, WARNINGS_LIMIT);
	cJSON_ArrayForEach(w, json_get(result, "warnings"))
	{
		lines_add(&l, warning_line, w);
	}
	add_block(blocks, lines_end(&l), "context");
}

/* "upload ok", or what went wrong with it. */
static void
say_upload(struct text *t, const cJSON *result, size_t start)
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
	dot(t, start);
	if (failed == 0) {
		mark(t, "upload ok");
		return;
	}
	char text[64];

	(void)snprintf(text, sizeof(text), "*upload failed* (%zu of %zu)",
		       failed, ok + failed);
	mark(t, text);
	if (message) {
		AUTO_FREE char *line = present_line_dup(message, 160);

		mark(t, ": ");
		plain(t, line);
	}
}

static void
add_context(cJSON *blocks, const cJSON *result, const struct verdict *v)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *subject =
		present_line_dup(json_str(result, "build.subject", NULL), 120);
	struct text t;

	text_init(&t, CONTEXT_LIMIT);
	if (v->word && strcmp(v->word, "NOTHING MEASURED") == 0) {
		present_line(&b, json_str(result, "title", "patrol"), 80);
		buf_chr(&b, ' ');
		present_date(&b, json_str(result, "started_at", NULL));
		if (v->planned)
			buf_fmt(&b, " · %zu/%zu screens", v->visited,
				v->planned);
		plain(&t, b.data);
		buf_clear(&b);
	}
	present_build(&b, result);
	if (b.len) {
		dot(&t, 0);
		plain(&t, b.data);
	}
	if (subject && *subject) {
		dot(&t, 0);
		plain(&t, subject);
	}
	buf_clear(&b);
	present_device(&b, result);
	if (b.len) {
		dot(&t, 0);
		plain(&t, b.data);
	}
	say_upload(&t, result, 0);
	add_block(blocks, &t, "context");
}

/* Where people look for it later there is nothing: they must know. */
static void
add_store(cJSON *blocks, const cJSON *result)
{
	const char *state = json_str(result, "store.state", "stored");
	AUTO_FREE char *why = present_line_dup(
		json_str(result, "store.message", "it was not finished"), 400);
	struct text t;

	if (strcmp(state, "stored") == 0)
		return;
	text_init(&t, STORE_LIMIT);
	mark(&t, "*Not stored*: ");
	plain(&t, why);
	add_block(blocks, &t, "section");
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
	struct text t;

	text_init(&t, LINKS_LIMIT);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		const char *url = json_str(result, links[i].path, NULL);
		const char *label = links[i].label;

		if (!present_url(url))
			continue;
		if (i == 0 && v->unmeasured_days)
			label = "Why";
		dot(&t, 0);
		link_to(&t, url, label);
	}
	add_block(blocks, &t, "section");
}

/* The notification's text: the verdict, and what to do. */
static cJSON *
message_of(const struct verdict *v, cJSON *blocks)
{
	cJSON *message = json_obj();
	struct text t;

	text_init(&t, TEXT_LIMIT);
	plain(&t, v->sentence);
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
	add_context(blocks, result, &v);
	add_warnings(blocks, result);
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
	struct text t;

	add_verdict(blocks, &v);
	text_init(&t, LINKS_LIMIT);
	link_to(&t, url, label);
	add_block(blocks, &t, "section");
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
