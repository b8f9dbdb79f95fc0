#include "unity/raw_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "unity/raw_data.h"
#include "unity/raw_io.h"

enum { AHEAD = 128 << 10 };

static void
on_marker(void *arg, const struct raw_msg *m)
{
	struct raw_list *l = arg;

	raw_self_marker(&l->self, m);
	raw_image_marker(&l->image, m);
}

static void
on_message(void *arg, struct raw_thread *t, const struct raw_msg *m)
{
	struct raw_list *l = arg;

	if (l->self.scan)
		raw_self_message(&l->self, t, m);
	if (l->image.dir)
		raw_image_message(&l->image, t, m);
}

static void
on_rest(void *arg, struct raw_thread *t, const uint8_t *p, size_t len)
{
	struct raw_list *l = arg;

	if (l->image.dir)
		raw_image_rest(&l->image, t, p, len);
}

static void
on_begins(void *arg, struct raw_thread *t, uint64_t time)
{
	struct raw_list *l = arg;

	if (l->self.scan)
		raw_self_begins(&l->self, t, time);
}

static int
on_frame(void *arg, const struct raw_frame *f, struct err *err)
{
	struct raw_list *l = arg;
	const struct raw_head *head = &l->scan->head;
	struct raw_row row = {
		.index = f->index,
		.ordinal = l->decide.final - 1,
		.start_ns = raw_format_ns(head, f->start),
		.ns = raw_format_span_ns(head, f->start, f->end),
		.busy_ns = raw_decide_ns(&l->decide, f),
		.threads = f->threads,
	};

	(void)err;
	if (!f->ended) {
		l->open++;
		return 0;
	}
	row.has_gc = raw_decide_gc(&l->decide, f, &row.gc_bytes);
	MEM_GROW(l->row, l->count, l->room);
	l->row[l->count++] = row;
	return 0;
}

static int
read_blocks(struct raw_list *l, struct err *err)
{
	bool more = true;

	for (;;) {
		struct raw_item item;

		if (raw_scan_next(l->scan, &item, &more, err))
			return -1;
		if (!more)
			break;
		if (item.begins && raw_decide_go(&l->decide, false, err))
			return -1;
		if (raw_src_release(l->scan->src, item.segment, item.block.at,
				    err))
			return -1;
	}
	raw_image_end(&l->image);
	if (l->image.rc) {
		*err = l->image.err;
		return -1;
	}
	if (l->self.scan)
		raw_self_end(&l->self);
	if (raw_decide_go(&l->decide, true, err))
		return -1;
	l->gc_source = raw_decide_source(&l->decide);
	return 0;
}

/* Whether it is the editor's .data, which has frames but no blocks. */
static bool
is_data(const char *path)
{
	uint8_t p[8];
	AUTO_FD int fd = -1;
	ssize_t n;

	/* Who writes a pipe would see its reader leave. */
	if (!raw_io_is_file(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	n = fd >= 0 ? pread(fd, p, sizeof(p), 0) : -1;
	return n > 0 && raw_format_is_data(p, (size_t)n);
}

int
raw_list_read(struct raw_list *l, const struct raw_list_spec *spec,
	      const struct cancel *cancel, struct err *err)
{
	struct raw_scan_spec scan = {
		.src = {.paths = spec->paths,
			.count = spec->count,
			.bytes = spec->bytes,
			.size = spec->size,
			.ahead = AHEAD},
		.look = RAW_LOOK_ALLOC | RAW_LOOK_WAITS,
		.watch = {l, on_marker, on_message, on_rest, on_begins,
			  spec->markers || spec->images},
	};
	struct raw_rules rules = {
		.by_time = true, .busy = true, .gc_file = spec->gc_file};

	*l = (struct raw_list){0};
	raw_image_init(&l->image, spec->images);
	if (spec->count == 1 && is_data(spec->paths[0])) {
		l->data = true;
		return raw_data_read(spec->paths[0], l, err);
	}
	if (raw_scan_open(&scan, cancel, &l->scan, err) ||
	    raw_decide_open(&l->decide, &rules, l->scan, err))
		return -1;
	if (spec->markers)
		l->self.scan = l->scan;
	l->decide.kept = on_frame;
	l->decide.arg = l;
	return read_blocks(l, err);
}

void
raw_list_done(struct raw_list *l)
{
	raw_self_done(&l->self);
	raw_image_done(&l->image);
	if (l->scan)
		raw_decide_done(&l->decide);
	raw_scan_free(l->scan);
	free(l->row);
	*l = (struct raw_list){0};
}

static int
compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t
raw_list_quantile(const struct raw_list *l, double share)
{
	uint64_t *ns, v;
	size_t at;

	if (l->count == 0)
		return 0;
	ns = mem_array(l->count, sizeof(*ns));
	for (size_t i = 0; i < l->count; i++)
		ns[i] = l->row[i].ns;
	qsort(ns, l->count, sizeof(*ns), compare_times);
	/* The smallest that at least this share does not pass. */
	at = (size_t)(share * (double)l->count + 0.999999);
	v = ns[at > l->count ? l->count - 1 : at ? at - 1 : 0];
	free(ns);
	return v;
}

size_t
raw_list_between(const struct raw_list *l, uint64_t from_ns, uint64_t to_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++)
		n += l->row[i].ns >= from_ns && l->row[i].ns < to_ns;
	return n;
}

double
raw_list_share_over(const struct raw_list *l, uint64_t ns)
{
	double over = 0, all = 0;

	for (size_t i = 0; i < l->count; i++) {
		all += (double)l->row[i].ns;
		over += l->row[i].ns > ns ? (double)l->row[i].ns : 0;
	}
	return all > 0 ? over / all : 0;
}

struct rank {
	uint64_t value;
	size_t number;
};

static int
compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Without the gaps, which --gaps keep leaves as frames of nothing. */
static void
drop_gaps(struct raw_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (l->row[i].said)
			l->row[n++] = l->row[i];
	}
	l->count = n;
}

void
raw_list_take_summary(struct raw_list *l, const cJSON *summary)
{
	const cJSON *frames = json_get(summary, "frames");
	const cJSON *f = frames ? frames->child : NULL;
	bool any = false;

	/* Both are in the recording's order. */
	for (size_t i = 0; i < l->count && f; i++) {
		struct raw_row *row = &l->row[i];
		int64_t gc = json_int(f, "gc_bytes", -1);

		/* One of another recording may lie there. */
		if (json_int(f, "index", -1) != row->index ||
		    json_num(f, "start_ns", -1) != (double)row->start_ns)
			continue;
		row->said = f;
		f = f->next;
		if (gc < 0)
			continue;
		row->gc_bytes = (uint64_t)gc;
		row->has_gc = any = true;
	}
	if (frames && !f && json_int(summary, "summary.dropped", 0) > 0 &&
	    strcmp(json_str(summary, "summary.gaps", ""), "keep") == 0)
		drop_gaps(l);
	if (any)
		l->gc_source =
			json_str(summary, "summary.gc_source", l->gc_source);
}

size_t *
raw_list_order(const struct raw_list *l, bool by_gc)
{
	struct rank *rank = mem_array(l->count + 1, sizeof(*rank));
	size_t *order = mem_array(l->count + 1, sizeof(*order));

	for (size_t i = 0; i < l->count; i++) {
		rank[i].number = i;
		rank[i].value = by_gc ? l->row[i].gc_bytes : l->row[i].ns;
	}
	qsort(rank, l->count, sizeof(*rank), compare_ranks);
	for (size_t i = 0; i < l->count; i++)
		order[i] = rank[i].number;
	free(rank);
	return order;
}
