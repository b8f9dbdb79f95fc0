#ifndef RAW_PATHS_H
#define RAW_PATHS_H

#include "unity/raw_filter.h"

/*
 * What a filter writes is none of what it reads: ERR_USAGE when the output or
 * the summary is a file of the input, by whatever name, or when the output
 * would be a segment of a folder that is read.
 */
int raw_paths_check(const struct raw_filter_spec *spec, struct err *err);

/* ERR_USAGE when both descriptors write one regular file, named `out`. */
int raw_paths_apart(int out_fd, int summary_fd, const char *out,
		    struct err *err);

#endif
