#ifndef NOTIFY_H
#define NOTIFY_H

#include "base/deadline.h"
#include "base/json.h"
#include "base/secret.h"

/*
 * The one Slack message of the day.
 *
 * A webhook's address is itself the secret and decides its channel; it is
 * judged by its status.  A bot token needs a channel; the API says ok or not
 * in its body, with HTTP 200.  Being told to wait is obeyed within the
 * deadline.  When Slack refuses the blocks, the text alone is sent: a day
 * without a message is the failure that nobody notices.
 */
struct notify_target {
	struct secret webhook; /* SLACK_WEBHOOK_URL */
	struct secret token;   /* SLACK_BOT_TOKEN */
	char *channel;	       /* SLACK_CHANNEL */
	char *api_url;	       /* SLACK_API_URL, for tests */
};

/* ERR_INPUT "bad_setting": there is nowhere to send it to. */
int notify_target_from_env(struct notify_target *t, struct err *err);
void notify_target_done(struct notify_target *t);

/*
 * Send {"text", "blocks"}.  ERR_AUTH and ERR_REMOTE carry Slack's own word
 * and its cure; ERR_IO and ERR_TIMEOUT: Slack could not be reached.
 */
int notify_send(const struct notify_target *t, const cJSON *message,
		struct deadline dl, struct err *err);

/*
 * The message for what lies in `dir`: of its result.json, or, when there is
 * none that can be read, that the patrol did not even start.  `report_url` is
 * taken where the result has none; may be NULL.  The caller deletes it.
 */
cJSON *notify_message(const char *dir, const char *report_url);

/* The workflow run's page, when we run in GitHub Actions; free() it. */
char *notify_run_url(void);

#endif
