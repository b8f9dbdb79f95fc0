#ifndef REPO_H
#define REPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"

/*
 * Commit facts of the checkout around us, for want of a better source.
 *
 * libgit2 runs in a child process, because nothing inside it can be stopped;
 * it is this program again, whose main() has to call repo_child().
 * It only reads: it never fetches, and a shallow history ends where it ends.
 * No checkout, or one that libgit2 refuses (an unknown extension, SHA-256,
 * damage), is ERR_NOTFOUND with the cause in the message.
 */
struct repo_commit {
	char *sha;
	char *subject;
	char *author;
	int64_t time_s; /* author's, epoch seconds */
};

struct repo_head {
	struct repo_commit commit;
	char *branch; /* NULL: detached, as actions/checkout leaves it */
	bool shallow;
};

/* `dir` or one of the folders above it. */
int repo_head(const char *dir, struct repo_head *out, struct deadline dl,
	      struct err *err);
void repo_head_done(struct repo_head *h);

/* The commits that `head` has and `base` has not, newest first. */
struct repo_range {
	struct repo_commit *item;
	size_t count, room;
	bool complete;	   /* false: the history here is cut before */
	const char *cause; /* static words for that; NULL */
};

enum { REPO_MAX_COMMITS = 1000 };

/* Full or short hashes.  ERR_NOTFOUND also when `head` is not here. */
int repo_range(const char *dir, const char *base, const char *head,
	       struct repo_range *out, struct deadline dl, struct err *err);
void repo_range_done(struct repo_range *r);

#endif
