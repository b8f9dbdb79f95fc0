#include <stdlib.h>
#include <string.h>

#include "adb/adb_key.h"
#include "base/mem.h"
#include "farm/devices.h"
#include "farm/farm.h"
#include "followup/github_open.h"
#include "followup/records.h"
#include "report/notify.h"
#include "report/store.h"
#include "run/doctor.h"
#include "transport/http.h"

/* The services, each asked one harmless thing. */

static int
ssh(struct doctor *d, struct buf *message, struct buf *cure, struct deadline dl,
    struct err *err)
{
	struct ssh_tunnel *tunnel;
	struct ssh_tunnel_state s;

	(void)cure;
	if (d->set->ssh == NULL) {
		buf_str(message, "no bastion is set up");
		return DOCTOR_OFF;
	}
	if (farm_tunnel(d->set, &tunnel, dl, err))
		return -1;
	ssh_tunnel_state(tunnel, &s);
	buf_fmt(message, "%s is known and lets us in with %s", s.who,
		d->set->ssh_key ? "our key" : "the agent's keys");
	ssh_tunnel_close(tunnel);
	return DOCTOR_OK;
}

static int
stf_account(struct doctor *d, struct buf *message, struct buf *cure,
	    struct deadline dl, struct err *err)
{
	struct stf_user user;
	struct ssh_tunnel *tunnel;
	struct stf stf;
	int rc;

	if (d->set->stf_url == NULL) {
		buf_str(message, "no farm is set up");
		buf_str(cure, "set STF_URL and STF_TOKEN, or use --device adb");
		return DOCTOR_OFF;
	}
	rc = farm_open(&stf, &tunnel, d->set, dl, err);
	if (rc == 0) {
		rc = stf_user(&stf, &user, dl, err);
		farm_close(&stf, &tunnel);
	}
	if (rc) {
		d->farm_silent = err->code == ERR_TIMEOUT;
		return -1;
	}
	buf_fmt(message, "%s knows us as ", d->set->stf_url);
	buf_escaped(message, user.email, strlen(user.email));
	rc = DOCTOR_OK;
	if (user.admin) {
		buf_str(message, ", an administrator");
		buf_str(cure, "use the token of an ordinary user: an "
			      "administrator's can release phones that others "
			      "are using");
		rc = DOCTOR_WARN;
	}
	stf_user_done(&user);
	return rc;
}

/* Why there is nothing to ask it about; NULL: there is. */
static const char *
no_farm(const struct doctor *d)
{
	if (d->set->stf_url == NULL)
		return "no farm is set up";
	return d->farm_silent ? "the farm does not answer" : NULL;
}

static int
stf_key(struct doctor *d, struct buf *message, struct buf *cure,
	struct deadline dl, struct err *err)
{
	struct stf_user user;
	struct ssh_tunnel *tunnel;
	struct stf stf;
	bool known;
	int rc;

	if (no_farm(d) || d->key_path == NULL) {
		buf_str(message, d->key_path ? no_farm(d)
					     : "no key of our own is set up");
		return DOCTOR_OFF;
	}
	if (farm_open(&stf, &tunnel, d->set, dl, err))
		return -1;
	rc = stf_user(&stf, &user, dl, err);
	farm_close(&stf, &tunnel);
	if (rc)
		return -1;
	known = stf_user_has_key(&user, d->fingerprint);
	buf_fmt(message, "%s is %sregistered in this account (%zu key%s)",
		d->fingerprint, known ? "" : "not ", user.fingerprint_count,
		user.fingerprint_count == 1 ? "" : "s");
	stf_user_done(&user);
	if (known)
		return DOCTOR_OK;
	buf_str(cure, "the first run registers it; when that fails because "
		      "another account has it, remove it there or make a new "
		      "key");
	return DOCTOR_WARN;
}

static int
stf_phones(struct doctor *d, struct buf *message, struct buf *cure,
	   struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *list = NULL;
	const char *take;

	if (no_farm(d)) {
		buf_str(message, no_farm(d));
		return DOCTOR_OFF;
	}
	if (devices_farm(d->set, d->plan, &list, dl, err))
		return -1;
	buf_fmt(message, "%zu phone%s", json_count(list, "devices"),
		json_count(list, "devices") == 1 ? "" : "s");
	if (json_count(list, "devices") == 0) {
		buf_str(cure, "ask the farm's administrator whether this "
			      "user is in the phones' group");
		return DOCTOR_FAIL;
	}
	if (d->plan == NULL)
		return DOCTOR_OK;
	take = json_str(list, "choice.take", NULL);
	if (take) {
		buf_str(message, ", the plan would take ");
		buf_escaped(message, take, strlen(take));
		return DOCTOR_OK;
	}
	buf_fmt(message, "; %s", json_str(list, "choice.message", ""));
	/* A phone that somebody uses just now is no fault of the setup. */
	return strcmp(json_str(list, "choice.reason", ""), "no_device_fits") ==
			       0
		       ? DOCTOR_FAIL
		       : DOCTOR_WARN;
}

static const char *
token_kind(const char *token)
{
	static const struct {
		const char *prefix, *kind;
	} kinds[] = {
		{"ghs_", "a workflow's or an app's token"},
		{"github_pat_", "a fine-grained personal token"},
		{"ghp_", "a classic personal token"},
		{"gho_", "an OAuth token"},
		{"ghu_", "an app user's token"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(token, kinds[i].prefix, strlen(kinds[i].prefix)) ==
		    0)
			return kinds[i].kind;
	}
	return "a token of an unknown kind";
}

