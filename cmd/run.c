#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/device_option.h"
#include "cmd/outcome.h"

struct options {
	const char *plan, *run_id, *apk, *device, *adb_server, *out, *measure,
		*store, *previous, *history;
	struct opt_list visit, var;
	bool attach, allow_failed, file_issues, notify, quiet;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"plan", 'p', OPT_STRING, AT(plan), "FILE", "the plan to walk", "file"},
	{"run-id", 0, OPT_STRING, AT(run_id), "N",
	 "the GitHub Actions run whose APK is patrolled", NULL},
	{"apk", 0, OPT_STRING, AT(apk), "FILE",
	 "a local APK, or a zip with one in it, instead of a run's", "file"},
	{"device", 'd', OPT_STRING, AT(device), "adb[:SERIAL]",
	 "a phone at hand instead of the farm's; SERIAL may be HOST:PORT",
	 "adb"},
	{"adb-server", 0, OPT_STRING, AT(adb_server), "HOST:PORT",
	 "the adb server to join with --device adb", NULL},
	{"out", 'o', OPT_STRING, AT(out), "DIR",
	 "where the results go (patrol-out)", "dir"},
	{"store", 0, OPT_STRING, AT(store), "URL",
	 "where the folder is uploaded to at the end, sftp://USER@HOST/PATH",
	 NULL},
	{"history", 0, OPT_STRING, AT(history), "STORE",
	 "Compare with the records there and add this run's: dir:PATH, "
	 "git:BRANCH or clickhouse:URL (PATROL_HISTORY)",
	 NULL},
	{"file-issues", 0, OPT_FLAG, AT(file_issues), NULL,
	 "register what is worse as GitHub issues; needs a history", NULL},
	{"previous", 0, OPT_STRING, AT(previous), "DIR",
	 "folder of earlier patrols' output folders: snapshots are compared "
	 "with the last one's",
	 "dir"},
	{"visit", 0, OPT_LIST, AT(visit), "SCREEN",
	 "visit this screen instead of the plan's; may be repeated", NULL},
	{"var", 0, OPT_LIST, AT(var), "X=VALUE",
	 "what {var.X} stands for in the plan; may be repeated", NULL},
	{"measure", 0, OPT_STRING, AT(measure), "LIST",
	 "which of profiler,snapshot,graphics_states to measure (all)",
	 "profiler snapshot graphics_states"},
	{"attach", 0, OPT_FLAG, AT(attach), NULL,
	 "use the app that runs already: nothing is installed or started",
	 NULL},
	{"allow-failed", 0, OPT_FLAG, AT(allow_failed), NULL,
	 "patrol the run even when it did not succeed", NULL},
	{"notify", 0, OPT_FLAG, AT(notify), NULL,
	 "send the Slack message at the end", NULL},
	{"quiet", 'q', OPT_FLAG, AT(quiet), NULL,
	 "say only what is wrong, and the verdict", NULL},
	{NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

static int
read_measure(const char *list, unsigned *mask, struct err *err)
{
	static const struct {
		const char *name;
		unsigned bit;
	} words[] = {
		{"profiler", RUN_PROFILER},
		{"snapshot", RUN_SNAPSHOT},
		{"graphics_states", RUN_GRAPHICS_STATES},
		{"none", 0},
	};

	*mask = RUN_MEASURE_ALL;
	if (list == NULL)
		return 0;
	*mask = 0;
	while (*list) {
		size_t len = strcspn(list, ","), i;

		for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if (strlen(words[i].name) == len &&
			    memcmp(words[i].name, list, len) == 0)
				break;
		}
		if (i == sizeof(words) / sizeof(*words))
			return err_set(err, ERR_USAGE,
				       "--measure: '%.*s' is none of profiler, "
				       "snapshot, graphics_states, none",
				       (int)len, list);
		*mask |= words[i].bit;
		list += len + (list[len] == ',');
	}
	return 0;
}

