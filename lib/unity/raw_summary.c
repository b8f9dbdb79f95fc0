#include "unity/raw_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

enum { ROOM = 1 << 20, WRITE_FROM = 32 << 10, WARNING_MAX = 600 };

typedef unsigned long long ull;

static const char *const why_names[] = {"time", "gc", "around", "all"};

int
raw_summary_open(struct raw_summary *s, const char *path, struct err *err)
{
	buf_init(&s->text, ROOM);
	if (!path)
		return 0;
	if (file_part_open(&s->file, path, err))
		return -1;
	s->open = true;
	buf_str(&s->text, "{\n  \"schema_version\": 1,\n  \"frames\": [");
	return 0;
}

void
raw_summary_done(struct raw_summary *s)
{
	if (s->open)
		file_part_done(&s->file);
	buf_done(&s->text);
	s->open = false;
}

static int
write_text(struct raw_summary *s, struct err *err)
{
	int rc = 0;

	if (buf_check(&s->text, "the summary", err))
		return -1;
	if (s->open)
		rc = file_part_write(&s->file, s->text.data, s->text.len, err);
	buf_clear(&s->text);
	return rc;
}

/* Nanoseconds as ms with all their digits. */
static void
add_ms(struct buf *b, uint64_t ns)
{
	buf_fmt(b, "%llu.%06llu", (ull)(ns / 1000000), (ull)(ns % 1000000));
}

static void
add_why(struct buf *b, unsigned why)
{
	const char *between = "";

	buf_chr(b, '[');
	for (unsigned bit = 0; bit < 4; bit++) {
		if (!(why >> bit & 1))
			continue;
		buf_fmt(b, "%s\"%s\"", between, why_names[bit]);
		between = ", ";
	}
	buf_chr(b, ']');
}

int
raw_summary_frame(struct raw_summary *s, const struct raw_decide *d,
		  const struct raw_frame *f, struct err *err)
{
	const struct raw_head *head = &d->scan->head;
	struct buf *b = &s->text;
	uint64_t gc;

	if (!s->open)
		return 0;
	buf_fmt(b,
		"%s\n    {\"index\": %u, \"original_index\": %u, "
		"\"start_ns\": %llu, \"ms\": ",
		s->frames++ ? "," : "", f->new_index, f->index,
		(ull)raw_format_ns(head, f->start));
	if (f->ended)
		add_ms(b, raw_format_span_ns(head, f->start, f->end));
	else
		buf_str(b, "null");
	if (d->rules.busy) {
		buf_str(b, ", \"busy_ms\": ");
		add_ms(b, raw_decide_ns(d, f));
	}
	buf_str(b, ", \"gc_bytes\": ");
	if (raw_decide_gc(d, f, &gc))
		buf_fmt(b, "%llu", (ull)gc);
	else
		buf_str(b, "null");
	buf_str(b, ", \"reasons\": ");
	add_why(b, f->why);
	buf_chr(b, '}');
	return b->len >= WRITE_FROM ? write_text(s, err) : 0;
}

static void warning(struct raw_summary *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void
warning(struct raw_summary *s, const char *fmt, ...)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(4 * WARNING_MAX);
	va_list ap;

	s->warnings++;
	if (!s->open && !s->warn)
		return;
	va_start(ap, fmt);
	buf_vfmt(&text, fmt, ap);
	va_end(ap);
	if (s->open) {
		buf_str(&s->text, s->warnings > 1 ? ",\n      " : "\n      ");
		json_quote(&s->text, text.data);
	}
	if (s->warn)
		s->warn(text.data);
}

static void
warn_of_input(struct raw_summary *s, const struct raw_scan *scan)
{
	if (!scan->head.known)
		warning(s,
			"version 0x%08x is %s: blocks are read as before, "
			"allocations are unverified",
			scan->head.version,
			raw_format_releases(scan->head.version));
	if (scan->lost_in && scan->lost_damaged)
		warning(s,
			"'%s' is damaged at byte %llu: no block begins there; "
			"the %llu bytes behind it were left out",
			scan->lost_in, (ull)scan->lost_at, (ull)scan->lost);
	else if (scan->lost_in)
		warning(s,
			"'%s' ends within a block, as when the app was "
			"ended: cut at byte %llu, %llu bytes were left out",
			scan->lost_in, (ull)scan->lost_at, (ull)scan->lost);
	if (scan->empty_segments)
		warning(s, "%llu segments are empty",
			(ull)scan->empty_segments);
	if (scan->footers)
		warning(s,
			"%llu blocks have a footer that does not fit them; "
			"it was mended in the output",
			(ull)scan->footers);
	if (scan->content.odd_blocks)
		warning(s,
			"of %llu blocks the rest could not be read (message "
			"type %llu): sums may be too low",
			(ull)scan->content.odd_blocks,
			(ull)scan->content.odd_type);
}

