#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "unity/raw_filter.h"

struct options {
	const char *out;
	const char *frame_time, *gc_alloc, *max_output, *gaps, *summary, *gc,
		*around;
	bool busy, follow, consume, quiet;
	struct opt_list exclude;
};

static const struct opt options[] = {
	{"out", 'o', OPT_STRING, offsetof(struct options, out), "OUT.raw",
	 "Write here; - is the standard output", "file"},
	{"frame-time", 0, OPT_STRING, offsetof(struct options, frame_time),
	 "TIME", "Keep frames that took at least so long; 0ms keeps all", NULL},
	{"gc-alloc", 0, OPT_STRING, offsetof(struct options, gc_alloc), "SIZE",
	 "Keep frames that allocated at least so much managed memory", NULL},
	{"gc", 0, OPT_STRING, offsetof(struct options, gc), "FILE",
	 "The app's own counter of allocations: lines of a time of the log's "
	 "clock in ticks and bytes",
	 "file"},
	{"busy-time", 0, OPT_FLAG, offsetof(struct options, busy), NULL,
	 "Count a frame's time without waits for the display and the target "
	 "frame rate",
	 NULL},
	{"around", 0, OPT_STRING, offsetof(struct options, around), "N",
	 "Keep N frames before and after each one kept, too", NULL},
	{"max-output", 0, OPT_STRING, offsetof(struct options, max_output),
	 "SIZE", "Stop before the output would be larger", NULL},
	{"exclude-thread", 0, OPT_LIST, offsetof(struct options, exclude),
	 "NAME",
	 "Leave out the blocks of threads of that name (instead of the "
	 "profiler's own)",
	 NULL},
	{"gaps", 0, OPT_STRING, offsetof(struct options, gaps), "MODE",
	 "renumber (default): frame indices become contiguous; keep: they "
	 "stay as they were",
	 "renumber keep"},
	{"follow", 0, OPT_FLAG, offsetof(struct options, follow), NULL,
	 "Read on as the file or the folder grows, until SIGINT or SIGTERM",
	 NULL},
	{"consume", 0, OPT_FLAG, offsetof(struct options, consume), NULL,
	 "Delete each segment once it was read", NULL},
	{"summary", 0, OPT_STRING, offsetof(struct options, summary), "FILE",
	 "Write the summary here (default OUT.raw.json)", "file"},
	{"quiet", 'q', OPT_FLAG, offsetof(struct options, quiet), NULL,
	 "Print nothing but warnings and errors", NULL},
	{0},
};

static int
read_rules(const struct options *o, struct raw_filter_spec *spec,
	   struct err *err)
{
	struct raw_rules *r = &spec->rules;
	int64_t n;

	if (o->frame_time) {
		if (opt_duration(o->frame_time, &n, err))
			return err_wrap(err, "--frame-time");
		r->by_time = true;
		r->time_ns = (uint64_t)n * 1000000;
	}
	if (o->gc_alloc) {
		if (opt_size(o->gc_alloc, &n, err))
			return err_wrap(err, "--gc-alloc");
		r->by_gc = true;
		r->gc_bytes = (uint64_t)n;
	}
	if (!r->by_time && !r->by_gc)
		return err_set(err, ERR_USAGE,
			       "which frames? give --frame-time or --gc-alloc; "
			       "--frame-time 0ms keeps them all");
	if (o->gc && !r->by_gc)
		return err_set(err, ERR_USAGE,
			       "--gc needs a threshold: add --gc-alloc SIZE");
	if (o->around) {
		if (opt_count(o->around, &n, err))
			return err_wrap(err, "--around");
		if (n > RAW_AROUND_MAX)
			return err_set(err, ERR_USAGE, "--around is 0 to %d",
				       RAW_AROUND_MAX);
		r->around = (uint32_t)n;
	}
	if (o->gaps && strcmp(o->gaps, "keep") != 0 &&
	    strcmp(o->gaps, "renumber") != 0)
		return err_set(err, ERR_USAGE,
			       "--gaps is renumber or keep, not '%s'", o->gaps);
	r->gc_file = o->gc;
	r->busy = o->busy;
	r->keep_indices = o->gaps && strcmp(o->gaps, "keep") == 0;
	return 0;
}

static int
read_options(const struct cmd_context *ctx, struct raw_filter_spec *spec,
	     struct err *err)
{
	const struct options *o = ctx->options;
	int64_t n;

	if (!o->out)
		return err_set(err, ERR_USAGE, "where to? give -o OUT.raw");
	if (ctx->args.count == 0)
		return err_set(err, ERR_USAGE,
			       "name the recording: files, a folder of "
			       "segments, or - for a pipe");
	if (read_rules(o, spec, err))
		return -1;
	if (o->max_output) {
		if (opt_size(o->max_output, &n, err))
			return err_wrap(err, "--max-output");
		if (n <= 0)
			return err_set(err, ERR_USAGE,
				       "--max-output 0 leaves room for "
				       "nothing");
		spec->max_output = (uint64_t)n;
	}
	spec->src = (struct raw_src_spec){.paths = ctx->args.item,
					  .count = ctx->args.count,
					  .follow = o->follow,
					  .consume = o->consume};
	spec->out = o->out;
	if (o->exclude.count) {
		spec->omit = o->exclude.item;
		spec->omits = o->exclude.count;
	}
	return 0;
}

static void
warn(const char *text)
{
	log_warn("%s", text);
}

static void
say(const struct raw_filter_result *r, const char *out, const char *summary)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(&b, "%llu of %llu frames kept, ", (unsigned long long)r->kept,
		(unsigned long long)r->frames);
	buf_size(&b, (long long)r->bytes_in);
	buf_str(&b, " -> ");
	buf_size(&b, (long long)r->bytes_out);
	if (summary)
		buf_fmt(&b, "; the summary is %s", summary);
	log_info("%s: %s", strcmp(out, "-") ? out : "standard output", b.data);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct raw_filter_spec spec = {0};
	struct raw_filter_result result;
	AUTO_FREE char *beside = NULL;

	if (read_options(ctx, &spec, err))
		return -1;
	spec.summary = o->summary;
	if (!spec.summary && spec.out && strcmp(spec.out, "-") != 0) {
		beside = mem_fmt("%s.json", spec.out);
		spec.summary = beside;
	}
	if (raw_filter_run(&spec, ctx->cancel, warn, &result, err))
		return -1;
	if (!o->quiet)
		say(&result, spec.out, spec.summary);
	return CMD_OK;
}

const struct command filter_command = {
	.name = "filter",
	.summary = "Keep the slow frames of a raw profiler log",
	.usage = "[OPTION]... IN... -o OUT.raw",
	.details =
		"IN is a raw log of Unity's Profiler (Profiler.logFile with "
		"enableBinaryLog), its segments in the order of their "
		"numbers, a folder of segments, or - for the standard input. "
		"Frames whose time or allocations reach a threshold are "
		"copied with all definitions, and a summary (`patrol schema "
		"filter`) is written beside the output. A frame's time is "
		"from its begin to the next on the main thread.\n\n"
		"By default the kept frames are numbered contiguously, since "
		"readers stop at a missing index; the summary has the "
		"original ones. docs/raw-log.md tells what is written.\n\n"
		"With --follow a first SIGINT or SIGTERM ends the input: what "
		"is there is still filtered, and the status is 0.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
