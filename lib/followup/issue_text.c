#include "followup/issue_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "base/wall.h"
#include "followup/issue_block.h"
#include "followup/issue_way.h"
#include "github/github_issue.h"
#include "history/history_record.h"

/*
 * The most that each part may take, in UTF-16 units, so that all of them stay
 * within GITHUB_ISSUE_BODY_MAX.  A `|` takes two in a cell.
 */
enum {
	ROWS_MAX = 30,
	NAME_MAX_UNITS = 60,
	SUBJECT_MAX = 80,
	COMMIT_MAX = 120,
	URL_MAX = 180,
	NOTE_MAX = 700,
	ROW_LIMIT = 2 * (NAME_MAX_UNITS + SUBJECT_MAX) + 200,
	COMMIT_LIMIT = COMMIT_MAX + NAME_MAX_UNITS + URL_MAX + 60,
	BLOCK_LIMIT = 18000,
	MARKER_LIMIT = 2 * ISSUE_MARKER_MOST * (ISSUE_MARKER_DIGITS + 1) + 300,
	REST_LIMIT = 8000,
	FENCE_MAX = 3,
};
_Static_assert(ROWS_MAX *ROW_LIMIT + ISSUE_RANGE_MOST * COMMIT_LIMIT +
			       BLOCK_LIMIT + MARKER_LIMIT + REST_LIMIT <=
		       GITHUB_ISSUE_BODY_MAX,
	       "GitHub refuses the whole issue");

/* --- text of others ------------------------------------------------------ */

void
issue_text_code(struct buf *out, const char *s, size_t max_units)
{
	AUTO_FREE char *line = present_line_dup(s && *s ? s : "?", max_units);
	size_t most = 0, run = 0, len = strlen(line);
	bool pad;

	for (char *p = line; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		if (run > FENCE_MAX)
			*p = '\''; /* nobody writes so many */
		else if (run > most)
			most = run;
	}
	/* An end beside a backtick, and blanks alone, need a blank. */
	pad = line[0] == '`' || line[len - 1] == '`' || line[0] == ' ';
	for (size_t i = 0; i <= most; i++)
		buf_chr(out, '`');
	buf_fmt(out, "%s%s%s", pad ? " " : "", line, pad ? " " : "");
	for (size_t i = 0; i <= most; i++)
		buf_chr(out, '`');
}

/* The same in a table, whose cells a bar ends even there. */
static void
cell(struct buf *out, const char *s, size_t max_units)
{
	AUTO_BUF struct buf code = BUF_INIT;

	issue_text_code(&code, s, max_units);
	for (const char *p = code.data; *p; p++) {
		if (*p == '|')
			buf_chr(out, '\\');
		buf_chr(out, *p);
	}
	buf_str(out, " | ");
}

void
issue_text_plain(struct buf *out, const char *s, size_t max_units)
{
	AUTO_BUF struct buf b = BUF_INIT;

	for (; *s; s++) {
		buf_chr(&b, *s);
		/* A space of no width: it names nobody and nothing then. */
		if (*s == '@' || (*s == '#' && isdigit((unsigned char)s[1])))
			buf_str(&b, "\u200b");
	}
	present_line(out, b.data, max_units);
}

static void
link_to(struct buf *out, const char *label, const char *url)
{
	if (present_url(url) && strlen(url) <= URL_MAX)
		buf_fmt(out, "[%s](<%s>)", label, url);
	else
		buf_str(out, label);
}

/* --- a series ------------------------------------------------------------ */

static void
percent(struct buf *out, const cJSON *series)
{
	double before = json_num(series, "step.before", 0);
	double after = json_num(series, "step.after", 0);
	double share = (after - before) / fabs(before) * 100;

	if (before == 0)
		buf_str(out, "new");
	else if (fabs(share) < 1e5)
		buf_fmt(out, "%+.0f %%", share);
	else
		buf_fmt(out, "%+.1e %%", share);
}

