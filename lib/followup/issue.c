#include "followup/issue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "followup/github_open.h"
#include "followup/issue_find.h"
#include "followup/issue_group.h"
#include "followup/issue_settled.h"
#include "followup/issue_write.h"

/* One call of issue_register(). */
struct filing {
	const cJSON *comparison;
	struct issue_write w;
	struct issue_find known;
	struct issue_find lost; /* once `looked`: see check_lost() */
	bool looked;
	cJSON *registered;
};

static const char *
or_else(const char *s, const char *fallback)
{
	return s && *s ? s : fallback;
}

/* --- what is told -------------------------------------------------------- */

static void
tell(struct filing *f, const struct issue_group *g, const char *action,
     int64_t number, const char *url)
{
	for (size_t i = 0; i < g->count; i++) {
		cJSON *o = json_obj();

		if (number > 0)
			json_set_int(o, "number", number);
		else
			json_set_str(o, "number", NULL);
		json_set_str(o, "url", url);
		json_set_str(o, "action", action);
		json_set_str(o, "metric", json_str(g->series[i], "metric", ""));
		json_set_str(o, "subject",
			     json_str(g->series[i], "subject", ""));
		json_push(f->registered, o);
	}
}

/* --- one group ----------------------------------------------------------- */

/* The commits of one that is to be written; NULL: of several ranges. */
static const struct issue_range *
find_range(struct filing *f, const struct issue_group *g,
	   struct issue_range *range)
{
	if (!g->first_bad)
		return NULL;
	issue_range_find(f->w.online ? &f->w.github : NULL,
			 or_else(f->w.o->checkout, "."),
			 json_str(g->last_good, "commit", NULL),
			 json_str(g->first_bad, "commit", NULL), range,
			 f->w.dl);
	return range;
}

/* A closed one of this very range was closed knowing of it. */
static bool
is_to_reopen(const struct github_issue *i, bool same,
	     const struct issue_group *g)
{
	if (i->open || same)
		return false;
	return !i->not_planned || !issue_settled(i->body, g);
}

static int
add_to(struct filing *f, const struct github_issue *i, bool same,
       const struct issue_text *t, struct err *err)
{
	bool told = false;
	struct issue_write_step step;
	const char *action;

	if (issue_write_is_told(&f->w, i, t->group, &told, err))
		return -1;
	step.comment = !told;
	step.reopen = is_to_reopen(i, same, t->group);
	if (issue_write_add(&f->w, i, step, t, err))
		return -1;
	action = step.reopen ? "reopened" : told ? "known" : "commented";
	tell(f, t->group, action, i->number, i->url);
	return 0;
}

static int
file_known(struct filing *f, const struct issue_known *k, bool same,
	   const struct issue_text *t, struct err *err)
{
	struct github_issue i;
	int rc;

	if (issue_marker_covers(&k->marker, &t->group->marker)) {
		tell(f, t->group, "known", k->number, k->url);
		return 0;
	}
	if (github_issue_get(&f->w.github, k->number, &i, f->w.dl, err))
		return -1;
	rc = add_to(f, &i, same, t, err);
	github_issue_done(&i);
	return rc;
}

/*
 * GitHub has no lock: two that look at one moment both create.  Each looks
 * again, and the one that was later takes its own back.  True: so did we, and
 * *k is the first.
 */
static int
is_twin(struct filing *f, const struct issue_group *g,
	const struct github_issue *made, const struct issue_known **k,
	bool *twin, struct err *err)
{
	bool same = false;

	*twin = false;
	if (issue_find_more(&f->w.github, f->w.label, &f->known, f->w.dl, err))
		return err_wrap(err,
				"issue %" PRId64 " was made, and it is not "
				"known whether another patrol made the same",
				made->number);
	*k = issue_find_match(&f->known, &g->marker, &same);
	*twin = *k && same && (*k)->open && (*k)->number < made->number;
	return *twin ? issue_write_close_twin(&f->w, made, (*k)->number, err)
		     : 0;
}

/*
 * A token that may not label makes issues that are not found again: one is
 * enough.
 */
static int
check_lost(struct filing *f, const struct issue_group *g, struct err *err)
{
	const struct issue_known *k;
	bool same;

	if (!f->w.online)
		return 0;
	if (!f->looked &&
	    issue_find_lost(&f->w.github, f->w.label, &f->lost, f->w.dl, err))
		return -1;
	f->looked = true;
	k = issue_find_match(&f->lost, &g->marker, &same);
	if (!k || !same)
		return 0;
	(void)err_set(err, ERR_AUTH,
		      "issue %" PRId64 " tells of it and has no label '%s'",
		      k->number, f->w.label);
	return err_hint(err, "put the label on it, and give the token the "
			     "right to do so");
}

static int
file_new(struct filing *f, const struct issue_text *t, struct err *err)
{
	const struct issue_known *k = NULL;
	struct github_issue made;
	bool twin = false;
	int rc;

	if (check_lost(f, t->group, err))
		return -1;
	rc = issue_write_create(&f->w, t, &made, err);
	if (rc == 0 && made.number)
		rc = is_twin(f, t->group, &made, &k, &twin, err);
	if (rc == 0 && twin)
		rc = file_known(f, k, true, t, err);
	else if (rc == 0 || made.number)
		tell(f, t->group, "created", made.number, made.url);
	github_issue_done(&made);
	return rc;
}

