#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/frames_show.h"

enum { HTML_MAX = 64 << 20, SUMMARY_MAX = 256 << 20, TOP = 20, FPS = 60 };

struct options {
	bool json, csv, markers;
	const char *html, *by, *marks, *images, *gc;
	const char *top, *fps;
};

static const struct opt options[] = {
	{"json", 0, OPT_FLAG, offsetof(struct options, json), NULL,
	 "Print all frames and the summary as JSON", NULL},
	{"csv", 0, OPT_FLAG, offsetof(struct options, csv), NULL,
	 "Print all frames as CSV", NULL},
	{"html", 0, OPT_STRING, offsetof(struct options, html), "FILE",
	 "Write a page with a plot and the worst frames", "file"},
	{"top", 0, OPT_STRING, offsetof(struct options, top), "N",
	 "So many of the worst frames (default 20)", NULL},
	{"by", 0, OPT_STRING, offsetof(struct options, by), "WHAT",
	 "time (default) or gc: what is worst", "time gc"},
	{"fps", 0, OPT_STRING, offsetof(struct options, fps), "N",
	 "The target frame rate (default 60)", NULL},
	{"gc", 0, OPT_STRING, offsetof(struct options, gc), "FILE",
	 "The app's own counter of allocations, as for `patrol filter`",
	 "file"},
	{"markers", 0, OPT_FLAG, offsetof(struct options, markers), NULL,
	 "With the heaviest markers of each frame and thread by self time",
	 NULL},
	{"marks", 0, OPT_STRING, offsetof(struct options, marks), "result.json",
	 "Name each frame's screen or transition, and leave out of the worst "
	 "what patrol itself disturbed",
	 "file"},
	{"images", 0, OPT_STRING, offsetof(struct options, images), "DIR",
	 "Write JPEG and PNG pictures that are in the frames' metadata here",
	 "dir"},
	{0},
};

static int
number(const char *text, long fallback, long least, long most, const char *what,
       long *n, struct err *err)
{
	char *end;

	*n = fallback;
	if (!text)
		return 0;
	*n = strtol(text, &end, 10);
	if (end == text || *end || *n < least || *n > most)
		return err_set(err, ERR_USAGE, "%s is %ld to %ld, not '%s'",
			       what, least, most, text);
	return 0;
}

/* The worst frames first, without those that patrol disturbed itself. */
static void
rank(struct frames_view *v, bool by_gc, size_t top)
{
	size_t n = 0;

	v->order = raw_list_order(v->list, by_gc);
	for (size_t i = 0; i < v->list->count; i++) {
		size_t row = v->order[i];

		if (v->marks->place[row].disturbed)
			v->disturbed++;
		else
			v->order[n++] = row;
	}
	v->top = n < top ? n : top;
}

/* Which also knows the app's own indices. */
static cJSON *
summary_beside(const char *path)
{
	AUTO_FREE char *beside = mem_fmt("%s.json", path);
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	if (file_exists(beside) &&
	    json_read_file(beside, SUMMARY_MAX, &v, &err))
		log_debug("%s", err.msg);
	return v;
}

static int
show(const struct options *o, const struct frames_view *v, struct err *err)
{
	AUTO_BUF struct buf page = BUF_INIT_MAX(HTML_MAX);

	if (o->html) {
		frames_show_html(v, &page);
		if (buf_check(&page, "the page", err) ||
		    file_write(o->html, page.data, page.len, err))
			return -1;
	}
	if (o->json)
		frames_show_json(v, stdout);
	else if (o->csv)
		frames_show_csv(v, stdout);
	else if (!o->html)
		frames_show_text(v, stdout);
	return 0;
}

static void
say_images(const struct raw_image *im)
{
	unsigned long long other = im->other, large = im->too_large;
	unsigned long long cut = im->cut;

	log_info("%llu pictures written to %s", (unsigned long long)im->written,
		 im->dir);
	if (other)
		log_warn("%llu are neither JPEG nor PNG: left out", other);
	if (large)
		log_warn("%llu pictures have more than %d MiB: left out", large,
			 RAW_IMAGE_MAX >> 20);
	if (cut)
		log_warn("%llu pictures are cut: left out", cut);
}

static void
complain(const struct raw_list *l)
{
	if (l->data)
		log_warn("this is the editor's .data: only its times are "
			 "listed%s",
			 l->cut ? "; it ends within a frame" : "");
	if (!l->data && l->scan->lost_in)
		log_warn("'%s' is cut or damaged: %llu bytes were left out",
			 l->scan->lost_in, (unsigned long long)l->scan->lost);
	if (!l->data && !l->scan->head.known)
		log_warn("version 0x%08x is %s: allocations are unverified",
			 l->scan->head.version,
			 raw_format_releases(l->scan->head.version));
	if (l->image.dir)
		say_images(&l->image);
}