void
issue_text_title(struct buf *out, const struct issue_text *t)
{
	const cJSON *s = t->group->series[0];
	const char *subject = json_str(s, "subject", "");
	AUTO_BUF struct buf b = BUF_INIT;

	if (*subject) {
		present_line(&b, subject, SUBJECT_MAX);
		buf_str(&b, ": ");
	}
	present_line(&b, json_str(s, "metric", "?"), NAME_MAX_UNITS);
	buf_chr(&b, ' ');
	present_range(&b, json_num(s, "step.before", 0),
		      json_num(s, "step.after", 0), json_str(s, "unit", ""));
	buf_str(&b, " (");
	percent(&b, s);
	buf_chr(&b, ')');
	if (t->group->count > 1)
		buf_fmt(&b, " and %zu more", t->group->count - 1);
	issue_text_plain(out, b.data, GITHUB_ISSUE_TITLE_MAX);
}

static void
row(struct buf *out, const cJSON *s)
{
	const char *unit = json_str(s, "unit", "");
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(out, "| ");
	cell(out, json_str(s, "metric", "?"), NAME_MAX_UNITS);
	if (*json_str(s, "subject", ""))
		cell(out, json_str(s, "subject", ""), SUBJECT_MAX);
	else
		buf_str(out, "the run | ");
	present_value(&b, json_num(s, "step.before", 0), unit);
	buf_str(&b, " ± ");
	present_value(&b, json_num(s, "step.noise", 0), unit);
	cell(out, b.data, 30);
	buf_clear(&b);
	present_value(&b, json_num(s, "step.after", 0), unit);
	cell(out, b.data, 20);
	percent(out, s);
	buf_fmt(out, " | %lld → %lld | %s |\n",
		(long long)json_int(s, "step.runs_before", 0),
		(long long)json_int(s, "step.runs_after", 0),
		strcmp(json_str(s, "step.kind", ""), "creep") == 0 ? "creep"
								   : "step");
}

