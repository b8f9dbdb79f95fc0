#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdio.h>

#include "base/json.h"

/*
 * Rows of text, each an array of strings, in columns as wide as they need;
 * the first row is the head.  Control characters are made harmless.  A column
 * that is empty in all rows but the head is left out.
 */
void columns_print(const cJSON *rows, FILE *to);

#endif
