#ifndef REPO_PUSH_H
#define REPO_PUSH_H

#include <git2.h>

#include "base/buf.h"
#include "repo/repo_fetch.h"

/* A commit and what is new with it, to a branch that is still at `old`. */
struct repo_push {
	const char *branch;
	const char *old; /* "": the branch is not there */
	git_oid commit;
	const git_oid *object; /* all that the server lacks, `commit` too */
	size_t count;
};

enum repo_push_end {
	REPO_PUSH_DONE,
	REPO_PUSH_LOST,	   /* the branch is no more at `old` */
	REPO_PUSH_REFUSED, /* `words` say why; or it was lost meanwhile */
};

enum { REPO_PUSH_MAX = 256 << 20, REPO_PUSH_WORDS = 400 };

int repo_push(struct repo_far *f, const struct repo_push *p,
	      enum repo_push_end *end, struct buf *words, struct deadline dl,
	      struct err *err);

#endif
