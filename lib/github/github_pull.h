#ifndef GITHUB_PULL_H
#define GITHUB_PULL_H

#include <stdbool.h>
#include <stdint.h>

#include "github/github.h"

/*
 * Pull requests of a branch of the repository itself.
 *
 * Errors as in github.h; a refusal's cure names `pull-requests: write`.  A
 * write is never repeated when its answer was lost: find it, then.
 */
struct github_pull {
	int64_t number; /* 0: there is none */
	char *id;	/* for GraphQL */
	char *url;	/* of the page for people */
	char *head_sha;
	bool conflicts; /* with its base; false, too, when not known yet */
};

void github_pull_done(struct github_pull *p);
int github_pull_parse(const cJSON *json, struct github_pull *out,
		      struct err *err);

/* The open one of `branch` to `base`; number 0: none is. */
int github_pull_find(struct github *g, const char *branch, const char *base,
		     struct github_pull *out, struct deadline dl,
		     struct err *err);

struct github_pull_text {
	const char *title, *body;
};

int github_pull_open(struct github *g, const char *branch, const char *base,
		     const struct github_pull_text *text,
		     struct github_pull *out, struct deadline dl,
		     struct err *err);
int github_pull_update(struct github *g, int64_t number,
		       const struct github_pull_text *text, struct deadline dl,
		       struct err *err);

enum github_pull_merging {
	GITHUB_PULL_WAITS,  /* it is merged when its checks have passed */
	GITHUB_PULL_MERGED, /* nothing was to be waited for: it is */
	GITHUB_PULL_LEFT,   /* to people; `why` says so */
};

/*
 * Ask for auto-merge; merge at once where GitHub refuses that because nothing
 * is missing.  `head_sha`: only while this is its newest commit.  What GitHub
 * does not allow is GITHUB_PULL_LEFT and no error.
 */
int github_pull_auto_merge(struct github *g, const struct github_pull *p,
			   const char *head_sha, enum github_pull_merging *how,
			   char **why, struct deadline dl, struct err *err);

#endif
