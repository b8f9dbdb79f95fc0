#ifndef GITHUB_RUN_H
#define GITHUB_RUN_H

#include <stdint.h>

#include "github/github.h"

/* A workflow run.  Strings are never NULL but where said. */
struct github_run {
	char *id;
	char *name; /* may be NULL */
	char *head_sha;
	char *head_branch;     /* may be NULL */
	char *status;	       /* "completed", "in_progress", "queued", ... */
	char *conclusion;      /* NULL until completed */
	char *event;	       /* may be "" */
	char *html_url;	       /* may be "" */
	char *started_at;      /* RFC 3339; may be NULL */
	char *repository;      /* "owner/name"; may be NULL */
	char *head_repository; /* of a fork: differs; may be NULL */
	int64_t attempt;
};

/* `id`: decimal digits; ERR_INPUT when it is not. */
int github_run_get(struct github *g, const char *id, struct github_run *out,
		   struct deadline dl, struct err *err);
/* From the API's JSON.  ERR_PROTO when what we need is missing. */
int github_run_parse(const cJSON *json, struct github_run *out,
		     struct err *err);
void github_run_done(struct github_run *r);

enum github_run_state {
	GITHUB_RUN_SUCCESS,
	GITHUB_RUN_FAILED, /* completed, but not with success */
	GITHUB_RUN_OPEN,   /* not completed */
	GITHUB_RUN_OWN,	   /* not completed because we are part of it */
};

/* `own_id`: GITHUB_RUN_ID, or NULL. */
enum github_run_state github_run_judge(const struct github_run *r,
				       const char *own_id);

/*
 * Read the run until it is completed or our own.  The deadline's end is
 * ERR_TIMEOUT, reason run_not_completed.
 */
int github_run_wait(struct github *g, const char *id, const char *own_id,
		    struct github_run *out, struct deadline dl,
		    struct err *err);

#endif
