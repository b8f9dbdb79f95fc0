#ifndef SNAPSHOT_FILE_H
#define SNAPSHOT_FILE_H

#include <stdint.h>

#include "base/json.h"

/* The summary of a file, for the `snapshot` commands; the caller owns it. */
int snapshot_file_summary(const char *path, cJSON **out, struct err *err);
/* A cell of a table: a number, "12.3 MiB", "+12.3 MiB". */
void snapshot_file_count(cJSON *row, int64_t n);
void snapshot_file_bytes(cJSON *row, int64_t bytes);
void snapshot_file_grown(cJSON *row, int64_t bytes);

#endif
