#include "cmd/frames_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/columns.h"

static const struct {
	uint64_t from_ns, to_ns;
	const char *key, *text;
} buckets[] = {
	{0, 16670000, "under_16_67_ms", "under 16.67 ms"},
	{16670000, 33300000, "under_33_3_ms", "of 16.67 to 33.3 ms"},
	{33300000, 50000000, "under_50_ms", "of 33.3 to 50 ms"},
	{50000000, UINT64_MAX, "from_50_ms", "of 50 ms and more"},
};
static const size_t bucket_count = sizeof(buckets) / sizeof(buckets[0]);

static const struct {
	double share;
	const char *name;
} quantiles[] = {
	{0.5, "p50"}, {0.9, "p90"}, {0.95, "p95"}, {0.99, "p99"}, {1, "max"}};
static const size_t quantile_count = sizeof(quantiles) / sizeof(quantiles[0]);

static double
ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* The time from which a frame is slow. */
static uint64_t
slow_ns(const struct frames_view *v)
{
	return v->target_ns + v->target_ns / 2;
}

char *
frames_show_place(const struct frames_place *p)
{
	if (p->from && p->to)
		return mem_fmt("%s -> %s", p->from, p->to);
	return mem_strdup(p->to ? p->to : "");
}

static const char *
marker_name(const struct raw_list *l, const struct raw_self_row *row)
{
	const char *name = raw_self_name(&l->self, row->marker);

	return name ? name : "(not defined)";
}

static const char *
thread_name(const struct raw_list *l, const struct raw_self_row *row)
{
	const char *name = l->scan->threads.item[row->thread].name;

	return name ? name : "(no name)";
}

static const struct raw_self_row *
heaviest(const struct raw_list *l, const struct raw_row *r)
{
	size_t count = 0;
	const struct raw_self_row *row =
		raw_self_of(&l->self, r->ordinal, &count);

	return count ? row : NULL;
}

static void
push_num(cJSON *row, const char *fmt, double n)
{
	char text[48];

	(void)snprintf(text, sizeof(text), fmt, n); /* a number fits */
	json_push_str(row, text);
}

static void
push_row(const struct frames_view *v, size_t i, cJSON *rows)
{
	const struct raw_list *l = v->list;
	const struct raw_row *r = &l->row[i];
	const struct raw_self_row *h = heaviest(l, r);
	AUTO_FREE char *place = frames_show_place(&v->marks->place[i]);
	cJSON *row = json_arr();

	push_num(row, "%.0f", (double)v->marks->place[i].original);
	push_num(row, "%.3f s", (double)(r->start_ns - v->origin_ns) / 1e9);
	push_num(row, "%.2f", ms(r->ns));
	push_num(row, "%.2f", ms(r->busy_ns));
	if (r->has_gc)
		push_num(row, "%.0f", (double)r->gc_bytes);
	else
		json_push_str(row, "");
	json_push_str(row, place);
	if (h) {
		AUTO_FREE char *text =
			mem_fmt("%s %.2f ms (%s)", marker_name(l, h),
				ms(raw_format_ns(&l->scan->head, h->self)),
				thread_name(l, h));
		json_push_str(row, text);
	} else {
		json_push_str(row, "");
	}
	json_push(rows, row);
}

static void
print_worst(const struct frames_view *v, FILE *to)
{
	static const char *const head[] = {"FRAME",    "AT",	   "MS",
					   "BUSY MS",  "GC BYTES", "WHERE",
					   "HEAVIEST", NULL};
	AUTO_JSON cJSON *rows = json_arr();

	(void)columns_head(rows, head);
	for (size_t i = 0; i < v->top; i++)
		push_row(v, v->order[i], rows);
	columns_print(rows, to);
}

/* Of all frames, not only those that the filter kept. */
static void
add_all(const cJSON *summary, struct buf *b)
{
	const cJSON *times = json_get(summary, "times");

	buf_fmt(b, "all %lld frames",
		(long long)json_int(summary, "frames", 0));
	for (size_t i = 0; i < quantile_count; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "%s_ms", quantiles[i].name);
		buf_fmt(b, "%s %s %.2f", i ? "," : ":", quantiles[i].name,
			json_num(times, key, 0));
	}
	buf_str(b, " ms, to 1 %\n");
}

void
frames_show_sums(const struct frames_view *v, struct buf *b)
{
	const struct raw_list *l = v->list;

	if (l->count == 0) {
		buf_fmt(b, "no whole frame%s\n", v->kept ? " kept" : "");
	} else {
		buf_fmt(b, "%zu frames%s", l->count, v->kept ? " kept" : "");
		for (size_t i = 0; i < quantile_count; i++)
			buf_fmt(b, "%s %s %.2f", i ? "," : ":",
				quantiles[i].name,
				ms(raw_list_quantile(l, quantiles[i].share)));
		buf_str(b, " ms\n");
	}
	if (json_int(v->kept, "frames", 0) > 0)
		add_all(v->kept, b);
	if (l->count == 0)
		return;
	for (size_t i = 0; i < bucket_count; i++)
		buf_fmt(b, "%s%zu %s", i ? ", " : "",
			raw_list_between(l, buckets[i].from_ns,
					 buckets[i].to_ns),
			buckets[i].text);
	buf_fmt(b, "\n%.1f %% of the time in frames over %.2f ms\n",
		100 * raw_list_share_over(l, slow_ns(v)), ms(slow_ns(v)));
	if (v->disturbed)
		buf_fmt(b,
			"%zu frames that patrol disturbed are left out "
			"below\n",
			v->disturbed);
	if (v->top && v->top + v->disturbed < l->count)
		buf_fmt(b, "the %zu %s; --top N lists more\n", v->top,
			v->by_gc ? "that allocated most" : "slowest");
}

