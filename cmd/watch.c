#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wall.h"
#include "cmd/cmd.h"
#include "followup/github_open.h"
#include "followup/silence.h"
#include "followup/silence_alert.h"
#include "report/ci_output.h"
#include "report/notify.h"
#include "report/slack.h"

enum { MAX_AGE_MS = 26 * 3600 * 1000, WITHIN_MS = 300000 };

struct options {
	const char *from, *report_name, *days, *tz, *at;
	int64_t max_age_ms;
	bool json, dry_run;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"from", 'f', OPT_STRING, AT(from), "DIR",
	 "Folder with the patrols' output folders in it, instead of GitHub's "
	 "artifacts",
	 "dir"},
	{"report-name", 0, OPT_STRING, AT(report_name), "NAME",
	 "The action's report-name (patrol-report)", NULL},
	{"max-age", 0, OPT_DURATION, AT(max_age_ms), "TIME",
	 "How old the last measurement may be on expected days (26h)", NULL},
	{"days", 0, OPT_STRING, AT(days), "DAYS",
	 "Days on which one is expected: mon-fri, mon,wed, daily (mon-fri)",
	 "mon-fri daily"},
	{"tz", 0, OPT_STRING, AT(tz), "ZONE",
	 "Where those days begin at midnight: UTC, +09:00, Europe/Berlin (UTC)",
	 NULL},
	{"at", 0, OPT_STRING, AT(at), "TIME",
	 "Judge as of this time, 2026-11-30T09:00:00Z, instead of now", NULL},
	{"dry-run", 'n', OPT_FLAG, AT(dry_run), NULL,
	 "Print the Slack message and send nothing", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "Print JSON", NULL},
	{.name = NULL},
};

/* What one call of `watch` works with. */
struct job {
	const struct options *o;
	struct silence_rule rule;
	struct settings set;
	struct github github;
	bool has_github;
	char *where, *name;
	int64_t now_s;
	struct deadline dl;
};

static int
read_rule(struct job *j, struct err *err)
{
	const struct options *o = j->o;

	j->rule.max_age_s = (o->max_age_ms ? o->max_age_ms : MAX_AGE_MS) / 1000;
	j->now_s = wall_now_s();
	if (o->at && !wall_parse(o->at, &j->now_s)) {
		err_set(err, ERR_USAGE, "--at '%s' is no time", o->at);
		return err_hint(err, "write it like 2026-11-30T09:00:00Z");
	}
	if (silence_days(o->days ? o->days : "mon-fri", &j->rule.days, err))
		return err_wrap(err, "--days");
	if (silence_zone(o->tz ? o->tz : "UTC", err))
		return err_wrap(err, "--tz");
	return 0;
}

static int
open_source(struct job *j, struct err *err)
{
	const char *report =
		j->o->report_name ? j->o->report_name : "patrol-report";
	AUTO_FREE char *real = NULL;

	if (j->o->from) {
		real = realpath(j->o->from, NULL);
		j->where = mem_fmt("'%s'", j->o->from);
		j->name = file_safe_name(real ? real : j->o->from);
		return 0;
	}
	if (github_open(&j->github, &j->set, NULL, err))
		return j->set.repository
			       ? -1
			       : err_hint(err, "or name a folder with --from");
	j->has_github = true;
	j->where = mem_fmt("'%s-result' of %s", report, j->set.repository);
	j->name = file_safe_name(report);
	return 0;
}

static int
judge(struct job *j, cJSON **out, struct err *err)
{
	const char *report =
		j->o->report_name ? j->o->report_name : "patrol-report";
	struct past past;
	int rc;

	if (j->has_github)
		rc = past_github(&j->github, &j->set, report, NULL,
				 past_is_measured, NULL, &past, j->dl, err);
	else
		rc = past_folder(j->o->from, NULL, NULL, &past, err);
	if (rc)
		return -1;
	rc = silence_judge(&j->rule, &past, j->where, j->name, j->now_s, out,
			   err);
	past_done(&past);
	return rc;
}

/* The page where people see which workflows ran; free() it. */
static char *
runs_url(const struct job *j)
{
	const char *server = getenv("GITHUB_SERVER_URL");

	if (j->set.repository == NULL)
		return NULL;
	return mem_fmt("%s/%s/actions",
		       server && *server ? server : "https://github.com",
		       j->set.repository);
}

static int
send_alert(struct job *j, const cJSON *message, struct err *err)
{
	struct notify_target target;
	int rc;

	if (notify_target_from_env(&target, err))
		return -1;
	rc = notify_send(&target, message,
			 deadline_cap(j->dl, j->set.budget.notify_ms), err);
	notify_target_done(&target);
	return rc;
}

