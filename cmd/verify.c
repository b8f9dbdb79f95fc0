#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/present.h"
#include "cmd/cmd.h"
#include "cmd/device_option.h"
#include "cmd/outcome.h"
#include "cmd/plan_file.h"
#include "followup/github_open.h"
#include "followup/verify.h"
#include "followup/verify_tell.h"

enum { REPEAT = 5 };

struct options {
	const char *issue, *run_id, *apk, *plan, *device, *adb_server, *out;
	struct opt_list var;
	int64_t repeat;
	bool allow_failed, dry_run, json, quiet;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"issue", 'i', OPT_STRING, AT(issue), "N",
	 "The issue that patrol registered for the regression", NULL},
	{"run-id", 0, OPT_STRING, AT(run_id), "M",
	 "The GitHub Actions run whose APK may fix it", NULL},
	{"apk", 0, OPT_STRING, AT(apk), "FILE",
	 "A local APK, or a zip with one in it, instead of a run's", "file"},
	{"plan", 'p', OPT_STRING, AT(plan), "FILE",
	 "The plan to walk by, instead of the one that the issue names",
	 "file"},
	{"repeat", 'k', OPT_COUNT, AT(repeat), "K",
	 "How often it is measured, 3 to 20 (5)", NULL},
	{"var", 0, OPT_LIST, AT(var), "X=VALUE",
	 "What {var.X} stands for in the plan; may be repeated", NULL},
	{"device", 'd', OPT_STRING, AT(device), "adb[:SERIAL]",
	 "A phone at hand instead of the farm's; SERIAL may be HOST:PORT",
	 "adb"},
	{"adb-server", 0, OPT_STRING, AT(adb_server), "HOST:PORT",
	 "The adb server to join with --device adb", NULL},
	{"out", 'o', OPT_STRING, AT(out), "DIR",
	 "Where the results go (patrol-verify)", "dir"},
	{"allow-failed", 0, OPT_FLAG, AT(allow_failed), NULL,
	 "Verify with a run that did not succeed", NULL},
	{"dry-run", 0, OPT_FLAG, AT(dry_run), NULL,
	 "Measure, print the comment, and leave the issue alone", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "Print the verdict as JSON",
	 NULL},
	{"quiet", 'q', OPT_FLAG, AT(quiet), NULL,
	 "Say only what is wrong, and the verdict", NULL},
	{.name = NULL},
};

/* What one call of `verify` works with. */
struct job {
	const struct options *o;
	const struct cancel *cancel;
	int64_t number, repeat;
	const char *out;
	struct settings set;
	struct github github;
	struct github_issue issue;
	struct issue_block block;
	const char *plan_file;
	struct plan *plan;
	struct verify_way way;
	cJSON *verdict;
};

static int
check(struct job *j, const struct opt_list *args, struct err *err)
{
	const struct options *o = j->o;
	char *end = NULL;

	if (args->count)
		return err_set(err, ERR_USAGE, "'%s' is not expected",
			       args->item[0]);
	if (o->issue == NULL)
		return err_set(err, ERR_USAGE, "which issue? Give --issue N");
	j->number = strtoll(o->issue, &end, 10);
	if (*end || j->number <= 0)
		return err_set(err, ERR_USAGE, "--issue '%s' is no number",
			       o->issue);
	if ((o->run_id == NULL) == (o->apk == NULL))
		return err_set(err, ERR_USAGE,
			       "which build? Give --run-id M of a GitHub "
			       "Actions run, or a local one with --apk FILE");
	j->repeat = o->repeat ? o->repeat : REPEAT;
	if (j->repeat < VERIFY_LEAST || j->repeat > VERIFY_MOST)
		return err_set(err, ERR_USAGE, "--repeat %lld is not %d to %d",
			       (long long)j->repeat, VERIFY_LEAST, VERIFY_MOST);
	return device_option_check(o->device, err);
}

