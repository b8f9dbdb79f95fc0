#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/confirm.h"
#include "run/link.h"
#include "run/walk.h"
#include "run/watch.h"
#include "series/level.h"

/*
 * Each suspect value names a transition of the tour.  The app goes on from
 * where it stands, in the same process and under the same captures: a restart
 * would end these.  So a load that was the process's first is warm now; a
 * median that is better than the baseline explains was measured under other
 * circumstances, and decides nothing.
 */
struct way {
	cJSON *line;	 /* of transitions[], the tour's; borrowed */
	cJSON *visit;	 /* of screens[] that it led to; NULL: only passed */
	cJSON *suspects; /* what of it is; owned */
	int from, to, transition;
};

struct ways {
	struct way *item;
	size_t count, room;
};

static void
ways_done(struct ways *l)
{
	for (size_t i = 0; i < l->count; i++)
		cJSON_Delete(l->item[i].suspects);
	free(l->item);
}

static bool
is(const cJSON *o, const char *key, const char *want)
{
	return strcmp(json_str(o, key, ""), want) == 0;
}

/* --- what a suspect is about --------------------------------------------- */

/* Of several of one name the n-th is "name (n)", as in a history's record. */
static bool
is_named(const char *subject, const char *name, int n)
{
	AUTO_FREE char *nth = mem_fmt("%s (%d)", name, n);

	return strcmp(subject, n > 1 ? nth : name) == 0;
}

static bool
has_load(const cJSON *line)
{
	return is(line, "status", "ok") && json_int(line, "repeat", 0) == 0 &&
	       json_int(line, "ms", -1) >= 0;
}

static cJSON *
line_of_load(struct walk *w, const char *subject)
{
	cJSON *all = result_array(&w->r->res, "transitions"), *line, *before;

	cJSON_ArrayForEach(line, all)
	{
		const char *from = json_str(line, "from", "");
		const char *to = json_str(line, "to", "");
		AUTO_FREE char *name = mem_fmt("%s>%s", from, to);
		int n = 1;

		if (!has_load(line))
			continue;
		for (before = all->child; before != line; before = before->next)
			n += has_load(before) && is(before, "from", from) &&
			     is(before, "to", to);
		if (is_named(subject, name, n))
			return line;
	}
	return NULL;
}

/* When the last step to a visit began; -1: nothing led there. */
static int64_t
arrived_by(const cJSON *visit)
{
	const cJSON *all = json_get(visit, "attempts");
	const cJSON *last =
		cJSON_GetArrayItem(all, cJSON_GetArraySize(all) - 1);

	return is(visit, "status", "visited") && is(last, "status", "ok")
		       ? json_int(last, "at_ms", -1)
		       : -1;
}

static cJSON *
visit_of_line(struct walk *w, const cJSON *line)
{
	cJSON *visit;

	cJSON_ArrayForEach(visit, result_array(&w->r->res, "screens"))
	{
		if (is(visit, "name", json_str(line, "to", "")) &&
		    arrived_by(visit) == json_int(line, "at_ms", -2))
			return visit;
	}
	return NULL;
}

static cJSON *
line_of_settle(struct walk *w, const char *subject)
{
	cJSON *all = result_array(&w->r->res, "screens"), *visit, *line;
	const cJSON *before;

	cJSON_ArrayForEach(visit, all)
	{
		const char *name = json_str(visit, "name", "");
		int n = 1;

		for (before = all->child; before != visit;
		     before = before->next)
			n += is(before, "name", name) &&
			     json_int(before, "settle_ms", -1) >= 0;
		if (is_named(subject, name, n))
			break;
	}
	cJSON_ArrayForEach(line, result_array(&w->r->res, "transitions"))
	{
		if (visit && has_load(line) &&
		    json_int(line, "at_ms", -2) == arrived_by(visit))
			return line;
	}
	return NULL;
}

/* The plan's transition that a line tells of; -1: none. */
static int
transition_of(const struct walk *w, const cJSON *line, int from, int to)
{
	const struct plan *plan = w->r->plan;

	for (size_t i = 0; i < plan->transition_count; i++) {
		const struct plan_transition *t = &plan->transition[i];
		AUTO_BUF struct buf text = BUF_INIT;

		if (t->to != to || !plan_leaves(t, from))
			continue;
		walk_step_text(t, &text);
		if (is(line, "action", text.data))
			return (int)i;
	}
	return -1;
}

