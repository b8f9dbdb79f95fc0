#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "cmd/cmd.h"
#include "cmd/device_option.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "run/probe.h"

struct options {
	const char *plan, *apk, *package, *device, *adb_server;
	struct opt_list var;
	bool attach, json, quiet;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"package", 0, OPT_STRING, AT(package), "NAME",
	 "an app that is installed already", NULL},
	{"apk", 0, OPT_STRING, AT(apk), "FILE",
	 "install this APK, or the one in this zip", "file"},
	{"plan", 'p', OPT_STRING, AT(plan), "FILE",
	 "the plan's app, and look for everything that the plan needs of it",
	 "file"},
	{"device", 'd', OPT_STRING, AT(device), "adb[:SERIAL]",
	 "which phone; the only one connected when not given", "adb"},
	{"adb-server", 0, OPT_STRING, AT(adb_server), "HOST:PORT",
	 "the adb server to join", NULL},
	{"attach", 0, OPT_FLAG, AT(attach), NULL,
	 "use the app that runs already; its token is PATROL_CONTROL_TOKEN",
	 NULL},
	{"var", 0, OPT_LIST, AT(var), "X=VALUE",
	 "what {var.X} stands for in the plan; may be repeated", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL},
	{"quiet", 'q', OPT_FLAG, AT(quiet), NULL,
	 "say only what is wrong on stderr", NULL},
	{.name = NULL},
};

static int
check(const struct options *o, const struct opt_list *args, struct err *err)
{
	if (stray_word(args, &probe_command, err))
		return -1;
	if (!o->package && !o->apk && !o->plan)
		return err_set(err, ERR_USAGE,
			       "which app? Give --package NAME, --apk FILE or "
			       "--plan FILE");
	if (o->package && o->apk)
		return err_set(err, ERR_USAGE,
			       "--package and --apk name two apps");
	if (o->attach && o->apk)
		return err_set(err, ERR_USAGE,
			       "--attach installs nothing: give --package");
	return device_option_check(o->device, err);
}

/* --- as text ------------------------------------------------------------- */

static void
put(const char *s)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_escaped(&b, s, strlen(s));
	secret_redact(&b);
	fputs(b.data, stdout);
}

static void
put_names(const char *head, const cJSON *list)
{
	const cJSON *v;

	printf("%-8s", head);
	cJSON_ArrayForEach(v, list)
	{
		putchar(' ');
		put(cJSON_IsString(v) ? v->valuestring : "?");
	}
	puts(list && list->child ? "" : " none");
}

static void
put_server(const cJSON *s)
{
	AUTO_FREE char *build = json_id(s, "app.build");

	fputs("server   ", stdout);
	put(json_str(s, "server", "?"));
	printf(", PCP/%lld\napp      ", (long long)json_int(s, "version", 0));
	put(json_str(s, "app.package", "?"));
	putchar(' ');
	put(json_str(s, "app.version", ""));
	fputs(" (", stdout);
	put(build ? build : "?");
	fputs("), Unity ", stdout);
	put(json_str(s, "app.unity", "?"));
	printf(", %s, %s build\n",
	       json_bool(s, "app.il2cpp", false) ? "IL2CPP" : "Mono",
	       json_bool(s, "app.dev", false) ? "development" : "release");
	put_names("can", json_get(s, "capabilities"));
	put_names("actions", json_get(s, "actions"));
}

static void
put_checks(const cJSON *list)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, list)
	{
		const char *status = json_str(c, "status", "");
		const char *got = json_str(c, "got", NULL);
		const char *hint = json_str(c, "hint", NULL);
		const char *at = json_str(c, "at", NULL);
		const char *expected = json_str(c, "expected", NULL);

		printf("%-5s ", status);
		if (at) {
			put(at);
			fputs(": ", stdout);
		}
		put(json_str(c, at ? "needs" : "name", ""));
		if (expected && strcmp(status, "fail") == 0) {
			fputs(": expected ", stdout);
			put(expected);
			fputs("; got ", stdout);
			put(got ? got : "another answer");
		} else if (got) {
			fputs(": ", stdout);
			put(got);
		}
		putchar('\n');
		if (hint) {
			fputs("      ", stdout);
			put(hint);
			putchar('\n');
		}
	}
}

