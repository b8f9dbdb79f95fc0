#include "followup/issue.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "followup/issue_find.h"
#include "followup/issue_group.h"
#include "followup/issue_text.h"
#include "github/github_issue.h"

/* One call of issue_register(). */
struct filing {
	const cJSON *comparison;
	const struct issue_options *o;
	const char *run; /* as markers name the one that is told of */
	const char *label, *awaiting;
	struct github github;
	bool online; /* false: a dry run that can't reach GitHub */
	struct issue_find known;
	cJSON *registered;
	struct deadline dl;
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

static void
tell_write(struct filing *f, const char *action, int64_t number,
	   const char *title, const char *body)
{
	cJSON *o, *labels;

	if (!f->o->written)
		return;
	o = json_obj();
	json_set_str(o, "action", action);
	if (number > 0)
		json_set_int(o, "number", number);
	else
		json_set_str(o, "number", NULL);
	json_set_str(o, "title", title);
	json_set_str(o, "body", body);
	labels = json_arr();
	if (strcmp(action, "created") == 0)
		json_push_str(labels, f->label);
	if (strcmp(action, "commented") != 0)
		json_push_str(labels, f->awaiting);
	json_set(o, "labels", labels);
	json_push(f->o->written, o);
}

/* --- a new issue --------------------------------------------------------- */

static int
ensure_labels(struct filing *f, struct err *err)
{
	const struct github_issue_label label = {
		.name = f->label,
		.color = "d93f0b",
		.text = "the patrol measured that something got worse",
	};
	const struct github_issue_label awaiting = {
		.name = f->awaiting,
		.color = "fbca04",
		.text = "to be measured again when it is mended",
	};

	return github_issue_label_ensure(&f->github, &label, f->dl, err) ||
			       github_issue_label_ensure(&f->github, &awaiting,
							 f->dl, err)
		       ? -1
		       : 0;
}

/* The answer was lost or made no sense: it may have happened. */
static bool
is_uncertain(const struct filing *f, const struct err *err)
{
	return err->code != ERR_CANCELLED && err->code != ERR_INPUT &&
	       (f->github.status < 300 || f->github.status >= 500);
}

/* What came of a create whose answer was lost; false: nothing. */
static bool
look_again(struct filing *f, const struct issue_group *g,
	   struct github_issue *out, struct err *err)
{
	const struct issue_known *k = NULL;
	struct issue_find now;
	bool same = false;

	if (issue_find_all(&f->github, f->label, &now, f->dl, err))
		return false;
	k = issue_find_match(&now, &g->marker, &same);
	if (k && same && k->open)
		*out = (struct github_issue){.number = k->number,
					     .url = mem_strdup(k->url)};
	issue_find_done(&now);
	return out->number > 0;
}

static int
create(struct filing *f, const struct issue_group *g,
       const struct issue_text *t, struct err *err)
{
	AUTO_FREE char *body = issue_text_body(t);
	AUTO_BUF struct buf title = BUF_INIT;
	const char *const labels[] = {f->label, f->awaiting, NULL};
	struct github_issue_text text = {.body = body, .label = labels};
	struct github_issue made = {.number = 0};
	struct err again = ERR_INIT;
	bool found = false;

	issue_text_title(&title, t);
	text.title = title.data;
	if (f->o->dry_run) {
		tell_write(f, "created", 0, title.data, body);
		tell(f, g, "created", 0, NULL);
		return 0;
	}
	if (ensure_labels(f, err))
		return -1;
	if (github_issue_create(&f->github, &text, &made, f->dl, err)) {
		found = is_uncertain(f, err) && look_again(f, g, &made, &again);
		if (!found)
			return -1;
		err_clear(err);
	}
	tell_write(f, "created", made.number, title.data, body);
	tell(f, g, "created", made.number, made.url);
	if (!found && !github_issue_has_label(&made, f->label))
		(void)err_set(err, ERR_AUTH,
			      "GitHub made issue %" PRId64 " without its label "
			      "'%s', so it won't be found again; give the "
			      "token the right to put labels on issues",
			      made.number, f->label);
	github_issue_done(&made);
	return err->code == ERR_NONE ? 0 : -1;
}

/* --- one that is there --------------------------------------------------- */

struct look {
	const char *run;
	bool has;
};

static int
see_comment(void *arg, const struct github_issue_comment *c, struct err *err)
{
	struct look *l = arg;

	(void)err; /* any comment will do */
	l->has = issue_marker_has_run(c->body, l->run);
	return l->has;
}

static int
is_told(struct filing *f, const struct github_issue *i, bool *told,
	struct err *err)
{
	struct look l = {.run = f->run};

	*told = issue_marker_has_run(i->body, f->run);
	if (*told)
		return 0;
	if (github_issue_comments(&f->github, i->number, see_comment, &l, f->dl,
				  err))
		return -1;
	*told = l.has;
	return 0;
}

static int
comment(struct filing *f, const struct github_issue *i, const char *body,
	struct err *err)
{
	struct github_issue_comment made = {NULL, NULL};
	struct err again = ERR_INIT;
	bool told = false;

