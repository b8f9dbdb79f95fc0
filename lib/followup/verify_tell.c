#include "followup/verify_tell.h"

#include <string.h>

#include "followup/issue.h"
#include "followup/verify.h"

static const struct github_issue_label labels[] = {
	{ISSUE_VERIFIED, "0e8a16",
	 "patrol walked there again and found it fixed"},
	{ISSUE_NOT_FIXED, "d93f0b",
	 "patrol walked there again and found it as bad as before"},
	{ISSUE_AWAITING, NULL, NULL}, /* only taken away */
};

static bool
is(const cJSON *verdict, const char *word)
{
	return strcmp(json_str(verdict, "verdict", ""), word) == 0;
}

bool
verify_tell_is_due(const cJSON *verdict)
{
	return is(verdict, "verified") || is(verdict, "not_fixed") ||
	       is(verdict, "undecided");
}

const char *
verify_tell_label(const cJSON *verdict)
{
	return is(verdict, "verified")	  ? ISSUE_VERIFIED
	       : is(verdict, "not_fixed") ? ISSUE_NOT_FIXED
					  : NULL;
}

static int
comment(struct github *g, const struct github_issue *issue, cJSON *verdict,
	struct deadline dl, struct err *err)
{
	struct github_issue_comment made;
	AUTO_BUF struct buf text = BUF_INIT;

	verify_text_comment(&text, verdict);
	if (github_issue_comment(g, issue->number, text.data, &made, dl, err))
		return err_wrap(err, "comment issue %lld",
				(long long)issue->number);
	json_set_str(verdict, "comment_url", made.url);
	github_issue_comment_done(&made);
	return 0;
}

/* The new one first: an issue between two labels is found by both. */
static int
move_label(struct github *g, const struct github_issue *issue, cJSON *verdict,
	   struct deadline dl, struct err *err)
{
	const char *name = verify_tell_label(verdict);

	if (name == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		if (strcmp(labels[i].name, name) == 0 &&
		    (github_issue_label_ensure(g, &labels[i], dl, err) ||
		     github_issue_label_add(g, issue->number, name, dl, err)))
			return err_wrap(err, "label '%s'", name);
	}
	json_set_str(verdict, "label", name);
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		const char *other = labels[i].name;

		if (strcmp(other, name) != 0 &&
		    github_issue_has_label(issue, other) &&
		    github_issue_label_remove(g, issue->number, other, dl, err))
			return err_wrap(err, "take the label '%s' away", other);
	}
	return 0;
}

int
verify_tell(struct github *g, const struct github_issue *issue, cJSON *verdict,
	    struct deadline dl, struct err *err)
{
	if (!verify_tell_is_due(verdict))
		return 0;
	if (comment(g, issue, verdict, dl, err))
		return -1;
	return move_label(g, issue, verdict, dl, err);
}
