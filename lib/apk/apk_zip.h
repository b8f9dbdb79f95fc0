#ifndef APK_ZIP_H
#define APK_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Reading zips of others through libzip.  The central directory counts, never
 * local headers (artifacts have zero sizes there).  An entry's name is data:
 * it is shown and matched, and never used as a path.
 */
struct apk_zip;

enum {
	APK_ZIP_MAX_ENTRIES = 500000,
	APK_ZIP_MAX_NAME = 4096,
	APK_ZIP_MAX_RATIO = 200, /* checked above 64 MiB */
	APK_ZIP_MAX_CENTRAL = 64 << 20,
};
/* Larger than any APK that Android installs. */
#define APK_ZIP_MAX_BYTES (16LL << 30)

struct apk_zip_entry {
	const char *name; /* borrowed from the zip */
	uint64_t index;
	int64_t size; /* uncompressed, as declared */
	int64_t packed;
	bool encrypted;
};

/* ERR_INPUT "not a zip" tells the first bytes. */
int apk_zip_open(const char *path, struct apk_zip **out, struct err *err);
void apk_zip_close(struct apk_zip *z);
size_t apk_zip_count(const struct apk_zip *z);
int apk_zip_entry(const struct apk_zip *z, size_t i, struct apk_zip_entry *out,
		  struct err *err);
/* Index of this exact name, -1 when there is none. */
int64_t apk_zip_find(const struct apk_zip *z, const char *name);

/*
 * The entry's bytes to `sink`, in pieces.  More or fewer bytes than declared,
 * a wrong checksum, a size or ratio past the caps: ERR_INPUT.
 */
int apk_zip_stream(struct apk_zip *z, const struct apk_zip_entry *e,
		   int (*sink)(void *arg, const void *data, size_t len,
			       struct err *err),
		   void *arg, struct deadline dl, struct err *err);
/* The same into a buf, bounded by its limit. */
int apk_zip_read(struct apk_zip *z, const struct apk_zip_entry *e,
		 struct buf *out, struct deadline dl, struct err *err);
/*
 * Where the central directory lies, as the end record says; false when that
 * cannot be found.  Pure bookkeeping of `path`, before libzip sees it.
 */
bool apk_zip_central(const char *path, int64_t *offset, int64_t *size);
/* An odd name ("../", "/tmp", "C:\"): harmless here, but worth telling. */
bool apk_zip_name_odd(const char *name);

#endif