static void
warn_of_gc(struct raw_summary *s, const struct raw_decide *d)
{
	const struct raw_counter *c = &d->counter;

	if (d->rules.by_gc && !raw_decide_source(d))
		warning(s,
			"a threshold for allocations was asked, but the "
			"recording has none: %s; let the app record them and "
			"give the file (--gc; in a plan gc_counter)",
			d->rules.by_time ? "time alone decided"
					 : "no frame could be kept for them");
	if (!c->path)
		return;
	if (c->why.code != ERR_NONE)
		warning(s, "%s", c->why.msg);
	else if (!c->values)
		warning(s, "the app's counter '%s' has no values", c->name);
	else if (!d->gc[RAW_GC_FILE])
		warning(s,
			"none of the %llu values of the app's counter '%s' "
			"lies in a frame; are their times ticks of the log's "
			"clock?",
			(ull)c->values, c->name);
	if (c->odd)
		warning(s, "%llu lines of the app's counter '%s' are no values",
			(ull)c->odd, c->name);
	if (c->late)
		warning(s,
			"%llu values of the app's counter '%s' came when "
			"their frame was decided already, or are not in "
			"order; the app must write each line at once",
			(ull)c->late, c->name);
	if (c->cut)
		warning(s,
			"the app's counter '%s' became shorter while it was "
			"read: its values end there",
			c->name);
}

/* Some of the names that there are. */
static void
add_names(struct buf *b, const struct raw_threads *t)
{
	enum { SOME = 12 };
	size_t told = 0;

	for (size_t i = 0; i < t->count && told <= SOME; i++) {
		const char *name = t->item[i].name;

		if (!name || !*name)
			continue;
		if (told == SOME)
			buf_str(b, ", ...");
		else
			buf_fmt(b, "%s'%s'", told ? ", " : "", name);
		told++;
	}
	if (told == 0)
		buf_str(b, "none has a name");
}

/* A name that was meant otherwise leaves nothing out. */
static void
warn_of_omits(struct raw_summary *s, const struct raw_scan *scan)
{
	const struct raw_threads *t = &scan->threads;

	for (size_t i = 0; scan->spec.omit_asked && i < scan->spec.omits; i++) {
		AUTO_BUF struct buf names = BUF_INIT_MAX(8192);
		bool is = false;

		for (size_t k = 0; k < t->count && !is; k++)
			is = t->item[k].name &&
			     strcmp(t->item[k].name, scan->spec.omit[i]) == 0;
		if (is)
			continue;
		add_names(&names, t);
		warning(s,
			"no thread to leave out is called '%s'; they are: %s",
			scan->spec.omit[i], names.data);
	}
}

static void
warn_of_rest(struct raw_summary *s, const struct raw_decide *d,
	     const struct raw_counts *counts)
{
	const struct raw_scan *scan = d->scan;

	if (scan->frames.count == 0 && !d->full)
		warning(s, "the main thread began no frame: nothing could be "
			   "chosen");
	if (d->unknown)
		warning(s,
			"%llu frames have no end, since the next index is "
			"missing; they were %s",
			(ull)d->unknown,
			raw_decide_all(&d->rules) ? "kept, but are not listed"
						  : "left out");
	if (counts->unplaced)
		warning(s,
			"%llu blocks are of frames that the main thread does "
			"not have; they were left out",
			(ull)counts->unplaced);
	if (!d->full)
		warn_of_omits(s, scan);
	if (d->full)
		warning(s, "stopped before --max-output was passed: what comes "
			   "behind was not looked at; allow more, or raise the "
			   "thresholds");
	if (raw_src_unread(scan->src) >= 2 && scan->spec.src.follow)
		warning(s, "fell behind by up to %zu segments",
			raw_src_unread(scan->src));
}

