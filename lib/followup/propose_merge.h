#ifndef PROPOSE_MERGE_H
#define PROPOSE_MERGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* What is merged: files, and bytes that came from the repository. */
struct propose_merge {
	const char *out;	/* folder of the run */
	const char *pulled;	/* its collection, within that */
	const char *asset;	/* name, for messages */
	const struct buf *base; /* the asset at the base */
	const struct buf *open; /* that of the open request; NULL */
};

struct propose_merged {
	struct buf text; /* the proposed asset */
	cJSON *counts;	 /* variants, added_variants, pruned, shaders, ... */
	bool is_base;	 /* nothing new in it */
	bool is_open;	 /* the open request has just this */
	char *not_open;	 /* why that request's was left out; or NULL */
};

#define PROPOSE_MERGE_FILE "graphics-states/proposed.graphicsstate"

/* ERR_INPUT: one of them is none, or they do not fit. */
int propose_merge(const struct propose_merge *m, struct propose_merged *out,
		  struct err *err);
void propose_merge_done(struct propose_merged *m);

#endif
