#include "followup/issue_settled.h"

#include <math.h>
#include <string.h>

#include "followup/issue_block.h"
#include "followup/verify.h"

static bool
is_within(const struct issue_block_series *s, double after)
{
	const struct verify_rule rule = {
		.lower_is_better = s->lower_is_better,
		.deterministic = s->deterministic,
		.baseline = s->after,
		.noise = s->noise,
		.regression = s->after,
	};
	double limit = verify_rule(&rule, &after, 1, 1).limit;

	return s->lower_is_better ? after <= limit : after >= limit;
}

static bool
has(const struct issue_block *b, const cJSON *series)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct issue_block_series *s = &b->series[i];

		if (strcmp(s->metric, json_str(series, "metric", "")) == 0 &&
		    strcmp(s->subject, json_str(series, "subject", "")) == 0)
			return is_within(s,
					 json_num(series, "step.after", NAN));
	}
	return false;
}

bool
issue_settled(const char *body, const struct issue_group *g)
{
	struct err none = ERR_INIT;
	struct issue_block b;
	bool all = issue_block_parse(body, strlen(body), &b, &none) == 0;

	for (size_t i = 0; all && i < g->count; i++)
		all = has(&b, g->series[i]);
	issue_block_done(&b);
	return all;
}
