#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/device_option.h"
#include "cmd/outcome.h"
#include "cmd/stray.h"
#include "cmd/table.h"

enum { DEFAULT_MS = 60000 };

struct options {
	const char *apk, *device, *adb_server, *out;
	int64_t for_ms;
	bool quiet;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"apk", 0, OPT_STRING, AT(apk), "FILE",
	 "the APK, or a zip with one in it", "file"},
	{"for", 0, OPT_DURATION, AT(for_ms), "TIME",
	 "how long to watch it (60s)", NULL},
	{"device", 'd', OPT_STRING, AT(device), "adb[:SERIAL]",
	 "which phone; the only one connected when not given", "adb"},
	{"adb-server", 0, OPT_STRING, AT(adb_server), "HOST:PORT",
	 "the adb server to join", NULL},
	{"out", 'o', OPT_STRING, AT(out), "DIR",
	 "where the results go (patrol-out)", "dir"},
	{"quiet", 'q', OPT_FLAG, AT(quiet), NULL,
	 "say only what is wrong, and the verdict", NULL},
	{NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	const char *apk = o->apk;
	AUTO_FREE char *command = NULL;
	struct run_config cfg = {
		.device = o->device ? o->device : "adb",
		.adb_server = o->adb_server,
		.out = o->out ? o->out : "patrol-out",
		.try_ms = o->for_ms ? o->for_ms : DEFAULT_MS,
	};
	struct outcome_spec spec = {.cfg = &cfg, .quiet = o->quiet};

	if (apk == NULL && ctx->args.count == 1)
		apk = ctx->args.item[0];
	else if (apk == NULL && ctx->args.count > 1)
		return err_set(err, ERR_USAGE, "one APK at a time");
	else if (stray_word(&ctx->args, &try_command, err))
		return -1;
	if (apk == NULL)
		return err_set(err, ERR_USAGE, "which app? Give --apk FILE");
	if (device_option_check(cfg.device, err))
		return -1;
	command = mem_fmt("patrol try --apk %s --device %s", apk, cfg.device);
	cfg.apk = apk;
	cfg.command = command;
	spec.title = apk;
	return outcome_of_run(&spec, ctx->cancel, err);
}

const struct command try_command = {
	.name = "try",
	.summary = "Start an APK on a phone at hand and watch it",
	.usage = "--apk FILE [--for TIME] [OPTION]...",
	.details = "Needs no plan, no farm and no server in the game: "
		   "installs the APK, starts it, and reports start-up time, "
		   "memory over time, temperature, screenshots, crashes and "
		   "logs in report.html.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
