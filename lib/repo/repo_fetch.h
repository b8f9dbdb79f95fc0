#ifndef REPO_FETCH_H
#define REPO_FETCH_H

#include <git2.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/err.h"
#include "repo/repo_bare.h"
#include "repo/repo_pkt.h"
#include "repo/repo_wire.h"

/*
 * What is needed of a remote, and not its history: the newest commit of a
 * branch with its trees, and of its files those that are asked for, where the
 * server can do that; else all files of that commit.
 */
struct repo_far {
	const struct repo_remote *remote;
	const struct repo_login *login;
	struct repo_bare *bare;
};

enum { REPO_FETCH_MAX = 1 << 30 }; /* bytes of a pack */

/* `oid` is "" when there is no such branch. */
int repo_fetch_tip(struct repo_far *f, const char *branch,
		   char oid[REPO_PKT_OID + 1], struct deadline dl,
		   struct err *err);

/*
 * The files want[0..count) of the commit `tip`, the newest of `branch`, that
 * are not here.  ERR_NOTFOUND: the server has them no more.
 */
int repo_fetch_files(struct repo_far *f, const char *branch, const char *tip,
		     const git_oid *want, size_t count, struct deadline dl,
		     struct err *err);

#endif
