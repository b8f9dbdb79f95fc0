#ifndef APK_ARTIFACT_H
#define APK_ARTIFACT_H

#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"

struct apk_artifact_file {
	char *path; /* readable APK */
	char *name; /* as it was called in the artifact */
	int64_t size_bytes;
	char sha256[65]; /* lower-case hex */
};

/* What an artifact turned out to hold: one APK, or a base and its splits. */
struct apk_artifact {
	struct apk_artifact_file *file; /* [0] is the APK or the base */
	size_t count;
};

struct apk_artifact_ask {
	const char *path;	  /* the downloaded file, or --apk's */
	const char *content_type; /* NULL: unknown; for messages */
	const char *sha256;	  /* of `path` if known, else NULL */
	const char *glob;	  /* the plan's artifact.apk, or NULL */
	const char *work_dir;	  /* existing; game.apk, split-N.apk */
	void (*progress)(void *arg, int64_t now, int64_t total);
	void *arg;
};

/*
 * Find the APK.  A file with AndroidManifest.xml at its root is the APK
 * itself and stays where it is; else the *.apk inside is extracted.
 *
 * ERR_INPUT with a reason: not_a_zip, no_apk, several_apks, is_aab,
 * zip_too_large, zip_corrupt, zip_encrypted, bad_entry_name.  ERR_IO: disk.
 */
int apk_artifact_open(const struct apk_artifact_ask *ask,
		      struct apk_artifact *out, struct deadline dl,
		      struct err *err);
void apk_artifact_done(struct apk_artifact *a);

#endif
