#ifndef REPO_CHILD_H
#define REPO_CHILD_H

/*
 * The program again, as the child in which libgit2 runs: a process with other
 * threads can't fork without exec, for one of them may hold a lock.  main()
 * calls it before anything else; it returns only when it was not meant.
 *
 *	PROGRAM REPO_CHILD DIR [BASE HEAD]
 */
#define REPO_CHILD "repo-child"

void repo_child(int argc, char **argv);

#endif
