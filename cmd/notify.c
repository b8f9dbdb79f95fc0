#include <stddef.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "plan/settings.h"
#include "report/notify.h"
#include "report/slack.h"

struct options {
	const char *out;
	const char *report_url;
	bool dry_run;
};

static const struct opt options[] = {
	{"out", 'o', OPT_STRING, offsetof(struct options, out), "DIR",
	 "Folder of the result (patrol-out)", "dir"},
	{"report-url", 0, OPT_STRING, offsetof(struct options, report_url),
	 "URL", "Where people find the report (the workflow run's page)", NULL},
	{"dry-run", 'n', OPT_FLAG, offsetof(struct options, dry_run), NULL,
	 "Print the message and send nothing", NULL},
	{0},
};

/* A setting that is wrong has ended the run; Slack still has to hear of it. */
static int64_t
budget_ms(void)
{
	struct settings set;
	struct err ignored = ERR_INIT;
	int64_t ms;

	(void)settings_load(&set, &ignored); /* what is wrong has its default */
	ms = set.budget.notify_ms;
	if (ignored.code == ERR_NONE)
		settings_done(&set);
	return ms;
}

static int
print(const cJSON *message)
{
	AUTO_BUF struct buf b = BUF_INIT;

	slack_text(message, &b);
	fputs(b.data, stdout);
	return CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	AUTO_FREE char *page = notify_run_url();
	AUTO_JSON cJSON *message = NULL;
	struct notify_target target;
	int rc;

	if (stray_word(&ctx->args, &notify_command, err))
		return -1;
	message = notify_message(o->out ? o->out : "patrol-out",
				 o->report_url ? o->report_url : page);
	if (o->dry_run)
		return print(message);
	if (notify_target_from_env(&target, err))
		return -1;
	rc = notify_send(&target, message,
			 deadline_in(ctx->cancel, budget_ms()), err);
	notify_target_done(&target);
	if (rc)
		return err_wrap(err, "the message was not sent");
	log_info("sent: %s", json_str(message, "text", ""));
	return CMD_OK;
}

const struct command notify_command = {
	.name = "notify",
	.summary = "Send the one Slack message of the day",
	.usage = "[OPTION]...",
	.details =
		"Reads result.json of the folder and sends its verdict. "
		"Without a result it says that the patrol did not even start, "
		"so run it as a last step with if: always().\n"
		"\n"
		"Where to: SLACK_WEBHOOK_URL, whose channel is fixed, or "
		"SLACK_BOT_TOKEN with SLACK_CHANNEL.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
