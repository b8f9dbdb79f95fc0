#ifndef APK_MANIFEST_H
#define APK_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"

enum { APK_MANIFEST_MAX_ABIS = 16, APK_MANIFEST_MAX_BYTES = 16 << 20 };

/* What an APK says about itself. */
struct apk_manifest {
	char *package;
	char *version_name;	 /* NULL: absent, or a reference */
	int64_t version_code;	 /* with versionCodeMajor above 32 bits; -1 */
	int min_sdk, target_sdk; /* min 1 when absent, target = min */
	bool debuggable;
	bool test_only;
	char *activity; /* full name of MAIN + LAUNCHER; or NULL */
	char *split;	/* name of a config split; NULL: a base */
	bool split_required;
	char *abi[APK_MANIFEST_MAX_ABIS]; /* folders of lib/ */
	size_t abi_count;  /* 0: no native code, any phone will do */
	bool signed_v1;	   /* META-INF/x.RSA|DSA|EC is there */
	bool signed_block; /* an APK Signing Block is there (v2, v3) */
};

/*
 * Of an APK.  ERR_INPUT: not an APK, or its manifest is damaged (reasons
 * not_a_zip, zip_corrupt, no_manifest, bad_manifest).
 */
int apk_manifest_read(const char *apk, struct apk_manifest *out,
		      struct deadline dl, struct err *err);
/* Of AndroidManifest.xml's bytes alone: no ABIs, no signature. */
int apk_manifest_parse(const void *axml, size_t len, struct apk_manifest *out,
		       struct err *err);
void apk_manifest_done(struct apk_manifest *m);

/* Is `abis` ("arm64-v8a,armeabi-v7a", the phone's list) served by it? */
bool apk_manifest_runs_on(const struct apk_manifest *m, const char *abis);

#endif
