#ifndef RECORDS_RESULT_H
#define RECORDS_RESULT_H

#include "base/json.h"
#include "history/compare.h"

/*
 * What a result says of the days before it (docs/result.md): "compared",
 * "comparison", "regressions" and "history".
 */

/* From the comparison of its record. */
void records_result_compared(cJSON *result, const cJSON *comparison);

/*
 * Of the runs before `at`, which is its record: the last 14 days, and for how
 * many nothing was measured.
 */
void records_result_days(cJSON *result, const struct compare_runs *runs,
			 size_t at);

#endif