static int
screen_of(const struct walk *w, const cJSON *line, const char *key)
{
	for (size_t i = 0; i < w->r->plan->screen_count; i++) {
		if (is(line, key, w->r->plan->screen[i].name))
			return (int)i;
	}
	return ROUTE_UNKNOWN;
}

static void
add_suspect(struct walk *w, struct ways *l, const cJSON *s)
{
	const char *subject = json_str(s, "subject", "");
	struct way way = {0};

	way.line = is(s, "metric", "load")     ? line_of_load(w, subject)
		   : is(s, "metric", "settle") ? line_of_settle(w, subject)
					       : NULL;
	if (way.line == NULL)
		return;
	way.from = screen_of(w, way.line, "from");
	way.to = screen_of(w, way.line, "to");
	way.transition = transition_of(w, way.line, way.from, way.to);
	if (way.transition < 0)
		return;
	way.visit = visit_of_line(w, way.line);
	for (size_t i = 0; i < l->count; i++) {
		if (l->item[i].line == way.line) {
			json_push(l->item[i].suspects, cJSON_Duplicate(s, 1));
			return;
		}
	}
	way.suspects = json_arr();
	json_push(way.suspects, cJSON_Duplicate(s, 1));
	MEM_GROW(l->item, l->count, l->room);
	l->item[l->count++] = way;
}

/* --- one sample ---------------------------------------------------------- */

static void
set_status(struct walk *w, const char *status, const char *message)
{
	json_set_str(w->visit, "status", status);
	json_set_str(w->visit, "message", message);
}

static cJSON *
new_sample(int64_t number)
{
	cJSON *o = json_obj();

	json_set_int(o, "number", number);
	json_set_str(o, "status", "not_visited");
	json_set_str(o, "message", NULL);
	json_set_bool(o, "off_route", false);
	return o;
}

/* The tour's own. */
static cJSON *
first_sample(const struct way *way)
{
	cJSON *o = new_sample(0);

	json_set_str(o, "status", "visited");
	json_set_int(o, "at_ms", json_int(way->line, "at_ms", 0));
	json_set_int(o, "reached_ms", json_int(way->line, "ms", 0));
	if (json_int(way->visit, "settle_ms", -1) >= 0)
		json_set_int(o, "settle_ms",
			     json_int(way->visit, "settle_ms", 0));
	return o;
}

static int
once(struct walk *w, const struct way *way, struct err *err)
{
	const struct route_step step = {way->transition, way->from, way->to};
	enum walk_arrival arrival;

	if (walk_reach_screen(w, way->from, err))
		return -1;
	walk_forget_times(w);
	if (walk_step(w, &step, &arrival, false, err))
		return -1;
	if (arrival != WALK_ARRIVED) {
		err_set(err, ERR_NOTFOUND, "%s did not come or did not settle",
			walk_screen_name(w, way->to));
		return err_reason(err, "unreached");
	}
	json_set_int(w->visit, "at_ms", result_at_ms(&w->r->res));
	walk_set_ms(w->visit, "reached_ms", w->reached_ms);
	walk_set_ms(w->visit, "settle_ms", w->settle_ms);
	return 0;
}

/* What the tour measured stays, whatever ends this. */
static int
sample_ended(struct walk *w, struct err *err)
{
	if (walk_over(w)) {
		set_status(w, "not_visited", "out of time");
		err_clear(err);
		return 1;
	}
	if (watch_app_is_gone(err))
		return walk_app_ended(w, err);
	if (link_phone_is_gone(err))
		return -1;
	set_status(w, "unreached", err->msg);
	if (err_is(err, "unreached")) {
		err_clear(err);
		return 0;
	}
	result_error(&w->r->res, err, "confirm");
	err_clear(err);
	return 1;
}

/* 0: go on, 1: that is enough, -1: the run is over. */
static int
sample(struct walk *w, const struct way *way, cJSON *into, struct err *err)
{
	int losses = 0, on = 1;

	w->visit = new_sample(w->repeat);
	w->off_route = false;
	w->target = way->to;
	json_set(w->visit, "attempts", json_arr());
	json_push(into, w->visit);
	while (on > 0) {
		if (once(w, way, err) == 0) {
			set_status(w, "visited", NULL);
			return 0;
		}
		if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
			return -1;
		on = walk_over(w) ? 0 : walk_may_go_on(w, &losses, err);
	}
	return on < 0 ? -1 : sample_ended(w, err);
}

