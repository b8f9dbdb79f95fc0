#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "followup/verify.h"
#include "plan/route.h"

/*
 * How a metric of a history's record is measured once more.  Memory is what
 * the whole way to a screen has loaded, so that way is walked; a load time is
 * that of its transition.
 */
enum how {
	BY_BUILD,
	BY_START,
	BY_TRANSITION,
	BY_SCREEN,
	BY_WHOLE_WAY,
	BY_SNAPSHOT,
	BY_NOTHING,
};

static const struct kind {
	const char *name; /* a trailing '*': so it begins */
	enum how how;
} kinds[] = {
	{"apk_size", BY_BUILD},
	{"startup_*", BY_START},
	{"load", BY_TRANSITION},
	{"settle", BY_SCREEN},
	{"unreached", BY_SCREEN},
	{"memory", BY_WHOLE_WAY},
	{"snapshot.*", BY_SNAPSHOT},
	{"snapshot_type.*", BY_SNAPSHOT},
	{"snapshot_area.*", BY_SNAPSHOT},
	/* Of the tour with all its captures. */
	{"stalls", BY_NOTHING},
	{"worst_frame", BY_NOTHING},
	{"frame*", BY_NOTHING},
	{"gc_frames", BY_NOTHING},
	{"shader_variants", BY_NOTHING},
	{"crashes", BY_NOTHING},
	{"captures_missing", BY_NOTHING},
	{"throttled_after", BY_NOTHING},
};

/* What a procedure of the plan returned comes with a screen's snapshot. */
static enum how
how_of(const struct issue_block_series *s)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t len = strlen(kinds[i].name);
		bool begins = kinds[i].name[len - 1] == '*';

		if (begins ? strncmp(s->metric, kinds[i].name, len - 1) == 0
			   : strcmp(s->metric, kinds[i].name) == 0)
			return kinds[i].how;
	}
	return *s->subject ? BY_SNAPSHOT : BY_NOTHING;
}

/* --- subjects ------------------------------------------------------------ */

/* "home>shop (2)": the screens, and for the how manieth time. */
struct subject {
	int from, to; /* from -1: a screen alone */
	long nth;
};

static int
screen_named(const struct plan *plan, const char *name, size_t len)
{
	for (size_t i = 0; i < plan->screen_count; i++) {
		if (strlen(plan->screen[i].name) == len &&
		    memcmp(plan->screen[i].name, name, len) == 0)
			return (int)i;
	}
	return -1;
}

/* A name may have any character, so all places of a '>' are tried. */
static bool
parse_way(const struct plan *plan, const char *text, size_t len,
	  struct subject *out)
{
	out->from = -1;
	out->to = screen_named(plan, text, len);
	if (out->to >= 0)
		return true;
	for (size_t i = 1; i + 1 < len; i++) {
		if (text[i] != '>')
			continue;
		out->from = screen_named(plan, text, i);
		out->to = screen_named(plan, text + i + 1, len - i - 1);
		if (out->from >= 0 && out->to >= 0)
			return true;
	}
	return false;
}

static bool
parse(const struct plan *plan, const char *text, struct subject *out)
{
	const char *number = strrchr(text, '(');
	size_t len = strlen(text);
	char *end;

	*out = (struct subject){.nth = 1};
	if (parse_way(plan, text, len, out))
		return true;
	if (number == NULL || number < text + 2 || number[-1] != ' ')
		return false;
	out->nth = strtol(number + 1, &end, 10);
	return strcmp(end, ")") == 0 && out->nth >= 2 && out->nth <= 1000 &&
	       parse_way(plan, text, (size_t)(number - 1 - text), out);
}

/* --- the visits ---------------------------------------------------------- */

static void
add_visit(struct verify_way *way, const char *name)
{
	if (way->count && strcmp(way->visit[way->count - 1], name) == 0)
		return;
	MEM_GROW(way->visit, way->count, way->room);
	way->visit[way->count++] = name;
}

/* Of the plan's route, how many visits lead to it; 0: it is not on it. */
static size_t
visits_to(const struct plan *plan, const struct route *route,
	  const struct subject *s)
{
	long n = 0;

	for (size_t v = 0; v < route->visit_count; v++) {
		const struct route_visit *visit = &route->visit[v];

		for (size_t i = 0; s->from >= 0 && i < visit->count; i++) {
			const struct route_step *step =
				&route->path.step[visit->first + i];

			n += step->transition != ROUTE_RESTART &&
			     step->from == s->from && step->to == s->to;
		}
		if (s->from < 0)
			n += plan->route.visit[v] == s->to;
		if (n >= s->nth)
			return v + 1;
	}
	return 0;
}

