#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/capture.h"
#include "run/capture_place.h"
#include "run/measure.h"
#include "unity/raw_list.h"

/*
 * captures.profiler out of what the filter left: its summaries as they are,
 * but for their lists of frames, the sums over all recordings, and the worst
 * kept frames with what they did and where the patrol was.
 */
enum { SUMMARY_MAX = 256 << 20, SPIKES_MOST = 40 };

static const char *const copied[] = {
	"version",   "releases", "verified",  "unity",	    "segments",
	"threads",   "bytes_in", "bytes_out", "bytes_lost", "gc_source",
	"gc_frames", "frames",	 "kept",      "reasons",    "longest_ms",
	"complete",  "start_ns", "end_ns",    "times",	    "warnings",
};

static cJSON *
profiler(struct run *r)
{
	cJSON *all = result_object(&r->res, "captures");
	cJSON *one = cJSON_GetObjectItemCaseSensitive(all, "profiler");

	if (one == NULL) {
		one = json_obj();
		json_set(all, "profiler", one);
	}
	return one;
}

static cJSON *
list_of(cJSON *o, const char *key)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(o, key);

	if (list == NULL) {
		list = json_arr();
		json_set(o, key, list);
	}
	return list;
}

static void
add_to(cJSON *o, const char *key, int64_t n)
{
	json_set_int(o, key, json_int(o, key, 0) + n);
}

/* When each column was, of the run, and how bad. */
static void
take_trend(const struct capture_place *p, const cJSON *summary, cJSON *trend)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, json_get(summary, "trend"))
	{
		const cJSON *start = cJSON_GetArrayItem(c, 0);
		const cJSON *ms = cJSON_GetArrayItem(c, 3);
		const cJSON *gc = cJSON_GetArrayItem(c, 4);
		cJSON *row;

		if (!cJSON_IsNumber(start) || !cJSON_IsNumber(ms) ||
		    !cJSON_IsNumber(gc))
			continue;
		row = json_arr();
		json_push(row, cJSON_CreateNumber((double)capture_place_at_ms(
				       p, start->valuedouble)));
		json_push(row, cJSON_CreateNumber(ms->valuedouble));
		json_push(row, cJSON_CreateNumber(gc->valuedouble));
		json_push(trend, row);
	}
}

static void
take_marker(const struct raw_list *l, const struct raw_row *row, cJSON *o)
{
	size_t count;
	const struct raw_self_row *m =
		raw_self_of(&l->self, row->ordinal, &count);
	cJSON *marker;
	const char *name, *thread;

	if (count == 0)
		return;
	marker = json_obj();
	name = raw_self_name(&l->self, m->marker);
	thread = l->scan->threads.item[m->thread].name;
	json_set_str(marker, "name", name ? name : "?");
	json_set_str(marker, "thread", thread);
	json_set_num(marker, "self_ms",
		     (double)raw_format_span_ns(&l->scan->head, 0, m->self) /
			     1e6);
	json_set(o, "marker", marker);
}

/* One kept frame. */
static cJSON *
spike(const struct capture_place *p, const struct capture_recording *c,
      const struct raw_list *l, const struct raw_row *row)
{
	cJSON *o = json_obj();
	const cJSON *why = json_get(row->said, "reasons");
	uint64_t us = row->ns / 1000;

	json_set_int(o, "recording", c->number);
	json_set_int(o, "frame",
		     json_int(row->said, "original_index", row->index));
	json_set_int(o, "at_ms", capture_place_at_ms(p, (double)row->start_ns));
	json_set_num(o, "ms", (double)us / 1e3);
	json_set(o, "gc_bytes",
		 row->has_gc ? cJSON_CreateNumber((double)row->gc_bytes)
			     : cJSON_CreateNull());
	if (why)
		json_set(o, "reasons", cJSON_Duplicate(why, true));
	take_marker(l, row, o);
	capture_place_frame(p, (double)row->start_ns,
			    (double)(row->start_ns + row->ns), o);
	return o;
}

/*
 * The worst frames that patrol had no part in, and those that it had: many of
 * these must not push the others out.
 */
static void
take_spikes(const struct capture_place *p, const struct capture_recording *c,
	    const struct raw_list *l, cJSON *spikes)
{
	size_t *order = raw_list_order(l, false);
	size_t count[2] = {0, 0};

	for (size_t i = 0; i < l->count && count[0] < SPIKES_MOST; i++) {
		cJSON *o = spike(p, c, l, &l->row[order[i]]);

		if (count[json_str(o, "disturbed_by", NULL) != NULL]++ <
		    SPIKES_MOST)
			json_push(spikes, o);
		else
			cJSON_Delete(o);
	}
	free(order);
}

static int
read_output(struct run *r, const struct capture_recording *c,
	    const struct capture_place *p, const char *path,
	    const cJSON *summary, cJSON *spikes, struct err *err)
{
	struct raw_list_spec spec = {
		.paths = &path, .count = 1, .markers = true};
	struct raw_list list;
	int rc = raw_list_read(&list, &spec, r->cancel, err);

	if (rc == 0) {
		raw_list_take_summary(&list, summary);
		take_spikes(p, c, &list, spikes);
	}
	raw_list_done(&list);
	return rc;
}

static void
copy_summary(const cJSON *summary, cJSON *o)
{
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++) {
		const cJSON *v =
			cJSON_GetObjectItemCaseSensitive(summary, copied[i]);

		if (v)
			json_set(o, copied[i], cJSON_Duplicate(v, true));
	}
}

/*
 * What the filter warned of is said at once.  Allocations that nobody told are
 * no small thing: a threshold was asked for them.
 */
