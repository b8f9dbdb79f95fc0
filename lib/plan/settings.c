#include "plan/settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/opt.h"

#define TEXT(name, field, help)                                                \
	{                                                                      \
		name, SETTINGS_TEXT, offsetof(struct settings, field), 0, help \
	}
#define SECRET(name, field, help)                                           \
	{                                                                   \
		name, SETTINGS_SECRET, offsetof(struct settings, field), 0, \
			help                                                \
	}
#define BUDGET(name, field, ms, help)                                     \
	{                                                                 \
		"PATROL_BUDGET_" name, SETTINGS_DURATION,                 \
			offsetof(struct settings, budget.field), ms, help \
	}

const struct settings_row settings_table[] = {
	TEXT("STF_URL", stf_url, "address of the STF farm"),
	SECRET("STF_TOKEN", stf_token, "access token of an STF user"),
	TEXT("PATROL_SSH", ssh,
	     "bastion through which the farm is reached: USER@HOST[:PORT]"),
	TEXT("PATROL_SSH_KEY", ssh_key,
	     "private key for it: its path, or its text in PEM; the agent's "
	     "keys (SSH_AUTH_SOCK) when not set"),
	SECRET("PATROL_SSH_KEY_PASSPHRASE", ssh_passphrase,
	       "passphrase of that key"),
	TEXT("PATROL_SSH_KNOWN_HOSTS", ssh_known_hosts,
	     "the bastion's host key: a known_hosts file, or its lines; "
	     "~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts when not set"),
	TEXT("PATROL_ADB_KEY", adb_key,
	     "the one adb private key: its path, or its text in PEM; one is "
	     "made in PATROL_STATE_DIR when not set"),
	TEXT("GITHUB_API_URL", github_api_url,
	     "GitHub's REST API; https://api.github.com when not set"),
	SECRET("GITHUB_TOKEN", github_token, "token with `actions: read`"),
	TEXT("GITHUB_REPOSITORY", repository, "owner/name of the builds"),
	TEXT("GITHUB_RUN_ID", own_run_id,
	     "the run that patrol itself is part of"),
	SECRET("PATROL_CONTROL_TOKEN", control_token,
	       "token of the app's control server; one is made for the run "
	       "when "
	       "not set"),
	TEXT("PATROL_STATE_DIR", state_dir,
	     "where the lease journal lies; $XDG_STATE_HOME/patrol or "
	     "~/.local/state/patrol when not set"),
	TEXT("PATROL_DEVICE_FILTER", device_filter,
	     "program that filters the Profiler's log on the phone; "
	     "patrol-filter beside patrol when not set"),
	TEXT("PATROL_REPORT_URL", report_url,
	     "link to the report, for the message"),
	TEXT("PATROL_DASHBOARD_URL", dashboard_url,
	     "link to the dashboard, for the message"),
	TEXT("PATROL_STORE", store,
	     "where the run's folder is uploaded to, "
	     "sftp://USER@HOST[:PORT]/PATH; nowhere when not set"),
	TEXT("PATROL_PREVIOUS", previous,
	     "folder that has the output folders of earlier patrols in it, to "
	     "compare memory snapshots with; not compared when not set"),
	TEXT("PATROL_HISTORY", history,
	     "where the records of runs are kept to compare days with: "
	     "dir:PATH, git:BRANCH or clickhouse:URL; nowhere when not set"),
	TEXT("PATROL_HISTORY_REMOTE", history_remote,
	     "repository of git:BRANCH; the origin of the checkout in which "
	     "patrol runs when not set"),
	SECRET("PATROL_HISTORY_TOKEN", history_token,
	       "token that may push git:BRANCH over https; GITHUB_TOKEN when "
	       "not set"),
	TEXT("PATROL_CLICKHOUSE_USER", clickhouse_user,
	     "user of clickhouse:URL; `default` when not set"),
	SECRET("PATROL_CLICKHOUSE_PASSWORD", clickhouse_password,
	       "its password"),
	SECRET("PATROL_PR_TOKEN", pr_token,
	       "token of pull requests, so that checks start for them; "
	       "GITHUB_TOKEN, for whose requests none start, when not set"),
	BUDGET("GITHUB", github_ms, 60000, "asking GitHub about the run"),
	BUDGET("GITHUB_CALL", github_call_ms, 30000,
	       "one call of GitHub's API"),
	BUDGET("RUN_OPEN", run_open_ms, 1800000,
	       "waiting for a run that is still in progress"),
	BUDGET("DOWNLOAD", download_ms, 1200000, "downloading the artifact"),
	BUDGET("DOWNLOAD_STALL", download_stall_ms, 30000,
	       "a download that stays under 1 KB/s"),
	BUDGET("UNPACK", unpack_ms, 300000, "unpacking the APK"),
	BUDGET("TAKE", take_ms, 90000, "reserving and connecting the phone"),
	BUDGET("STF_CALL", stf_call_ms, 25000, "one call of STF's API"),
	BUDGET("STF_LATE", stf_late_ms, 12000,
	       "how late a reservation may come whose answer was lost"),
	BUDGET("ADB_START", adb_start_ms, 15000, "starting the adb server"),
	BUDGET("ADB_CONNECT", adb_connect_ms, 60000,
	       "until adb sees the phone as a device"),
	BUDGET("READY", ready_ms, 120000, "until Android is ready"),
	BUDGET("SHELL", shell_ms, 20000, "one command on the phone"),
	BUDGET("INSTALL", install_ms, 600000, "installing the APK"),
	BUDGET("APP_START", app_start_ms, 60000,
	       "until the app's first activity is drawn"),
	BUDGET("SCREENSHOT", screenshot_ms, 20000, "one screenshot"),
	BUDGET("SNAPSHOT", snapshot_ms, 180000, "one memory snapshot"),
	BUDGET("PULL", pull_ms, 300000, "pulling one file"),
	BUDGET("CONTROL", control_ms, 20000,
	       "one request to the app that has no time of its own"),
	BUDGET("RECONNECT", reconnect_ms, 15000,
	       "a lost connection to the app"),
	BUDGET("PHONE_LOST", phone_lost_ms, 60000,
	       "a phone that is lost during the run, until it is back"),
	BUDGET("NOTIFY", notify_ms, 60000, "sending the Slack message"),
	BUDGET("COMPARE", compare_ms, 300000,
	       "comparing memory snapshots with an earlier patrol's"),
	BUDGET("HISTORY", history_ms, 120000,
	       "the history: reading, adding, registering what got worse"),
	BUDGET("STORE", store_ms, 600000, "uploading the run's folder"),
	BUDGET("STORE_STALL", store_stall_ms, 30000,
	       "a store that says nothing, before it is connected anew"),
	BUDGET("SSH", ssh_ms, 15000,
	       "reaching the bastion, at the start and after a cut"),
	BUDGET("SSH_KEEP", ssh_keep_ms, 15000,
	       "silence of the bastion before it is asked for a sign of "
	       "life; after as much again it is left"),
};
const size_t settings_count =
	sizeof(settings_table) / sizeof(settings_table[0]);

