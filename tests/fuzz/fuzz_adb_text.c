#include <stdint.h>
#include <string.h>

#include "adb/adb_device_phone.h"
#include "adb/adb_dialog.h"
#include "adb/adb_install.h"
#include "adb/adb_key.h"
#include "adb/adb_screencap.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Everything that reads text of the phone: verdicts, its state, windows, public
 * keys, and pictures.
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = mem_strndup((const char *)data, size);
	char print[ADB_KEY_FINGERPRINT];
	AUTO_BUF struct buf png = BUF_INIT;
	struct adb_phone_state state;
	struct adb_dialog_seen seen;
	struct err err = ERR_INIT;

	(void)adb_install_verdict((const char *)data, size, &err);
	(void)adb_key_fingerprint(text, print, &err);
	(void)adb_key_normalise(text, print);
	adb_device_phone_parse(text, &state);
	adb_dialog_parse(text, "com.example", &seen);
	buf_add(&png, data, size);
	(void)adb_screencap_clean(&png, &err);
	return 0;
}
