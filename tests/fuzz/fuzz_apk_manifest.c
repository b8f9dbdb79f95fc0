#include <stddef.h>
#include <stdint.h>

#include "apk/apk_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An APK's AndroidManifest.xml. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct apk_manifest m;

	if (apk_manifest_parse(data, size, &m, &err) == 0) {
		(void)apk_manifest_runs_on(&m, "arm64-v8a");
		apk_manifest_done(&m);
	}
	return 0;
}
