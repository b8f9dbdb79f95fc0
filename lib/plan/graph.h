#ifndef GRAPH_H
#define GRAPH_H

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "plan/plan.h"
#include "plan/route.h"

/*
 * The plan drawn: screens, transitions, and the route on them.  `route` may be
 * NULL.  A transition from "*" comes from one node of its own.
 */
void graph_dot(const struct plan *plan, const struct route *route,
	       struct buf *out);
void graph_mermaid(const struct plan *plan, const struct route *route,
		   struct buf *out);
/* Indented text: every screen with what leads out of it. */
void graph_text(const struct plan *plan, const struct route *route,
		struct buf *out);

/*
 * Through graphviz's `dot`, in the folder for temporary files.  ERR_NOTFOUND:
 * it is not installed.
 */
int graph_svg(const struct plan *plan, const struct route *route,
	      struct buf *out, struct deadline dl, struct err *err);

#endif
