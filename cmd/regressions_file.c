#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/cmd.h"
#include "followup/issue.h"
#include "plan/settings.h"

enum { COMPARISON_MAX = 64 << 20, RESULT_MAX = 64 << 20 };

struct options {
	const char *comparison, *result, *plan, *checkout;
	const char *label, *awaiting;
	bool dry_run, json;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	{"comparison", 'c', OPT_STRING, AT(comparison), "FILE",
	 "What `patrol compare --json` printed; - is stdin", "file"},
	{"result", 0, OPT_STRING, AT(result), "FILE",
	 "The run's result.json, for the way to a screen", "file"},
	{"plan", 0, OPT_STRING, AT(plan), "FILE",
	 "Name of the run's plan, to be written into the issue", "file"},
	{"checkout", 0, OPT_STRING, AT(checkout), "DIR",
	 "Where commits are looked up when GitHub does not tell (.)", "dir"},
	{"label", 0, OPT_STRING, AT(label), "NAME",
	 "Label by which issues are found (" ISSUE_LABEL ")", NULL},
	{"awaiting-label", 0, OPT_STRING, AT(awaiting), "NAME",
	 "Label of what waits for a verification (" ISSUE_AWAITING ")", NULL},
	{"dry-run", 'n', OPT_FLAG, AT(dry_run), NULL,
	 "Print what would be written and write nothing", NULL},
	{"json", 0, OPT_FLAG, AT(json), NULL,
	 "Print JSON (`patrol schema regressions`)", NULL},
	{0},
};

static int
read_comparison(const char *path, cJSON **out, struct err *err)
{
	int64_t version;

	if (json_read_file(path, COMPARISON_MAX, out, err)) {
		if (err->code == ERR_PROTO)
			err->code = ERR_INPUT;
		return -1;
	}
	version = json_int(*out, "schema_version", 0);
	if (version > 1) {
		(void)err_set(err, ERR_INPUT,
			      "'%s' is a comparison of a later patrol", path);
		return err_reason(err, "newer_schema");
	}
	if (version != 1 || !cJSON_IsArray(json_get(*out, "series")))
		return err_set(err, ERR_INPUT,
			       "'%s' is no comparison; `patrol compare --json` "
			       "prints one",
			       path);
	return 0;
}

static void
print_json(const cJSON *registered, const cJSON *written, bool dry_run,
	   const struct err *err)
{
	AUTO_JSON cJSON *o = json_obj();
	AUTO_FREE char *text = NULL;

	json_set_int(o, "schema_version", 1);
	json_set_bool(o, "dry_run", dry_run);
	json_set(o, "registered", cJSON_Duplicate(registered, true));
	json_set(o, "written", cJSON_Duplicate(written, true));
	json_set_str(o, "error", err->code == ERR_NONE ? NULL : err->msg);
	text = json_pretty(o);
	fputs(text, stdout);
}

/* The text of others in it goes to a terminal. */
static void
print_body(const char *body)
{
	while (*body) {
		size_t len = strcspn(body, "\r\n");
		AUTO_BUF struct buf line = BUF_INIT;

		buf_escaped(&line, body, len);
		printf("    %s\n", line.data);
		body += len;
		body += *body == '\r';
		body += *body == '\n';
	}
}

static void
print_text(const cJSON *registered, const cJSON *written, bool dry_run)
{
	const cJSON *w;

	cJSON_ArrayForEach(w, written)
	{
		AUTO_FREE char *number = json_id(w, "number");
		const char *title = json_str(w, "title", "");
		AUTO_BUF struct buf line = BUF_INIT;

		buf_escaped(&line, title, strlen(title));
		printf("%s%s%s%s: %s\n", dry_run ? "not yet " : "",
		       json_str(w, "action", ""), number ? " #" : "",
		       number ? number : "", line.data);
		if (dry_run)
			print_body(json_str(w, "body", ""));
	}
	if (cJSON_GetArraySize(written))
		return;
	printf("%s\n", cJSON_GetArraySize(registered)
			       ? "nothing to write: issues tell of it already"
			       : "nothing to write: nothing got worse");
}

static int
file(const struct options *o, const struct settings *set,
     const struct cancel *cancel, struct err *err)
{
	AUTO_JSON cJSON *comparison = NULL, *result = NULL, *registered = NULL;
	AUTO_JSON cJSON *written = json_arr();
	struct issue_options io = {
		.label = o->label,
		.awaiting = o->awaiting,
		.plan_file = o->plan,
		.checkout = o->checkout,
		.dry_run = o->dry_run,
		.written = written,
	};
	int rc;

	if (read_comparison(o->comparison, &comparison, err) ||
	    (o->result && json_read_file(o->result, RESULT_MAX, &result, err)))
		return -1;
	io.result = result;
	rc = issue_register(comparison, set, &io, &registered,
			    deadline_in(cancel, set->budget.history_ms), err);
	if (o->json)
		print_json(registered, written, o->dry_run, err);
	else if (rc == 0 || cJSON_GetArraySize(written))
		print_text(registered, written, o->dry_run);
	return rc;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct settings set;
	int rc;

	if (ctx->args.count)
		return err_set(err, ERR_USAGE, "'%s' is not expected",
			       ctx->args.item[0]);
	if (!o->comparison)
		return err_set(err, ERR_USAGE,
			       "of what? Give --comparison FILE");
	if (settings_load(&set, err))
		return -1;
	rc = file(o, &set, ctx->cancel, err);
	settings_done(&set);
	return rc;
}

const struct command regressions_file_command = {
	.name = "regressions file",
	.summary = "Register what a comparison says is worse as GitHub issues",
	.usage = "--comparison FILE [OPTION]...",
	.details =
		"One issue for what got worse between the same two runs, with "
		"a table, the commits between, the way to the screen, and a "
		"block that `patrol verify` reads. The same regression is "
		"found again by a hidden marker: what its issue does not tell "
		"of yet is commented once, and it is reopened when it "
		"returns. A run writes of five; what is beyond is one issue "
		"more. It may be repeated: what was said is not said twice, "
		"and what could not be filed on an earlier day is.\n\n"
		"GITHUB_REPOSITORY and GITHUB_TOKEN (`permissions: issues: "
		"write`) say where; docs/issues.md has more.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
