#include "base/mem.h"
#include "run/measure.h"
#include "run/run_stage.h"
#include "run/walk.h"

/*
 * What one walk of several measured.  Of result.json it is moved to
 * repetitions[], where a reader finds it under the same names; the first
 * walk's stays where it is, too.
 */
static const char *const moved[] = {"startup_ms", "screens", "transitions",
				    "metrics"};
enum { MOVED = sizeof(moved) / sizeof(*moved) };

static cJSON *
repetition(struct walk *w)
{
	cJSON *o = json_obj();

	json_set_int(o, "number", w->round);
	json_push(result_array(&w->r->res, "repetitions"), o);
	return o;
}

static void
keep_first(struct walk *w)
{
	cJSON *o = repetition(w);

	for (size_t i = 0; i < MOVED; i++) {
		const cJSON *v = json_get(w->r->res.json, moved[i]);

		if (v)
			json_set(o, moved[i], cJSON_Duplicate(v, true));
	}
}

static void
take_away(struct walk *w, cJSON *held[MOVED])
{
	cJSON *all = w->r->res.json;

	for (size_t i = 0; i < MOVED; i++)
		held[i] =
			cJSON_DetachItemFromObjectCaseSensitive(all, moved[i]);
}

static void
put_back(struct walk *w, cJSON *held[MOVED])
{
	cJSON *all = w->r->res.json, *o = repetition(w);

	for (size_t i = 0; i < MOVED; i++) {
		cJSON *now =
			cJSON_DetachItemFromObjectCaseSensitive(all, moved[i]);

		if (now)
			json_set(o, moved[i], now);
		if (held[i])
			json_set(all, moved[i], held[i]);
	}
}

static int
walk_anew(struct walk *w, struct err *err)
{
	struct run *r = w->r;

	run_say(r, PROGRESS_OK, "repetition %lld of %lld", (long long)w->round,
		(long long)r->cfg->repeat);
	measure_mark(r, "restart", NULL, -1, 0);
	walk_reach_forgive(w);
	walk_forget_times(w);
	if (run_app_again(r, RUN_APP_CAPTURED, w->dl, err))
		return err_wrap(err, "start the app for repetition %lld",
				(long long)w->round);
	return walk_tour(w, err);
}

/* The app did not come: what was measured so far stays. */
static int
ended(struct walk *w, struct err *err)
{
	if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
		return -1;
	result_error(&w->r->res, err, "repetition");
	run_say(w->r, PROGRESS_WARN, "%s", err->msg);
	err_clear(err);
	return 1;
}

int
walk_repeat(struct walk *w, struct err *err)
{
	int rc = 0;

	keep_first(w);
	while (rc == 0 && w->round < w->r->cfg->repeat && !walk_over(w)) {
		cJSON *held[MOVED];

		w->round++;
		w->visit = NULL;
		take_away(w, held);
		rc = walk_anew(w, err);
		put_back(w, held);
		if (rc < 0)
			rc = ended(w, err);
	}
	return rc < 0 ? -1 : 0;
}
