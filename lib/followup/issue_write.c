#include "followup/issue_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "followup/issue_find.h"

/* --- what is told of it -------------------------------------------------- */

static void
tell(struct issue_write *w, const char *action, int64_t number,
     const char *title, const char *body, const char *const *label)
{
	cJSON *o, *labels;

	if (!w->o->written)
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
	for (; label && *label; label++)
		json_push_str(labels, *label);
	json_set(o, "labels", labels);
	json_push(w->o->written, o);
}

/* --- a new issue --------------------------------------------------------- */

static int
ensure_labels(struct issue_write *w, struct err *err)
{
	const struct github_issue_label label[] = {
		{
			.name = w->label,
			.color = "d93f0b",
			.text = "the patrol measured that something got worse",
		},
		{
			.name = w->awaiting,
			.color = "fbca04",
			.text = "to be measured again when it is mended",
		},
	};

	for (size_t i = 0; !w->labelled && i < 2; i++) {
		if (github_issue_label_ensure(&w->github, &label[i], w->dl,
					      err))
			return -1;
	}
	w->labelled = true;
	return 0;
}

/* The answer was lost or made no sense: it may have happened. */
static bool
is_uncertain(const struct issue_write *w, const struct err *err)
{
	return err->code != ERR_CANCELLED && err->code != ERR_INPUT &&
	       (w->github.status < 300 || w->github.status >= 500);
}

/* What came of a create whose answer was lost; false: nothing. */
static bool
look_again(struct issue_write *w, const struct issue_group *g,
	   struct github_issue *out, struct err *err)
{
	const struct issue_known *k = NULL;
	struct issue_find now = {.item = NULL};
	bool same = false;

	if (issue_find_more(&w->github, w->label, &now, w->dl, err) == 0)
		k = issue_find_match(&now, &g->marker, &same);
	if (k && same && k->open)
		*out = (struct github_issue){.number = k->number,
					     .url = mem_strdup(k->url)};
	issue_find_done(&now);
	return out->number > 0;
}

int
issue_write_create(struct issue_write *w, const struct issue_text *t,
		   struct github_issue *made, struct err *err)
{
	AUTO_FREE char *body = issue_text_body(t);
	AUTO_BUF struct buf title = BUF_INIT;
	const char *const labels[] = {w->label, w->awaiting, NULL};
	struct github_issue_text text = {.body = body, .label = labels};
	struct err again = ERR_INIT;
	bool found = false;

	*made = (struct github_issue){.number = 0};
	issue_text_title(&title, t);
	text.title = title.data;
	if (w->o->dry_run) {
		tell(w, "created", 0, title.data, body, labels);
		return 0;
	}
	if (ensure_labels(w, err))
		return -1;
	if (github_issue_create(&w->github, &text, made, w->dl, err)) {
		found = is_uncertain(w, err) &&
			look_again(w, t->group, made, &again);
		if (!found)
			return -1;
		err_clear(err);
	}
	tell(w, "created", made->number, title.data, body, labels);
	if (found || github_issue_has_label(made, w->label))
		return 0;
	return err_set(err, ERR_AUTH,
		       "GitHub made issue %" PRId64 " without its label '%s', "
		       "so it won't be found again; give the token the right "
		       "to put labels on issues",
		       made->number, w->label);
}

/* --- one that is there --------------------------------------------------- */

struct look {
	const char *run;
	const struct issue_marker *wanted;
	bool has;
};

static int
see_comment(void *arg, const struct github_issue_comment *c, struct err *err)
{
	struct look *l = arg;
	struct issue_marker m;

	(void)err; /* any comment will do */
	if (issue_marker_read(c->body, &m, NULL, NULL)) {
		l->has = issue_marker_covers(&m, l->wanted);
		issue_marker_done(&m);
	} else {
		l->has = issue_marker_has_run(c->body, l->run);
	}
	return l->has;
}

int
issue_write_is_told(struct issue_write *w, const struct github_issue *i,
		    const struct issue_group *g, bool *told, struct err *err)
{
	struct look l = {.run = w->run, .wanted = &g->marker};

	if (github_issue_comments(&w->github, i->number, see_comment, &l, w->dl,
				  err))
		return -1;
	*told = l.has;
	return 0;
}

