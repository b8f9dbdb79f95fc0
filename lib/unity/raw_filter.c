#include "unity/raw_filter.h"

#include <stdlib.h>

#include "base/mem.h"
#include "unity/raw_fifo.h"
#include "unity/raw_out.h"
#include "unity/raw_paths.h"
#include "unity/raw_summary.h"

/* The work of Unity's profiler itself and of a filter within the app. */
static const char *const usual_omits[] = {"Profiler Dispatcher",
					  "Profiler.Dispatcher",
					  "Profiler Filter", "patrol-filter"};

/*
 * Read at once: what a processor's cache holds when it is looked through, more
 * when it is only passed on, else a head, a begin and the next head.
 */
enum { AHEAD_LOOK = 128 << 10, AHEAD_ALL = RAW_WINDOW, AHEAD_HEADS = 128 };
enum { PIPE_HOLDS = 256 << 10 };

/* A block that waits for its frame's fate. */
struct waiting {
	uint64_t at, ordinal, since;
	uint32_t len, index, footer, segment, thread, frame;
	uint8_t kind;
	bool begins, placed;
};

struct filter {
	const struct raw_filter_spec *spec;
	struct raw_scan *scan;
	struct raw_decide decide;
	struct raw_fifo queue;
	struct raw_out out;
	struct raw_summary summary;
	bool has_out;
	bool all;	    /* keeps everything ... */
	bool at_once;	    /* ... and without a limit */
	bool ended;	    /* nothing more will come */
	uint64_t committed; /* bytes of the output that are settled */
	struct raw_counts counts;
};

static bool
fits(struct filter *f, uint64_t bytes)
{
	uint64_t max = f->spec->max_output;

	if (max && (f->committed > max || bytes > max - f->committed))
		return false;
	f->committed += bytes;
	return true;
}

/* With the begin that ends it; the one before has paid for its own. */
static bool
may_keep(void *arg, const struct raw_frame *frame)
{
	struct filter *f = arg;
	uint64_t ordinal = f->decide.final - 1;
	const struct raw_frame *before =
		ordinal ? raw_frames_at(&f->scan->frames, ordinal - 1) : NULL;
	uint64_t paid =
		before && before->fate == RAW_FATE_KEEP ? before->end_bytes : 0;
	uint64_t bytes = frame->bytes > paid ? frame->bytes - paid : 0;

	return fits(f, bytes + frame->end_bytes);
}

static int
kept(void *arg, const struct raw_frame *frame, struct err *err)
{
	struct filter *f = arg;

	return raw_summary_frame(&f->summary, &f->decide, frame, err);
}

enum verdict { WAIT, KEEP, DROP };

static enum verdict
of_fate(const struct filter *f, enum raw_fate fate)
{
	if (fate == RAW_FATE_OPEN)
		return f->ended ? DROP : WAIT;
	return fate == RAW_FATE_KEEP ? KEEP : DROP;
}

/* A begin of the main thread also ends the frame before. */
static enum verdict
of_begin(const struct filter *f, const struct waiting *w)
{
	const struct raw_frames *frames = &f->scan->frames;
	const struct raw_frame *before =
		w->ordinal ? raw_frames_at(frames, w->ordinal - 1) : NULL;
	const struct raw_frame *own = raw_frames_at(frames, w->ordinal);

	if (before) {
		enum verdict v = of_fate(f, before->fate);

		if (v != DROP)
			return v;
	}
	return own ? of_fate(f, own->fate) : DROP;
}

