#ifndef SETTINGS_H
#define SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/secret.h"

/*
 * Settings that come from outside the plan.  One table gives the struct, what
 * `patrol doctor` prints and docs/settings.md: defaults < plan < environment
 * < option.  Secrets come from the environment or from a file (NAME_FILE).
 */
enum settings_from {
	SETTINGS_DEFAULT,
	SETTINGS_PLAN,
	SETTINGS_ENVIRONMENT,
	SETTINGS_OPTION,
};

/* How long each wait may take; PATROL_BUDGET_* in the environment. */
struct settings_budget {
	int64_t github_ms;	/* asking GitHub about the run */
	int64_t github_call_ms; /* one call of its API */
	int64_t run_open_ms;	/* waiting for a run that is in progress */
	int64_t download_ms;	/* the artifact */
	int64_t download_stall_ms;
	int64_t unpack_ms;
	int64_t take_ms;	/* reserving and connecting the phone */
	int64_t stf_call_ms;	/* one call of its API */
	int64_t stf_late_ms;	/* a reservation without an answer */
	int64_t adb_start_ms;	/* our adb server */
	int64_t adb_connect_ms; /* until the phone's state is `device` */
	int64_t ready_ms;	/* until Android is ready */
	int64_t shell_ms;	/* one command on the phone */
	int64_t install_ms;
	int64_t app_start_ms; /* until the activity is drawn */
	int64_t screenshot_ms;
	int64_t snapshot_ms;   /* one memory snapshot, at least this */
	int64_t pull_ms;       /* one file from the phone */
	int64_t control_ms;    /* one request to the app */
	int64_t reconnect_ms;  /* a lost control connection */
	int64_t phone_lost_ms; /* the way to the phone, in the walk */
	int64_t notify_ms;
	int64_t compare_ms;	/* snapshots with those of an earlier run */
	int64_t history_ms;	/* the history: reading, adding, issues */
	int64_t store_ms;	/* uploading the run's folder */
	int64_t store_stall_ms; /* silence of its server */
	int64_t ssh_ms;		/* reaching the bastion, also again */
	int64_t ssh_keep_ms;	/* its silence before it is asked */
};

struct settings {
	const char *stf_url;
	struct secret stf_token;
	const char *ssh; /* "USER@HOST[:PORT]" before the farm; NULL: none */
	const char *ssh_key; /* path or PEM; NULL: the agent */
	struct secret ssh_passphrase;
	const char *ssh_known_hosts; /* path or lines; NULL: as ssh does */
	const char *adb_key; /* path of the one private key; NULL: ours */
	const char *github_api_url;
	struct secret github_token;
	struct secret control_token; /* of an app that runs already */
	const char *repository;	     /* owner/name */
	const char *own_run_id;	     /* GITHUB_RUN_ID */
	const char *state_dir;
	const char *device_filter; /* path; NULL: beside us */
	const char *report_url;
	const char *dashboard_url;
	const char *previous;	    /* folder of earlier runs; NULL: none */
	const char *store;	    /* sftp://..., of all runs; NULL: nowhere */
	const char *history;	    /* history/history.h; NULL: none is kept */
	const char *history_remote; /* of git:; NULL: the checkout's origin */
	struct secret history_token; /* its; else github_token */
	const char *clickhouse_user;
	struct secret clickhouse_password;
	struct secret pr_token; /* for pull requests; else github_token */
	struct settings_budget budget;
	enum settings_from from[64]; /* by row of the table */
	char *owned[64];	     /* by row: what an override gave */
	char *owned_state_dir;
	char *owned_adb_key; /* the key came as text and is in adb_key_fd */
	int adb_key_fd;
};

enum settings_kind { SETTINGS_TEXT, SETTINGS_SECRET, SETTINGS_DURATION };

struct settings_row {
	const char *name; /* of the environment variable */
	enum settings_kind kind;
	size_t offset;	    /* into struct settings */
	int64_t default_ms; /* of a duration */
	const char *help;
};

extern const struct settings_row settings_table[];
extern const size_t settings_count;

/*
 * From the environment.  ERR_USAGE names the first variable that is wrong; all
 * the others are then read, without the secrets, to report it by.
 */
int settings_load(struct settings *s, struct err *err);
void settings_done(struct settings *s);

/* A text setting from the plan or an option, copied; NULL leaves it alone. */
void settings_override(struct settings *s, const char *name, const char *value,
		       enum settings_from from);

/* "default", "plan", "environment", "option" */
const char *settings_from_name(enum settings_from from);
/* What may be shown of row `i`: never a secret's value.  free() it. */
char *settings_shown(const struct settings *s, size_t i);

#endif
