#ifndef REPO_BARE_H
#define REPO_BARE_H

#include <git2.h>

#include "base/deadline.h"
#include "base/err.h"

/*
 * The bare repository in which what is fetched of a remote is kept, a cache
 * and no more: it may be removed at any time, and is when it got damaged or
 * has too many packs.  One process at a time has it.
 */
struct repo_bare {
	git_repository *repo;
	git_odb *odb;
	char *path;
	int lock_fd;
};

enum { REPO_BARE_PACKS = 50 };

/* `remote`: what tells it from others.  Waits while another has it. */
int repo_bare_open(struct repo_bare *b, const char *state_dir,
		   const char *remote, struct deadline dl, struct err *err);
void repo_bare_close(struct repo_bare *b);
/* Begin anew. */
int repo_bare_renew(struct repo_bare *b, struct err *err);
bool repo_bare_is_long(const struct repo_bare *b);

/*
 * libgit2's words for what is wrong in here; always -1.  Reason
 * REPO_BARE_DAMAGED: with a new one it may be right.
 */
#define REPO_BARE_DAMAGED "repo_damaged"
int repo_bare_failed(struct err *err, const char *what);

/* The commit of `branch` that was seen last; false: none. */
bool repo_bare_seen(const struct repo_bare *b, const char *branch,
		    git_oid *out);
int repo_bare_set_seen(struct repo_bare *b, const char *branch,
		       const git_oid *id, struct err *err);

#endif