static enum verdict
of_frame(struct filter *f, struct waiting *w)
{
	const struct raw_frame *frame;
	enum verdict v;
	bool late;
	struct raw_item item = {.frame = w->frame,
				.placed = w->placed,
				.ordinal = w->ordinal,
				.since = w->since};

	switch (raw_scan_place(f->scan, &item)) {
	case RAW_FOUND_NOT_YET:
		if (!f->ended)
			return WAIT;
		f->counts.unplaced += !f->all;
		return f->all ? KEEP : DROP;
	case RAW_FOUND_NEVER:
		f->counts.unplaced += !f->all;
		return f->all ? KEEP : DROP;
	default:
		break;
	}
	late = !w->placed;
	w->placed = true;
	w->ordinal = item.ordinal;
	frame = raw_frames_at(&f->scan->frames, item.ordinal);
	if (frame && frame->twin && !f->all) {
		w->ordinal = raw_frames_settle(&f->scan->frames, item.ordinal);
		frame = raw_frames_at(&f->scan->frames, w->ordinal);
	}
	v = frame ? of_fate(f, frame->fate) : DROP;
	/* It could not be charged to its frame when it came. */
	if (late && v == KEEP && !fits(f, raw_block_size(w->len))) {
		f->decide.full = true;
		return DROP;
	}
	if (late && v == WAIT)
		w->placed = false;
	return v;
}

static enum verdict
of_loose(struct filter *f, const struct waiting *w)
{
	uint64_t first = w->since;

	if (f->all)
		return KEEP;
	if (f->decide.final <= w->ordinal && !f->ended)
		return WAIT;
	if (w->ordinal - first >= RAW_FRAMES)
		first = w->ordinal - RAW_FRAMES + 1;
	for (uint64_t i = first; i <= w->ordinal; i++) {
		const struct raw_frame *frame =
			raw_frames_at(&f->scan->frames, i);

		if (!frame || frame->fate != RAW_FATE_KEEP)
			continue;
		if (fits(f, raw_block_size(w->len)))
			return KEEP;
		f->decide.full = true;
		return DROP;
	}
	return DROP;
}

static enum verdict
verdict_of(struct filter *f, struct waiting *w)
{
	switch ((enum raw_kind)w->kind) {
	case RAW_KIND_BEGIN:
		return of_begin(f, w);
	case RAW_KIND_FRAME:
		return of_frame(f, w);
	case RAW_KIND_LOOSE:
		return of_loose(f, w);
	default:
		return KEEP;
	}
}

/* The index that a begin gets. */
static uint32_t
new_frame(const struct filter *f, const struct waiting *w)
{
	const struct raw_frames *frames = &f->scan->frames;
	const struct raw_frame *own, *before = NULL;

	if (f->spec->rules.keep_indices || !w->placed || f->all)
		return w->frame;
	own = raw_frames_at(frames, w->ordinal);
	if (w->kind == RAW_KIND_BEGIN && w->ordinal)
		before = raw_frames_at(frames, w->ordinal - 1);
	if (before && before->fate == RAW_FATE_KEEP)
		return before->new_index + (own->index - before->index);
	return own->new_index;
}

static int
write_block(struct filter *f, const struct waiting *w, struct err *err)
{
	struct raw_thread *t = &f->scan->threads.item[w->thread];
	uint32_t index = t->out_index++;
	struct raw_patch patch[RAW_PATCHES];
	unsigned n = 0;

	if (index != w->index)
		patch[n++] = (struct raw_patch){4, index};
	if (w->begins && new_frame(f, w) != w->frame)
		patch[n++] = (struct raw_patch){
			RAW_BLOCK_HEAD + (f->scan->head.aligned ? 4 : 2),
			new_frame(f, w)};
	if (w->footer != index + 1)
		patch[n++] = (struct raw_patch){
			RAW_BLOCK_HEAD + (uint64_t)w->len, index + 1};
	f->counts.blocks_out++;
	return raw_out_copy(&f->out, w->segment, w->at, raw_block_size(w->len),
			    patch, n, err);
}

/* What is neither waiting nor collected for the output can be let go of. */
static int
release(struct filter *f, const struct waiting *first, struct err *err)
{
	uint32_t segment =
		first ? first->segment : raw_src_segment(f->scan->src);
	uint64_t at = first ? first->at : f->scan->block.at;
	/* Bytes of a pipe are held until they are written: not for long. */
	bool soon =
		f->spec->src.consume || raw_src_fd(f->scan->src, segment) < 0;

	if (f->out.has_run &&
	    (f->out.run_len >= RAW_OUT_RUN_MAX || f->out.segment != segment ||
	     (soon && at - f->out.run_at >= PIPE_HOLDS)) &&
	    raw_out_flush(&f->out, err))
		return -1;
	if (f->out.has_run)
		at = f->out.run_at;
	return raw_src_release(f->scan->src, segment, at, err);
}