static void
put_text(const cJSON *report)
{
	const cJSON *server = json_get(report, "server");
	const cJSON *plan = json_get(report, "plan.checks");

	if (cJSON_IsObject(server))
		put_server(server);
	else
		puts("server   none");
	if (json_count(report, "checks") > 0) {
		puts("\nPCP/1");
		put_checks(json_get(report, "checks"));
	}
	if (plan) {
		fputs("\nplan ", stdout);
		put(json_str(report, "plan.file", ""));
		putchar('\n');
		put_checks(plan);
	}
	printf("\n%lld ok, %lld failed, %lld skipped\n",
	       (long long)json_int(report, "ok", 0),
	       (long long)json_int(report, "failed", 0),
	       (long long)json_int(report, "skipped", 0));
}

static void
print_report(const cJSON *report, bool as_json)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *text = NULL;

	if (!as_json) {
		put_text(report);
		return;
	}
	text = json_pretty(report);
	buf_str(&b, text);
	secret_redact(&b);
	fputs(b.data, stdout);
}

/* --- the probe ----------------------------------------------------------- */

static int
probe_app(const struct run_config *cfg, struct settings *set,
	  const struct options *o, const struct cancel *cancel)
{
	struct progress progress;
	struct result res;
	int status;

	progress_init(&progress, STDERR_FILENO,
		      o->quiet || o->json ? PROGRESS_HUSH : PROGRESS_TALK);
	progress_begin(&progress, "probe");
	status = probe_run(cfg, set, &progress, cancel, &res);
	progress_done(&progress);
	if (status > 1) {
		json_set(cfg->probe->report, "error",
			 cJSON_Duplicate(json_get(res.json, "outcome"), 1));
		json_set_str(cfg->probe->report, "message",
			     json_str(res.json, "message", NULL));
	}
	if (status <= 1 || o->json)
		print_report(cfg->probe->report, o->json);
	if (status > 1)
		log_error("%s", json_str(res.json, "message",
					 "the app could not be probed"));
	result_done(&res);
	return status;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	struct options *o = ctx->options;
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *out =
		mem_fmt("%s/patrol-probe.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	struct err ignored = ERR_INIT;
	struct settings set;
	struct probe probe;
	struct lease_journal journal = LEASE_JOURNAL_NONE;
	struct run_config cfg = {
		.plan = o->plan,
		.apk = o->apk,
		.package = o->package,
		.device = o->device ? o->device : "adb",
		.adb_server = o->adb_server,
		.out = out,
		.journal = &journal,
		.var = o->var.item,
		.var_count = o->var.count,
		.attach = o->attach,
		.probe = &probe,
	};
	int status;

	if (check(o, &ctx->args, err) || settings_load(&set, err))
		return -1;
	if (mkdtemp(out) == NULL) {
		settings_done(&set);
		return err_sys(err, "make '%s'", out);
	}
	if (lease_journal_open(&journal, set.state_dir, out, err)) {
		status = -1;
	} else {
		probe_init(&probe);
		status = probe_app(&cfg, &set, o, ctx->cancel);
		probe_done(&probe);
		lease_journal_close(&journal);
	}
	settings_done(&set);
	/* Only logs of the probe; a rest in TMPDIR is no failure. */
	(void)file_remove_tree(out, &ignored);
	return status;
}

const struct command probe_command = {
	.name = "probe",
	.summary = "Say what control server is in an app, and test it",
	.usage = "(--package NAME | --apk FILE | --plan FILE) [OPTION]...",
	.details =
		"Starts the app as a run does, connects to the server in it, "
		"and prints its name, version and capabilities. Then it tests "
		"the server against PCP/1 (docs/control-protocol.md): each "
		"check is a line `ok`, `fail` (with what was expected and "
		"what came) or `skip` (the server lacks the capability).\n\n"
		"With --plan it also looks for every capability, registered "
		"action, type and name in scripts that the plan counts on, "
		"without running any of them, and says what is missing at "
		"which place of the plan.\n\n"
		"  patrol probe --package com.example.game\n"
		"  patrol probe --apk game.apk --plan plans/daily.yaml\n"
		"  PATROL_CONTROL_TOKEN_FILE=token patrol probe --attach "
		"--package com.example.game\n\n"
		"Exit status: 0 all of it holds, 1 something does not, 2 "
		"usage, 3 no phone or no app to probe.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
