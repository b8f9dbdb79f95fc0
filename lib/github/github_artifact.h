#ifndef GITHUB_ARTIFACT_H
#define GITHUB_ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "github/github.h"

struct github_artifact {
	char *id;
	char *name;
	char *digest;	  /* 64 lower-case hex digits; NULL: unknown */
	char *created_at; /* RFC 3339; may be NULL */
	char *expires_at; /* may be NULL */
	char *run_id;	  /* of the run that made it; may be NULL */
	bool foreign;	  /* by a run of a fork's commit: anybody's bytes */
	bool expired;
	int64_t size_bytes; /* -1: unknown */
};

struct github_artifacts {
	struct github_artifact *item;
	size_t count, room;
};

void github_artifact_done(struct github_artifact *a);
void github_artifact_list_done(struct github_artifacts *l);

/* Append those of one page.  ERR_PROTO: not such a page. */
int github_artifact_parse(const cJSON *page, struct github_artifacts *l,
			  struct err *err);

/*
 * Those of a run, all pages; with `run_id` NULL the repository's hundred
 * newest of `name`.  `name` NULL: any.  The list may be half filled on error.
 */
int github_artifact_list(struct github *g, const char *run_id, const char *name,
			 struct github_artifacts *l, struct deadline dl,
			 struct err *err);

/*
 * The one artifact of the run that fits `pattern`: an exact name or a glob;
 * NULL: the only one there is.  ERR_NOTFOUND names those there are, with
 * reason artifact_expired when it is gone; several that fit are ERR_INPUT.
 */
int github_artifact_find(struct github *g, const char *run_id,
			 const char *pattern, struct github_artifact *out,
			 struct deadline dl, struct err *err);
/* The choice alone: index into the list, or -1. */
int github_artifact_choose(const struct github_artifacts *l,
			   const char *pattern, size_t *index, struct err *err);

struct github_artifact_file {
	char sha256[65]; /* lower-case hex of what arrived */
	bool verified;	 /* there was a digest and it is this one */
	int64_t bytes;
	char *content_type; /* may be NULL; free with _file_done */
};

/*
 * Download to `path` (beside it until whole).  Asks for a new signed address
 * when one has expired or a transfer stalled, goes on where it stopped, and
 * repeats once when the digest differs (then ERR_REMOTE, digest_mismatch).
 * The token is sent to the API alone.
 */
int github_artifact_download(
	struct github *g, const struct github_artifact *a, const char *path,
	void (*progress)(void *arg, int64_t now, int64_t total), void *arg,
	struct github_artifact_file *out, struct deadline dl, struct err *err);
void github_artifact_file_done(struct github_artifact_file *f);

#endif
