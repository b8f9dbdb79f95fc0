#ifndef REPO_BRANCH_CHILD_H
#define REPO_BRANCH_CHILD_H

/*
 * The child of repo_branch.h; repo_child() calls it.
 *
 *	PROGRAM REPO_BRANCH_CHILD QUESTION_FD ANSWER_FD
 */
#define REPO_BRANCH_CHILD "repo-branch-child"

void repo_branch_child(int argc, char **argv);

#endif
