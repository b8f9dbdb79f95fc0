#include "cmd/outcome.h"

#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/trace.h"
#include "domain/notify.h"
#include "domain/outputs.h"

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

static void
finish(struct result *res, const struct run_config *cfg,
       struct progress *progress, bool notify, const struct settings *set,
       const struct cancel *cancel)
{
	AUTO_FREE char *report = file_join(cfg->out, "report.html");
	struct err err = ERR_INIT;

	if (outputs_write(res, cfg->out, &err)) {
		progress_item(progress, PROGRESS_FAIL, "results", err.msg, -1);
		result_left_behind(res, "results", err.msg);
		err_clear(&err);
	}
	if (notify && tell_slack(cfg, set, cancel, &err))
		progress_item(progress, PROGRESS_WARN, "Slack", err.msg, -1);
	progress_end(progress, res->json, report);
}

int
outcome_of_run(const struct outcome_spec *spec, struct settings *set,
	       const struct cancel *cancel, struct err *err)
{
	const struct run_config *cfg = spec->cfg;
	AUTO_FREE char *events = file_join(cfg->out, "events.ndjson");
	struct progress progress;
	struct result res;
	int status;

	if (file_mkdirs(cfg->out, err))
		return err_hint(err, "give another folder with --out");
	if (trace_open(events, err))
		return -1;
	progress_init(&progress, STDERR_FILENO,
		      spec->quiet ? PROGRESS_HUSH : PROGRESS_TALK);
	progress_begin(&progress, spec->title);
	run_patrol(cfg, set, &progress, cancel, &res);
	trace_close();
	finish(&res, cfg, &progress, spec->notify, set, cancel);
	status = result_exit_status(&res);
	progress_done(&progress);
	result_done(&res);
	return status;
}
