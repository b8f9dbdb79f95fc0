#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "series/detect.h"
#include "series/series.h"

struct options {
	bool suspects, higher, deterministic;
};

static const struct opt options[] = {
	{"suspects", 0, OPT_FLAG, offsetof(struct options, suspects), NULL,
	 "With the runs that are beyond their baseline, confirmed or not",
	 NULL},
	{"higher-is-better", 0, OPT_FLAG, offsetof(struct options, higher),
	 NULL, "A smaller value is a regression (a JSON series may say so)",
	 NULL},
	{"deterministic", 0, OPT_FLAG, offsetof(struct options, deterministic),
	 NULL,
	 "The values have no noise: a difference of 3 % is a change at once",
	 NULL},
	{0},
};

static const char *
kind_of(const struct detect_change *c, bool lower_is_better)
{
	bool worse = (c->after > c->before) == lower_is_better;

	switch (c->kind) {
	case DETECT_SUSPECT:
		return "suspect";
	case DETECT_CREEP:
		return worse ? "creep" : "improvement";
	case DETECT_STEP:
		break;
	}
	return worse ? "regression" : "improvement";
}

static cJSON *
change_json(const struct detect_change *c, const struct series *s)
{
	cJSON *o = json_obj();

	json_set_int(o, "index", (int64_t)s->point[c->index]);
	json_set_int(o, "seen", (int64_t)s->point[c->seen]);
	json_set_str(o, "kind", kind_of(c, s->lower_is_better));
	json_set_num(o, "before", c->before);
	json_set_num(o, "after", c->after);
	json_set_num(o, "noise", c->noise);
	json_set_int(o, "runs_before", (int64_t)c->runs_before);
	json_set_int(o, "runs_after", (int64_t)c->runs_after);
	return o;
}

static cJSON *
changes_json(const struct series *s, const struct options *o)
{
	struct detect_list list = DETECT_LIST_INIT;
	struct detect_rules rules = detect_rules();
	cJSON *all = json_arr();

	rules.deterministic = o->deterministic;
	detect_series(s->value, s->count, &rules, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct detect_change *c = &list.change[i];

		if (c->kind != DETECT_SUSPECT || o->suspects)
			json_push(all, change_json(c, s));
	}
	detect_list_done(&list);
	return all;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	AUTO_JSON cJSON *out = json_obj();
	AUTO_FREE char *text = NULL;

	if (ctx->args.count == 0)
		return err_set(err, ERR_USAGE, "detect: name a FILE");
	for (size_t i = 0; i < ctx->args.count; i++) {
		struct series s;

		if (series_read(&s, ctx->args.item[i], err))
			return -1;
		if (o->higher)
			s.lower_is_better = false;
		if (cJSON_GetObjectItemCaseSensitive(out, s.name)) {
			err_set(err, ERR_INPUT, "two series are named '%s'",
				s.name);
			series_done(&s);
			return -1;
		}
		json_set(out, s.name, changes_json(&s, o));
		series_done(&s);
	}
	text = json_pretty(out);
	fputs(text, stdout);
	return CMD_OK;
}

const struct command detect_command = {
	.name = "detect",
	.summary = "Say which runs of any series began a new level",
	.usage = "[OPTION]... FILE...",
	.details =
		"Reads each FILE day by day, as a daily patrol would, with the "
		"code that decides about patrols, and prints JSON: `{NAME: "
		"[{\"index\", \"seen\", \"kind\", ...}]}`. `index` is the "
		"first "
		"run of the new level, `seen` the run at which it was said, "
		"both "
		"counted from 0; `kind` is `regression`, `improvement`, "
		"`creep` "
		"or, with --suspects, `suspect`. `before` and `after` are "
		"medians, `noise` is one standard deviation of a run "
		"before.\n\n"
		"FILE is JSON, `{\"name\": ..., \"lower_is_better\": true, "
		"\"points\": [{\"t\": ..., \"value\": 12.5}]}`, or lines "
		"`t,value`; a run without a value is null or empty. - is "
		"stdin.\n\n"
		"  patrol detect --suspects load-times.csv\n\n"
		"docs/decisions-method.md has the method and how often it is "
		"wrong.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
