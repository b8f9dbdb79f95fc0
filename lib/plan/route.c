#include "plan/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/json.h"
#include "base/mem.h"

static const char *
screen_name(const struct plan *plan, int screen)
{
	return screen < 0 ? "?" : plan->screen[screen].name;
}

/* "tap //A; key BACK" */
static void
doing(const struct plan *plan, int transition, struct buf *out)
{
	const struct plan_actions *actions;

	if (transition == ROUTE_RESTART) {
		buf_str(out, "restart the app");
		return;
	}
	actions = &plan->transition[transition].actions;
	for (size_t i = 0; i < actions->count; i++) {
		AUTO_FREE char *text = plan_action_text(&actions->item[i]);

		if (i)
			buf_str(out, "; ");
		buf_str(out, text);
	}
}

/*
 * What the walk will do, by names and not by numbers: a transition that is
 * added elsewhere in the file does not change the hash.
 */
static void
hash_route(const struct plan *plan, struct route *r)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(4096);
	unsigned char sum[EVP_MAX_MD_SIZE] = {0};
	EVP_MD_CTX *md = EVP_MD_CTX_new();

	(void)EVP_DigestInit_ex(md, EVP_sha256(), NULL);
	for (size_t v = 0; v < r->visit_count; v++) {
		for (size_t i = 0; i < r->visit[v].count; i++) {
			const struct route_step *s =
				&r->path.step[r->visit[v].first + i];

			buf_clear(&text);
			buf_fmt(&text, "%s\t%s\t", screen_name(plan, s->from),
				screen_name(plan, s->to));
			doing(plan, s->transition, &text);
			buf_chr(&text, '\n');
			(void)EVP_DigestUpdate(md, text.data, text.len);
		}
		buf_clear(&text);
		buf_fmt(&text, "visit\t%s\n",
			screen_name(plan, r->visit[v].screen));
		(void)EVP_DigestUpdate(md, text.data, text.len);
	}
	/* Without a provider for SHA-256 the hash is all zeros. */
	(void)EVP_DigestFinal_ex(md, sum, NULL);
	EVP_MD_CTX_free(md);
	for (size_t i = 0; i < 6; i++)
		(void)snprintf(r->hash + 2 * i, 3, "%02x", sum[i]); /* fits */
}

static int
append(struct route *r, const struct route_path *leg, struct err *err)
{
	if (r->path.count + leg->count > ROUTE_MAX_STEPS)
		return err_set(err, ERR_INPUT,
			       "the route is longer than %d steps; visit fewer "
			       "screens",
			       ROUTE_MAX_STEPS);
	for (size_t i = 0; i < leg->count; i++) {
		MEM_GROW(r->path.step, r->path.count, r->path.room);
		r->path.step[r->path.count++] = leg->step[i];
	}
	r->path.cost += leg->cost;
	return 0;
}

int
route_compute(const struct plan *plan, struct route *out, struct err *err)
{
	struct route_map *map = route_map_new(plan);
	struct route_path leg = {0};
	struct route r = {0};
	int at = plan->route.start, rc = 0;

	r.visit = mem_array(plan->route.visit_count + 1, sizeof(*r.visit));
	for (size_t i = 0; i < plan->route.visit_count && rc == 0; i++) {
		int to = plan->route.visit[i];

		r.visit[i] = (struct route_visit){.screen = to,
						  .first = r.path.count};
		rc = route_find(map, at, to, NULL, 0, ROUTE_MAY_RESTART, &leg,
				err);
		if (rc == 0)
			rc = append(&r, &leg, err);
		r.visit[i].count = r.path.count - r.visit[i].first;
		r.visit_count++;
		at = to;
	}
	route_path_done(&leg);
	route_map_free(map);
	if (rc) {
		route_done(&r);
		return -1;
	}
	hash_route(plan, &r);
	*out = r;
	return 0;
}

void
route_done(struct route *r)
{
	route_path_done(&r->path);
	free(r->visit);
	*r = (struct route){0};
}

static int64_t
step_cost(const struct plan *plan, const struct route_step *s)
{
	return s->transition == ROUTE_RESTART
		       ? ROUTE_RESTART_COST
		       : plan->transition[s->transition].cost;
}

void
route_text(const struct plan *plan, const struct route *r, struct buf *out)
{
	buf_fmt(out, "start  %s\n", screen_name(plan, plan->route.start));
	for (size_t v = 0; v < r->visit_count; v++) {
		const struct route_visit *visit = &r->visit[v];

		for (size_t i = 0; i < visit->count; i++) {
			const struct route_step *s =
				&r->path.step[visit->first + i];
			bool last = i + 1 == visit->count;

			buf_fmt(out, "%s  %s -> %s  ", last ? "visit" : "  via",
				screen_name(plan, s->from),
				screen_name(plan, s->to));
			doing(plan, s->transition, out);
			buf_fmt(out, "  (cost %lld",
				(long long)step_cost(plan, s));
			if (s->transition != ROUTE_RESTART)
				buf_fmt(out, ", line %d",
					plan->transition[s->transition]
						.at.line);
			buf_str(out, ")\n");
		}
		if (visit->count == 0)
			buf_fmt(out, "visit  %s  already there\n",
				screen_name(plan, visit->screen));
	}
	buf_fmt(out, "%zu visits, %zu steps, cost %lld, route %s\n",
		r->visit_count, r->path.count, (long long)r->path.cost,
		r->hash);
}

static cJSON *
step_json(const struct plan *plan, const struct route_step *s)
{
	AUTO_BUF struct buf text = BUF_INIT;
	cJSON *o = json_obj();

	json_set_str(o, "from",
		     s->from < 0 ? NULL : screen_name(plan, s->from));
	json_set_str(o, "to", screen_name(plan, s->to));
	doing(plan, s->transition, &text);
	json_set_str(o, "action", text.data);
	json_set_int(o, "cost", step_cost(plan, s));
	if (s->transition != ROUTE_RESTART) {
		const struct plan_transition *t =
			&plan->transition[s->transition];

		json_set_int(o, "transition", s->transition);
		json_set_str(o, "path", t->path);
		json_set_int(o, "line", t->at.line);
	} else {
		json_set_bool(o, "restart", true);
	}
	return o;
}

cJSON *
route_json(const struct plan *plan, const struct route *r)
{
	cJSON *o = json_obj(), *visits = json_arr();

	json_set_str(o, "plan", plan->file);
	json_set_str(o, "sha256", plan->sha256);
	json_set_str(o, "hash", r->hash);
	json_set_str(o, "start", screen_name(plan, plan->route.start));
	json_set_int(o, "cost", r->path.cost);
	json_set(o, "visits", visits);
	for (size_t v = 0; v < r->visit_count; v++) {
		cJSON *visit = json_obj(), *steps = json_arr();

		json_set_str(visit, "screen",
			     screen_name(plan, r->visit[v].screen));
		json_set(visit, "steps", steps);
		for (size_t i = 0; i < r->visit[v].count; i++)
			json_push(
				steps,
				step_json(
					plan,
					&r->path.step[r->visit[v].first + i]));
		json_push(visits, visit);
	}
	return o;
}
