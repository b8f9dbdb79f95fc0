#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "farm/lease_journal.h"
#include "farm/reap.h"
#include "followup/github_open.h"
#include "followup/past.h"
#include "followup/why.h"

enum { WITHIN_MS = 300000 };

struct options {
	const char *from, *report_name;
	bool json;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"from", 'f', OPT_STRING, AT(from), "DIR",
	 "Look for the run's id in this folder of output folders, instead of "
	 "GitHub's artifacts",
	 "dir"},
	{"report-name", 0, OPT_STRING, AT(report_name), "NAME",
	 "The action's report-name (patrol-report)", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "Print JSON", NULL},
	{.name = NULL},
};

static int
tell(cJSON *why, const struct options *o)
{
	AUTO_BUF struct buf text = BUF_INIT;

	if (o->json) {
		AUTO_FREE char *json = json_pretty(why);

		fputs(json, stdout);
	} else {
		why_text(why, &text);
		fputs(text.data, stdout);
	}
	cJSON_Delete(why);
	return CMD_OK;
}

/* --- a run without a result ---------------------------------------------- */

static void
say_items(const struct lease_journal_dead *d, struct buf *out)
{
	for (size_t i = 0; i < d->count; i++)
		buf_fmt(out, "%s%s %s", i ? ", " : "",
			reap_word(d->item[i].what), d->item[i].id);
	if (d->count == 0)
		buf_str(out, "nothing of the farm's, its result is missing");
}

static enum why_hold
look_up(const char *state_dir, const char *dir, struct buf *held)
{
	AUTO_FREE char *out_dir = realpath(dir, NULL);
	enum why_hold hold = WHY_HOLD_NOTHING;
	struct lease_journal_list list;
	struct err err = ERR_INIT;

	if (lease_journal_find(state_dir, &list, &err)) {
		buf_str(held, err.msg);
		return WHY_HOLD_UNKNOWN;
	}
	for (size_t i = 0; out_dir && i < list.count; i++) {
		const struct lease_journal_dead *d = &list.dead[i];

		if (d->out_dir == NULL || strcmp(d->out_dir, out_dir) != 0)
			continue;
		say_items(d, held);
		hold = WHY_HOLD_SOME;
		break;
	}
	if (out_dir && lease_journal_live_writes(&list, out_dir))
		hold = WHY_HOLD_LIVE;
	if (hold == WHY_HOLD_NOTHING && list.unread) {
		buf_str(held, list.why.msg);
		hold = WHY_HOLD_UNKNOWN;
	}
	lease_journal_list_done(&list);
	return hold;
}

/* What its journal and its events say of it. */
static cJSON *
without_result(const char *path, const char *dir, const char *problem)
{
	AUTO_BUF struct buf held = BUF_INIT;
	enum why_hold hold = WHY_HOLD_UNKNOWN;
	struct err err = ERR_INIT;
	struct settings set;
	cJSON *why;

	if (settings_load(&set, &err) == 0)
		hold = look_up(set.state_dir, dir, &held);
	else
		buf_str(&held, err.msg);
	settings_done(&set);
	why = why_killed(path, dir, hold, held.data);
	return why ? why : why_missing(path, problem);
}

/* --- a folder or a file -------------------------------------------------- */

static int
broken(struct err *err)
{
	if (err->code == ERR_PROTO)
		err->code = ERR_INPUT;
	if (err->code == ERR_INPUT)
		err_hint(err, "it was cut or is another file: fetch the run's "
			      "folder once more");
	return -1;
}

static int
of_file(const char *path, const char *dir, const struct options *o,
	struct err *err)
{
	AUTO_JSON cJSON *result = NULL;

	if (json_read_file(path, PAST_RESULT_MAX, &result, err)) {
		cJSON *why;

		/* One that is there and broken says nothing of the patrol. */
		if (err->code != ERR_NOTFOUND)
			return broken(err);
		why = without_result(path, dir, err->msg);
		err_clear(err);
		return tell(why, o);
	}
	if (!cJSON_IsObject(result) || !json_str(result, "outcome", NULL))
		return err_set(err, ERR_INPUT, "'%s' is no result.json", path);
	return tell(why_explain(result, path, dir), o);
}