static int
flush(struct filter *f, struct err *err)
{
	for (;;) {
		void *record;
		struct waiting *w;
		enum verdict v;

		if (raw_fifo_first(&f->queue, &record, err))
			return -1;
		w = record;
		v = w ? verdict_of(f, w) : WAIT;
		if (v == WAIT)
			return f->ended ? 0 : release(f, w, err);
		if (v == KEEP && write_block(f, w, err))
			return -1;
		if (v == DROP)
			f->counts.blocks_dropped++;
		raw_fifo_drop(&f->queue);
	}
}

/* A block of a frame: it counts for the frame, or is late for a kept one. */
static bool
charge(struct filter *f, const struct raw_item *item)
{
	struct raw_frame *frame;
	uint64_t size = raw_block_size(item->block.len);

	if (!item->placed)
		return true;
	if (item->kind == RAW_KIND_BEGIN && item->ordinal)
		raw_frames_at(&f->scan->frames, item->ordinal - 1)->end_bytes =
			size;
	frame = raw_frames_at(
		&f->scan->frames,
		raw_frames_settle(&f->scan->frames, item->ordinal));
	if (!frame || frame->fate == RAW_FATE_DROP)
		return true;
	if (frame->fate == RAW_FATE_KEEP)
		return fits(f, size);
	frame->bytes += size;
	return true;
}

/* Whether the block may be written at all; sets `full` when it can't. */
static bool
admit(struct filter *f, const struct raw_item *item)
{
	bool fit = true;

	if (item->kind == RAW_KIND_OMIT) {
		f->counts.blocks_omitted++;
		return false;
	}
	if (item->again) {
		f->counts.repeated++;
		return false;
	}
	if (item->kind == RAW_KIND_DEFINE || item->kind == RAW_KIND_EARLY)
		fit = fits(f, raw_block_size(item->block.len));
	else if (item->kind != RAW_KIND_LOOSE)
		fit = charge(f, item);
	if (!fit) {
		f->decide.full = true;
		f->counts.blocks_dropped++;
	}
	return fit;
}

static struct waiting
waiting_of(const struct raw_item *item)
{
	return (struct waiting){
		.at = item->block.at,
		.ordinal = item->ordinal,
		.since = item->since,
		.len = item->block.len,
		.index = item->block.index,
		.footer = item->block.footer,
		.segment = item->segment,
		.thread = (uint32_t)item->thread,
		.frame = item->frame,
		.kind = (uint8_t)item->kind,
		.begins = item->begins,
		.placed = item->placed,
	};
}

/* Everything is kept, so nothing has to wait. */
static int
take_at_once(struct filter *f, const struct raw_item *item, struct err *err)
{
	struct waiting w = waiting_of(item);

	if (admit(f, item) && write_block(f, &w, err))
		return -1;
	if (!item->begins)
		return 0;
	if (raw_decide_go(&f->decide, false, err))
		return -1;
	return release(f, NULL, err);
}

static int
moving(void *arg, struct err *err)
{
	struct filter *f = arg;

	return f->has_out ? raw_out_flush(&f->out, err) : 0;
}

/* Everything is decided as its turn comes; a look is worth it at begins. */
static int
take(struct filter *f, const struct raw_item *item, struct err *err)
{
	struct waiting w;

	if (f->at_once)
		return take_at_once(f, item, err);
	w = waiting_of(item);
	if (admit(f, item) && raw_fifo_push(&f->queue, &w, err))
		return -1;
	if (item->begins && raw_decide_go(&f->decide, false, err))
		return -1;
	if (item->begins || f->scan->frames.count == 0)
		return flush(f, err);
	return 0;
}

