#ifndef REPO_JOB_H
#define REPO_JOB_H

#include "repo/repo_branch.h"
#include "repo/repo_fetch.h"
#include "repo/repo_message.h"

/* What the child of repo_branch.h does. */
struct repo_job {
	struct repo_message q;
	struct deadline dl;
	struct secret token;
	struct repo_login login;
	struct repo_remote remote;
	struct repo_bare bare;
	struct repo_far far;
	cJSON *answer;
	struct buf body; /* behind the answer */
};

enum {
	REPO_JOB_PATHS = 256,	   /* files that one answer has */
	REPO_JOB_BYTES = 64 << 20, /* no further one behind so many */
	REPO_JOB_DEPTH = 16,	   /* of folders */
};

int repo_job_list(struct repo_job *j, struct err *err);
int repo_job_read(struct repo_job *j, struct err *err);
int repo_job_change(struct repo_job *j, struct err *err);

/* The tree of a commit that is here; git_tree_free() it. */
int repo_job_tree(struct repo_job *j, const char *oid, git_tree **out,
		  struct err *err);
/* Tell the answer what the branch is at. */
int repo_job_tell_tip(struct repo_job *j, const char *oid, struct err *err);

#endif