static void
table(struct buf *out, const struct issue_group *g)
{
	size_t shown = g->count < ROWS_MAX ? g->count : ROWS_MAX;

	buf_str(out,
		"| metric | where | before | after | change | runs | as a |\n"
		"|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < shown; i++)
		row(out, g->series[i]);
	if (shown < g->count)
		buf_fmt(out, "\nAnd %zu more, which are less bad.\n",
			g->count - shown);
	buf_str(out, "\nBefore: the median of so many runs, ± one standard "
		     "deviation of a run. After: the median since.\n\n");
}

/* --- runs and commits ---------------------------------------------------- */

/* With its year: an issue is read for long. */
static void
day(struct buf *out, const char *at)
{
	AUTO_BUF struct buf b = BUF_INIT;
	int64_t s;

	if (!wall_parse(at, &s)) {
		buf_chr(out, '?');
		return;
	}
	wall_text(&b, s);
	buf_add(out, b.data, sizeof("2026-11-30") - 1);
}

static void
run_line(struct buf *out, const char *what, const cJSON *run)
{
	AUTO_BUF struct buf id = BUF_INIT;
	AUTO_BUF struct buf commit = BUF_INIT;

	if (!cJSON_IsObject(run))
		return;
	buf_fmt(out, "- %s: ", what);
	day(out, json_str(run, "at", NULL));
	issue_text_code(&id, json_str(run, "run_id", NULL), NAME_MAX_UNITS);
	buf_str(out, ", build ");
	link_to(out, id.data, json_str(run, "run_url", NULL));
	present_commit(&commit, json_str(run, "commit", NULL));
	if (commit.len) {
		buf_str(out, " of ");
		issue_text_code(out, commit.data, 0);
	}
	if (present_url(json_str(run, "report_url", NULL))) {
		buf_str(out, ", ");
		link_to(out, "report", json_str(run, "report_url", NULL));
	}
	buf_chr(out, '\n');
}

/* Those of one range are of one kind. */
static bool
is_slow(const struct issue_group *g)
{
	return g->first_bad && json_bool(g->series[0], "step.slow", false);
}

static void
runs(struct buf *out, const struct issue_text *t)
{
	AUTO_FREE char *key = history_record_key_text(t->comparison);
	const cJSON *seen = json_get(t->group->series[0], "step.seen");
	const cJSON *now = json_get(t->comparison, "run");

	if (is_slow(t->group))
		buf_str(out, "It came slowly, and no run began it: the range "
			     "is all that was looked at.\n\n");
	run_line(out, is_slow(t->group) ? "from" : "last good",
		 t->group->last_good);
	run_line(out, is_slow(t->group) ? "to" : "first bad",
		 t->group->first_bad);
	run_line(out, "first said", seen);
	/* A day that could not file is made good by a later one. */
	if (!cJSON_IsObject(seen) ||
	    strcmp(json_str(seen, "at", ""), json_str(now, "at", "")) != 0)
		run_line(out, "registered in", now);
	buf_str(out, "- measured on ");
	issue_text_code(out, key, 4 * NAME_MAX_UNITS);
	buf_str(out, "\n\n");
}

static void
commit_line(struct buf *out, const struct issue_commit *c)
{
	AUTO_BUF struct buf hash = BUF_INIT;
	AUTO_BUF struct buf code = BUF_INIT;

	present_commit(&hash, c->sha);
	issue_text_code(&code, hash.data, 0);
	buf_str(out, "- ");
	link_to(out, code.data, c->url);
	buf_chr(out, ' ');
	issue_text_code(out, c->subject, COMMIT_MAX);
	if (*c->author) {
		buf_str(out, " by ");
		issue_text_code(out, c->author, NAME_MAX_UNITS);
	}
	buf_chr(out, '\n');
}

static void
commits(struct buf *out, const struct issue_range *r)
{
	if (!r)
		return;
	buf_str(out, "### Commits between\n\n");
	if (r->note) {
		issue_text_code(out, r->note, NOTE_MAX);
		buf_str(out, "\n\n");
	}
	if (r->count < r->total)
		buf_fmt(out, "The newest %zu of %zu. ", r->count, r->total);
	if (present_url(r->url)) {
		link_to(out, "All of them on GitHub", r->url);
		buf_str(out, "\n\n");
	} else if (r->count < r->total) {
		buf_str(out, "\n\n");
	}
	for (size_t i = 0; i < r->count; i++)
		commit_line(out, &r->item[i]);
	if (r->count)
		buf_chr(out, '\n');
}

/* --- the whole ----------------------------------------------------------- */

static void
add_block(struct buf *out, cJSON *block, const struct issue_group *g)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(block, "series");
	AUTO_BUF struct buf text = BUF_INIT;

	for (size_t i = 0; i < g->count; i++) {
		AUTO_BUF struct buf longer = BUF_INIT;

		if (!issue_block_add(block, g->series[i]))
			continue;
		issue_block_write(&longer, block);
		if (present_units(longer.data) > BLOCK_LIMIT) {
			cJSON_DeleteItemFromArray(list,
						  cJSON_GetArraySize(list) - 1);
			break;
		}
		buf_clear(&text);
		buf_add(&text, longer.data, longer.len);
	}
	buf_add(out, text.data, text.len);
}

static void
run_marker(struct buf *out, const struct issue_text *t)
{
	AUTO_FREE char *run = issue_marker_run(json_get(t->comparison, "run"));

	issue_marker_write_run(out, run);
}

char *
issue_text_body(const struct issue_text *t)
{
	AUTO_JSON cJSON *block = issue_block_new(t->comparison, t->plan_file);
	AUTO_BUF struct buf b = BUF_INIT;

	if (t->group->last_good)
		buf_str(&b, "Between two runs of the patrol this got worse, "
			    "and it stayed so:\n\n");
	else
		buf_str(&b, "More got worse than one run makes issues of. "
			    "This is the rest, of several ranges of "
			    "commits:\n\n");
	table(&b, t->group);
	runs(&b, t);
	commits(&b, t->range);
	issue_way_write(&b, t->result, t->group->series[0]);
	buf_str(&b, "### When it is mended\n\n`patrol verify --issue NUMBER "
		    "--run-id RUN` measures a build against what is written "
		    "below. Close this issue when you live with it; it is "
		    "reopened only when it happens anew.\n\n"
		    "<details><summary>For programs</summary>\n\n");
	add_block(&b, block, t->group);
	buf_str(&b, "\n</details>\n\n");
	issue_marker_write(&b, &t->group->marker);
	run_marker(&b, t);
	return buf_take(&b);
}

