#ifndef FARM_H
#define FARM_H

#include "base/err.h"
#include "domain/plan.h"
#include "domain/settings.h"
#include "stf/stf_choose.h"

/* Which phones a plan wants, in the words of stf_choose(). */
struct farm_wants {
	struct stf_want *want; /* best first: its serials, or one match */
	size_t count;
	struct stf_match *match;
	size_t match_count;
};

/* Borrows from `plan`; NULL: any phone. */
void farm_wants_init(struct farm_wants *w, const struct plan *plan);
void farm_wants_done(struct farm_wants *w);

/* The farm of the settings.  ERR_USAGE: an address or a token is missing. */
int farm_open(struct stf *stf, const struct settings *set, struct err *err);
/* The budgets of one call; farm_open() has set them. */
void farm_budgets(struct stf *stf, const struct settings *set);

#endif
