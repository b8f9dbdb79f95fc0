#include "cmd/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/trace.h"
#include "cmd/cmd.h"
#include "followup/records.h"
#include "report/notify.h"
#include "report/outputs.h"
#include "report/store.h"

static int
tell_slack(const struct run_config *cfg, const struct settings *set,
	   const struct cancel *cancel, struct err *err)
{
	struct notify_target target;
	AUTO_JSON cJSON *message = notify_message(cfg->out, set->report_url);
	int rc;

	if (notify_target_from_env(&target, err))
		return -1;
	rc = notify_send(&target, message,
			 deadline_grace(cancel, set->budget.notify_ms), err);
	notify_target_done(&target);
	return rc;
}

/*
 * Upload the folder.  It is told when that fails, and changes nothing of what
 * the patrol found.
 */
static void
put_away(struct result *res, const struct run_config *cfg,
	 struct progress *progress, const struct settings *set,
	 const struct cancel *cancel)
{
	struct err err = ERR_INIT;
	int rc = 0;

	if (set->store == NULL)
		return;
	if (deadline_cancel_raised(cancel, 1)) {
		/* Whoever sent it leaves no time for gigabytes. */
		err_set(&err, ERR_CANCELLED,
			"not stored: a signal ended the patrol");
		rc = err_hint(&err, "`patrol store --out %s` does it",
			      cfg->out);
		store_not_tried(res->json, set, err.msg);
	} else {
		rc = store_put(res->json, cfg->out, set,
			       deadline_in(cancel, set->budget.store_ms), &err);
	}
	if (rc == 0) {
		progress_item(progress, PROGRESS_OK, "store",
			      json_str(res->json, "store.url", ""), -1);
		return;
	}
	progress_item(progress, PROGRESS_WARN, "store", err.msg, -1);
	err_clear(&err);
	if (outputs_rewrite(res, cfg->out, &err))
		progress_item(progress, PROGRESS_WARN, "results", err.msg, -1);
}

/*
 * The day goes to the history, whatever it was: also a day without a phone is
 * one that people want to see.  The same grace as for the other outputs.
 */
static void
record(struct result *res, const struct run_config *cfg,
       struct progress *progress, const struct settings *set,
       const struct cancel *cancel)
{
	struct records past = {.history = NULL};
	struct err err = ERR_INIT;
	const cJSON *one = res->json;
	size_t added;

	if (set->history == NULL || cfg->plan == NULL || cfg->probe ||
	    cfg->repeat)
		return;
	if (records_open(&past, set, &err) ||
	    records_add(&past, &one, 1, &added,
			deadline_grace(cancel, set->budget.history_ms), &err)) {
		err_hint(&err, "`patrol history add %s` does it", cfg->out);
		progress_item(progress, PROGRESS_WARN, "record", err.msg, -1);
		result_warning(res, "not_recorded", err.msg);
		err_clear(&err);
		if (outputs_write(res, cfg->out, &err))
			progress_item(progress, PROGRESS_WARN, "results",
				      err.msg, -1);
	} else {
		progress_item(progress, PROGRESS_OK, "record", set->history,
			      -1);
	}
	records_done(&past);
}

/* Everything that tells how it went; the exit status. */
static int
finish(struct result *res, const struct outcome_spec *spec,
       struct lease_journal *journal, struct progress *progress,
       const struct settings *set, const struct cancel *cancel)
{
	const struct run_config *cfg = spec->cfg;
	AUTO_FREE char *report = file_join(cfg->out, "report.html");
	int status = result_exit_status(res);
	struct err err = ERR_INIT;

	if (outputs_write(res, cfg->out, &err)) {
		status = result_exit_status(res);
		err_hint(&err, "results are missing in '%s'", cfg->out);
		progress_item(progress, PROGRESS_FAIL, "results", err.msg, -1);
		err_clear(&err);
	}
	record(res, cfg, progress, set, cancel);
	lease_journal_close(journal);
	put_away(res, cfg, progress, set, cancel);
	if (outputs_tell_ci(res, cfg->out, &err)) {
		progress_item(progress, PROGRESS_WARN, "GitHub", err.msg, -1);
		err_clear(&err);
	}
	if (spec->notify && tell_slack(cfg, set, cancel, &err))
		progress_item(progress, PROGRESS_WARN, "Slack", err.msg, -1);
	progress_end(progress, res->json, report);
	return status;
}