static int
work(struct filter *f, struct err *err)
{
	bool more = true, begun = false;

	while (!f->decide.full) {
		struct raw_item item;

		if (raw_scan_next(f->scan, &item, &more, err))
			return -1;
		if (!f->scan->segments)
			return err_set(err, ERR_INPUT,
				       "no segment was there before the stop; "
				       "see that the recording was started");
		if (!begun) {
			begun = true;
			f->committed = f->scan->head.size;
			if (raw_out_bytes(&f->out, f->scan->head_bytes,
					  f->scan->head.size, err))
				return -1;
		}
		if (!more)
			break;
		if (take(f, &item, err))
			return -1;
	}
	if (raw_decide_go(&f->decide, true, err))
		return -1;
	f->ended = true;
	return flush(f, err);
}

static int
start(struct filter *f, const struct cancel *cancel, struct err *err)
{
	const struct raw_filter_spec *spec = f->spec;
	struct raw_scan_spec scan = {
		.src = spec->src,
		.omit = spec->omit ? spec->omit : usual_omits,
		.omit_asked = spec->omit != NULL,
		.omits = spec->omit
				 ? spec->omits
				 : sizeof(usual_omits) / sizeof(usual_omits[0]),
	};

	if (spec->rules.by_gc)
		scan.look |= RAW_LOOK_ALLOC;
	if (spec->rules.busy)
		scan.look |= RAW_LOOK_WAITS;
	f->all = raw_decide_all(&spec->rules);
	f->at_once = f->all && !spec->max_output;
	scan.src.ahead = spec->rules.by_gc ? AHEAD_LOOK
			 : f->all	   ? AHEAD_ALL
					   : AHEAD_HEADS;
	scan.src.moving = f->at_once ? moving : NULL;
	scan.src.arg = f;
	raw_fifo_init(&f->queue, sizeof(struct waiting));
	if (raw_paths_check(spec, err) ||
	    raw_scan_open(&scan, cancel, &f->scan, err) ||
	    raw_decide_open(&f->decide, &spec->rules, f->scan, err))
		return -1;
	f->decide.may_keep = may_keep;
	f->decide.kept = kept;
	f->decide.arg = f;
	if (raw_out_open(&f->out, spec->out, f->scan->src, err))
		return -1;
	f->has_out = true;
	if (raw_summary_open(&f->summary, spec->summary, err))
		return -1;
	if (!spec->out || !f->summary.open)
		return 0;
	return raw_paths_apart(f->out.file.fd, f->summary.file.fd, spec->out,
			       err);
}

static void
report(const struct filter *f, struct raw_filter_result *r)
{
	*r = (struct raw_filter_result){
		.frames = f->decide.frames,
		.kept = f->decide.keep_count,
		.bytes_in = f->scan->bytes_in,
		.bytes_out = f->out.bytes,
		.full = f->decide.full,
		.stopped = raw_src_stopped(f->scan->src),
		.warnings = f->summary.warnings,
	};
}

int
raw_filter_run(const struct raw_filter_spec *spec, const struct cancel *cancel,
	       void (*warn)(const char *text), struct raw_filter_result *result,
	       struct err *err)
{
	struct filter *f = mem_alloc(sizeof(*f));
	int rc = -1;

	f->spec = spec;
	f->summary.warn = warn;
	if (start(f, cancel, err) || work(f, err) ||
	    raw_out_commit(&f->out, spec->src.consume, err) ||
	    raw_summary_end(&f->summary, &f->decide, &f->counts, f->out.bytes,
			    err) ||
	    raw_src_finish(f->scan->src, err))
		goto out;
	report(f, result);
	rc = 0;
out:
	if (f->has_out && rc)
		raw_out_rescue(&f->out, err);
	if (f->has_out)
		raw_out_done(&f->out);
	raw_summary_done(&f->summary);
	if (f->scan)
		raw_decide_done(&f->decide);
	raw_fifo_done(&f->queue);
	raw_scan_free(f->scan);
	free(f);
	return rc;
}
