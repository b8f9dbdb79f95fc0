#ifndef PROPOSE_H
#define PROPOSE_H

#include <stdbool.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "plan/settings.h"

/*
 * The graphics states that a run traced, proposed to the repository: merged
 * into the asset at the newest commit of the base branch, less the variants
 * that the run's logs say were not found; one commit on a branch, one pull
 * request, which GitHub merges when its checks have passed.
 *
 * What an open request of that branch has already is kept.  Nothing of the
 * checkout here is used but its remote's address.
 */
struct propose {
	const char *out;    /* folder of a run that has ended */
	const char *asset;  /* path in the repository */
	const char *base;   /* branch */
	const char *branch; /* of the request */
	const char *remote; /* NULL: GITHUB_SERVER_URL, or the origin here */
	bool dry_run;	    /* look, merge, and change nothing */
	bool leave_open;    /* ask for no auto-merge */
};

/*
 * *answer fits docs/schema/propose.schema.json; its "state":
 *
 *	skipped	  the run has nothing that may be proposed: "message" says why
 *	nothing	  the asset has it all
 *	dry_run	  what would be proposed
 *	proposed  "pull_request" has its number
 *
 * The merged collection is left in OUT/graphics-states/.  ERR_USAGE: a name is
 * wrong; ERR_INPUT: the run or the asset is, or they do not fit; ERR_NOTFOUND:
 * the repository has no such branch or asset.
 */
int propose_states(const struct propose *p, const struct settings *set,
		   cJSON **answer, struct deadline dl, struct err *err);

#endif
