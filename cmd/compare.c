#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "followup/issue.h"
#include "history/history_record.h"
#include "report/compare_page.h"

struct options {
	const char *history, *run, *result, *base, *fail_on;
	bool json, markdown, html, file_issues, dry_run;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{"run", 0, OPT_STRING, AT(run), "RUN",
	 "Which run: a build's run, an id, a commit or a date (the newest)",
	 NULL},
	{"result", 'r', OPT_STRING, AT(result), "FILE",
	 "A result.json instead, whether it is in the history or not", "file"},
	{"base", 'b', OPT_STRING, AT(base), "RUN",
	 "What is shown beside it: previous, or a run as above (previous)",
	 "previous"},
	{"fail-on", 0, OPT_STRING, AT(fail_on), "WHAT",
	 "Exit with 1 when this is new: regression or creep",
	 "regression creep"},
	{"file-issues", 0, OPT_FLAG, AT(file_issues), NULL,
	 "Register what is new and worse as GitHub issues", NULL},
	{"dry-run", 'n', OPT_FLAG, AT(dry_run), NULL,
	 "With --file-issues: write nothing, say what would be done", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "Print JSON", NULL},
	{"markdown", 0, OPT_FLAG, AT(markdown), NULL,
	 "Print Markdown, as for a comment or a step's summary", NULL},
	{"html", 0, OPT_FLAG, AT(html), NULL,
	 "Print a page that needs no network", NULL},
	{0},
};

static int
check(const struct options *o, struct err *err)
{
	if (o->run && o->result)
		return err_set(err, ERR_USAGE,
			       "--run and --result name two runs: give one");
	if (o->json + o->markdown + o->html > 1)
		return err_set(err, ERR_USAGE,
			       "--json, --markdown and --html: give one");
	if (o->dry_run && !o->file_issues)
		return err_set(err, ERR_USAGE,
			       "--dry-run is of --file-issues: give it, too");
	if (o->fail_on && strcmp(o->fail_on, "regression") != 0 &&
	    strcmp(o->fail_on, "creep") != 0)
		return err_set(err, ERR_USAGE,
			       "--fail-on '%s': write regression or creep",
			       o->fail_on);
	return 0;
}

/* The run in question; what came after it is not known to it. */
static int
choose(const struct options *o, struct records *r, size_t *at, struct err *err)
{
	AUTO_JSON cJSON *result = NULL;

	if (o->result) {
		if (history_store_result(o->result, &result, err))
			return -1;
		records_put(r, result, at);
		return 0;
	}
	for (size_t i = r->runs.count; i > 0; i--) {
		*at = i - 1;
		if (o->run == NULL ||
		    history_record_is(r->runs.record[*at], o->run))
			return 0;
	}
	err_set(err, ERR_NOTFOUND,
		o->run ? "no run '%s' in %s" : "no run%s in %s",
		o->run ? o->run : "", history_url(r->history));
	return err_hint(err, o->run ? "`patrol history list --all` shows them"
				    : "`patrol history add` adds one");
}

static void
print(const struct options *o, const cJSON *comparison)
{
	AUTO_BUF struct buf text = BUF_INIT;

	if (o->json) {
		AUTO_FREE char *json = json_pretty(comparison);

		(void)fputs(json, stdout);
		return;
	}
	if (o->html)
		compare_page_write(&text, comparison);
	else if (o->markdown)
		compare_markdown(&text, comparison);
	else
		compare_text(&text, comparison);
	(void)fputs(text.data, stdout);
}

/* It changes no verdict. */
static void
file_issues(const struct options *o, const struct history_store *s,
	    cJSON *comparison)
{
	struct issue_options io = {.dry_run = o->dry_run};
	AUTO_JSON cJSON *result = NULL;
	cJSON *registered = NULL;
	struct err err = ERR_INIT;
	const cJSON *one;

	if (o->result && history_store_result(o->result, &result, &err))
		err_clear(&err); /* it has gone: without the way, then */
	io.result = result;
	if (issue_register(comparison, &s->set, &io, &registered, s->dl, &err))
		log_warn("%s", err.msg);
	cJSON_ArrayForEach(one, registered)
	{
		AUTO_FREE char *number = json_id(one, "number");

		log_info("%s of %s: issue %s%s %s", json_str(one, "metric", ""),
			 *json_str(one, "subject", "")
				 ? json_str(one, "subject", "")
				 : "the run",
			 number ? "#" : "not yet", number ? number : "",
			 json_str(one, "action", ""));
	}
	json_set(comparison, "registered", registered);
}

static int
compare(const struct options *o, struct history_store *s, struct err *err)
{
	AUTO_JSON cJSON *comparison = NULL;
	size_t at = 0;

	if (history_store_read(s, o->run ? 0 : COMPARE_RUNS_MAX, err) ||
	    choose(o, &s->records, &at, err) ||
	    compare_run(&s->records.runs, at, o->base, &comparison, err))
		return -1;
	if (o->file_issues)
		file_issues(o, s, comparison);
	print(o, comparison);
	return o->fail_on && compare_has_new(comparison, o->fail_on)
		       ? CMD_FAILED
		       : CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct history_store s;
	int rc;

	if (stray_word(&ctx->args, &compare_command, err))
		return -1;
	if (check(o, err) ||
	    history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = compare(o, &s, err);
	history_store_done(&s);
	return rc;
}

const struct command compare_command = {
	.name = "compare",
	.summary = "Say whether a run is worse than the days before",
	.usage = "[OPTION]...",
	.details =
		"Sets the newest run of the history beside the days before "
		"it: the same phone, OS build, Unity version and route. The "
		"first line is the verdict; each series that is not as before "
		"has one line with the numbers that were used.\n\n"
		"`suspect`: today alone is beyond its baseline. `regression`: "
		"confirmed by further runs, or at once where a value has no "
		"noise (sizes, counts, a crash). `creep`: a slow change, seen "
		"over weeks. docs/decisions-method.md has the rules and how "
		"often they are wrong.\n\n"
		"With --file-issues what is new and worse becomes an issue on "
		"GitHub, one for what got worse between the same two builds, "
		"and never two (docs/issues.md); a failure to do so is a "
		"warning. `patrol regressions file` has more options.\n\n"
		"  patrol compare --history git:patrol-history --fail-on "
		"regression",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