static void
tell(struct walk *w, const struct way *way)
{
	AUTO_BUF struct buf text = BUF_INIT;
	bool visited = is(w->visit, "status", "visited");
	int64_t ms = json_int(w->visit, "reached_ms", -1);

	buf_fmt(&text, "[again %lld/%lld] %s to %s  ", (long long)w->repeat,
		(long long)w->r->plan->limits.confirm,
		walk_screen_name(w, way->from), walk_screen_name(w, way->to));
	if (visited && ms >= 0)
		buf_duration(&text, ms);
	else if (visited)
		buf_str(&text, "there, and no time");
	else
		buf_str(&text, json_str(w->visit, "message", "not visited"));
	if (w->off_route)
		buf_fmt(&text, "  off-route: %s",
			json_str(w->visit, "off_route_reason", ""));
	run_say(w->r, visited && !w->off_route ? PROGRESS_OK : PROGRESS_WARN,
		"%s", text.data);
}

/* --- what they say together ---------------------------------------------- */

static double
median_of(const cJSON *samples, const char *key, size_t *count)
{
	double v[LEVEL_MAX];
	const cJSON *s;

	*count = 0;
	cJSON_ArrayForEach(s, samples)
	{
		if (is(s, "status", "visited") &&
		    !json_bool(s, "off_route", false) &&
		    json_int(s, key, -1) >= 0 && *count < LEVEL_MAX)
			v[(*count)++] = json_num(s, key, 0);
	}
	return *count ? level_median(v, *count) : NAN;
}

static void
decide(struct walk *w, const struct way *way, cJSON *suspect,
       const cJSON *samples)
{
	bool load = is(suspect, "metric", "load");
	double least = json_num(suspect, "least", -INFINITY);
	size_t count;
	double median =
		median_of(samples, load ? "reached_ms" : "settle_ms", &count);
	int64_t ms;

	json_set_num(suspect, "tour", json_num(suspect, "value", NAN));
	json_set_int(suspect, "of", (int64_t)count);
	json_set_num(suspect, "median", median);
	json_set_str(suspect, "by",
		     count < 2 || median < least ? "tour" : "median");
	cJSON_DeleteItemFromObjectCaseSensitive(suspect, "value");
	if (count < 2)
		return;
	if (median < least) {
		run_say(w->r, PROGRESS_WARN,
			"%s %s: walked again it is faster than ever (%.0f ms): "
			"a warm load, the tour's value stays",
			json_str(suspect, "subject", ""),
			json_str(suspect, "metric", ""), median);
		return;
	}
	ms = (int64_t)(median + 0.5);
	if (!load) {
		if (way->visit)
			json_set_int(way->visit, "settle_ms", ms);
		return;
	}
	json_set_int(way->line, "ms", ms);
	if (way->visit)
		json_set_int(way->visit, "reached_ms", ms);
}

static int
walk_way(struct walk *w, struct way *way, struct err *err)
{
	cJSON *o = json_obj(), *samples = json_arr(), *s;
	int rc = 0;

	json_set_str(o, "from", walk_screen_name(w, way->from));
	json_set_str(o, "to", walk_screen_name(w, way->to));
	json_set(o, "samples", samples);
	json_push(result_array(&w->r->res, "repeats"), o);
	json_push(samples, first_sample(way));
	for (w->repeat = 1; rc == 0 && w->repeat <= w->r->plan->limits.confirm;
	     w->repeat++) {
		rc = sample(w, way, samples, err);
		if (rc >= 0)
			tell(w, way);
	}
	cJSON_ArrayForEach(s, way->suspects)
	{
		decide(w, way, s, samples);
	}
	json_set(o, "decided", way->suspects);
	way->suspects = NULL;
	return rc;
}

int
walk_again(struct walk *w, struct err *err)
{
	AUTO_JSON cJSON *suspects = NULL;
	struct ways ways = {0};
	const cJSON *s;
	int rc = 0;

	if (w->r->plan->limits.confirm == 0)
		return 0;
	suspects = confirm_suspects(w->r);
	cJSON_ArrayForEach(s, suspects)
	{
		add_suspect(w, &ways, s);
	}
	for (size_t i = 0; i < ways.count && rc == 0; i++)
		rc = walk_way(w, &ways.item[i], err);
	w->repeat = 0;
	w->visit = NULL;
	ways_done(&ways);
	return rc < 0 ? -1 : 0;
}