static int
comment(struct issue_write *w, const struct github_issue *i,
	const struct issue_group *g, const char *body, struct err *err)
{
	struct github_issue_comment made = {NULL, NULL};
	struct err again = ERR_INIT;
	bool told = false;

	if (github_issue_comment(&w->github, i->number, body, &made, w->dl,
				 err)) {
		if (!is_uncertain(w, err) ||
		    issue_write_is_told(w, i, g, &told, &again) || !told)
			return -1;
		err_clear(err);
	}
	github_issue_comment_done(&made);
	return 0;
}

/* It waits for a verification again. */
static int
move_labels(struct issue_write *w, const struct github_issue *i,
	    struct err *err)
{
	const char *const gone[] = {
		w->o->verified ? w->o->verified : ISSUE_VERIFIED,
		w->o->not_fixed ? w->o->not_fixed : ISSUE_NOT_FIXED,
	};

	for (size_t k = 0; k < sizeof(gone) / sizeof(*gone); k++) {
		if (github_issue_has_label(i, gone[k]) &&
		    github_issue_label_remove(&w->github, i->number, gone[k],
					      w->dl, err))
			return -1;
	}
	if (github_issue_has_label(i, w->awaiting))
		return 0;
	return github_issue_label_add(&w->github, i->number, w->awaiting, w->dl,
				      err);
}

static int
edit(struct issue_write *w, const struct github_issue *i,
     const struct github_issue_text *text, struct err *err)
{
	struct github_issue after = {.number = 0};

	if (github_issue_edit(&w->github, i->number, text, &after, w->dl, err))
		return -1;
	github_issue_done(&after);
	return 0;
}

int
issue_write_add(struct issue_write *w, const struct github_issue *i,
		struct issue_write_step step, const struct issue_text *t,
		struct err *err)
{
	enum issue_text_kind kind =
		step.reopen ? ISSUE_TEXT_BACK : ISSUE_TEXT_AGAIN;
	AUTO_FREE char *longer = issue_text_update(i->body, t, kind);
	AUTO_FREE char *body = issue_text_comment(t, kind);
	const char *const labels[] = {step.reopen ? w->awaiting : NULL, NULL};
	const struct github_issue_text text = {
		.body = longer,
		.state = step.reopen ? "open" : NULL,
	};

	if (!w->o->dry_run &&
	    ((step.comment && comment(w, i, t->group, body, err)) ||
	     (step.reopen && move_labels(w, i, err)) ||
	     ((longer || step.reopen) && edit(w, i, &text, err))))
		return -1;
	if (step.comment || step.reopen)
		tell(w, step.reopen ? "reopened" : "commented", i->number,
		     i->title, body, labels);
	return 0;
}

/* --- one too many -------------------------------------------------------- */

static int
close_it(struct issue_write *w, const struct github_issue *made,
	 struct err *err)
{
	AUTO_FREE char *body = issue_text_unmarked(made->body);
	const char *const labels[] = {w->label, NULL};
	struct github_issue_text text = {
		.body = body,
		.state = "closed",
		.state_reason = "duplicate",
		.label = labels,
	};

	if (edit(w, made, &text, err) == 0)
		return 0;
	if (w->github.status != 422)
		return -1;
	/* A server that does not know that word yet. */
	err_clear(err);
	text.state_reason = "not_planned";
	return edit(w, made, &text, err);
}

int
issue_write_close_twin(struct issue_write *w, const struct github_issue *made,
		       int64_t first, struct err *err)
{
	/* GitHub makes a link of the first three words. */
	AUTO_FREE char *body =
		mem_fmt("Duplicate of #%" PRId64 "\n\nTwo patrols registered "
			"the same at one moment. The first issue stays.\n",
			first);
	struct github_issue_comment told = {NULL, NULL};

	if (close_it(w, made, err) ||
	    github_issue_comment(&w->github, made->number, body, &told, w->dl,
				 err))
		return err_wrap(err,
				"issue %" PRId64 " is a duplicate of %" PRId64
				" and is to be closed by hand",
				made->number, first);
	github_issue_comment_done(&told);
	tell(w, "duplicate", made->number, made->title, body, NULL);
	return 0;
}
