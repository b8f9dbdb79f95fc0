#ifndef SNAPSHOT_FILE_H
#define SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/* A cell of the `snapshot` commands' tables: "12.3 MiB", "+12.3 MiB". */
void snapshot_file_bytes(cJSON *row, int64_t bytes);
void snapshot_file_grown(cJSON *row, int64_t bytes);
/* A total of a summary in words; whether it is bytes, else it is a count. */
bool snapshot_file_total(cJSON *row, const char *key);

#endif
