#ifndef VERIFY_TELL_H
#define VERIFY_TELL_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "github/github_issue.h"

/* Is there something to comment?  Not of a day on which nothing was measured.
 */
bool verify_tell_is_due(const cJSON *verdict);
/* The label (issue.h) that it gives the issue; NULL: none, none is taken. */
const char *verify_tell_label(const cJSON *verdict);

/*
 * Comment the verdict, give its label and take the others away; the issue stays
 * open or closed as it is.  "comment_url" and "label" of `verdict` say what
 * became of it, also when this fails half way.
 */
int verify_tell(struct github *g, const struct github_issue *issue,
		cJSON *verdict, struct deadline dl, struct err *err);

#endif