	if (github_issue_comment(&f->github, i->number, body, &made, f->dl,
				 err)) {
		if (!is_uncertain(f, err) || is_told(f, i, &told, &again) ||
		    !told)
			return -1;
		err_clear(err);
	}
	github_issue_comment_done(&made);
	return 0;
}

/* It waits for a verification again. */
static int
move_labels(struct filing *f, const struct github_issue *i, struct err *err)
{
	const char *const gone[] = {
		or_else(f->o->verified, ISSUE_VERIFIED),
		or_else(f->o->not_fixed, ISSUE_NOT_FIXED),
	};

	for (size_t k = 0; k < sizeof(gone) / sizeof(*gone); k++) {
		if (github_issue_has_label(i, gone[k]) &&
		    github_issue_label_remove(&f->github, i->number, gone[k],
					      f->dl, err))
			return -1;
	}
	if (github_issue_has_label(i, f->awaiting))
		return 0;
	return github_issue_label_add(&f->github, i->number, f->awaiting, f->dl,
				      err);
}

/*
 * The comment is last: its marker says that this run was told, and what failed
 * before it is done when the run is told again.
 */
static int
write_to(struct filing *f, const struct github_issue *i, bool reopen,
	 const struct issue_text *t, const char *body, struct err *err)
{
	AUTO_FREE char *longer = issue_text_update(i->body, t);
	struct github_issue_text text = {.body = longer};
	struct github_issue after = {.number = 0};

	text.state = reopen ? "open" : NULL;
	if (f->o->dry_run)
		return 0;
	if ((reopen && move_labels(f, i, err)) ||
	    ((longer || reopen) &&
	     github_issue_edit(&f->github, i->number, &text, &after, f->dl,
			       err)))
		return -1;
	github_issue_done(&after);
	return comment(f, i, body, err);
}

/* --- one group ----------------------------------------------------------- */

/* The commits of one that is to be written; NULL: of several ranges. */
static const struct issue_range *
find_range(struct filing *f, const struct issue_group *g,
	   struct issue_range *range)
{
	if (!g->first_bad)
		return NULL;
	issue_range_find(f->online ? &f->github : NULL,
			 or_else(f->o->checkout, "."),
			 json_str(g->last_good, "commit", NULL),
			 json_str(g->first_bad, "commit", NULL), range, f->dl);
	return range;
}

static int
add_to(struct filing *f, const struct github_issue *i, bool reopen,
       struct issue_text *t, struct err *err)
{
	const char *action = reopen ? "reopened" : "commented";
	AUTO_FREE char *body = NULL;
	struct issue_range range = {.item = NULL};
	bool told = false;
	int rc;

	if (is_told(f, i, &told, err))
		return -1;
	if (told) {
		tell(f, t->group, "known", i->number, i->url);
		return 0;
	}
	t->range = find_range(f, t->group, &range);
	body = issue_text_comment(t,
				  reopen ? ISSUE_TEXT_BACK : ISSUE_TEXT_AGAIN);
	rc = write_to(f, i, reopen, t, body, err);
	if (rc == 0) {
		tell_write(f, action, i->number, i->title, body);
		tell(f, t->group, action, i->number, i->url);
	}
	t->range = NULL;
	issue_range_done(&range);
	return rc;
}

static int
file_group(struct filing *f, const struct issue_group *g, struct err *err)
{
	struct issue_text t = {
		.comparison = f->comparison,
		.result = f->o->result,
		.plan_file = or_else(f->o->plan_file,
				     json_str(f->o->result, "plan.file", NULL)),
		.group = g,
	};
	struct issue_range range = {.item = NULL};
	const struct issue_known *k;
	struct github_issue i;
	bool same;
	int rc;

	k = issue_find_match(&f->known, &g->marker, &same);
	if (!g->is_new) {
		if (k)
			tell(f, g, "known", k->number, k->url);
		return 0;
	}
	if (!k) {
		t.range = find_range(f, g, &range);
		rc = create(f, g, &t, err);
		issue_range_done(&range);
		return rc;
	}
	if (github_issue_get(&f->github, k->number, &i, f->dl, err))
		return -1;
	/* A closed one of this very range was closed knowing of it. */
	rc = add_to(f, &i, !i.open && !same, &t, err);
	github_issue_done(&i);
	return rc;
}

/* --- all ----------------------------------------------------------------- */

/* Behind those that are new, what is not new costs no write. */
static void
order(struct issue_groups *g, size_t *fresh)
{
	*fresh = 0;
	for (size_t i = 0; i < g->count; i++) {
		struct issue_group one = g->item[i];

		if (!one.is_new)
			continue;
		for (size_t at = i; at > *fresh; at--)
			g->item[at] = g->item[at - 1];
		g->item[(*fresh)++] = one;
	}
}

static int
file_all(struct filing *f, struct issue_groups *groups, struct err *err)
{
	size_t fresh;

	order(groups, &fresh);
	if (fresh > ISSUE_MOST + 1)
		issue_group_fold(groups, ISSUE_MOST, fresh);
	for (size_t i = 0; i < groups->count; i++) {
		if (file_group(f, &groups->item[i], err))
			return -1;
	}
	return 0;
}

static int
look(struct filing *f, const struct settings *set, struct err *err)
{
	if (github_init(&f->github, set->github_api_url, set->repository,
			&set->github_token, err))
		return -1;
	f->github.call_ms = set->budget.github_call_ms;
	f->github.ask_ms = set->budget.github_ms;
	return issue_find_all(&f->github, f->label, &f->known, f->dl, err);
}

int
issue_register(const cJSON *comparison, const struct settings *set,
	       const struct issue_options *o, cJSON **registered,
	       struct deadline dl, struct err *err)
{
	AUTO_FREE char *name = issue_marker_run(json_get(comparison, "run"));
	struct filing f = {
		.comparison = comparison,
		.o = o,
		.run = name,
		.label = or_else(o->label, ISSUE_LABEL),
		.awaiting = or_else(o->awaiting, ISSUE_AWAITING),
		.registered = json_arr(),
		.dl = dl,
	};
	struct issue_groups groups;
	int rc = 0;

	*registered = f.registered;
	issue_group_all(comparison, &groups);
	if (groups.count) {
		rc = look(&f, set, err);
		f.online = rc == 0;
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
	github_done(&f.github);
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
