#ifndef GITHUB_COMPARE_H
#define GITHUB_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "github/github.h"

struct github_commit {
	char *sha;
	char *subject; /* first line of the message */
	char *author;  /* login where there is one, else the name */
	char *url;     /* may be "" */
};

/* The commits after `base` up to `head`, oldest first. */
struct github_compare {
	char *status; /* "ahead", "behind", "diverged", "identical" */
	char *url;    /* of the page for people; may be "" */
	struct github_commit *item;
	size_t count, room;
	long total;    /* as GitHub counts them */
	bool complete; /* item holds all of them */
};

/* ERR_NOTFOUND: GitHub knows one of them no more. */
int github_compare(struct github *g, const char *base, const char *head,
		   struct github_compare *out, struct deadline dl,
		   struct err *err);
void github_compare_done(struct github_compare *c);

#endif
