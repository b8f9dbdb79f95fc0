#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

#include <schemas.h> /* generated from docs/schema */

static const size_t count = sizeof(schema_table) / sizeof(schema_table[0]);

static int
unknown(const char *name, struct err *err)
{
	char names[256] = "";
	size_t at = 0;

	for (size_t i = 0; i < count && at < sizeof(names) - 1; i++) {
		int n = snprintf(names + at, sizeof(names) - at, "%s%s",
				 i ? ", " : "", schema_table[i].name);
		if (n < 0)
			break;
		at += (size_t)n;
	}
	if (!name)
		return err_set(err, ERR_USAGE, "which schema? one of: %s",
			       names);
	return err_set(err, ERR_USAGE, "no schema '%s'; there are: %s", name,
		       names);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const char *name = ctx->args.count ? ctx->args.item[0] : NULL;

	if (ctx->args.count > 1)
		return err_set(err, ERR_USAGE, "one schema at a time");
	for (size_t i = 0; name && i < count; i++) {
		if (strcmp(name, schema_table[i].name) != 0)
			continue;
		fputs((const char *)schema_table[i].text, stdout);
		return CMD_OK;
	}
	return unknown(name, err);
}

const struct command schema_command = {
	.name = "schema",
	.summary = "Print the JSON Schema of a file or protocol",
	.usage = "NAME",
	.details =
		"JSON Schema 2020-12. `patrol schema result` is the one of "
		"result.json, devices, watch and why are those of these "
		"commands' --json, `patrol schema pcp` that of the messages "
		"between patrol and the server in the app "
		"(docs/control-protocol.md), `patrol schema filter` that of "
		"the summary beside a filtered profiler log, `patrol schema "
		"compare` that of comparison.json; history-record and "
		"history-import are what the history keeps and takes; "
		"history-list, history-keys (`history list --keys`) and "
		"detect are of these commands, propose is "
		"that of `patrol graphics-states propose --json`, "
		"regressions what `patrol regressions file --json` prints, "
		"issue-block what an issue says to programs, and verify what "
		"`patrol verify --json` prints.",
	.run = run,
};
