#ifndef GITHUB_ISSUE_H
#define GITHUB_ISSUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "github/github.h"

/*
 * Issues, their comments and labels.
 *
 * Errors as in github.h; a refusal's cure names `issues: write`.  ERR_NOTFOUND
 * with the reason issues_disabled: the repository has none.  A write is never
 * repeated when its answer was lost: g->status is 0 or 5xx then, and the
 * caller has to look whether it happened.
 */
enum {
	GITHUB_ISSUE_TITLE_MAX = 256, /* UTF-16 units, GitHub's own limits */
	GITHUB_ISSUE_BODY_MAX = 65536,
	GITHUB_ISSUE_LABEL_MAX = 50,
	GITHUB_ISSUE_LABEL_TEXT_MAX = 100,
	GITHUB_ISSUE_PAGES_MAX = 20,
};

struct github_issue {
	int64_t number;
	char *url; /* of the page for people */
	char *title;
	char *body; /* "" when there is none */
	bool open;
	bool not_planned; /* a person closed it so */
	bool is_pull;	  /* GitHub lists pull requests, too */
	char **label;
	size_t labels;
};

struct github_issue_comment {
	char *body, *url;
};

/* What to create or change; NULL: leave it alone. */
struct github_issue_text {
	const char *title, *body;
	const char *state;	  /* "open" or "closed"; not of a new one */
	const char *state_reason; /* completed, not_planned, duplicate */
	const char *const *label; /* all of them, ended by NULL */
};

struct github_issue_label {
	const char *name;
	const char *color; /* six hex digits */
	const char *text;  /* what it means */
};

/* Another answer than 0 ends the list, with `err`; 1: enough was seen. */
typedef int github_issue_see(void *arg, const struct github_issue *i,
			     struct err *err);
typedef int github_issue_see_comment(void *arg,
				     const struct github_issue_comment *c,
				     struct err *err);

/*
 * The issues that have `label` (NULL: all), the newest first, pull requests left
 * out;
 * `state`: "open", "closed", "all".  What is beyond GITHUB_ISSUE_PAGES_MAX
 * pages is not seen.
 */
int github_issue_list(struct github *g, const char *label, const char *state,
		      github_issue_see *see, void *arg, struct deadline dl,
		      struct err *err);
int github_issue_get(struct github *g, int64_t number, struct github_issue *out,
		     struct deadline dl, struct err *err);
/* The oldest first; bounded as the list of issues. */
int github_issue_comments(struct github *g, int64_t number,
			  github_issue_see_comment *see, void *arg,
			  struct deadline dl, struct err *err);

/* Text beyond GitHub's limits is ERR_INPUT; GitHub is not asked then. */
int github_issue_create(struct github *g, const struct github_issue_text *text,
			struct github_issue *out, struct deadline dl,
			struct err *err);
int github_issue_edit(struct github *g, int64_t number,
		      const struct github_issue_text *text,
		      struct github_issue *out, struct deadline dl,
		      struct err *err);
int github_issue_comment(struct github *g, int64_t number, const char *body,
			 struct github_issue_comment *out, struct deadline dl,
			 struct err *err);

/* Makes the label unless it is there; one that is there stays as it is. */
int github_issue_label_ensure(struct github *g,
			      const struct github_issue_label *label,
			      struct deadline dl, struct err *err);
int github_issue_label_add(struct github *g, int64_t number, const char *name,
			   struct deadline dl, struct err *err);
/* One that the issue does not have is fine. */
int github_issue_label_remove(struct github *g, int64_t number,
			      const char *name, struct deadline dl,
			      struct err *err);

/* ERR_PROTO: it is none. */
int github_issue_parse(const cJSON *json, struct github_issue *out,
		       struct err *err);
bool github_issue_has_label(const struct github_issue *i, const char *name);
void github_issue_done(struct github_issue *i);
void github_issue_comment_done(struct github_issue_comment *c);

#endif
