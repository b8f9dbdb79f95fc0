#ifndef COMPARE_WORDS_H
#define COMPARE_WORDS_H

#include "base/json.h"

/*
 * The words of a comparison.  Each appends "line" or "message" to what is
 * there, in one line with the numbers that were used.
 */
void compare_words_series(cJSON *series);
void compare_words_mark(cJSON *mark, const char *unit);
void compare_words_message(cJSON *comparison);

/* {"part", "before", "after", "message"} */
cJSON *compare_words_baseline(const cJSON *then, const cJSON *now,
			      const char *part);

#endif