static int
read_issue(struct job *j, struct err *err)
{
	struct deadline dl = deadline_in(j->cancel, j->set.budget.github_ms);

	if (github_open(&j->github, &j->set, NULL, err) ||
	    github_issue_get(&j->github, j->number, &j->issue, dl, err))
		return err_wrap(err, "issue %lld", (long long)j->number);
	if (issue_block_parse(j->issue.body, strlen(j->issue.body), &j->block,
			      err) == 0)
		return 0;
	if (err->code == ERR_NOTFOUND) {
		err->code = ERR_INPUT;
		err_hint(err, "only an issue that patrol registered says what "
			      "to measure: name that one, or take the block "
			      "```json patrol-regression back into its text");
	}
	return err_wrap(err, "issue %lld", (long long)j->number);
}

static int
find_way(struct job *j, struct err *err)
{
	/* Of an issue's words only a file of the checkout. */
	j->plan_file =
		j->o->plan ? j->o->plan : present_file(j->block.plan_file);
	if (j->plan_file == NULL)
		return err_set(err, ERR_USAGE,
			       "the issue names no plan of this folder: give "
			       "--plan FILE");
	if (plan_file_load(j->plan_file, &j->plan, err))
		return err_hint(err, "--plan FILE names another one");
	return verify_way_find(&j->block, j->plan, &j->way, err);
}

static char *
command_line(const struct job *j)
{
	struct buf b = BUF_INIT;

	buf_fmt(&b, "patrol verify --issue %lld", (long long)j->number);
	outcome_option(&b, "run-id", j->o->run_id);
	outcome_option(&b, "apk", j->o->apk);
	outcome_option(&b, "plan", j->o->plan);
	if (j->o->repeat)
		buf_fmt(&b, " --repeat %lld", (long long)j->repeat);
	outcome_option(&b, "device", j->o->device);
	outcome_option(&b, "adb-server", j->o->adb_server);
	for (size_t i = 0; i < j->o->var.count; i++)
		outcome_option(&b, "var", j->o->var.item[i]);
	if (j->o->allow_failed)
		buf_str(&b, " --allow-failed");
	return buf_take(&b);
}

/* The verdict, before the result is written. */
static void
judge(void *arg, struct result *res)
{
	struct job *j = arg;
	AUTO_FREE char *title =
		mem_fmt("issue %lld, %s", (long long)j->number, j->issue.title);
	cJSON *issue = json_obj();

	json_set_int(issue, "number", j->number);
	json_set_str(issue, "url", j->issue.url);
	json_set_str(issue, "title", j->issue.title);
	json_set_str(res->json, "title", title);
	json_set_str(res->json, "outcome", result_outcome_name(res->outcome));
	j->verdict = verify_judge(&j->block, res->json, j->way.refused,
				  j->way.build_only ? 0 : j->repeat);
	json_set(j->verdict, "issue", issue);
	verify_decide(j->verdict, res);
}

/* The phone, through the code of every patrol; its exit status. */
static int
walk(struct job *j, struct err *err)
{
	AUTO_FREE char *command = command_line(j);
	AUTO_FREE char *title =
		mem_fmt("issue %lld with %s%s", (long long)j->number,
			j->o->run_id ? "run " : "",
			j->o->run_id ? j->o->run_id : j->o->apk);
	const struct run_config cfg = {
		.plan = j->plan_file,
		.run_id = j->o->run_id,
		.apk = j->o->apk,
		.device = j->o->device,
		.adb_server = j->o->adb_server,
		.out = j->out,
		.command = command,
		.measure = RUN_MEASURE_ALL &
			   ~(unsigned)(j->way.snapshot ? 0 : RUN_SNAPSHOT),
		.visit = j->way.visit,
		.visit_count = j->way.count,
		.var = j->o->var.item,
		.var_count = j->o->var.count,
		.allow_failed = j->o->allow_failed,
		.repeat = j->repeat,
		.serial = j->o->device ? NULL : j->block.serial,
		.build_only = j->way.build_only,
	};
	const struct outcome_spec spec = {.cfg = &cfg,
					  .title = title,
					  .quiet = j->o->quiet,
					  .judge = judge,
					  .arg = j};

	return outcome_of_run(&spec, j->cancel, err);
}

static int
write_verdict(struct job *j, struct err *err)
{
	AUTO_FREE char *path = file_join(j->out, "verify.json");
	AUTO_FREE char *text = json_pretty(j->verdict);

	return file_write(path, text, strlen(text), err);
}

