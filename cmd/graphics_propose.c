#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/graphics_file.h"
#include "cmd/stray.h"
#include "cmd/table.h"
#include "followup/propose.h"
#include "followup/propose_text.h"
#include "report/outputs.h"
#include "report/result.h"

enum { RESULT_MAX = 64 << 20 };

struct options {
	const char *out, *asset, *base, *branch, *remote;
	bool dry_run, no_auto_merge, json;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"out", 'o', OPT_STRING, AT(out), "DIR",
	 "Folder of a run that has ended (patrol-out)", "dir"},
	{"asset", 'a', OPT_STRING, AT(asset), "PATH",
	 "The collection in the repository, "
	 "Assets/Graphics/Android.graphicsstate say",
	 NULL},
	{"base", 0, OPT_STRING, AT(base), "BRANCH",
	 "Branch that it is proposed to (main)", NULL},
	{"branch", 0, OPT_STRING, AT(branch), "BRANCH",
	 "Branch of the pull request (patrol/graphics-states)", NULL},
	{"remote", 0, OPT_STRING, AT(remote), "URL",
	 "The repository; GITHUB_SERVER_URL/GITHUB_REPOSITORY, or the origin "
	 "of the checkout here, when not given",
	 NULL},
	{"no-auto-merge", 0, OPT_FLAG, AT(no_auto_merge), NULL,
	 "Leave the merging to people", NULL},
	{"dry-run", 'n', OPT_FLAG, AT(dry_run), NULL,
	 "Look and merge, and change nothing in the repository", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL, "Print JSON", NULL},
	{.name = NULL},
};

static void
tell(const cJSON *answer, bool json)
{
	AUTO_BUF struct buf text = BUF_INIT;
	const cJSON *warning;

	cJSON_ArrayForEach(warning, json_get(answer, "warnings"))
	{
		log_warn("%s", warning->valuestring);
	}
	if (json) {
		graphics_file_json(answer);
		return;
	}
	propose_text_say(&text, answer);
	(void)fputs(text.data, stdout);
}

/*
 * The run's result names the request, so that the message and the summary link
 * to it.  One that can't be written is told, and what was proposed stands.
 */
static void
link_result(const char *out, const cJSON *answer)
{
	AUTO_FREE char *path = file_join(out, "result.json");
	const cJSON *request = json_get(answer, "pull_request");
	struct result res = {.decided = true};
	AUTO_JSON cJSON *result = NULL;
	struct err err = ERR_INIT;
	cJSON *list;

	if (!cJSON_IsObject(request) ||
	    strcmp(json_str(answer, "state", ""), "proposed") != 0)
		return;
	if (json_read_file(path, RESULT_MAX, &result, &err) == 0) {
		list = json_arr();
		json_push(list, cJSON_Duplicate(request, true));
		json_set(result, "pull_requests", list);
		res.json = result;
		if (result_put(result, out, &err) == 0 &&
		    outputs_rewrite(&res, out, &err) == 0)
			return;
	}
	log_warn("the message will not link to the request: %s", err.msg);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	const struct propose p = {
		.out = o->out ? o->out : "patrol-out",
		.asset = o->asset,
		.base = o->base ? o->base : "main",
		.branch = o->branch ? o->branch : "patrol/graphics-states",
		.remote = o->remote,
		.dry_run = o->dry_run,
		.leave_open = o->no_auto_merge,
	};
	AUTO_JSON cJSON *answer = NULL;
	struct settings set;
	int rc;

	if (stray_word(&ctx->args, &graphics_propose_command, err))
		return -1;
	if (o->asset == NULL)
		return err_set(err, ERR_USAGE,
			       "which file of the repository? Give --asset "
			       "PATH");
	if (settings_load(&set, err))
		return -1;
	rc = propose_states(&p, &set, &answer,
			    deadline_in(ctx->cancel, set.budget.history_ms),
			    err);
	settings_done(&set);
	if (rc)
		return -1;
	link_result(p.out, answer);
	tell(answer, o->json);
	return CMD_OK;
}

const struct command graphics_propose_command = {
	.name = "graphics-states propose",
	.summary = "Propose what a run traced as one pull request",
	.usage = "[OPTION]... --asset PATH",
	.details =
		"Merges the run's collection into the asset at the newest "
		"commit of the base branch, drops what the run's logs say was "
		"not found, commits that on a branch of its own, pushes it, "
		"and opens a pull request or brings the open one up to date. "
		"GitHub is asked to merge it when its checks have passed, and "
		"it is merged at once when there is nothing to wait for. The "
		"checkout here and its index are not touched.\n\n"
		"A run that did not pass, or has no collection, is skipped "
		"with status 0, and so is one with nothing new.\n\n"
		"Needs a token with `contents: write` and `pull-requests: "
		"write`: PATROL_PR_TOKEN, else GITHUB_TOKEN, for whose "
		"requests GitHub starts no checks. Over ssh it is pushed with "
		"PATROL_SSH_KEY or an agent.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
