#ifndef REPO_CHILD_H
#define REPO_CHILD_H

#include <stdbool.h>

/*
 * The program again, as the child in which libgit2 runs: a process with other
 * threads can't fork without exec, for one of them may hold a lock.  main()
 * asks before anything else; on true the answer is printed and all is done.
 *
 *	PROGRAM REPO_CHILD DIR [BASE HEAD]
 */
#define REPO_CHILD "repo-child"

bool repo_child(int argc, char **argv);

#endif
