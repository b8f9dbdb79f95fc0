#ifndef REPO_BRANCH_H
#define REPO_BRANCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/err.h"
#include "repo/repo_wire.h"

/*
 * Files of a branch of a remote repository: read, and changed by one commit
 * that is pushed.
 *
 * The work is done in a child process (repo_child.h), in a bare repository
 * below the state folder that is a cache and nothing else.  The checkout here
 * is only asked for its origin.  Errors: ERR_INPUT, reason bad_setting: the
 * remote's address is none; ERR_AUTH; ERR_NOTFOUND: no such repository;
 * ERR_REMOTE: the server refused, with its words; ERR_TIMEOUT.
 */
struct repo_place {
	const char *remote;	 /* NULL: the origin of the checkout in `dir` */
	const char *remote_name; /* the setting that tells it, for words */
	const char *dir;	 /* NULL: here */
	const char *state_dir;
	struct repo_login login;
};

enum {
	REPO_FILES_MAX = 200000,
	REPO_BYTES_MAX = 256 << 20, /* of all files of one commit */
	REPO_SHA_HEX = 41,
	REPO_BRANCH_MAX = 200,
};

/* A branch's name that git takes, of plain characters.  ERR_USAGE. */
int repo_branch_check(const char *branch, struct err *err);

/* The newest commit of a branch. */
struct repo_tip {
	char commit[REPO_SHA_HEX]; /* "": there is no such branch */
	char committer[100];	   /* address */
};

/*
 * The paths of all files of a branch, of the last `most` in their order (0:
 * all); `see` hears them from the last to the first.
 */
int repo_branch_list(const struct repo_place *p, const char *branch,
		     size_t most, struct repo_tip *tip,
		     void (*see)(void *arg, const char *path), void *arg,
		     struct deadline dl, struct err *err);

/* `data` is not terminated, and gone afterwards. */
typedef int repo_branch_see(void *arg, size_t index, const char *data,
			    size_t len, struct err *err);

/*
 * Those files path[0..count) that the commit has, in this order.  `commit`:
 * one that an earlier call told, of which nothing new is fetched but files;
 * NULL: the newest, `tip` tells which.  A file that is longer than `file_max`
 * bytes is seen as so many zeros and one.
 */
struct repo_read {
	const char *branch, *commit;
	const char *const *path;
	size_t count, file_max;
};
int repo_branch_read(const struct repo_place *p, const struct repo_read *what,
		     struct repo_tip *tip, repo_branch_see *see, void *arg,
		     struct deadline dl, struct err *err);

struct repo_file {
	const char *path; /* "a/b.json", relative */
	const char *data; /* NULL: to be removed */
	size_t len;
};

/* What happens to a file that is there already. */
enum repo_there { REPO_REPLACE, REPO_KEEP };

struct repo_change {
	const char *branch;
	const struct repo_file *file;
	size_t count;
	enum repo_there there;
	const char *message;
	/*
	 * The parent of the commit: NULL: the branch's newest, none where
	 * there is no such branch.  Else this commit of the branch `of`, also
	 * when the branch has another one: it is then forced to it.
	 */
	const char *parent, *of;
	/*
	 * NULL: whatever the branch is at, tried again when somebody else was
	 * faster.  Else what it has to be at ("": absent): ERR_BUSY when it is
	 * not.
	 */
	const char *expect;
};

struct repo_changed {
	char commit[REPO_SHA_HEX]; /* "": there was nothing to change */
	size_t files;		   /* added, replaced or removed */
	unsigned tries;
};
int repo_branch_change(const struct repo_place *p, const struct repo_change *c,
		       struct repo_changed *out, struct deadline dl,
		       struct err *err);

#endif
