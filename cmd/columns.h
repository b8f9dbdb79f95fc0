#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/opt.h"

/*
 * Rows of text, each an array of strings, in columns as wide as they need;
 * the first row is the head.  Control characters are made harmless.  A column
 * that is empty in all rows but the head is left out.
 */
void columns_print(const cJSON *rows, FILE *to);
/* The head, NULL behind its last word.  The row is that of `rows`. */
cJSON *columns_head(cJSON *rows, const char *const *word);
/* A cell: 17. */
void columns_count(cJSON *row, int64_t n);

/* Options of the commands that print tables of what a file holds. */
struct columns_options {
	bool json;
	int64_t top; /* rows of each table; 0 when not given */
};
extern const struct opt columns_options[];
int64_t columns_top(const struct columns_options *o);

#endif