static int
file_group(struct filing *f, const struct issue_group *g, struct err *err)
{
	struct issue_range range = {.item = NULL};
	struct issue_text t = {
		.comparison = f->comparison,
		.result = f->w.o->result,
		.plan_file =
			or_else(f->w.o->plan_file,
				json_str(f->w.o->result, "plan.file", NULL)),
		.group = g,
		.range = find_range(f, g, &range),
	};
	const struct issue_known *k;
	bool same;
	int rc;

	k = issue_find_match(&f->known, &g->marker, &same);
	rc = k ? file_known(f, k, same, &t, err) : file_new(f, &t, err);
	issue_range_done(&range);
	return rc;
}

/* --- all ----------------------------------------------------------------- */

/* What is to be done of a group, in the order in which it is. */
enum due { DUE_NOW, DUE_NEW, DUE_LATER, DUE_NOTHING };

static enum due
due_of(const struct filing *f, const struct issue_group *g, size_t before)
{
	bool same;
	const struct issue_known *k =
		issue_find_match(&f->known, &g->marker, &same);

	if (k && issue_marker_covers(&k->marker, &g->marker))
		return DUE_NOTHING;
	if (before < ISSUE_MOST)
		return DUE_NOW;
	return k ? DUE_LATER : DUE_NEW;
}

/* The groups by what is due, each in the order they had; how many of each. */
static void
order(const struct filing *f, struct issue_groups *g, size_t count[4])
{
	struct issue_group *was = g->item;
	enum due *due = mem_array(g->count, sizeof(*due));
	size_t n = 0;

	g->item = mem_array(g->count, sizeof(*g->item));
	g->room = g->count;
	for (size_t i = 0; i < g->count; i++) {
		due[i] = due_of(f, &was[i], count[DUE_NOW]);
		count[due[i]]++;
	}
	for (enum due d = DUE_NOW; d <= DUE_NOTHING; d++) {
		for (size_t i = 0; i < g->count; i++) {
			if (due[i] == d)
				g->item[n++] = was[i];
		}
	}
	free(due);
	free(was);
}

/* Those that wait for another run, and those that are told already. */
static void
tell_rest(struct filing *f, const struct issue_groups *groups, size_t from,
	  size_t later)
{
	bool same;

	for (size_t i = from; i < groups->count; i++) {
		const struct issue_group *g = &groups->item[i];
		const struct issue_known *k =
			issue_find_match(&f->known, &g->marker, &same);

		tell(f, g, i < from + later ? "later" : "known", k->number,
		     k->url);
	}
}

static int
file_all(struct filing *f, struct issue_groups *groups, struct err *err)
{
	size_t count[4] = {0};
	size_t n;

	order(f, groups, count);
	if (count[DUE_NEW] > 1) {
		issue_group_fold(groups, count[DUE_NOW],
				 count[DUE_NOW] + count[DUE_NEW]);
		count[DUE_NEW] = 1;
	}
	n = count[DUE_NOW] + count[DUE_NEW];
	tell_rest(f, groups, n, count[DUE_LATER]);
	for (size_t i = 0; i < n; i++) {
		if (file_group(f, &groups->item[i], err))
			return -1;
	}
	return 0;
}

static int
look(struct filing *f, const struct settings *set, struct err *err)
{
	struct issue_write *w = &f->w;

	if (github_open(&w->github, set, NULL, err))
		return -1;
	return issue_find_more(&w->github, w->label, &f->known, w->dl, err);
}

int
issue_register(const cJSON *comparison, const struct settings *set,
	       const struct issue_options *o, cJSON **registered,
	       struct deadline dl, struct err *err)
{
	AUTO_FREE char *name = issue_marker_run(json_get(comparison, "run"));
	struct filing f = {
		.comparison = comparison,
		.w =
			{
				.o = o,
				.run = name,
				.label = or_else(o->label, ISSUE_LABEL),
				.awaiting =
					or_else(o->awaiting, ISSUE_AWAITING),
				.dl = dl,
			},
		.registered = json_arr(),
	};
	struct issue_groups groups;
	int rc = 0;

	*registered = f.registered;
	issue_group_all(comparison, &groups);
	if (groups.count) {
		rc = look(&f, set, err);
		f.w.online = rc == 0;
		if (rc && o->dry_run && err->code != ERR_CANCELLED) {
			log_warn("GitHub was not asked what is there already: "
				 "%s",
				 err->msg);
			err_clear(err);
			rc = 0;
		}
		if (rc == 0)
			rc = file_all(&f, &groups, err);
	}
	issue_find_done(&f.known);
	issue_find_done(&f.lost);
	github_done(&f.w.github);
	issue_group_done(&groups);
	return rc ? err_wrap(err, "the regressions were not registered") : 0;
}

void
issue_link(cJSON *regressions, const cJSON *registered)
{
	cJSON *r;
	const cJSON *one;

	cJSON_ArrayForEach(r, regressions)
	{
		cJSON_ArrayForEach(one, registered)
		{
			if (strcmp(json_str(one, "metric", ""),
				   json_str(r, "metric", "")) != 0 ||
			    strcmp(json_str(one, "subject", ""),
				   json_str(r, "screen", "")) != 0 ||
			    json_int(one, "number", 0) <= 0)
				continue;
			AUTO_FREE char *number = json_id(one, "number");

			json_set_str(r, "issue", number);
			json_set_str(r, "url", json_str(one, "url", NULL));
		}
	}
}
