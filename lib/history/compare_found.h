#ifndef COMPARE_FOUND_H
#define COMPARE_FOUND_H

#include <stddef.h>

#include "history/compare_lines.h"
#include "series/detect.h"

/* The points that count, and what is to be said of them. */
struct compare_found {
	double *value;
	size_t *point; /* index into the line's points */
	size_t count;
	struct detect_list list; /* indices are of `value` */
};

void compare_found_of(const struct compare_line *line,
		      struct compare_found *out);
void compare_found_done(struct compare_found *f);

/* "regression", "creep" or "improvement"; of a suspect "suspect". */
const char *compare_found_kind(const struct compare_line *line,
			       const struct detect_change *c);

#endif
