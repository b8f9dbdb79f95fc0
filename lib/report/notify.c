#include "report/notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/present.h"
#include "report/slack.h"
#include "transport/http.h"

enum {
	RESULT_MAX = 64 << 20,
	ANSWER_MAX = 64 << 10,
	TRIES = 4,
	WAIT_MAX_S = 60, /* longest wait that Slack may ask for */
};

/* Slack's own words, of webhooks and of the API, and what to do. */
static const struct {
	const char *word;
	enum err_code code;
	const char *cure;
} refusals[] = {
	{"invalid_token", ERR_AUTH,
	 "the webhook was revoked: make a new one and set SLACK_WEBHOOK_URL"},
	{"no_active_hooks", ERR_AUTH,
	 "the webhook was disabled: make a new one"},
	{"no_service", ERR_AUTH,
	 "the webhook does not exist: compare SLACK_WEBHOOK_URL with Slack's "
	 "page of the app"},
	{"no_team", ERR_AUTH, "the workspace of the webhook is gone"},
	{"action_prohibited", ERR_AUTH,
	 "an administrator restricts who may post there"},
	{"channel_not_found", ERR_REMOTE,
	 "the channel is gone, or the bot cannot see it: invite it, or give "
	 "the channel's id in SLACK_CHANNEL"},
	{"channel_is_archived", ERR_REMOTE, "unarchive the channel"},
	{"is_archived", ERR_REMOTE, "unarchive the channel"},
	{"not_in_channel", ERR_REMOTE,
	 "invite the bot into the channel: /invite @NAME"},
	{"invalid_auth", ERR_AUTH, "set a valid SLACK_BOT_TOKEN (xoxb-...)"},
	{"not_authed", ERR_AUTH, "set SLACK_BOT_TOKEN (xoxb-...)"},
	{"token_revoked", ERR_AUTH, "install the app again and set its token"},
	{"token_expired", ERR_AUTH, "install the app again and set its token"},
	{"account_inactive", ERR_AUTH,
	 "the bot's account was removed: install the app again"},
	{"missing_scope", ERR_AUTH,
	 "give the app the scope chat:write and install it again"},
	{"ratelimited", ERR_REMOTE, "try again later"},
	{"rate_limited", ERR_REMOTE, "try again later"},
	{"rollup_error", ERR_REMOTE, "Slack failed by itself: try again"},
};

int
notify_target_from_env(struct notify_target *t, struct err *err)
{
	const char *api = getenv("SLACK_API_URL");

	*t = (struct notify_target){0};
	if (secret_from_env(&t->webhook, "SLACK_WEBHOOK_URL", err) ||
	    secret_from_env(&t->token, "SLACK_BOT_TOKEN", err)) {
		notify_target_done(t);
		return -1;
	}
	t->channel = mem_strdup(getenv("SLACK_CHANNEL"));
	t->api_url = mem_strdup(api && *api ? api : "https://slack.com/api");
	if (t->webhook.value || (t->token.value && t->channel && *t->channel))
		return 0;
	if (t->token.value)
		err_set(err, ERR_INPUT,
			"SLACK_BOT_TOKEN is set and SLACK_CHANNEL is not");
	else
		err_set(err, ERR_INPUT,
			"no address in Slack: set SLACK_WEBHOOK_URL, or "
			"SLACK_BOT_TOKEN and SLACK_CHANNEL");
	notify_target_done(t);
	return err_reason(err, "bad_setting");
}

void
notify_target_done(struct notify_target *t)
{
	secret_done(&t->webhook);
	secret_done(&t->token);
	free(t->channel);
	free(t->api_url);
	*t = (struct notify_target){0};
}

/* What an answer means. */
enum judgement { SENT, REFUSED, BLOCKS_REFUSED, WAIT };

struct answer {
	enum judgement verdict;
	char word[100]; /* Slack's own */
	int64_t wait_s;
};

static bool
about_blocks(const char *word)
{
	return strncmp(word, "invalid_blocks", 14) == 0 ||
	       strcmp(word, "invalid_payload") == 0 ||
	       strcmp(word, "invalid_attachments") == 0 ||
	       strcmp(word, "msg_blocks_too_long") == 0 ||
	       strcmp(word, "msg_too_long") == 0;
}

static void
set_word(struct answer *a, const char *s)
{
	AUTO_BUF struct buf b = BUF_INIT;

	present_line(&b, s, 80);
	if (b.len >= sizeof(a->word))
		buf_truncate(&b, sizeof(a->word) - 1);
	memcpy(a->word, b.data, b.len + 1);
}

/* A webhook: by its status, words as text/plain. */
static void
judge_webhook(const struct http_response *r, struct answer *a)
{
	AUTO_BUF struct buf what = BUF_INIT;

	a->verdict = REFUSED;
	/* A page is for people: a proxy's, also with 200. */
	if (r->content_type && strstr(r->content_type, "html"))
		http_describe_body(r, &what);
	else if (r->status >= 200 && r->status < 300)
		a->verdict = SENT;
	set_word(a, what.len ? what.data : r->body.data);
	if (r->status == 400 && about_blocks(a->word))
		a->verdict = BLOCKS_REFUSED;
}