/* A result of a run that could not begin, because of `where`. */
static void
refuse(const struct run_config *cfg, const char *where,
       struct progress *progress, const struct err *why, struct result *res)
{
	progress_item(progress, PROGRESS_FAIL, where, why->msg, -1);
	result_init(res, run_kind(cfg), cfg->plan ? cfg->plan : cfg->apk);
	json_set_str(result_object(res, "versions"), "patrol", PATROL_VERSION);
	json_set_str(res->json, "command", cfg->command);
	result_stage(res, where, "failed", 0, why->msg);
	result_error(res, why, where);
	result_decide_error(res, why);
}

static int
read_settings(struct settings *set, const struct run_config *cfg,
	      struct err *err)
{
	struct store_target target;

	if (settings_load(set, err)) {
		set->store = NULL; /* its key may be what was wrong */
		return -1;
	}
	settings_override(set, "PATROL_STORE", cfg->store, SETTINGS_OPTION);
	settings_override(set, "PATROL_PREVIOUS", cfg->previous,
			  SETTINGS_OPTION);
	settings_override(set, "PATROL_HISTORY", cfg->history, SETTINGS_OPTION);
	if (cfg->file_issues && set->history == NULL)
		return err_set(err, ERR_USAGE,
			       "--file-issues needs a history: give --history, "
			       "or set PATROL_HISTORY");
	if (set->history && history_check(set->history, err)) {
		set->history = NULL;
		return -1;
	}
	if (set->store == NULL)
		return 0;
	/* Not after an hour's walk. */
	if (store_parse(set->store, &target, err)) {
		set->store = NULL;
		return -1;
	}
	store_target_done(&target);
	return 0;
}

/* One word for a shell; plain ones stay as they are. */
static void
add_word(struct buf *b, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789-_./:,=@%+";

	buf_chr(b, ' ');
	if (*word && strspn(word, plain) == strlen(word)) {
		buf_str(b, word);
		return;
	}
	buf_chr(b, '\'');
	for (; *word; word++)
		buf_str(b, *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
	buf_chr(b, '\'');
}

void
outcome_option(struct buf *b, const char *name, const char *value)
{
	if (value == NULL)
		return;
	buf_fmt(b, " --%s", name);
	add_word(b, value);
}

int
outcome_lock(const char *dir, int *lock, struct err *err)
{
	*lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0)
		return err_sys(err, "open folder '%s'", dir);
	if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_sys(err, "lock folder '%s'", dir);
	return err_set(err, ERR_USAGE,
		       "another patrol writes its results into '%s'", dir);
}

int
outcome_of_run(const struct outcome_spec *spec, const struct cancel *cancel,
	       struct err *err)
{
	struct lease_journal journal = LEASE_JOURNAL_NONE;
	struct run_config journaled = *spec->cfg;
	const struct run_config *cfg = &journaled;
	AUTO_FREE char *events = file_join(cfg->out, "events.ndjson");
	struct progress progress;
	struct settings set;
	struct result res;
	struct err bad = ERR_INIT, untold = ERR_INIT;
	const char *wrong = NULL;
	AUTO_FD int lock = -1;
	int status;

	if (file_mkdirs(cfg->out, err) || outcome_lock(cfg->out, &lock, err) ||
	    outputs_forget(cfg->out, err))
		return err_hint(err, "give another folder with --out");
	progress_init(&progress, STDERR_FILENO,
		      spec->quiet ? PROGRESS_HUSH : PROGRESS_TALK);
	progress_begin(&progress, spec->title);
	journaled.journal = &journal;
	if (read_settings(&set, cfg, &bad))
		wrong = "settings";
	else if (lease_journal_open(&journal, set.state_dir, cfg->out, &bad))
		wrong = "state";
	if (trace_open(events, wrong ? &untold : &bad) && !wrong)
		wrong = "results";
	if (wrong)
		refuse(cfg, wrong, &progress, &bad, &res);
	else
		run_patrol(cfg, &set, &progress, cancel, &res);
	trace_close();
	if (spec->judge)
		spec->judge(spec->arg, &res);
	status = finish(&res, spec, &journal, &progress, &set, cancel);
	progress_done(&progress);
	result_done(&res);
	settings_done(&set);
	return status;
}
