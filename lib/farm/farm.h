#ifndef FARM_H
#define FARM_H

#include "base/err.h"
#include "plan/plan.h"
#include "plan/settings.h"
#include "stf/stf_choose.h"
#include "transport/ssh_tunnel.h"

/* Which phones a plan wants, in the words of stf_choose(). */
struct farm_wants {
	struct stf_want *want; /* best first: serials, or maps of match */
	size_t count;
	struct stf_match *match;
	size_t match_count;
};

/* Borrows from `plan`; NULL: any phone. */
void farm_wants_init(struct farm_wants *w, const struct plan *plan);
void farm_wants_done(struct farm_wants *w);

/* What the plan says of the farm and of the way to it, into the settings. */
void farm_settings(struct settings *set, const struct plan *plan);

/* The bastion of the settings.  ERR_USAGE: it is no USER@HOST[:PORT]. */
int farm_tunnel(const struct settings *set, struct ssh_tunnel **tunnel,
		struct deadline dl, struct err *err);

/*
 * The farm of the settings, through their bastion when there is one: `tunnel`
 * is NULL without.  ERR_USAGE: an address or a token is missing.
 */
int farm_open(struct stf *stf, struct ssh_tunnel **tunnel,
	      const struct settings *set, struct deadline dl, struct err *err);
/* The same for another address of the farm. */
int farm_open_at(struct stf *stf, struct ssh_tunnel **tunnel, const char *url,
		 const struct settings *set, struct deadline dl,
		 struct err *err);
/* The budgets of one call; farm_open() has set them. */
void farm_budgets(struct stf *stf, const struct settings *set);
void farm_close(struct stf *stf, struct ssh_tunnel **tunnel);

/* "host:port" as the farm tells it, as it is reached from here; free() it. */
int farm_reach(struct ssh_tunnel *tunnel, const char *endpoint, char **out,
	       struct err *err);
/* What the tunnel knows about why something failed, behind the message. */
void farm_explain(struct ssh_tunnel *tunnel, struct err *err);

#endif
