#ifndef ISSUE_TEXT_H
#define ISSUE_TEXT_H

#include "base/buf.h"
#include "base/json.h"
#include "followup/issue_group.h"
#include "followup/issue_range.h"

/*
 * The words of an issue and its comments, within GitHub's limits.
 *
 * Text of others (screens, commits, names, a phone's model) stands in code
 * spans only: in them GitHub makes no mention, no reference and no link, and
 * no byte of it ends the span, a table's cell or a comment of HTML.
 */
struct issue_text {
	const cJSON *comparison;
	const cJSON *result;   /* of the run: the way to a screen; or NULL */
	const char *plan_file; /* may be NULL */
	const struct issue_group *group;
	const struct issue_range *range;
};

enum issue_text_kind {
	ISSUE_TEXT_AGAIN, /* it got worse anew, or in more places */
	ISSUE_TEXT_BACK,  /* a closed one is reopened */
};

/* A code span of `s`; NULL and "" make one of "?". */
void issue_text_code(struct buf *out, const char *s, size_t max_units);
/* For a title, which is no Markdown but may mention somebody. */
void issue_text_plain(struct buf *out, const char *s, size_t max_units);

/* "home>shop: load 1.84→2.21 s (+20 %) and 4 more" */
void issue_text_title(struct buf *out, const struct issue_text *t);
/* With the block and the markers; each free() it. */
char *issue_text_body(const struct issue_text *t);
char *issue_text_comment(const struct issue_text *t, enum issue_text_kind kind);

/*
 * `body` with what is new of the group in its marker and its block, and
 * nothing else changed; NULL: there is nothing new.  When it is back, what the
 * block said of these series is replaced, too.  free() it.
 */
char *issue_text_update(const char *body, const struct issue_text *t,
			enum issue_text_kind kind);
/* Without the marker: it is not found again.  free() it. */
char *issue_text_unmarked(const char *body);

#endif
