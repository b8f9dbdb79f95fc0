#ifndef ISSUE_WRITE_H
#define ISSUE_WRITE_H

#include "base/deadline.h"
#include "followup/issue.h"
#include "followup/issue_text.h"
#include "github/github_issue.h"

/*
 * What issue_register() does to one issue.  In a dry run nothing is sent;
 * options->written gets it all the same.
 */
struct issue_write {
	const struct issue_options *o;
	const char *run; /* as markers name the one that is told of */
	const char *label, *awaiting;
	struct github github;
	bool online;   /* false: a dry run that can't reach GitHub */
	bool labelled; /* the labels are there */
	struct deadline dl;
};

/*
 * A new issue; in a dry run made->number stays 0.  `*made` is given back in
 * any case, for it may lack its label, which is ERR_AUTH.
 */
int issue_write_create(struct issue_write *w, const struct issue_text *t,
		       struct github_issue *made, struct err *err);

/* Does a comment of `i` tell of the group? */
int issue_write_is_told(struct issue_write *w, const struct github_issue *i,
			const struct issue_group *g, bool *told,
			struct err *err);

/* What issue_write_add() has to do. */
struct issue_write_step {
	bool reopen, comment;
};

/*
 * Tell the group in an issue that is there.  What fails is done by the next
 * call: the text's marker, by which it is known, is written last.
 */
int issue_write_add(struct issue_write *w, const struct github_issue *i,
		    struct issue_write_step step, const struct issue_text *t,
		    struct err *err);

/* Close what we made, for `first` is of the same. */
int issue_write_close_twin(struct issue_write *w,
			   const struct github_issue *made, int64_t first,
			   struct err *err);

#endif
