#include <stdio.h>
#include <string.h>

#include "adb/adb_key.h"
#include "base/mem.h"
#include "base/secret.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "farm/farm.h"
#include "run/doctor.h"

struct options {
	const char *plan, *make_key;
	bool json;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"plan", 'p', OPT_STRING, AT(plan), "FILE",
	 "with the settings of this plan, and its phones", "file"},
	{"make-key", 0, OPT_STRING, AT(make_key), "PATH",
	 "make the adb private key first; never replaces a file", "file"},
	{"json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL},
	{.name = NULL},
};

/* --- as text ------------------------------------------------------------- */

static void
put_settings(const cJSON *list)
{
	static const char *const head[] = {"SETTING", "VALUE", "FROM", NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *s;

	(void)columns_head(rows, head);
	cJSON_ArrayForEach(s, list)
	{
		cJSON *row = json_arr();

		json_push_str(row, json_str(s, "name", ""));
		json_push_str(row, json_str(s, "value", ""));
		json_push_str(row, json_str(s, "from", ""));
		json_push(rows, row);
	}
	columns_print(rows, stdout);
}

static void
put_line(const char *status, const char *name, const char *text)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_escaped(&b, text, strlen(text));
	secret_redact(&b);
	printf("%-5s %-13s %s\n", status, name, b.data);
}

static void
put_checks(const cJSON *list)
{
	const cJSON *c;

	putchar('\n');
	cJSON_ArrayForEach(c, list)
	{
		const char *cure = json_str(c, "cure", NULL);

		put_line(json_str(c, "status", ""), json_str(c, "name", ""),
			 json_str(c, "message", ""));
		if (cure)
			put_line("", "", cure);
	}
}

static void
print_report(const cJSON *report, bool as_json)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *text = NULL;
	int64_t failed = json_int(report, "failed", 0);

	if (as_json) {
		text = json_pretty(report);
		buf_str(&b, text);
		secret_redact(&b);
		fputs(b.data, stdout);
		return;
	}
	put_settings(json_get(report, "settings"));
	put_checks(json_get(report, "checks"));
	if (failed > 0)
		printf("\n%lld broken\n", (long long)failed);
	else
		puts("\nnothing is broken");
}

/* --- the command --------------------------------------------------------- */

/* On stderr, since stdout may be JSON. */
static int
make_key(const char *path, struct settings *set, struct err *err)
{
	struct adb_key key;

	if (adb_key_make(path, err) || adb_key_read(path, &key, err))
		return err_wrap(err, "--make-key");
	fprintf(stderr,
		"made %s, fingerprint %s\n"
		"set PATROL_ADB_KEY to its path; on runners keep it as a "
		"secret and write it to a file\n",
		path, key.fingerprint);
	adb_key_done(&key);
	settings_override(set, "PATROL_ADB_KEY", path, SETTINGS_OPTION);
	return 0;
}

static int
examine(struct settings *set, const struct plan *plan, bool as_json,
	const struct cancel *cancel, struct err *err)
{
	struct doctor d;
	int status = -1;

	if (plan)
		farm_settings(set, plan);
	doctor_init(&d, set, plan, cancel);
	if (doctor_run(&d, err) == 0) {
		print_report(d.report, as_json);
		status = d.failed > 0 ? CMD_INFRA : CMD_OK;
	}
	doctor_done(&d);
	return status;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct plan *plan = NULL;
	struct settings set;
	int status = -1;

	if (stray_word(&ctx->args, &doctor_command, err))
		return -1;
	if (o->plan) {
		struct yaml_complaints c;
		int rc = plan_load(o->plan, &plan, &c, err);

		yaml_complaints_done(&c);
		if (rc)
			return -1;
	}
	if (settings_load(&set, err) == 0) {
		if (o->make_key == NULL ||
		    make_key(o->make_key, &set, err) == 0)
			status = examine(&set, plan, o->json, ctx->cancel, err);
		settings_done(&set);
	}
	plan_free(plan);
	return status;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "Print every setting, reach every service, say the cures",
	.usage = "[--plan FILE] [--make-key PATH] [--json]",
	.details =
		"Prints each setting with its value and where it came from "
		"(secrets as ***), then looks at adb, the key, the state "
		"folder, leases of dead runs, STF, GitHub, Slack, proxy and "
		"certificates. Nothing is reserved, sent or posted. Each line "
		"is `ok`, `warn`, `fail`, or `off` for what is not set up; "
		"below it stands the cure.\n\n"
		"  patrol doctor\n"
		"  patrol doctor --plan plans/daily.yaml\n"
		"  patrol doctor --make-key ~/.config/patrol/adbkey\n\n"
		"docs/settings.md describes the settings.\n\n"
		"Exit status: 0 nothing that is set up is broken, 2 usage or "
		"plan, 3 something is.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