static void
add_input(struct buf *b, const struct raw_scan *scan)
{
	const struct raw_head *h = &scan->head;

	buf_fmt(b,
		"    \"version\": \"0x%08x\",\n"
		"    \"releases\": \"%s\",\n"
		"    \"verified\": %s,\n"
		"    \"aligned\": %s,\n"
		"    \"platform\": %u,\n",
		h->version, raw_format_releases(h->version),
		h->known ? "true" : "false", h->aligned ? "true" : "false",
		h->platform);
	if (h->size == RAW_HEAD_MAX)
		buf_fmt(b, "    \"unity\": \"%u.%u.%u%c%u\",\n", h->unity[0],
			h->unity[1], h->unity[2],
			h->unity[3] < 4 ? "abfp"[h->unity[3]] : '?',
			h->unity[4]);
	buf_fmt(b,
		"    \"segments\": %llu,\n    \"threads\": %zu,\n"
		"    \"bytes_in\": %llu,\n    \"bytes_opened\": %llu,\n"
		"    \"bytes_lost\": %llu,\n    \"blocks_in\": %llu,\n",
		(ull)scan->segments, scan->threads.count, (ull)scan->bytes_in,
		(ull)scan->touched, (ull)scan->lost, (ull)scan->blocks);
	buf_fmt(b, "    \"start_ns\": %llu,\n    \"end_ns\": %llu,\n",
		(ull)raw_format_ns(h, scan->first_time),
		(ull)raw_format_ns(h, scan->last_time));
}

static void
add_rules(struct buf *b, const struct raw_decide *d)
{
	const struct raw_rules *r = &d->rules;
	const char *source = raw_decide_source(d);

	buf_str(b, "    \"frame_time_ms\": ");
	if (r->by_time)
		add_ms(b, r->time_ns);
	else
		buf_str(b, "null");
	if (r->by_gc)
		buf_fmt(b, ",\n    \"gc_alloc_bytes\": %llu", (ull)r->gc_bytes);
	else
		buf_str(b, ",\n    \"gc_alloc_bytes\": null");
	buf_fmt(b,
		",\n    \"busy_time\": %s,\n    \"around\": %u,\n"
		"    \"gaps\": \"%s\",\n    \"gc_source\": ",
		r->busy ? "true" : "false", r->around,
		r->keep_indices ? "keep" : "renumber");
	if (source && r->by_gc)
		buf_fmt(b, "\"%s\",\n", source);
	else
		buf_str(b, "null,\n");
	if (!r->by_gc)
		return;
	buf_fmt(b,
		"    \"gc_frames\": {\"file\": %llu, \"counter\": %llu, "
		"\"samples\": %llu, \"none\": %llu},\n",
		(ull)d->gc[RAW_GC_FILE], (ull)d->gc[RAW_GC_COUNTER],
		(ull)d->gc[RAW_GC_SAMPLES], (ull)d->gc[RAW_GC_NOWHERE]);
}

static void
add_output(struct buf *b, const struct raw_decide *d,
	   const struct raw_counts *counts, uint64_t bytes_out)
{
	buf_fmt(b,
		"    \"frames\": %llu,\n    \"kept\": %llu,\n"
		"    \"dropped\": %llu,\n    \"last_frame\": \"%s\",\n",
		(ull)d->frames, (ull)d->keep_count,
		(ull)(d->frames - d->keep_count),
		d->scan->frames.count == 0 ? "none"
		: d->last_kept		   ? "kept"
					   : "dropped");
	buf_str(b, "    \"reasons\": {");
	for (unsigned bit = 0; bit < 4; bit++)
		buf_fmt(b, "%s\"%s\": %llu", bit ? ", " : "", why_names[bit],
			(ull)d->why[bit]);
	buf_str(b, "},\n    \"longest_ms\": ");
	add_ms(b, d->longest_ns);
	buf_fmt(b,
		",\n    \"bytes_out\": %llu,\n    \"blocks_out\": %llu,\n"
		"    \"blocks_dropped\": %llu,\n    \"blocks_omitted\": "
		"%llu,\n    \"definitions_repeated\": %llu,\n"
		"    \"complete\": %s,\n    \"most_unread_segments\": %zu,\n",
		(ull)bytes_out, (ull)counts->blocks_out,
		(ull)counts->blocks_dropped, (ull)counts->blocks_omitted,
		(ull)counts->repeated, d->full ? "false" : "true",
		raw_src_unread(d->scan->src));
}

int
raw_summary_end(struct raw_summary *s, const struct raw_decide *d,
		const struct raw_counts *counts, uint64_t bytes_out,
		struct err *err)
{
	struct buf *b = &s->text;

	if (s->open) {
		buf_fmt(b, "%s],\n  \"summary\": {\n", s->frames ? "\n  " : "");
		add_input(b, d->scan);
		add_rules(b, d);
		add_output(b, d, counts, bytes_out);
		raw_trend_json(&d->trend, b);
		buf_str(b, "    \"warnings\": [");
	}
	warn_of_input(s, d->scan);
	warn_of_gc(s, d);
	warn_of_rest(s, d, counts);
	if (!s->open)
		return 0;
	buf_fmt(b, "%s]\n  }\n}\n", s->warnings ? "\n    " : "");
	if (write_text(s, err))
		return -1;
	return file_part_commit(&s->file, err);
}