static void
say_warnings(struct run *r, const struct capture_recording *c,
	     const cJSON *summary)
{
	const char *source = json_str(summary, "gc_source", NULL);
	const char *counter = r->measure->capture->counter;
	AUTO_BUF struct buf b = BUF_INIT;
	const cJSON *w;

	cJSON_ArrayForEach(w, json_get(summary, "warnings"))
	{
		if (cJSON_IsString(w))
			run_say(r, PROGRESS_WARN, "capture: %s",
				w->valuestring);
	}
	if (json_int(summary, "frames", 0) == 0 ||
	    (source && (!counter || strcmp(source, "file") == 0)))
		return;
	buf_fmt(&b, "recording %d: ", c->number);
	if (counter)
		buf_fmt(&b, "the app's counter '%s' told nothing, and ",
			counter);
	buf_str(&b, source ? "the log's own allocations decided"
			   : "the log knows no allocations: time alone "
			     "decided");
	result_warning(&r->res, source ? "gc_counter_unused" : "gc_unknown",
		       b.data);
}

static int
take_output(struct run *r, const struct capture_recording *c, cJSON *o,
	    struct err *err)
{
	AUTO_FREE char *path = file_join(r->cfg->out, c->file);
	AUTO_FREE char *beside = mem_fmt("%s.json", path);
	AUTO_JSON cJSON *said = NULL;
	cJSON *all = profiler(r);
	const cJSON *summary;
	struct capture_place place;
	struct stat st;

	if (json_read_file(beside, SUMMARY_MAX, &said, err))
		return -1;
	summary = json_get(said, "summary");
	if (stat(path, &st))
		return err_sys(err, "look at '%s'", path);
	if (st.st_size != json_int(summary, "bytes_out", -1))
		return err_set(err, ERR_PROTO,
			       "'%s' has %lld bytes, and the filter wrote "
			       "%lld",
			       c->file, (long long)st.st_size,
			       (long long)json_int(summary, "bytes_out", -1));
	copy_summary(summary, o);
	say_warnings(r, c, summary);
	capture_place_init(&place, r->res.json, c->mark, c->from_ms, c->to_ms,
			   json_get(summary, "trend"));
	take_trend(&place, summary, list_of(all, "trend"));
	add_to(all, "frames_total", json_int(summary, "frames", 0));
	add_to(all, "frames_kept", json_int(summary, "kept", 0));
	add_to(all, "size_bytes", st.st_size);
	return read_output(r, c, &place, path, said, list_of(all, "spikes"),
			   err);
}

static void
take_recording(struct run *r, const struct capture_recording *c)
{
	cJSON *all = profiler(r), *o = json_obj();
	AUTO_FREE char *name = mem_fmt("profiler %d", c->number);
	struct err err = ERR_INIT;
	bool ok = !c->failed && c->state == CAPTURE_DONE;
	const char *why = c->why;

	if (!ok && why == NULL)
		why = "it was not brought here";
	json_set_int(o, "number", c->number);
	json_set_int(o, "from_ms", c->from_ms);
	json_set_int(o, "to_ms", c->to_ms);
	json_push(list_of(all, "recordings"), o);
	if (ok && take_output(r, c, o, &err)) {
		ok = false;
		why = err.msg;
	}
	json_set_bool(o, "ok", ok);
	json_set_str(o, "message", why);
	json_set_str(o, "file", ok ? c->file : NULL);
	measure_arrived(r, MEASURE_DATA, c->number == 1 ? "profiler" : name,
			NULL, json_int(o, "bytes_out", -1), ok,
			ok ? NULL : why);
	if (ok && json_str(all, "file", NULL) == NULL)
		json_set_str(all, "file", c->file);
}

static int
compare_spikes(const void *a, const void *b)
{
	const cJSON *x = *(cJSON *const *)a, *y = *(cJSON *const *)b;
	bool p = json_str(x, "disturbed_by", NULL) != NULL;
	bool q = json_str(y, "disturbed_by", NULL) != NULL;
	double m = json_num(x, "ms", 0), n = json_num(y, "ms", 0);

	if (p != q)
		return p - q;
	return (m < n) - (m > n);
}

/* Over all recordings: the worst first, as many as a page can show. */
static void
sort_spikes(cJSON *all)
{
	cJSON *list = list_of(all, "spikes"), *sorted = json_arr();
	size_t n = (size_t)cJSON_GetArraySize(list);
	cJSON **item = mem_array(n + 1, sizeof(cJSON *));

	for (size_t i = 0; i < n; i++)
		item[i] = cJSON_DetachItemFromArray(list, 0);
	if (n)
		qsort(item, n, sizeof(cJSON *), compare_spikes);
	for (size_t i = 0; i < n; i++) {
		if (i < SPIKES_MOST)
			json_push(sorted, item[i]);
		else
			cJSON_Delete(item[i]);
	}
	free(item);
	json_set(all, "spikes", sorted);
}

void
capture_result_fill(struct run *r, const struct capture *c, bool failed)
{
	cJSON *all;
	bool any;

	if (c->count == 0)
		return;
	all = profiler(r);
	json_set_str(all, "filter",
		     c->filter == PLAN_FILTER_DEVICE ? "device" : "host");
	for (size_t i = 0; i < c->count; i++)
		take_recording(r, c->list[i]);
	sort_spikes(all);
	any = json_str(all, "file", NULL) != NULL;
	if (failed)
		return; /* and why is told already */
	json_set_str(all, "status", any ? "pulled" : "failed");
	for (size_t i = 0; i < c->count; i++) {
		if (c->list[i]->why)
			json_set_str(all, "message", c->list[i]->why);
	}
}
