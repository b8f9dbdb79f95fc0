#include "followup/issue_range.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "github/github_compare.h"
#include "repo/repo.h"

enum { GITHUB_MS = 30000, REPO_MS = 15000 };

static void
add(struct issue_range *r, const char *sha, const char *subject,
    const char *author, const char *url)
{
	MEM_GROW(r->item, r->count, r->room);
	r->item[r->count++] = (struct issue_commit){
		.sha = mem_strdup(sha),
		.subject = mem_strdup(subject),
		.author = mem_strdup(author),
		.url = mem_strdup(url),
	};
}

/* What GitHub's word for two commits means for the list. */
static const char *
status_note(const char *status)
{
	if (strcmp(status, "diverged") == 0)
		return "The two builds are of branches that have parted: these "
		       "are the commits of the later build since then, and "
		       "what the earlier one alone had is missing from it.";
	if (strcmp(status, "behind") == 0)
		return "The later build is of an older commit than the "
		       "earlier one.";
	if (strcmp(status, "identical") == 0)
		return "Both builds are of the same commit.";
	return NULL;
}

/* From which of `count` commits on they are kept. */
static size_t
newest(size_t count)
{
	return count > ISSUE_RANGE_MOST ? count - ISSUE_RANGE_MOST : 0;
}

static int
from_github(struct github *g, const char *good, const char *bad,
	    struct issue_range *r, struct deadline dl, struct err *err)
{
	struct github_compare c = {0};
	const char *before = g->permission;
	int rc;

	g->permission = "contents: read";
	rc = github_compare(g, good, bad, &c, deadline_cap(dl, GITHUB_MS), err);
	g->permission = before;
	if (rc)
		return -1;
	for (size_t i = newest(c.count); i < c.count; i++)
		add(r, c.item[i].sha, c.item[i].subject, c.item[i].author,
		    c.item[i].url);
	r->total = c.total > 0 && (size_t)c.total > c.count ? (size_t)c.total
							    : c.count;
	r->exact = strcmp(c.status, "ahead") == 0 && r->total > 0;
	r->url = mem_strdup(c.url);
	r->note = mem_strdup(status_note(c.status));
	github_compare_done(&c);
	return 0;
}

static int
from_checkout(const char *dir, const char *good, const char *bad,
	      struct issue_range *r, struct deadline dl, struct err *err)
{
	struct repo_range c = {0};

	if (repo_range(dir, good, bad, &c, deadline_cap(dl, REPO_MS), err))
		return -1;
	/* They come the newest first. */
	for (size_t i = c.count - newest(c.count); i > 0; i--)
		add(r, c.item[i - 1].sha, c.item[i - 1].subject,
		    c.item[i - 1].author, "");
	r->total = c.count;
	r->exact = c.complete;
	if (!c.complete)
		r->note =
			mem_fmt("The list is not whole: %s.",
				c.cause ? c.cause : "the history here is cut");
	repo_range_done(&c);
	return 0;
}

static void
explain(struct issue_range *r, const struct err *github, const struct err *here)
{
	AUTO_FREE char *note = r->note;

	if (here->code == ERR_NONE)
		r->note =
			mem_fmt("GitHub did not tell (%s); this is what the "
				"checkout knows.%s%s",
				github->msg, note ? " " : "", note ? note : "");
	else
		r->note = mem_fmt("The commits are not known: GitHub did not "
				  "tell (%s), and the checkout neither (%s).",
				  github->msg, here->msg);
}

/* Nothing else goes into a URL or to git. */
static bool
is_hash(const char *s)
{
	size_t len = s ? strlen(s) : 0;

	return len >= 7 && len <= 64 &&
	       strspn(s, "0123456789abcdefABCDEF") == len;
}

void
issue_range_find(struct github *g, const char *dir, const char *good,
		 const char *bad, struct issue_range *out, struct deadline dl)
{
	struct err github = ERR_INIT, here = ERR_INIT;

	*out = (struct issue_range){.item = NULL};
	if (!is_hash(good) || !is_hash(bad)) {
		out->note = mem_strdup("The commits are not known: the runs "
				       "do not tell theirs.");
		return;
	}
	if (strcmp(good, bad) == 0) {
		out->note = mem_strdup(status_note("identical"));
		out->exact = true;
		return;
	}
	if (!g)
		(void)err_set(&github, ERR_NOTFOUND, "it was not asked");
	else if (from_github(g, good, bad, out, dl, &github) == 0)
		return;
	(void)from_checkout(dir, good, bad, out, dl, &here);
	explain(out, &github, &here);
}

int64_t
issue_range_unmeasured(const struct issue_range *r, const cJSON *step)
{
	int64_t measured = json_int(step, "measured_commits", -1);

	if (!r || !r->exact || measured < 0 || (size_t)measured > r->total)
		return -1;
	return (int64_t)r->total - measured;
}

void
issue_range_done(struct issue_range *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->item[i].sha);
		free(r->item[i].subject);
		free(r->item[i].author);
		free(r->item[i].url);
	}
	free(r->item);
	free(r->url);
	free(r->note);
	*r = (struct issue_range){.item = NULL};
}
