#include "report/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/secret.h"
#include "report/ci_output.h"
#include "report/junit.h"
#include "report/report.h"
#include "report/slack.h"
#include "report/summary.h"

enum { SAY_MS = 2000 };

/* Keeps the first error of several. */
static void
keep(struct err *first, int rc, struct err *now)
{
	if (rc && first->code == ERR_NONE)
		*first = *now;
	err_clear(now);
}

static int
put(const char *dir, const char *name, const struct buf *b, struct err *err)
{
	AUTO_FREE char *path = file_join(dir, name);

	if (buf_check(b, name, err))
		return -1;
	return file_write(path, b->data, b->len, err);
}

static int
slack(const cJSON *json, const char *dir, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_JSON cJSON *message = slack_message(json);

	slack_text(message, &b);
	return put(dir, "slack.json", &b, err);
}

static int
junit(const cJSON *json, const char *dir, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	junit_write(json, &b);
	return put(dir, "junit.xml", &b, err);
}

static int
report(const cJSON *json, const char *dir, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(REPORT_MAX);

	if (report_write(json, dir, &b, err))
		return -1;
	return put(dir, "report.html", &b, err);
}

static int
summary(const cJSON *json, const char *dir, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	summary_write(json, &b);
	return put(dir, "summary.md", &b, err);
}

/*
 * Before anything is made of it: what is cut to a limit of Slack's or of an
 * annotation's could end within a secret, which then nobody knows any more.
 */
static void
redact(cJSON *v)
{
	for (cJSON *item = v; item; item = item->next) {
		if (cJSON_IsString(item)) {
			AUTO_FREE char *clean =
				secret_redacted(item->valuestring);

			if (strcmp(clean, item->valuestring) != 0)
				(void)cJSON_SetValuestring(item, clean);
		}
		redact(item->child);
	}
}

int
outputs_rewrite(const struct result *res, const char *dir, struct err *err)
{
	struct err first = ERR_INIT, now = ERR_INIT;

	keep(&first, slack(res->json, dir, &now), &now);
	keep(&first, junit(res->json, dir, &now), &now);
	keep(&first, summary(res->json, dir, &now), &now);
	keep(&first, report(res->json, dir, &now), &now);
	if (first.code == ERR_NONE)
		return 0;
	*err = first;
	return -1;
}

static int
write_all(struct result *res, const char *dir, struct err *err)
{
	struct err first = ERR_INIT, now = ERR_INIT;

	keep(&first, result_write(res, dir, &now), &now);
	keep(&first, outputs_rewrite(res, dir, &now), &now);
	if (first.code == ERR_NONE)
		return 0;
	*err = first;
	return -1;
}

int
outputs_write(struct result *res, const char *dir, struct err *err)
{
	struct err again = ERR_INIT;

	redact(res->json);
	if (write_all(res, dir, err) == 0)
		return 0;
	/* What can be written must not call it a good day. */
	result_spoil(res, err, "results");
	(void)write_all(res, dir, &again); /* `err` is the one to tell */
	return -1;
}

int
outputs_forget(const char *dir, struct err *err)
{
	static const char *const names[] = {"result.json", "slack.json",
					    "junit.xml", "summary.md",
					    "report.html"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		AUTO_FREE char *path = file_join(dir, names[i]);

		/* A folder is no verdict; writing ours will tell. */
		if (unlink(path) && errno != ENOENT && errno != EISDIR)
			return err_sys(err, "remove the old '%s'", path);
	}
	return 0;
}

int
outputs_tell_ci(const struct result *res, const char *dir, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf notes = BUF_INIT;
	AUTO_FREE char *path = file_join(dir, "result.json");

	if (!ci_output_active())
		return 0;
	ci_output_annotations(res->json, &notes);
	/* Workflow commands are read on stdout as well as stderr. */
	(void)fflush(stdout);
	(void)file_say(STDOUT_FILENO, notes.data, notes.len, SAY_MS);
	summary_write(res->json, &b);
	return ci_output_write(res->json, path, b.data, err);
}