_Static_assert(sizeof(settings_table) / sizeof(settings_table[0]) <= 64,
	       "struct settings.from is too short");

static void *
field(struct settings *s, size_t i)
{
	return (char *)s + settings_table[i].offset;
}

static int
load_row(struct settings *s, size_t i, struct err *err)
{
	const struct settings_row *row = &settings_table[i];
	const char *value = getenv(row->name);
	struct secret *secret;

	s->from[i] = SETTINGS_DEFAULT;
	switch (row->kind) {
	case SETTINGS_SECRET:
		secret = field(s, i);
		if (secret_from_env(secret, row->name, err))
			return -1;
		if (secret->value)
			s->from[i] = SETTINGS_ENVIRONMENT;
		return 0;
	case SETTINGS_TEXT:
		if (value == NULL || *value == '\0')
			return 0;
		*(const char **)field(s, i) = value;
		s->from[i] = SETTINGS_ENVIRONMENT;
		return 0;
	case SETTINGS_DURATION:
		*(int64_t *)field(s, i) = row->default_ms;
		if (value == NULL || *value == '\0')
			return 0;
		if (opt_duration(value, field(s, i), err)) {
			*(int64_t *)field(s, i) = row->default_ms;
			err->code = ERR_USAGE;
			return err_wrap(err, "%s", row->name);
		}
		s->from[i] = SETTINGS_ENVIRONMENT;
		return 0;
	}
	return 0;
}

static void
default_state_dir(struct settings *s)
{
	const char *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (s->state_dir)
		return;
	if (xdg && *xdg == '/')
		s->owned_state_dir = mem_fmt("%s/patrol", xdg);
	else if (home && *home == '/')
		s->owned_state_dir = mem_fmt("%s/.local/state/patrol", home);
	else
		s->owned_state_dir =
			mem_fmt("/tmp/patrol-state-%u", (unsigned)geteuid());
	s->state_dir = s->owned_state_dir;
}

