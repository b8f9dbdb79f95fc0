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
	struct records_want want;
	bool json, markdown, html, file_issues, dry_run;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	HISTORY_KEY_OPTIONS(struct options),
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
	 "Register what is worse and has no issue yet on GitHub", NULL},
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
	if (o->result && records_keys_wants(&o->want))
		return err_set(err, ERR_USAGE,
			       "--result tells its title and phone itself: "
			       "leave --title, --device and the like away");
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

/* The newest run of those that are wanted. */
static int
newest(const struct history_store *s, const struct records_keys *k, size_t *at,
       struct err *err)
{
	for (size_t i = k->ids.count; i > 0; i--) {
		*at = i - 1;
		if (records_keys_is_wanted(k, i - 1))
			return 0;
	}
	err_set(err, ERR_NOTFOUND, "no run in %s",
		history_url(s->records.history));
	return err_hint(err, "`patrol history add` adds one");
}

/* Its own key's runs, up to the run in question, which is the last. */
static int
choose(const struct options *o, struct history_store *s, struct records_keys *k,
       size_t *at, struct err *err)
{
	struct records *r = &s->records;
	const struct records_key *key;
	size_t last = 0;

	if (o->run ? records_keys_find(r, k, o->run, &last, s->dl, err)
		   : newest(s, k, &last, err))
		return -1;
	key = records_keys_of(k, last);
	if (records_keys_series(r, k, key ? &key->tag : &k->tag[last], last,
				COMPARE_RUNS_MAX, s->dl, err))
		return -1;
	if (r->runs.count == 0)
		return err_set(err, ERR_NOTFOUND,
			       "no run of %s can be used: %s",
			       k->ids.item[last], r->why.msg);
	*at = r->runs.count - 1;
	return 0;
}

/* A run that is perhaps not there. */
static int
choose_result(const struct options *o, struct history_store *s, size_t *at,
	      struct err *err)
{
	AUTO_JSON cJSON *result = NULL;

	if (history_store_result(o->result, &result, err))
		return -1;
	return records_keys_before(&s->records, history_record_of(result), at,
				   s->dl, err);
}

/* Why no run of the same key has this name: it is another's, or a later one. */
static int
explain_base(const struct options *o, struct history_store *s,
	     struct records_keys *k, const cJSON *record, struct err *err)
{
	struct records base = {.history = s->records.history};
	AUTO_FREE char *text = NULL;
	struct err why = ERR_INIT;
	const char *part = "title";
	size_t at;

	k->narrowed = false; /* also one that was not asked for */
	k->want = (struct records_want){.title = NULL};
	if (records_keys_find(&base, k, o->base, &at, s->dl, &why) ||
	    records_read_ids(&base, &k->ids.item[at], 1, s->dl, &why) ||
	    base.runs.count == 0) {
		err_clear(&why); /* there is no run of that name at all */
		return -1;
	}
	text = records_keys_text(base.runs.record[0]);
	if (history_record_same_title(base.runs.record[0], record) &&
	    history_record_same_key(base.runs.record[0], record, &part)) {
		err_set(err, ERR_USAGE,
			"run '%s' is not one of the %d runs before %s", o->base,
			COMPARE_RUNS_MAX, json_str(record, "id", "this one"));
		err_hint(err, "name an earlier run, or compare a later one "
			      "with --run");
	} else {
		err_set(err, ERR_USAGE,
			"run '%s' can't be compared with, its %s is another: "
			"it is of %s",
			o->base, history_record_part(part), text);
		err_hint(err, "`patrol history list --keys` shows whose runs "
			      "there are; --run, --title, --device, --os, "
			      "--unity and --route choose");
	}
	compare_runs_done(&base.runs);
	return -1;
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

/* What else is in the store. */
static void
add_others(cJSON *comparison, const struct records_keys *k, const cJSON *record)
{
	struct history_tag own;
	size_t n = 0;

	history_tag_of(record, &own);
	for (size_t i = 0; i < k->count; i++)
		n += history_tag_has_key(&k->item[i].tag) &&
		     !history_tag_same(&k->item[i].tag, &own);
	json_set_int(comparison, "other_keys", (int64_t)n);
}

static int
compare_one(const struct options *o, struct history_store *s,
	    struct records_keys *k, cJSON **out, struct err *err)
{
	const struct compare_runs *runs = &s->records.runs;
	size_t at = 0;

	if (o->result ? choose_result(o, s, &at, err)
		      : choose(o, s, k, &at, err))
		return -1;
	history_store_warn(s);
	if (compare_run(runs, at, o->base, out, err)) {
		if (err->code != ERR_USAGE)
			return -1;
		return explain_base(o, s, k, runs->record[at], err);
	}
	add_others(*out, k, runs->record[at]);
	return 0;
}

static int
compare(const struct options *o, struct history_store *s, struct err *err)
{
	AUTO_JSON cJSON *comparison = NULL;
	struct records_keys k;
	int rc;

	if (history_store_keys(s, &o->want, &k, err))
		return -1;
	rc = compare_one(o, s, &k, &comparison, err);
	records_keys_done(&k);
	if (rc)
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
		"it: the same title, phone, OS build, Unity version and "
		"route, whatever else the store holds; --device, --title and "
		"so on choose the newest run of another. The "
		"first line is the verdict; each series that is not as before "
		"has one line with the numbers that were used.\n\n"
		"`suspect`: today alone is beyond its baseline. `regression`: "
		"confirmed by further runs, or at once where a value has no "
		"noise (sizes, counts, a crash). `creep`: a slow change, seen "
		"over weeks. docs/decisions-method.md has the rules and how "
		"often they are wrong.\n\n"
		"With --file-issues what is worse becomes an issue on GitHub, "
		"one for what got worse between the same two builds, "
		"and never two (docs/issues.md); a failure to do so is a "
		"warning. `patrol regressions file` has more options.\n\n"
		"  patrol compare --history git:patrol-history --fail-on "
		"regression",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