/* With its slash; "" when it is not there. */
static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *named =
		slash ? mem_strndup(path, slash - path + 1) : mem_strdup("./");
	char *real = realpath(named, NULL);
	char *folder = real ? mem_fmt("%s/", real) : mem_strdup("");

	free(real);
	return folder;
}

/* Screenshots are named from the result's folder, and found from the page's. */
static char *
base_of(const char *marks, const char *page)
{
	AUTO_FREE char *own = folder_of(page ? page : "");
	char *base = folder_of(marks ? marks : "");

	if (strcmp(own, base) == 0)
		*base = '\0';
	return base;
}

/* Whether the recording is what that filter wrote. */
static const cJSON *
kept_by(const struct raw_list *l, const cJSON *beside)
{
	const cJSON *summary = json_get(beside, "summary");

	for (size_t i = 0; i < l->count; i++) {
		if (!l->row[i].said)
			return NULL;
	}
	return json_get(summary, "times") ? summary : NULL;
}

static uint64_t
origin_of(const struct raw_list *l, const cJSON *kept)
{
	uint64_t first = l->count ? l->row[0].start_ns : 0;
	int64_t start = json_int(kept, "start_ns", -1);

	return start >= 0 && (uint64_t)start < first ? (uint64_t)start : first;
}

static void
complain_of_gc(const char *file)
{
	if (file)
		log_warn("no value of '%s' lies in a frame, so they are in the "
			 "order of time; are its times ticks of the log's "
			 "clock?",
			 file);
	else
		log_warn("nobody tells what these frames allocated: they are "
			 "in the order of time; let the app count it and name "
			 "its file with --gc");
}

static int
view(const struct cmd_context *ctx, struct raw_list *l, long top, long fps,
     struct err *err)
{
	const struct options *o = ctx->options;
	AUTO_JSON cJSON *beside = summary_beside(ctx->args.item[0]);
	AUTO_FREE char *base = base_of(o->marks, o->html);
	struct frames_marks marks;
	struct frames_view v = {
		.list = l,
		.marks = &marks,
		.target_ns = 1000000000ULL / (uint64_t)fps,
		.title = ctx->args.item[0],
		.base = base,
		.by_gc = o->by && strcmp(o->by, "gc") == 0,
	};
	int rc;

	raw_list_take_summary(l, beside);
	v.kept = kept_by(l, beside);
	v.origin_ns = origin_of(l, v.kept);
	if (v.by_gc && !l->gc_source) {
		v.by_gc = false;
		complain_of_gc(o->gc);
	}
	rc = frames_marks_read(&marks, l, o->marks, err);
	if (rc == 0) {
		rank(&v, v.by_gc, (size_t)top);
		rc = show(o, &v, err);
	}
	free(v.order);
	frames_marks_done(&marks);
	return rc;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct raw_list_spec spec = {
		.paths = ctx->args.item,
		.count = ctx->args.count,
		.gc_file = o->gc,
		.images = o->images,
		.markers = o->markers || o->html,
	};
	struct raw_list list;
	long top, fps;
	int rc;

	if (ctx->args.count == 0)
		return err_set(err, ERR_USAGE,
			       "name the recording: files, a folder of "
			       "segments, or - for a pipe");
	if (o->json && o->csv)
		return err_set(err, ERR_USAGE,
			       "--json or --csv? both go to the standard "
			       "output: give one");
	if (o->by && strcmp(o->by, "time") != 0 && strcmp(o->by, "gc") != 0)
		return err_set(err, ERR_USAGE, "--by is time or gc, not '%s'",
			       o->by);
	if (number(o->top, TOP, 0, 1000000, "--top", &top, err) ||
	    number(o->fps, FPS, 1, 1000, "--fps", &fps, err) ||
	    (o->images && file_mkdirs(o->images, err)))
		return -1;
	rc = raw_list_read(&list, &spec, ctx->cancel, err);
	if (rc == 0) {
		complain(&list);
		rc = view(ctx, &list, top, fps, err);
	}
	raw_list_done(&list);
	return rc ? -1 : CMD_OK;
}

const struct command frames_command = {
	.name = "frames",
	.summary = "List the frames of a raw profiler log",
	.usage = "[OPTION]... IN...",
	.details = "IN is as for `patrol filter`, or one .data file of the "
		   "editor, of which the times are listed. A frame's time is "
		   "from its begin to the next on the main thread; BUSY is "
		   "that without waits for the display and the target frame "
		   "rate. In what `patrol filter` wrote, frames are named by "
		   "the app's own indices, and with the allocations of its "
		   "--gc, while its summary lies beside it.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