static bool
is_pem(const char *text)
{
	return text && strncmp(text, "-----BEGIN", 10) == 0;
}

/*
 * A key whose text came, as from a CI secret: it lies in memory only and has a
 * path while we live, so that the adb server can read it and no kill leaves it
 * on a disk.
 */
static int
key_from_text(struct settings *s, struct err *err)
{
	int fd;

	if (!is_pem(s->adb_key))
		return 0;
	secret_register(s->adb_key);
	fd = memfd_create("adbkey", MFD_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "keep PATROL_ADB_KEY");
	s->adb_key_fd = fd;
	s->owned_adb_key = mem_fmt("/proc/%ld/fd/%d", (long)getpid(), fd);
	/* A secret's last end of line is easily lost, and PEM wants it. */
	if (file_write_all(fd, s->adb_key, strlen(s->adb_key), "PATROL_ADB_KEY",
			   err) ||
	    file_write_all(fd, "\n", 1, "PATROL_ADB_KEY", err))
		return -1;
	s->adb_key = s->owned_adb_key;
	return 0;
}

/* A file of the key is what its path is, too. */
static void
ssh_key_given(struct settings *s)
{
	const char *file = getenv("PATROL_SSH_KEY_FILE");

	if (s->ssh_key == NULL && file && *file)
		settings_override(s, "PATROL_SSH_KEY", file,
				  SETTINGS_ENVIRONMENT);
	if (is_pem(s->ssh_key))
		secret_register(s->ssh_key);
}

int
settings_load(struct settings *s, struct err *err)
{
	struct err now = ERR_INIT;

	*s = (struct settings){.adb_key_fd = -1};
	for (size_t i = 0; i < settings_count; i++) {
		if (load_row(s, i, &now) && err->code == ERR_NONE)
			*err = now;
	}
	if (key_from_text(s, &now) && err->code == ERR_NONE)
		*err = now;
	ssh_key_given(s);
	default_state_dir(s);
	if (err->code == ERR_NONE)
		return 0;
	settings_done(s);
	s->state_dir = NULL;
	return -1;
}

void
settings_done(struct settings *s)
{
	secret_done(&s->stf_token);
	secret_done(&s->github_token);
	secret_done(&s->history_token);
	secret_done(&s->clickhouse_password);
	secret_done(&s->pr_token);
	secret_done(&s->ssh_passphrase);
	if (s->owned_adb_key)
		close(s->adb_key_fd);
	free(s->owned_adb_key);
	s->owned_adb_key = NULL;
	secret_done(&s->control_token);
	free(s->owned_state_dir);
	s->owned_state_dir = NULL;
	for (size_t i = 0; i < settings_count; i++) {
		free(s->owned[i]);
		s->owned[i] = NULL;
	}
}

void
settings_override(struct settings *s, const char *name, const char *value,
		  enum settings_from from)
{
	if (value == NULL)
		return;
	for (size_t i = 0; i < settings_count; i++) {
		if (strcmp(settings_table[i].name, name) == 0 &&
		    s->from[i] <= from) {
			/* A plan is freed before the results are stored. */
			free(s->owned[i]);
			s->owned[i] = mem_strdup(value);
			*(const char **)field(s, i) = s->owned[i];
			s->from[i] = from;
		}
	}
}

const char *
settings_from_name(enum settings_from from)
{
	static const char *const names[] = {"default", "plan", "environment",
					    "option"};

	return names[from];
}

char *
settings_shown(const struct settings *s, size_t i)
{
	const struct settings_row *row = &settings_table[i];
	const char *p = (const char *)s + row->offset;
	AUTO_BUF struct buf b = BUF_INIT;

	switch (row->kind) {
	case SETTINGS_SECRET:
		return mem_strdup(
			((const struct secret *)(const void *)p)->value
				? "***"
				: "not set");
	case SETTINGS_TEXT:
		p = *(const char *const *)(const void *)p;
		if (p && (p == s->owned_adb_key || is_pem(p)))
			return mem_strdup("*** (its text)");
		return mem_strdup(p ? p : "not set");
	case SETTINGS_DURATION:
		buf_duration(&b, *(const int64_t *)(const void *)p);
		return buf_take(&b);
	}
	return mem_strdup("");
}
