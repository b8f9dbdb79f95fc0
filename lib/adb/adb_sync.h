#ifndef ADB_SYNC_H
#define ADB_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb_device.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Files on the phone.  One connection serves any number of calls, one after
 * the other; after an error other than ERR_NOTFOUND it must be closed, since
 * phones close their side.
 */
struct adb_sync {
	int fd; /* -1: none */
	bool stat_v2;
	const char *serial; /* borrowed from the device, for messages */
};

int adb_sync_open(struct adb_device *dev, struct adb_sync *sync,
		  struct deadline dl, struct err *err);
void adb_sync_close(struct adb_sync *sync);

struct adb_sync_stat {
	uint32_t mode; /* as in st_mode: S_ISREG() and so on */
	uint64_t size; /* modulo 4 GiB on phones without stat_v2 */
	int64_t mtime; /* epoch seconds */
};

/*
 * ERR_NOTFOUND: no such file.  A link at the end of the path is followed where
 * the phone has stat_v2, and tells about itself elsewhere.
 */
int adb_sync_stat(struct adb_sync *sync, const char *path,
		  struct adb_sync_stat *st, struct deadline dl,
		  struct err *err);

struct adb_sync_entry {
	char *name; /* a plain name: no slash, not "." or ".." */
	struct adb_sync_stat st;
};
struct adb_sync_list {
	struct adb_sync_entry *item;
	size_t count, room;
};
/* An absent or closed directory lists as empty: the protocol can't tell. */
int adb_sync_list(struct adb_sync *sync, const char *path,
		  struct adb_sync_list *list, struct deadline dl,
		  struct err *err);
void adb_sync_list_done(struct adb_sync_list *list);

/* Bytes so far of total; -1: unknown. */
typedef void (*adb_sync_progress)(void *arg, int64_t now, int64_t total);

/*
 * Pull a file to `local`, written beside its name and renamed; what is no
 * regular file (/dev/null) is written in place.  ERR_NOTFOUND: no such file.
 * ERR_REMOTE: the phone's words.  `bytes` (may be NULL) is what came.
 */
int adb_sync_pull(struct adb_sync *sync, const char *remote, const char *local,
		  adb_sync_progress progress, void *arg, int64_t *bytes,
		  struct deadline dl, struct err *err);
/* A small file into memory, bounded by the buf's limit. */
int adb_sync_read(struct adb_sync *sync, const char *remote, struct buf *out,
		  struct deadline dl, struct err *err);
/*
 * Push a regular file; `mode` are the permission bits there, of which phones
 * take the owner's for group and others too.  Done when the phone said so.  ERR_REMOTE: the phone's words ("No space left on device").
 */
int adb_sync_push(struct adb_sync *sync, const char *local, const char *remote,
		  unsigned mode, adb_sync_progress progress, void *arg,
		  struct deadline dl, struct err *err);

#endif