static int
check(const struct options *o, const struct opt_list *args, struct err *err)
{
	if (args->count > 0)
		return err_set(err, ERR_USAGE, "'%s' is no option of run",
			       args->item[0]);
	if (o->plan == NULL)
		return err_set(err, ERR_USAGE, "which plan? Give --plan FILE");
	if (o->run_id == NULL && o->apk == NULL && !o->attach)
		return err_set(err, ERR_USAGE,
			       "which build? Give --run-id N of a GitHub "
			       "Actions run, or a local one with --apk FILE");
	if (o->run_id && o->apk)
		return err_set(err, ERR_USAGE,
			       "--run-id and --apk name two builds");
	if (device_option_check(o->device, err))
		return -1;
	if (o->attach && o->device == NULL)
		return err_set(err, ERR_USAGE,
			       "--attach needs --device adb: an app that runs "
			       "on a farm's phone is somebody else's");
	return 0;
}

/* How to do it again, for the report. */
static char *
command_line(const struct options *o)
{
	struct buf b = BUF_INIT;

	buf_str(&b, "patrol run");
	outcome_option(&b, "plan", o->plan);
	outcome_option(&b, "run-id", o->run_id);
	outcome_option(&b, "apk", o->apk);
	outcome_option(&b, "device", o->device);
	outcome_option(&b, "adb-server", o->adb_server);
	outcome_option(&b, "measure", o->measure);
	outcome_option(&b, "store", o->store);
	outcome_option(&b, "previous", o->previous);
	outcome_option(&b, "history", o->history);
	for (size_t i = 0; i < o->visit.count; i++)
		outcome_option(&b, "visit", o->visit.item[i]);
	for (size_t i = 0; i < o->var.count; i++)
		outcome_option(&b, "var", o->var.item[i]);
	if (o->attach)
		buf_str(&b, " --attach");
	if (o->allow_failed)
		buf_str(&b, " --allow-failed");
	if (o->file_issues)
		buf_str(&b, " --file-issues");
	return buf_take(&b);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct options *o = ctx->options;
	AUTO_FREE char *command = NULL;
	AUTO_FREE char *title = mem_fmt("%s%s", o->run_id ? "run " : "",
					o->run_id ? o->run_id
					: o->apk  ? o->apk
						  : "attach");
	struct run_config cfg = {
		.plan = o->plan,
		.run_id = o->run_id,
		.apk = o->apk,
		.device = o->device,
		.adb_server = o->adb_server,
		.out = o->out ? o->out : "patrol-out",
		.store = o->store,
		.previous = o->previous,
		.history = o->history,
		.visit = o->visit.item,
		.visit_count = o->visit.count,
		.var = o->var.item,
		.var_count = o->var.count,
		.attach = o->attach,
		.allow_failed = o->allow_failed,
		.file_issues = o->file_issues,
	};
	const struct outcome_spec spec = {.cfg = &cfg,
					  .title = title,
					  .notify = o->notify,
					  .quiet = o->quiet};
	int status;

	if (check(o, &ctx->args, err) ||
	    read_measure(o->measure, &cfg.measure, err))
		return -1;
	command = command_line(o);
	cfg.command = command;
	status = outcome_of_run(&spec, ctx->cancel, err);
	return status;
}

const struct command run_command = {
	.name = "run",
	.summary = "Patrol one build on one phone",
	.usage = "--plan FILE (--run-id N | --apk FILE) [OPTION]...",
	.details =
		"Takes the APK of a GitHub Actions run, reserves the plan's "
		"phone from the STF farm, installs, walks the screens, "
		"measures, gives the phone back whatever happens, and writes "
		"result.json, report.html, slack.json, junit.xml and "
		"summary.md into the output folder.\n\n"
		"Without a farm: --device adb. Without GitHub: --apk FILE.\n\n"
		"  patrol run --plan daily.yaml --run-id 123456789 --notify\n"
		"  patrol run --plan daily.yaml --apk game.apk --device adb\n"
		"  patrol run --plan daily.yaml --attach --device adb "
		"--visit shop\n\n"
		"The farm, tokens and budgets come from the environment "
		"(STF_URL, STF_TOKEN, PATROL_ADB_KEY, GITHUB_TOKEN, "
		"GITHUB_REPOSITORY, ...): docs/settings.md; `patrol doctor` "
		"looks whether they are good.\n\n"
		"Exit status: 0 passed or skipped, 1 the patrol found "
		"something, 2 usage, plan or APK, 3 could not run, 4 out of "
		"time, 5 cancelled and everything given back, 6 something was "
		"left behind.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
