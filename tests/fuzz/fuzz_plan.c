/* Any bytes as a plan: complaints, or a plan that can be routed and drawn. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "plan/graph.h"
#include "plan/plan.h"
#include "plan/plan_vars.h"
#include "plan/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
use(const struct plan *plan)
{
	struct plan_vars vars = PLAN_VARS_INIT;
	AUTO_BUF struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	struct route route;
	cJSON *o;

	/* The check has computed it: it must not fail now. */
	if (route_compute(plan, &route, &err))
		abort();
	route_text(plan, &route, &out);
	graph_dot(plan, &route, &out);
	graph_mermaid(plan, &route, &out);
	graph_text(plan, &route, &out);
	cJSON_Delete(route_json(plan, &route));
	for (size_t i = 0; i < plan->screen_count; i++) {
		const struct plan_pred *is = plan->screen[i].is;

		if (is && plan_pred_where(is) == PLAN_IN_APP &&
		    plan_pred_json(is, &vars, &o, &err) == 0)
			cJSON_Delete(o);
		if (is)
			free(plan_pred_text(is));
	}
	route_done(&route);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct yaml_complaints c;
	struct err err = ERR_INIT;
	struct plan *plan;

	/* A folder that does not exist: no file of this machine is read. */
	if (plan_load_text("/nonexistent/p.yaml", (const char *)data, size,
			   &plan, &c, &err) == 0) {
		use(plan);
		plan_free(plan);
	} else if (c.count == 0) {
		abort();
	}
	yaml_complaints_done(&c);
	return 0;
}
