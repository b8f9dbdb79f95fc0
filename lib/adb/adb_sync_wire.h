#ifndef ADB_SYNC_WIRE_H
#define ADB_SYNC_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"

/* What all exchanges on a `sync:` stream have in common. */
enum {
	ADB_SYNC_WIRE_DATA_MAX = 64 << 10, /* the protocol's largest DATA */
	ADB_SYNC_WIRE_PATH_MAX = 1024,
};

/* Four letters, length and path. */
int adb_sync_wire_request(int fd, const char *id, const char *path,
			  struct deadline dl, struct err *err);
/*
 * The first eight bytes of an answer, which has to be `id`; FAIL becomes
 * ERR_REMOTE with the phone's words.
 */
int adb_sync_wire_head(int fd, const char *id, char *b, struct deadline dl,
		       struct err *err);
/*
 * The phone's words behind FAIL: `size` bytes, of which `len` at `have` were
 * read already.  Always -1.
 */
int adb_sync_wire_fail(int fd, const char *have, size_t len, uint32_t size,
		       struct deadline dl, struct err *err);
int adb_sync_wire_unexpected(const char *id, struct err *err);

#endif