/* The API: by its body, whatever the status. */
static void
judge_api(const struct http_response *r, struct answer *a)
{
	struct err err = ERR_INIT;
	AUTO_JSON cJSON *v = NULL;

	a->verdict = REFUSED;
	if (json_parse(r->body.data, r->body.len, "answer", &v, &err)) {
		AUTO_BUF struct buf what = BUF_INIT;

		http_describe_body(r, &what);
		set_word(a, what.data);
		return;
	}
	if (json_bool(v, "ok", false))
		a->verdict = SENT;
	set_word(a, json_str(v, "error", "no reason was given"));
	if (a->verdict == REFUSED && about_blocks(a->word))
		a->verdict = BLOCKS_REFUSED;
	if (strcmp(a->word, "ratelimited") == 0)
		a->verdict = WAIT;
}

static int
post_once(struct http *h, const struct notify_target *t, const cJSON *message,
	  struct answer *a, struct deadline dl, struct err *err)
{
	AUTO_FREE char *body = json_text(message);
	AUTO_FREE char *api = http_join(t->api_url, "chat.postMessage");
	bool webhook = t->webhook.value != NULL;
	struct http_request req = {
		.method = "POST",
		.url = webhook ? t->webhook.value : api,
		.bearer = webhook ? NULL : &t->token,
		.content_type = "application/json; charset=utf-8",
		.body = body,
		.body_len = strlen(body),
		.secret_url = webhook,
	};
	struct http_response r;
	int rc;

	http_response_init(&r, ANSWER_MAX);
	rc = http_do(h, &req, &r, dl, err);
	if (rc == 0) {
		*a = (struct answer){.wait_s = r.retry_after_s};
		if (webhook)
			judge_webhook(&r, a);
		else
			judge_api(&r, a);
		if (r.status == 429 || r.status == 503)
			a->verdict = WAIT;
		if (a->verdict != SENT)
			log_debug("slack: HTTP %d, %s", r.status, a->word);
		if (a->word[0] == '\0')
			(void)snprintf(a->word, sizeof(a->word), "HTTP %d",
				       r.status);
	}
	http_response_done(&r);
	return rc;
}

static int
refused(const struct answer *a, struct err *err)
{
	size_t n = sizeof(refusals) / sizeof(refusals[0]);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(a->word, refusals[i].word) != 0)
			continue;
		err_set(err, refusals[i].code, "Slack refuses: %s", a->word);
		return err_hint(err, "%s", refusals[i].cure);
	}
	return err_set(err, ERR_REMOTE, "Slack refuses: %s", a->word);
}

/* As it is, or later, or without its blocks. */
static int
post(struct http *h, const struct notify_target *t, cJSON *message,
     struct deadline dl, struct err *err)
{
	struct answer a = {0};

	for (int i = 0; i < TRIES; i++) {
		if (post_once(h, t, message, &a, dl, err))
			return -1;
		if (a.verdict == SENT)
			return 0;
		if (a.verdict == REFUSED)
			break;
		if (a.verdict == BLOCKS_REFUSED) {
			if (!json_get(message, "blocks"))
				break;
			cJSON_DeleteItemFromObjectCaseSensitive(message,
								"blocks");
			continue;
		}
		if (a.wait_s > WAIT_MAX_S)
			break;
		if (deadline_pause(dl, a.wait_s > 0 ? a.wait_s * 1000 : 1000,
				   err))
			return err_wrap(err, "Slack says '%s', waiting",
					a.word);
	}
	return refused(&a, err);
}

int
notify_send(const struct notify_target *t, const cJSON *message,
	    struct deadline dl, struct err *err)
{
	struct http *h = http_new(HTTP_PLAIN_LOOPBACK);
	cJSON *copy = cJSON_Duplicate(message, true);
	int rc;

	if (copy == NULL)
		abort(); /* out of memory: as in mem.h */
	if (!t->webhook.value)
		json_set_str(copy, "channel", t->channel);
	rc = post(h, t, copy, dl, err);
	cJSON_Delete(copy);
	http_free(h);
	return rc;
}

cJSON *
notify_message(const char *dir, const char *report_url)
{
	AUTO_FREE char *path = file_join(dir, "result.json");
	AUTO_JSON cJSON *result = NULL;
	struct err err = ERR_INIT;

	if (json_read_file(path, RESULT_MAX, &result, &err) ||
	    !cJSON_IsObject(result)) {
		log_debug("no result: %s", err.msg);
		return slack_missing(report_url);
	}
	if (report_url && !json_str(result, "report_url", NULL)) {
		json_set_str(result, "report_url", report_url);
	}
	return slack_message(result);
}

char *
notify_run_url(void)
{
	const char *server = getenv("GITHUB_SERVER_URL");
	const char *repository = getenv("GITHUB_REPOSITORY");
	const char *run = getenv("GITHUB_RUN_ID");

	if (!server || !repository || !run || !*run)
		return NULL;
	return mem_fmt("%s/%s/actions/runs/%s", server, repository, run);
}
