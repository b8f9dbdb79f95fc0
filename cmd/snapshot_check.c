#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "report/verdict.h"
#include "unity/snapshot.h"

struct options {
	bool json;
};

static const struct opt options[] = {
	{"json", 0, OPT_FLAG, offsetof(struct options, json), NULL,
	 "Print JSON for other programs", NULL},
	{0},
};

static cJSON *
verdict(const char *path, const struct snapshot *s, const struct err *why)
{
	cJSON *o = json_obj();

	json_set_str(o, "file", path);
	if (s || why->code == ERR_INPUT)
		json_set_bool(o, "complete", s != NULL);
	else
		json_set_str(o, "complete", NULL); /* it can't be read */
	json_set_str(o, "reason", s ? NULL : why->reason);
	json_set_str(o, "message", s ? NULL : why->msg);
	json_set_bool(o, "temporary", snapshot_is_temporary(path));
	if (s)
		json_set_int(o, "version", s->version);
	return o;
}

static void
print_incomplete(const struct err *why)
{
	const struct verdict_reason *r = verdict_reason(why->reason);

	printf("incomplete: %s\n", why->msg);
	if (r && r->cure)
		printf("  %s\n", r->cure);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	AUTO_JSON cJSON *list = json_arr();
	int status = CMD_OK;

	if (!ctx->args.count)
		return err_set(err, ERR_USAGE, "snapshot check: name a FILE");
	for (size_t i = 0; i < ctx->args.count; i++) {
		const char *path = ctx->args.item[i];
		struct err why = ERR_INIT;
		struct snapshot s;

		if (snapshot_open(&s, path, &why)) {
			json_push(list, verdict(path, NULL, &why));
			if (why.code != ERR_INPUT) {
				log_error("%s", why.msg);
				status = cmd_status(&why);
				continue;
			}
			if (status == CMD_OK)
				status = CMD_FAILED;
			if (!o->json)
				print_incomplete(&why);
			continue;
		}
		json_push(list, verdict(path, &s, &why));
		if (!o->json)
			printf("complete: %s: format %u, %u entries%s\n", path,
			       s.version, s.entries,
			       snapshot_is_temporary(path)
				       ? "; it still has its temporary name"
				       : "");
		snapshot_done(&s);
	}
	if (o->json) {
		AUTO_FREE char *text = json_pretty(list);

		(void)fputs(text, stdout);
	}
	return status;
}

const struct command snapshot_check_command = {
	.name = "snapshot check",
	.summary = "Say whether memory snapshots are complete, and if not, why",
	.usage = "[OPTION]... FILE...",
	.details = "A snapshot's end is written last: one that was cut off, "
		   "because the app was killed or the file not wholly pulled, "
		   "has none. Beyond that each chunk and array must lie where "
		   "it can. Exit status 1 when one is not complete, 3 when one "
		   "can't be read.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
