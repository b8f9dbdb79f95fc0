#ifndef SNAPSHOT_PARTS_H
#define SNAPSHOT_PARTS_H

#include "unity/snapshot.h"

/* Shared by the parts of the module. */

/* Just these bytes of the file, or ERR_INPUT. */
int snapshot_bytes(const struct snapshot *s, uint64_t at, void *out, size_t len,
		   struct err *err);

#define snapshot_bad(err, ...)                 \
	(err_set(err, ERR_INPUT, __VA_ARGS__), \
	 err_reason(err, "snapshot_damaged"))

#endif