static bool
has_transition(const struct plan *plan, const struct subject *s)
{
	for (size_t i = 0; i < plan->transition_count; i++) {
		if (plan->transition[i].to == s->to &&
		    plan_leaves(&plan->transition[i], s->from))
			return true;
	}
	return false;
}

/* NULL: it is added to the way; else why it can't be. */
static const char *
add_way(struct verify_way *way, const struct plan *plan,
	const struct issue_block_series *series, enum how how, size_t *whole,
	const struct route *route)
{
	struct subject s;
	size_t visits;

	if (how == BY_START) {
		add_visit(way, plan->screen[plan->route.start].name);
		return NULL;
	}
	if (!parse(plan, series->subject, &s) ||
	    (how == BY_TRANSITION) != (s.from >= 0))
		return "the plan has no such screen or transition";
	way->snapshot |= how == BY_SNAPSHOT;
	if (s.nth > 1 || how == BY_WHOLE_WAY || how == BY_SNAPSHOT) {
		visits = visits_to(plan, route, &s);
		if (visits == 0)
			return "the plan's route no longer comes there";
		*whole = visits > *whole ? visits : *whole;
		return NULL;
	}
	if (s.from >= 0 && !has_transition(plan, &s))
		return "the plan has no such transition any more";
	if (s.from >= 0 && plan->screen[s.from].is)
		add_visit(way, plan->screen[s.from].name);
	add_visit(way, plan->screen[s.to].name);
	return NULL;
}

static void
refuse(struct verify_way *way, const struct issue_block_series *s,
       const char *why)
{
	cJSON *o = json_obj();

	json_set_str(o, "metric", s->metric);
	json_set_str(o, "subject", s->subject);
	json_set_str(o, "why", why);
	json_push(way->refused, o);
}

/* The plan's own visits come first: the others' loads would be warm before. */
static void
put_whole_first(struct verify_way *way, const struct plan *plan, size_t whole)
{
	struct verify_way all = {0};

	for (size_t i = 0; i < whole; i++)
		add_visit(&all, plan->screen[plan->route.visit[i]].name);
	for (size_t i = 0; i < way->count; i++)
		add_visit(&all, way->visit[i]);
	free(way->visit);
	way->visit = all.visit;
	way->count = all.count;
	way->room = all.room;
}

static int
nothing_left(const struct verify_way *way, const struct issue_block *block,
	     struct err *err)
{
	const cJSON *first = way->refused->child;

	err_set(err, ERR_INPUT,
		"nothing of the issue can be verified by itself: '%.100s' of "
		"'%.100s': %s",
		json_str(first, "metric", "?"),
		block->count ? block->series[0].subject : "",
		json_str(first, "why", "?"));
	return err_hint(err, "the next patrols show it; or give the plan that "
			     "found it with --plan");
}

int
verify_way_find(const struct issue_block *block, struct plan *plan,
		struct verify_way *out, struct err *err)
{
	struct route route = {0};
	size_t whole = 0, builds = 0;

	*out = (struct verify_way){.refused = json_arr()};
	if (route_compute(plan, &route, err))
		return -1;
	for (size_t i = 0; i < block->count; i++) {
		const struct issue_block_series *s = &block->series[i];
		enum how how = how_of(s);
		const char *why = "it is of a whole tour with its captures";

		builds += how == BY_BUILD;
		if (how == BY_BUILD)
			continue;
		if (how != BY_NOTHING)
			why = add_way(out, plan, s, how, &whole, &route);
		if (why)
			refuse(out, s, why);
	}
	route_done(&route);
	put_whole_first(out, plan, whole);
	out->build_only = out->count == 0 && builds > 0;
	if (out->count == 0 && builds == 0)
		return nothing_left(out, block, err);
	if (out->build_only)
		return 0;
	return plan_set_visits(plan, out->visit, out->count, err);
}

void
verify_way_done(struct verify_way *way)
{
	free(way->visit);
	cJSON_Delete(way->refused);
	*way = (struct verify_way){0};
}
