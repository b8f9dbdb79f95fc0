#ifndef SNAPSHOT_PARTS_H
#define SNAPSHOT_PARTS_H

#include "unity/snapshot.h"

/* Shared by the parts of the module. */

/* Just these bytes of the file, or ERR_INPUT. */
int snapshot_bytes(const struct snapshot *s, uint64_t at, void *out, size_t len,
		   struct err *err);

/* Into the summary; null where the file has none. */
int snapshot_facts_date(const struct snapshot *s, cJSON *o, struct err *err);
int snapshot_facts_target(const struct snapshot *s, cJSON *o, struct err *err);
int snapshot_facts_stats(const struct snapshot *s, cJSON *o, struct err *err);
/* At most INT64_MAX. */
void snapshot_facts_set_u64(cJSON *o, const char *key, uint64_t n);

#define snapshot_bad(err, ...)                 \
	(err_set(err, ERR_INPUT, __VA_ARGS__), \
	 err_reason(err, "snapshot_damaged"))

#endif