void
frames_show_text(const struct frames_view *v, FILE *to)
{
	AUTO_BUF struct buf b = BUF_INIT;

	frames_show_sums(v, &b);
	fputs(b.data, to);
	if (v->top)
		print_worst(v, to);
}

void
frames_show_csv(const struct frames_view *v, FILE *to)
{
	const struct raw_list *l = v->list;

	fputs("index,original_index,start_ns,ms,busy_ms,gc_bytes,threads\n",
	      to);
	for (size_t i = 0; i < l->count; i++) {
		const struct raw_row *r = &l->row[i];

		fprintf(to, "%u,%u,%" PRIu64 ",%.6f,%.6f,", r->index,
			v->marks->place[i].original, r->start_ns, ms(r->ns),
			ms(r->busy_ns));
		if (r->has_gc)
			fprintf(to, "%" PRIu64, r->gc_bytes);
		fprintf(to, ",%u\n", r->threads);
	}
}

static void
add_markers(const struct raw_list *l, const struct raw_row *r, struct buf *b)
{
	size_t count = 0;
	const struct raw_self_row *row =
		raw_self_of(&l->self, r->ordinal, &count);

	buf_str(b, ", \"markers\": [");
	for (size_t i = 0; i < count; i++) {
		buf_fmt(b, "%s{\"thread\": ", i ? ", " : "");
		json_quote(b, thread_name(l, &row[i]));
		buf_str(b, ", \"marker\": ");
		json_quote(b, marker_name(l, &row[i]));
		buf_fmt(b, ", \"self_ms\": %.6f, \"ms\": %.6f, \"calls\": %u}",
			ms(raw_format_ns(&l->scan->head, row[i].self)),
			ms(raw_format_ns(&l->scan->head, row[i].total)),
			row[i].calls);
	}
	buf_chr(b, ']');
}

static void
add_text(struct buf *b, const char *key, const char *text)
{
	if (!text)
		return;
	buf_fmt(b, ", \"%s\": ", key);
	json_quote(b, text);
}

static void
add_frame(const struct frames_view *v, size_t i, struct buf *b)
{
	const struct raw_row *r = &v->list->row[i];
	const struct frames_place *p = &v->marks->place[i];

	buf_fmt(b,
		"{\"index\": %u, \"original_index\": %u, \"start_ns\": "
		"%" PRIu64 ", \"ms\": %.6f, \"busy_ms\": %.6f, "
		"\"gc_bytes\": ",
		r->index, p->original, r->start_ns, ms(r->ns), ms(r->busy_ns));
	if (r->has_gc)
		buf_fmt(b, "%" PRIu64, r->gc_bytes);
	else
		buf_str(b, "null");
	buf_fmt(b, ", \"threads\": %u", r->threads);
	add_text(b, "from", p->from);
	add_text(b, p->from ? "to" : "screen", p->to);
	add_text(b, "disturbed_by", p->disturbed);
	if (v->list->self.scan)
		add_markers(v->list, r, b);
	buf_chr(b, '}');
}

static void
add_summary(const struct frames_view *v, struct buf *b)
{
	const struct raw_list *l = v->list;

	buf_fmt(b,
		"{\"frames\": %zu, \"open\": %" PRIu64
		", \"disturbed\": %zu, \"target_ms\": %.6f, "
		"\"share_over_1_5_target\": %.6f",
		l->count, l->open, v->disturbed, ms(v->target_ns),
		raw_list_share_over(l, slow_ns(v)));
	for (size_t i = 0; i < quantile_count; i++)
		buf_fmt(b, ", \"%s_ms\": %.6f", quantiles[i].name,
			ms(raw_list_quantile(l, quantiles[i].share)));
	for (size_t i = 0; i < bucket_count; i++)
		buf_fmt(b, ", \"%s\": %zu", buckets[i].key,
			raw_list_between(l, buckets[i].from_ns,
					 buckets[i].to_ns));
	buf_str(b, ", \"gc_source\": ");
	if (l->gc_source)
		json_quote(b, l->gc_source);
	else
		buf_str(b, "null");
	buf_str(b, ", \"worst\": [");
	for (size_t i = 0; i < v->top; i++)
		buf_fmt(b, "%s%u", i ? ", " : "",
			v->marks->place[v->order[i]].original);
	buf_str(b, "]}");
}

/* Line by line: there may be many. */
static void
put(struct buf *b, FILE *to)
{
	(void)fwrite(b->data, 1, b->len, to); /* checked at exit */
	buf_clear(b);
}

void
frames_show_json(const struct frames_view *v, FILE *to)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, "{\"frames\": [");
	for (size_t i = 0; i < v->list->count; i++) {
		buf_str(&b, i ? ",\n  " : "\n  ");
		add_frame(v, i, &b);
		put(&b, to);
	}
	buf_str(&b, v->list->count ? "\n], \"summary\": " : "], \"summary\": ");
	add_summary(v, &b);
	buf_str(&b, "}\n");
	put(&b, to);
}