static int
of_path(const char *run, const struct options *o, struct err *err)
{
	AUTO_FREE char *inside = file_join(run, "result.json");
	const char *slash = strrchr(run, '/');
	AUTO_FREE char *dir = slash ? mem_strndup(run, (size_t)(slash - run))
				    : mem_strdup(".");
	struct stat st;

	if (stat(run, &st)) {
		(void)err_sys(err, "read '%s'", run);
		return err_hint(err, "name an output folder, a result.json or "
				     "the id of a run");
	}
	if (S_ISDIR(st.st_mode))
		return of_file(inside, run, o, err);
	return of_file(run, *dir ? dir : "/", o, err);
}

/* --- a run's id ---------------------------------------------------------- */

static const struct past_item *
find(const struct past *past, const char *id)
{
	for (size_t i = 0; i < past->count; i++) {
		if (past_is_of_build((void *)(uintptr_t)id, &past->item[i]))
			return &past->item[i];
	}
	return NULL;
}

static int
not_found(const char *id, const char *where, const struct past *past,
	  struct err *err)
{
	err_set(err, ERR_NOTFOUND, "%s has no patrol of run %s", where, id);
	if (past->unread)
		return err_hint(err, "%zu could not be read: %.200s",
				past->unread, past->why.msg);
	return err_hint(err,
			"%zu were looked at; name the build's run, the "
			"patrol's run or a folder",
			past->count);
}

static int
in_folder(const char *id, const struct options *o, struct err *err)
{
	AUTO_FREE char *where = mem_fmt("'%s'", o->from);
	const struct past_item *it;
	struct past past;
	int rc;

	if (past_folder(o->from, NULL, NULL, &past, err))
		return -1;
	it = find(&past, id);
	rc = it ? of_path(it->where, o, err) : not_found(id, where, &past, err);
	past_done(&past);
	return rc;
}

/* The id of the patrol's own run, else of the build that it took. */
static int
ask_github(struct github *g, const struct settings *set, const char *id,
	   const struct options *o, struct deadline dl, struct err *err)
{
	const char *report = o->report_name ? o->report_name : "patrol-report";
	AUTO_FREE char *where =
		mem_fmt("'%s-result' of %s", report, set->repository);
	const struct past_item *it = NULL;
	struct past past = {.why = ERR_INIT};
	int rc;

	if (past_github(g, set, report, id, NULL, NULL, &past, dl, err)) {
		if (err->code != ERR_NOTFOUND)
			return -1;
		err_clear(err); /* no such run: of another repository */
	}
	if (past.count)
		it = &past.item[0];
	if (it == NULL) {
		past_done(&past);
		if (past_github(g, set, report, NULL, past_is_of_build,
				(void *)(uintptr_t)id, &past, dl, err))
			return -1;
		it = find(&past, id);
	}
	rc = it ? tell(why_explain(it->result, it->where, NULL), o)
		: not_found(id, where, &past, err);
	past_done(&past);
	return rc;
}

static int
in_github(const char *id, const struct options *o, struct deadline dl,
	  struct err *err)
{
	struct settings set;
	struct github g;
	int rc;

	if (settings_load(&set, err))
		return -1;
	rc = github_open(&g, &set, NULL, err);
	if (rc == 0) {
		rc = ask_github(&g, &set, id, o, dl, err);
		github_done(&g);
	} else if (set.repository == NULL) {
		(void)err_hint(err, "or name a folder with --from");
	}
	settings_done(&set);
	return rc;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	const char *what = ctx->args.count ? ctx->args.item[0] : "patrol-out";
	bool id = *what && what[strspn(what, "0123456789")] == '\0';

	if (ctx->args.count > 1)
		return err_set(err, ERR_USAGE, "one run at a time");
	if (o->from && !id)
		return err_set(err, ERR_USAGE, "--from goes with a run's id");
	if (o->from)
		return in_folder(what, o, err);
	if (!id || file_exists(what))
		return of_path(what, o, err);
	return in_github(what, o, deadline_in(ctx->cancel, WITHIN_MS), err);
}

const struct command why_command = {
	.name = "why",
	.summary = "Say why a patrol was skipped or failed, and what to do",
	.usage = "[OPTION]... [RUN]",
	.details =
		"RUN is an output folder (patrol-out), a result.json, or the "
		"id of a run of GitHub Actions, the build's or the patrol's: "
		"its result is looked for in the folder of --from, or among "
		"the artifacts REPORT-NAME-result that the action uploads "
		"(GITHUB_REPOSITORY, GITHUB_TOKEN with actions: read).\n"
		"\n"
		"Exit status: 0 it is told, also that there is no result; 2 "
		"or 3 RUN can't be found or read.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