char *
issue_text_comment(const struct issue_text *t, enum issue_text_kind kind)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, kind == ISSUE_TEXT_BACK
			    ? "**It is back:**\n\n"
			    : "**It got worse anew, or in more places:**\n\n");
	table(&b, t->group);
	runs(&b, t);
	commits(&b, t->range);
	issue_marker_write(&b, &t->group->marker);
	run_marker(&b, t);
	return buf_take(&b);
}

/* --- an issue that is there ---------------------------------------------- */

/* Where it is in the block's list; -1: it is not. */
static int
place_of(const cJSON *list, const cJSON *series)
{
	const cJSON *s;
	int i = 0;

	cJSON_ArrayForEach(s, list)
	{
		if (strcmp(json_str(s, "metric", ""),
			   json_str(series, "metric", "")) == 0 &&
		    strcmp(json_str(s, "subject", ""),
			   json_str(series, "subject", "")) == 0)
			return i;
		i++;
	}
	return -1;
}

/* The block with those of the group that it lacks; NULL: it has them all. */
static char *
longer_block(struct issue_block *b, const struct issue_group *g,
	     enum issue_text_kind kind)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(b->json, "series");
	struct issue_group more = {
		.series = mem_array(g->count, sizeof(*g->series))};
	AUTO_BUF struct buf text = BUF_INIT;

	for (size_t i = 0; i < g->count; i++) {
		int at = place_of(list, g->series[i]);

		if (at >= 0 && kind == ISSUE_TEXT_BACK)
			cJSON_DeleteItemFromArray(list, at);
		if (at < 0 || kind == ISSUE_TEXT_BACK)
			more.series[more.count++] = g->series[i];
	}
	add_block(&text, b->json, &more);
	free(more.series);
	return text.len ? buf_take(&text) : NULL;
}

static void
replace(struct buf *text, size_t offset, size_t size, const char *with)
{
	AUTO_FREE char *rest = mem_strdup(text->data + offset + size);

	buf_truncate(text, offset);
	buf_str(text, with);
	buf_str(text, rest);
}

char *
issue_text_update(const char *body, const struct issue_text *t,
		  enum issue_text_kind kind)
{
	AUTO_BUF struct buf text = BUF_INIT, marker = BUF_INIT;
	AUTO_FREE char *block = NULL;
	struct err ignored = ERR_INIT;
	struct issue_marker m;
	struct issue_block b;
	size_t offset, size;
	bool any;

	buf_str(&text, body);
	if (!issue_marker_read(body, &m, &offset, &size))
		return NULL;
	any = issue_marker_merge(&m, &t->group->marker);
	issue_marker_write(&marker, &m);
	buf_truncate(&marker, marker.len - 1);
	issue_marker_done(&m);
	if (any)
		replace(&text, offset, size, marker.data);
	/* One that somebody damaged stays as it is. */
	if (issue_block_parse(text.data, text.len, &b, &ignored) == 0)
		block = longer_block(&b, t->group, kind);
	if (block)
		replace(&text, b.offset, b.size, block);
	issue_block_done(&b);
	if ((!any && !block) ||
	    present_units(text.data) > GITHUB_ISSUE_BODY_MAX)
		return NULL;
	return buf_take(&text);
}

char *
issue_text_unmarked(const char *body)
{
	AUTO_BUF struct buf text = BUF_INIT;
	struct issue_marker m;
	size_t offset, size;

	buf_str(&text, body);
	while (issue_marker_read(text.data, &m, &offset, &size)) {
		issue_marker_done(&m);
		replace(&text, offset, size, "");
	}
	return buf_take(&text);
}
