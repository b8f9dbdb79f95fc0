#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "followup/issue_block.h"
#include "plan/plan.h"
#include "report/result.h"

/*
 * Is a registered regression gone?  What the issue's block names is walked to
 * several times with a new build, and the median is held against the block's
 * numbers.
 *
 * verify_way.c		which screens, and what can't be verified at all
 * verify_rule.c	the rule for one series
 * verify_unfit.c	does the run count at all?
 * verify_judge.c	a run's repetitions against the block
 * verify_text.c	the issue's comment
 */

/* --- verify_way.c --- */
struct verify_way {
	const char **visit; /* names of the plan, in order; owned array */
	size_t count, room;
	bool snapshot;	 /* one a repetition */
	bool build_only; /* the APK says it all, no phone is needed */
	cJSON *refused;	 /* [{"metric", "subject", "why"}] */
};

/*
 * What the walk has to visit.  `plan` gets these visits, and is good for
 * nothing but reading afterwards.  ERR_INPUT: nothing of the block can be
 * verified, and why.
 */
int verify_way_find(const struct issue_block *block, struct plan *plan,
		    struct verify_way *out, struct err *err);
void verify_way_done(struct verify_way *way);

/* --- verify_rule.c --- */
enum verify_verdict {
	VERIFY_VERIFIED,
	VERIFY_NOT_FIXED,
	VERIFY_UNDECIDED,
};

/* Fewer valid repetitions decide nothing where a metric has noise. */
enum { VERIFY_LEAST = 3, VERIFY_MOST = 20 };
#define VERIFY_FLOOR  0.05 /* of the baseline */
#define VERIFY_SIGMAS 3.0

/*
 * The median of `count` valid values, of `wanted` repetitions:
 *
 *	verified	nearer to the baseline than to the regression, and
 *			within the baseline + max(3 noise, 5 %)
 *	not fixed	neither
 *	undecided	one of the two, or less than half of the repetitions
 *			or VERIFY_LEAST of them are valid
 *
 * A deterministic metric is verified when its worst value is no worse than the
 * baseline, exactly, and one value is enough.
 */
struct verify_rule {
	bool lower_is_better, deterministic;
	double baseline, noise, regression;
};
struct verify_answer {
	enum verify_verdict verdict;
	double median;	/* of a deterministic one the worst; NaN: none */
	double limit;	/* what is still within the baseline's reach */
	double halfway; /* between baseline and regression */
};
struct verify_answer verify_rule(const struct verify_rule *rule,
				 const double *value, size_t count,
				 size_t wanted);
const char *verify_rule_name(enum verify_verdict verdict);

/* --- verify_unfit.c --- */
/*
 * Why a run decides nothing: the phone throttled, or was not as warm as in the
 * issue's runs, which spares sizes and counts; or the game that ran was not
 * the build (`all`).
 */
struct verify_unfit {
	const char *reason; /* NULL: it counts */
	bool all;	    /* sizes and counts neither */
	char *message;	    /* cause and cure; the caller's */
};
void verify_unfit_find(const struct issue_block *block, const cJSON *result,
		       struct verify_unfit *out);

/* --- verify_judge.c --- */
/*
 * The verdict (docs/schema/verify.schema.json) of a run's result.json.
 * "verdict" is verified, not_fixed, undecided, not_comparable, skipped or
 * failed.
 */
cJSON *verify_judge(const struct issue_block *block, const cJSON *result,
		    const cJSON *refused, int64_t wanted);
/*
 * The verdict is the run's outcome, where it came to one: passed, failed with
 * the reason not_fixed, or infra_error with undecided or not_comparable.
 */
void verify_decide(const cJSON *verdict, struct result *res);

/* --- verify_text.c --- */
/* "verified: home>shop load ..." in one line; free() it. */
char *verify_text_line(const cJSON *series);
char *verify_text_message(const cJSON *verdict);
/* Markdown, below GitHub's limit of a comment. */
void verify_text_comment(struct buf *out, const cJSON *verdict);

#endif
