#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wall.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"
#include "report/dashboard.h"
#include "report/trend.h"

/* Three years and some of the key that ran last, as many as are drawn. */
enum { RUNS_MAX = 1200, OTHERS_RUNS = COMPARE_RUNS_MAX };

struct options {
	const char *history, *out, *trends, *at;
	struct records_want want;
	bool html;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	HISTORY_KEY_OPTIONS(struct options),
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

/* --- of a store ---------------------------------------------------------- */

/* The last run of a key or of a day without one, of ids[0..n). */
static size_t
last_of(const struct records_keys *k, const struct records_key *x, size_t n)
{
	while (n > 0 && records_keys_of(k, n - 1) != x)
		n--;
	return n;
}

struct drawn {
	const struct records_key *key;
	size_t end; /* its last run is ids[end - 1] */
};

static int
by_end(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;

	return x->end > y->end ? -1 : x->end < y->end;
}

/* Those that are wanted, the one that ran last first; free() it. */
static struct drawn *
drawn_of(const struct records_keys *k, int64_t now_s, size_t *count)
{
	struct drawn *d = mem_array(k->count + 1, sizeof(*d));
	size_t known = records_keys_until(k, now_s);

	*count = 0;
	for (size_t i = 0; i < k->count; i++) {
		const struct records_key *x = &k->item[i];
		size_t end = x->wanted ? last_of(k, x, known) : 0;

		if (end)
			d[(*count)++] = (struct drawn){x, end};
	}
	if (*count)
		qsort(d, *count, sizeof(*d), by_end);
	return d;
}

/* *out NULL: none of its runs can be read. */
static int
trends_of(struct history_store *s, const struct records_keys *k,
	  const struct drawn *d, size_t most, cJSON **out, struct err *err)
{
	struct records *r = &s->records;

	*out = NULL;
	compare_runs_done(&r->runs);
	if (records_keys_series(r, k, &d->key->tag, d->end - 1, most, s->dl,
				err))
		return -1;
	if (r->runs.count)
		*out = compare_trends(&r->runs, NULL, NULL);
	return 0;
}

static bool
is_silent(const struct records_keys *k, const struct drawn *d, int64_t now_s)
{
	int64_t at_s = 0;

	return history_id_parse(k->ids.item[d->end - 1], &at_s) &&
	       at_s < now_s - RECORDS_KEYS_LATELY_S;
}

/* The first is the page; the others go into it. */
static int
draw_keys(struct history_store *s, const struct records_keys *k, int64_t now_s,
	  cJSON **out, struct err *err)
{
	size_t count, silent = 0, n = 0;
	AUTO_FREE struct drawn *d = drawn_of(k, now_s, &count);
	cJSON *others = json_arr(), *one;
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		if (*out &&
		    (n >= DASHBOARD_KEYS || is_silent(k, &d[i], now_s))) {
			silent++;
			continue;
		}
		rc = trends_of(s, k, &d[i], *out ? OTHERS_RUNS : RUNS_MAX, &one,
			       err);
		n += one != NULL;
		if (one && *out)
			json_push(others, one);
		else if (one)
			*out = one;
	}
	if (rc == 0 && *out == NULL)
		rc = err_set(err, ERR_NOTFOUND,
			     "no runs in %s; `patrol history add` adds one",
			     history_url(s->records.history));
	if (rc) {
		cJSON_Delete(others);
		return -1;
	}
	json_set(*out, "others", others);
	json_set_int(*out, "silent_keys", (int64_t)silent);
	return 0;
}

/* What was known at `now_s`. */
static int
of_store(const struct options *o, int64_t now_s, const struct cancel *cancel,
	 cJSON **out, struct err *err)
{
	struct history_store s;
	struct records_keys k;
	int rc;

	if (history_store_open(&s, o->history, cancel, err))
		return -1;
	rc = history_store_keys(&s, &o->want, &k, err);
	if (rc == 0) {
		rc = draw_keys(&s, &k, now_s, out, err);
		records_keys_done(&k);
	}
	history_store_warn(&s);
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
	if (o->trends && records_keys_wants(&o->want))
		return err_set(err, ERR_USAGE,
			       "--trends are of one title and phone: leave "
			       "--title, --device and the like away");
	if (o->trends && o->history)
		return err_set(err, ERR_USAGE,
			       "--trends and --history name two histories: "
			       "give one");
	if ((o->trends ? of_file(o->trends, &trends, err)
		       : of_store(o, now_s, ctx->cancel, &trends, err)) ||
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
		"of it. The last 90 days are exact, older ones a week each. "
		"Of a store with several titles, phones and so on each that "
		"ran in the last 30 days has its part, the one that ran last "
		"first; --title, --device and the like draw some alone.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