/* For the workflow; the run has told its outcome already. */
static void
tell_actions(const struct job *j)
{
	const char *path = getenv("GITHUB_OUTPUT");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (path == NULL || *path == '\0')
		return;
	buf_fmt(&b, "verdict=%s\n", json_str(j->verdict, "verdict", ""));
	if (file_append(path, b.data, b.len, &err))
		log_warn("outputs: %s", err.msg);
}

static void
print(const struct job *j)
{
	FILE *to = j->o->json ? stderr : stdout;
	AUTO_BUF struct buf comment = BUF_INIT;
	const cJSON *s;

	fprintf(to, "%s: %s\n", json_str(j->verdict, "verdict", "?"),
		json_str(j->verdict, "message", ""));
	cJSON_ArrayForEach(s, json_get(j->verdict, "series"))
	{
		fprintf(to, "  %s\n", json_str(s, "line", ""));
	}
	if (j->o->dry_run && verify_tell_is_due(j->verdict)) {
		verify_text_comment(&comment, j->verdict);
		fprintf(to, "\n%s\nlabel: %s\n", comment.data,
			verify_tell_label(j->verdict)
				? verify_tell_label(j->verdict)
				: "stays");
	}
	if (j->o->json) {
		AUTO_FREE char *text = json_pretty(j->verdict);

		fputs(text, stdout);
	}
}

static int
verify(struct job *j, struct err *err)
{
	struct err untold = ERR_INIT;
	int status, rc = 0;

	if (read_issue(j, err) || find_way(j, err))
		return -1;
	status = walk(j, err);
	if (status < 0)
		return -1;
	if (!j->o->dry_run)
		rc = verify_tell(
			&j->github, &j->issue, j->verdict,
			deadline_in(j->cancel, j->set.budget.history_ms),
			&untold);
	if (rc) {
		log_error("the issue was not told: %s", untold.msg);
		json_set_str(j->verdict, "untold", untold.msg);
	}
	if (rc && status < CMD_INFRA)
		status = untold.code == ERR_CANCELLED ? CMD_CANCELLED
						      : CMD_INFRA;
	json_set_int(j->verdict, "exit_status", status);
	print(j);
	tell_actions(j);
	return write_verdict(j, err) ? -1 : status;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct job j = {.o = o,
			.cancel = ctx->cancel,
			.out = o->out ? o->out : "patrol-verify"};
	int rc;

	if (check(&j, &ctx->args, err) || settings_load(&j.set, err))
		return -1;
	rc = verify(&j, err);
	cJSON_Delete(j.verdict);
	verify_way_done(&j.way);
	plan_free(j.plan);
	issue_block_done(&j.block);
	github_issue_done(&j.issue);
	github_done(&j.github);
	settings_done(&j.set);
	return rc;
}

const struct command verify_command = {
	.name = "verify",
	.summary = "Walk to a registered regression again with a new build",
	.usage = "--issue N (--run-id M | --apk FILE) [OPTION]...",
	.details =
		"Reads what patrol registered in the issue, takes the same "
		"phone as a patrol does, walks only the way to the issue's "
		"screens, K times, each in a new process of the app, and holds "
		"the median against the issue's numbers. The verdict is "
		"commented with all values, and the label "
		"awaiting-verification becomes verified or not-fixed. The "
		"issue stays open or closed as it is.\n\n"
		"  patrol verify --issue 318 --run-id 123456789\n\n"
		"Verified: the median is nearer to the baseline than to the "
		"regression, and within the baseline + max(3 noise, 5 %). Not "
		"fixed: neither. Everything else is undecided, and the label "
		"stays. docs/decisions-method.md has more.\n\n"
		"GITHUB_TOKEN needs issues: write beside what `patrol run` "
		"needs. The folder has verify.json beside a run's files.\n\n"
		"Exit status: 0 verified, or skipped because the phone is busy "
		"(then the issue is left alone), 1 not fixed, 2 usage, plan, "
		"issue or APK, 3 undecided, not comparable or could not run, "
		"4 out of time, 5 cancelled, 6 something was left behind.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
