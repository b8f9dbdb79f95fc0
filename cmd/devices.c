#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/plan_file.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "farm/devices.h"
#include "farm/farm.h"

enum { WITHIN_MS = 60000 };

struct options {
	const char *plan, *device, *adb_server;
	bool json;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"plan", 'p', OPT_STRING, AT(plan), "FILE",
	 "say which phones fit this plan, and which one a run would take",
	 "file"},
	{"device", 'd', OPT_STRING, AT(device), "adb",
	 "list the phones of an adb server instead of the farm's", "adb"},
	{"adb-server", 0, OPT_STRING, AT(adb_server), "HOST:PORT",
	 "the adb server to ask with --device adb", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL},
	{.name = NULL},
};

static cJSON *
row_of(const cJSON *d, bool plan)
{
	const char *holder = json_str(d, "held_by.name", NULL);
	const char *state = json_str(d, "state", "");
	const char *note =
		json_str(d, "mismatch", json_str(d, "local_run", NULL));
	const char *text = json_str(d, "description", "");
	cJSON *row = json_arr();

	if (holder == NULL)
		holder = json_str(d, "held_by.email", "");
	if (plan)
		json_push_str(row, json_bool(d, "taken", false)	 ? "take"
				   : json_bool(d, "fits", false) ? "fits"
								 : "no");
	json_push_str(row, json_str(d, "serial", ""));
	json_push_str(row, json_str(d, "model", "?"));
	json_push_str(row, json_str(d, "android", ""));
	json_push_str(row, state);
	json_push_str(row, holder);
	json_push_str(row, json_str(d, "since", ""));
	json_push_str(row, json_str(d, "booked_until", ""));
	/* The state's own words only where they say more than the columns. */
	if (*holder || strcmp(text, state) == 0)
		text = "";
	json_push_str(row, note ? note : text);
	return row;
}

static void
print_table(const cJSON *list, bool plan)
{
	static const char *const head[] = {
		"PLAN",	   "SERIAL", "MODEL",	     "OS",   "STATE",
		"HELD BY", "SINCE",  "BOOKED UNTIL", "NOTE", NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *d;

	(void)columns_head(rows, plan ? head : head + 1);
	cJSON_ArrayForEach(d, json_get(list, "devices"))
	{
		json_push(rows, row_of(d, plan));
	}
	if (json_count(list, "devices") > 0)
		columns_print(rows, stdout);
	else
		printf("%s shows no phone\n", json_str(list, "at", ""));
}

static int
tell(const cJSON *list, const struct options *o)
{
	const char *take = json_str(list, "choice.take", NULL);
	const char *reason = json_str(list, "choice.reason", "");
	const char *why = json_str(list, "choice.message", "");

	if (o->json) {
		AUTO_FREE char *text = json_pretty(list);

		fputs(text, stdout);
	} else {
		print_table(list, o->plan != NULL);
		if (take)
			printf("\na run would take %s\n", take);
		else if (o->plan)
			printf("\na run would take none: %s\n", why);
	}
	if (o->plan == NULL || take)
		return CMD_OK;
	return strcmp(reason, "no_device_fits") == 0 ? CMD_USAGE : CMD_INFRA;
}

static int
check(const struct options *o, const struct opt_list *args, struct err *err)
{
	if (stray_word(args, &devices_command, err))
		return -1;
	if (o->device && strcmp(o->device, "adb") != 0)
		return err_set(err, ERR_USAGE, "--device '%s' is not adb",
			       o->device);
	if (o->device && o->plan)
		return err_set(err, ERR_USAGE,
			       "--plan is about the farm's phones, --device "
			       "adb about others");
	if (o->adb_server && !o->device)
		return err_set(err, ERR_USAGE,
			       "--adb-server goes with --device adb");
	return 0;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct deadline dl = deadline_in(ctx->cancel, WITHIN_MS);
	AUTO_JSON cJSON *list = NULL;
	struct plan *plan = NULL;
	struct settings set;
	int rc;

	if (check(o, &ctx->args, err) ||
	    (o->plan && plan_file_load(o->plan, &plan, err)))
		return -1;
	if (settings_load(&set, err)) {
		plan_free(plan);
		return -1;
	}
	if (plan)
		farm_settings(&set, plan);
	rc = o->device ? devices_adb(&set, o->adb_server, &list, dl, err)
		       : devices_farm(&set, plan, &list, dl, err);
	if (rc == 0)
		rc = tell(list, o);
	settings_done(&set);
	plan_free(plan);
	return rc;
}

const struct command devices_command = {
	.name = "devices",
	.summary = "List the farm's phones: who has which, and what fits",
	.usage = "[--plan FILE] [--json]",
	.details = "Asks the farm of STF_URL, or of the plan's farm.stf, for "
		   "each phone: its state, who holds it since when, and until "
		   "when it is booked. With --plan also whether it fits the "
		   "plan's device.match, what differs where it does not, and "
		   "which phone a run would take now.\n\n"
		   "  patrol devices\n"
		   "  patrol devices --plan plans/daily.yaml\n"
		   "  patrol devices --device adb\n"
		   "  patrol devices --json | jq -r '.devices[] | "
		   "select(.state == \"free\") | .serial'\n\n"
		   "Exit status: 0; with --plan also 2 when no phone fits, 3 "
		   "when one fits and can't be had now.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
