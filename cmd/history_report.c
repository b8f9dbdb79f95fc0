#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/wall.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"
#include "history/history_record.h"
#include "report/dashboard.h"
#include "report/trend.h"

enum { RUNS_MAX = 1200 }; /* three years and some, as many as are drawn */

struct options {
	const char *history, *out, *trends, *at;
	bool html;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{"html", 0, OPT_FLAG, AT(html), NULL,
	 "A page of HTML, which is what it writes anyway", NULL},
	{"out", 'o', OPT_STRING, AT(out), "FILE",
	 "Write the page here, as FILE does; - is the standard output", "file"},
	{"trends", 0, OPT_STRING, AT(trends), "FILE",
	 "Draw these trends instead of those of a store; - is the standard "
	 "input",
	 "file"},
	{"at", 0, OPT_STRING, AT(at), "TIME",
	 "As of this time, 2026-11-30T12:00:00Z, instead of now", NULL},
	{.name = NULL},
};

static int
of_file(const char *path, cJSON **out, struct err *err)
{
	if (json_read_file(path, TREND_FILE_MAX, out, err) == 0)
		return 0;
	if (err->code == ERR_PROTO)
		err->code = ERR_INPUT;
	return -1;
}

/* What was known at `now_s`. */
static int
of_store(const char *history, int64_t now_s, const struct cancel *cancel,
	 cJSON **out, struct err *err)
{
	struct compare_runs *runs;
	struct history_store s;
	int rc;

	if (history_store_open(&s, history, cancel, err))
		return -1;
	rc = history_store_read(&s, RUNS_MAX, err);
	runs = &s.records.runs;
	while (rc == 0 && runs->count &&
	       history_record_at(runs->record[runs->count - 1]) > now_s)
		cJSON_Delete(runs->record[--runs->count]);
	if (rc == 0 && runs->count == 0)
		rc = err_set(err, ERR_NOTFOUND,
			     "no runs in %s; `patrol history add` adds one",
			     history_url(s.records.history));
	if (rc == 0)
		*out = compare_trends(runs, NULL, NULL);
	history_store_done(&s);
	return rc;
}

static int
write_page(const char *path, const struct buf *page, struct err *err)
{
	if (strcmp(path, "-") == 0) {
		fwrite(page->data, 1, page->len, stdout);
		return 0; /* main flushes, and tells when it could not */
	}
	return file_write(path, page->data, page->len, err);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	const char *path = o->out	     ? o->out
			   : ctx->args.count ? ctx->args.item[0]
					     : "dashboard.html";
	AUTO_BUF struct buf page = BUF_INIT_MAX(DASHBOARD_MAX);
	AUTO_JSON cJSON *trends = NULL;
	int64_t now_s = wall_now_s();

	if (ctx->args.count + (o->out != NULL) > 1)
		return err_set(err, ERR_USAGE, "one page, in one FILE");
	if (o->at && !wall_parse(o->at, &now_s))
		return err_set(err, ERR_USAGE,
			       "--at: '%s' is no time; write it like "
			       "2026-11-30T12:00:00Z",
			       o->at);
	if (o->trends && o->history)
		return err_set(err, ERR_USAGE,
			       "--trends and --history name two histories: "
			       "give one");
	if ((o->trends ? of_file(o->trends, &trends, err)
		       : of_store(o->history, now_s, ctx->cancel, &trends,
				  err)) ||
	    dashboard_write(trends, now_s, &page, err) ||
	    write_page(path, &page, err))
		return -1;
	if (strcmp(path, "-") != 0)
		log_info("%s: %zu KiB", path, (page.len + 1023) / 1024);
	return CMD_OK;
}

const struct command history_report_command = {
	.name = "history report",
	.summary = "Draw the history of all runs as one page",
	.usage = "[OPTION]... [--html] [FILE]",
	.details =
		"Writes one HTML page, FILE (dashboard.html), that needs no "
		"network: whether the game "
		"is worse and was it measured, the last 14 days, the screens, "
		"and each series with its level, its noise and what was said "
		"of it. The last 90 days are exact, older ones a week each.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