/* "now", "earlier", or why nobody was told, which is no secret. */
static const char *
tell(struct job *j, const cJSON *judged)
{
	const char *alert = json_str(judged, "alert", "");
	AUTO_FREE char *url = runs_url(j);
	AUTO_JSON cJSON *message = silence_alert_message(judged, url);
	AUTO_BUF struct buf text = BUF_INIT;
	struct err err = ERR_INIT;

	if (j->o->dry_run) {
		slack_text(message, &text);
		fputs(text.data, j->o->json ? stderr : stdout);
		return "dry_run";
	}
	if (silence_alert_was_told(&j->set, j->has_github ? &j->github : NULL,
				   alert, j->dl))
		return "earlier";
	if (send_alert(j, message, &err)) {
		log_error("nobody was told: %s", err.msg);
		return "failed";
	}
	if (silence_alert_remember(&j->set, alert, &err))
		log_warn("it will be told again: %s", err.msg);
	return "now";
}

/* For the workflow: what to leave behind so that it is told once. */
static void
tell_actions(const cJSON *judged)
{
	const char *path = getenv("GITHUB_OUTPUT");
	bool now = strcmp(json_str(judged, "told", ""), "now") == 0;
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (path && *path) {
		buf_fmt(&b, "fresh=%s\nalert=%s\n",
			json_bool(judged, "fresh", false) ? "true" : "false",
			now ? json_str(judged, "alert", "") : "");
		if (file_append(path, b.data, b.len, &err))
			log_warn("outputs: %s", err.msg);
	}
	if (ci_output_active() && !json_bool(judged, "fresh", false)) {
		buf_clear(&b);
		ci_output_data(&b, json_str(judged, "message", ""));
		fprintf(stderr, "::error title=patrol::%s\n", b.data);
	}
}

static void
print(const struct job *j, const cJSON *judged)
{
	static const struct {
		const char *told, *words;
	} words[] = {
		{"now", "Slack was told."},
		{"earlier", "Slack was told when this began."},
		{"failed", "Slack was NOT told, see above."},
	};
	FILE *to = j->o->json ? stderr : stdout;
	const char *told = json_str(judged, "told", "");

	fprintf(to, "%s\n", json_str(judged, "message", ""));
	if (json_str(judged, "why", NULL))
		fprintf(to, "%s\n", json_str(judged, "why", ""));
	if (json_str(judged, "next", NULL))
		fprintf(to, "To do: %s\n", json_str(judged, "next", ""));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i].told, told) == 0)
			fprintf(to, "%s\n", words[i].words);
	}
	if (j->o->json) {
		AUTO_FREE char *text = json_pretty(judged);

		fputs(text, stdout);
	}
}

static int
watch(struct job *j, struct err *err)
{
	AUTO_JSON cJSON *judged = NULL;
	bool fresh;

	if (open_source(j, err) || judge(j, &judged, err)) {
		/* Not 2: the machine that watches is not at fault. */
		if (err->code == ERR_INPUT)
			err->code = ERR_PROTO;
		if (err->code == ERR_TIMEOUT)
			err->code = ERR_IO;
		return err_wrap(err, "can't tell whether anything was "
				     "measured");
	}
	json_set_str(judged, "time_zone", j->o->tz ? j->o->tz : "UTC");
	fresh = json_bool(judged, "fresh", false);
	json_set_str(judged, "told", fresh ? NULL : tell(j, judged));
	print(j, judged);
	tell_actions(judged);
	return fresh ? CMD_OK : CMD_FAILED;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct job j = {.o = ctx->options,
			.dl = deadline_in(ctx->cancel, WITHIN_MS)};
	int rc;

	if (ctx->args.count)
		return err_set(err, ERR_USAGE, "'%s' is not expected",
			       ctx->args.item[0]);
	if (read_rule(&j, err) || settings_load(&j.set, err))
		return -1;
	rc = watch(&j, err);
	if (j.has_github)
		github_done(&j.github);
	free(j.where);
	free(j.name);
	settings_done(&j.set);
	return rc;
}

const struct command watch_command = {
	.name = "watch",
	.summary = "Alert when no measurement has arrived for too long",
	.usage = "[--from DIR] [OPTION]...",
	.details =
		"Reads the results of the last patrols, and tells Slack once "
		"when the newest that measured is older than --max-age, "
		"whether the patrols measured nothing or did not run at all. "
		"The age counts on the expected days only: on the others the "
		"clock stands still, so a Monday morning does not miss a "
		"Sunday.\n"
		"\n"
		"Without --from it asks GitHub for the artifacts "
		"REPORT-NAME-result that the action uploads "
		"(GITHUB_REPOSITORY, GITHUB_TOKEN with actions: read). Slack "
		"is told where `patrol notify` tells it.\n"
		"\n"
		"Once: an alert is named after the last measurement. It is "
		"not told again when PATROL_STATE_DIR has a note of it, or "
		"the repository an artifact of that name; the workflow "
		"uploads one when the step output `alert` is not empty.\n"
		"\n"
		"Exit status: 0 fresh, 1 nothing measured for too long, told "
		"or not, 3 it can't be told, with the reason.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