static int
ask_github(struct doctor *d, struct buf *message, struct deadline dl,
	   struct err *err)
{
	AUTO_JSON cJSON *repo = NULL, *runs = NULL;
	AUTO_FREE char *path = mem_fmt("/repos/%s", d->set->repository);
	AUTO_FREE char *runs_path = mem_fmt("/repos/%s/actions/runs?per_page=1",
					    d->set->repository);
	struct github g;
	int rc = -1;

	if (github_open(&g, d->set, NULL, err))
		return -1;
	if (github_get(&g, path, &repo, NULL, dl, err) == 0 &&
	    github_get(&g, runs_path, &runs, NULL, dl, err) == 0) {
		buf_fmt(message, "%s and its runs can be read, %s repository",
			d->set->repository,
			json_bool(repo, "private", false) ? "private"
							  : "public");
		rc = 0;
	}
	github_done(&g);
	return rc;
}

static int
github(struct doctor *d, struct buf *message, struct buf *cure,
       struct deadline dl, struct err *err)
{
	const char *token = d->set->github_token.value;

	if (d->set->repository == NULL) {
		buf_str(message, "no repository is set up");
		buf_str(cure, "set GITHUB_REPOSITORY and GITHUB_TOKEN, or use "
			      "--apk FILE");
		return DOCTOR_OFF;
	}
	if (token == NULL) {
		buf_str(message, "GITHUB_TOKEN is not set");
		buf_str(cure, "set a token with `actions: read`: artifacts of "
			      "public repositories need one as well");
		return DOCTOR_FAIL;
	}
	if (ask_github(d, message, dl, err))
		return err_wrap(err, "with %s", token_kind(token));
	buf_fmt(message, ", with %s", token_kind(token));
	if (strncmp(token, "ghp_", 4) != 0)
		return DOCTOR_OK;
	buf_str(cure, "a fine-grained token for this repository alone with "
		      "`actions: read` is enough");
	return DOCTOR_WARN;
}

static int
slack(struct doctor *d, struct buf *message, struct buf *cure,
      struct deadline dl, struct err *err)
{
	static const char hooks[] = "https://hooks.slack.com/";
	struct notify_target t;
	int status = DOCTOR_OK;

	(void)d;
	(void)dl;
	if (notify_target_from_env(&t, err)) {
		if (getenv("SLACK_BOT_TOKEN") || getenv("SLACK_WEBHOOK_URL"))
			return -1;
		err_clear(err);
		buf_str(message, "Slack is not set up");
		buf_str(cure, "set SLACK_WEBHOOK_URL, or SLACK_BOT_TOKEN and "
			      "SLACK_CHANNEL");
		return DOCTOR_OFF;
	}
	if (t.webhook.value == NULL) {
		buf_fmt(message, "a bot's token for %s; nothing was sent",
			t.channel);
		if (strncmp(t.token.value, "xoxb-", 5) != 0) {
			buf_str(cure, "a bot's token begins with xoxb-");
			status = DOCTOR_WARN;
		}
	} else {
		buf_str(message, "a webhook; nothing was sent");
		if (strncmp(t.webhook.value, hooks, sizeof(hooks) - 1) != 0) {
			buf_fmt(cure, "a webhook of Slack begins with %s",
				hooks);
			status = DOCTOR_WARN;
		}
	}
	notify_target_done(&t);
	return status;
}

static int
store(struct doctor *d, struct buf *message, struct buf *cure,
      struct deadline dl, struct err *err)
{
	bool there;

	(void)cure;
	if (d->set->store == NULL) {
		buf_str(message, "no store is set up");
		return DOCTOR_OFF;
	}
	if (store_look(d->set, &there, dl, err))
		return -1;
	buf_fmt(message, "%s %s", d->set->store,
		there ? "is there"
		      : "lets us in; the first upload makes the folder");
	return DOCTOR_OK;
}

static int
history(struct doctor *d, struct buf *message, struct buf *cure,
	struct deadline dl, struct err *err)
{
	struct history_ids ids = {.item = NULL};
	struct records r;
	int rc;

	(void)cure;
	if (d->set->history == NULL) {
		buf_str(message, "no history is set up: days are not compared");
		return DOCTOR_OFF;
	}
	if (records_open(&r, d->set, err))
		return -1;
	rc = history_list(r.history, 1, &ids, dl, err);
	buf_fmt(message, "%s: %s%s", d->set->history,
		ids.count ? "the newest run is "
			  : "no runs yet; the first one makes it",
		ids.count ? ids.item[0] : "");
	history_ids_done(&ids);
	records_done(&r);
	return rc ? -1 : DOCTOR_OK;
}

static int
proxy(struct doctor *d, struct buf *message, struct buf *cure,
      struct deadline dl, struct err *err)
{
	static const char *const names[] = {"https_proxy", "HTTPS_PROXY",
					    "ALL_PROXY", "all_proxy"};

	(void)d;
	(void)cure;
	(void)dl;
	(void)err;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);
		AUTO_FREE char *shown = NULL;

		if (value == NULL || *value == '\0')
			continue;
		shown = http_shown(value);
		buf_fmt(message, "%s: %s; loopback goes direct", names[i],
			shown ? shown : "no address");
		if (shown)
			return DOCTOR_OK;
		buf_fmt(cure, "%s wants http://HOST:PORT", names[i]);
		return DOCTOR_FAIL;
	}
	buf_str(message, "none is set");
	return DOCTOR_OFF;
}

const struct doctor_check doctor_service_checks[] = {
	{"proxy", 1000, proxy},
	{"SSH", 30000, ssh},
	{"STF account", 30000, stf_account},
	{"STF key", 30000, stf_key},
	{"STF phones", 30000, stf_phones},
	{"GitHub", 20000, github},
	{"store", 30000, store},
	{"history", 30000, history},
	{"Slack", 1000, slack},
};
const size_t doctor_service_count =
	sizeof(doctor_service_checks) / sizeof(*doctor_service_checks);
