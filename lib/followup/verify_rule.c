#include <math.h>

#include "followup/verify.h"
#include "series/level.h"

const char *
verify_rule_name(enum verify_verdict verdict)
{
	static const char *const names[] = {"verified", "not_fixed",
					    "undecided"};

	return names[verdict];
}

/* How much worse `v` is than the baseline. */
static double
worse_by(const struct verify_rule *rule, double v)
{
	return rule->lower_is_better ? v - rule->baseline : rule->baseline - v;
}

static double
worst(const struct verify_rule *rule, const double *value, size_t count)
{
	double v = value[0];

	for (size_t i = 1; i < count; i++) {
		if (worse_by(rule, value[i]) > worse_by(rule, v))
			v = value[i];
	}
	return v;
}

static bool
enough(const struct verify_rule *rule, size_t count, size_t wanted)
{
	if (rule->deterministic)
		return count > 0;
	return count >= VERIFY_LEAST && 2 * count >= wanted;
}

struct verify_answer
verify_rule(const struct verify_rule *rule, const double *value, size_t count,
	    size_t wanted)
{
	double room = rule->deterministic
			      ? 0
			      : fmax(VERIFY_SIGMAS * rule->noise,
				     VERIFY_FLOOR * fabs(rule->baseline));
	struct verify_answer a = {
		.verdict = VERIFY_UNDECIDED,
		.median = NAN,
		.limit =
			rule->baseline + (rule->lower_is_better ? room : -room),
		.halfway = (rule->baseline + rule->regression) / 2,
	};
	bool within, nearer;

	if (count > LEVEL_MAX)
		count = LEVEL_MAX;
	if (count > 0)
		a.median = rule->deterministic ? worst(rule, value, count)
					       : level_median(value, count);
	if (!enough(rule, count, wanted))
		return a;
	within = worse_by(rule, a.median) <= room;
	nearer = worse_by(rule, a.median) <= worse_by(rule, a.halfway);
	if (within && (nearer || rule->deterministic))
		a.verdict = VERIFY_VERIFIED;
	else if (!within && (!nearer || rule->deterministic))
		a.verdict = VERIFY_NOT_FIXED;
	return a;
}
