#include "run/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/secret.h"
#include "transport/http.h"

/* What is read from the environment elsewhere than by settings.c. */
static const struct {
	const char *name, *help;
	bool secret, url;
} others[] = {
	{"SLACK_WEBHOOK_URL", "where the day's message goes", true, false},
	{"SLACK_BOT_TOKEN", "instead of a webhook", true, false},
	{"SLACK_CHANNEL", "the bot's channel", false, false},
	{"PATROL_CA_FILE", "certificates to trust", false, false},
	{"SSL_CERT_FILE", "certificates to trust", false, false},
	{"CURL_CA_BUNDLE", "certificates to trust", false, false},
	{"https_proxy", "proxy for https", false, true},
	{"HTTPS_PROXY", "proxy for https", false, true},
	{"http_proxy", "proxy for http", false, true},
	{"ALL_PROXY", "proxy for all", false, true},
	{"no_proxy", "hosts without a proxy", false, false},
	{"NO_PROXY", "hosts without a proxy", false, false},
	{"ANDROID_HOME", "where adb is looked for, after PATH", false, false},
	{"ANDROID_SDK_ROOT", "where adb is looked for, after PATH", false,
	 false},
	{"ANDROID_SERIAL", "the phone of --device adb", false, false},
	{"ADB_SERVER_SOCKET", "the adb server of --device adb", false, false},
	{"ANDROID_ADB_SERVER_PORT", "the adb server's port with --device adb",
	 false, false},
	{"GITHUB_ACTIONS", "groups and annotations for Actions", false, false},
	{"GITHUB_OUTPUT", "where outputs for Actions go", false, false},
	{"GITHUB_STEP_SUMMARY", "where the summary for Actions goes", false,
	 false},
	{"NO_COLOR", "no colour on a terminal", false, false},
};

static void
put_setting(struct doctor *d, const char *name, const char *value,
	    const char *from, const char *help)
{
	cJSON *o = json_obj();

	json_set_str(o, "name", name);
	json_set_str(o, "value", value);
	json_set_str(o, "from", from);
	json_set_str(o, "help", help);
	json_push(cJSON_GetObjectItemCaseSensitive(d->report, "settings"), o);
}

/* Secrets may come from a file instead, which is said. */
static const char *
secret_from(const char *name, const char *from)
{
	AUTO_FREE char *file = mem_fmt("%s_FILE", name);
	const char *path = getenv(file);
	const char *value = getenv(name);

	if ((value == NULL || *value == '\0') && path && *path)
		return "file";
	return from;
}

static void
put_others(struct doctor *d)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		const char *name = others[i].name;
		AUTO_FREE char *file = mem_fmt("%s_FILE", name);
		const char *value = getenv(name);
		AUTO_FREE char *shown = NULL;
		bool set = value && *value;

		if (others[i].secret && !set) {
			const char *from = getenv(file);

			set = from && *from;
		}
		if (!set)
			continue;
		if (others[i].secret)
			shown = mem_strdup("***");
		else
			shown = others[i].url ? http_shown(value)
					      : mem_strdup(value);
		put_setting(d, name, shown,
			    others[i].secret ? secret_from(name, "environment")
					     : "environment",
			    others[i].help);
	}
}

static void
put_settings(struct doctor *d)
{
	for (size_t i = 0; i < settings_count; i++) {
		const struct settings_row *row = &settings_table[i];
		AUTO_FREE char *all = settings_shown(d->set, i);
		/* An address may carry a password. */
		AUTO_FREE char *value = strstr(all, "://") && strchr(all, '@')
						? http_shown(all)
						: mem_strdup(all);
		const char *from = settings_from_name(d->set->from[i]);
		bool key_text = strcmp(row->name, "PATROL_ADB_KEY") == 0 &&
				d->set->owned_adb_key;

		if (row->kind == SETTINGS_SECRET &&
		    d->set->from[i] == SETTINGS_ENVIRONMENT)
			from = secret_from(row->name, from);
		put_setting(d, row->name, key_text ? "***" : value, from,
			    row->help);
	}
	put_others(d);
}

void
doctor_init(struct doctor *d, struct settings *set, const struct plan *plan,
	    const struct cancel *cancel)
{
	*d = (struct doctor){.set = set,
			     .plan = plan,
			     .cancel = cancel,
			     .report = json_obj()};
	json_set(d->report, "settings", json_arr());
	json_set(d->report, "checks", json_arr());
	put_settings(d);
}

void
doctor_done(struct doctor *d)
{
	cJSON_Delete(d->report);
	free(d->key_path);
	*d = (struct doctor){0};
}

static void
note(struct doctor *d, const char *name, int status, const char *message,
     const char *cure, int64_t ms)
{
	static const char *const names[] = {"ok", "warn", "fail", "off"};
	cJSON *o = json_obj();

	json_set_str(o, "name", name);
	json_set_str(o, "status", names[status]);
	json_set_str(o, "message", message);
	json_set_str(o, "cure", cure && *cure ? cure : NULL);
	json_set_int(o, "ms", ms);
	json_push(cJSON_GetObjectItemCaseSensitive(d->report, "checks"), o);
	d->failed += status == DOCTOR_FAIL;
}

static int
check(struct doctor *d, const struct doctor_check *c, struct err *err)
{
	AUTO_BUF struct buf message = BUF_INIT_MAX(8192);
	AUTO_BUF struct buf cure = BUF_INIT_MAX(8192);
	int64_t start_us = deadline_now_us();
	struct err why = ERR_INIT;
	int status = c->run(d, &message, &cure,
			    deadline_in(d->cancel, c->budget_ms), &why);

	if (status < 0) {
		if (why.code == ERR_CANCELLED) {
			*err = why;
			return -1;
		}
		status = DOCTOR_FAIL;
		buf_clear(&message);
		buf_str(&message, why.msg);
	}
	note(d, c->name, status, message.data, cure.data,
	     (deadline_now_us() - start_us) / 1000);
	return 0;
}

int
doctor_run(struct doctor *d, struct err *err)
{
	const struct {
		const struct doctor_check *check;
		size_t count;
	} parts[] = {
		{doctor_local_checks, doctor_local_count},
		{doctor_service_checks, doctor_service_count},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		for (size_t n = 0; n < parts[i].count; n++) {
			if (check(d, &parts[i].check[n], err))
				return -1;
		}
	}
	json_set_int(d->report, "failed", (int64_t)d->failed);
	return 0;
}
