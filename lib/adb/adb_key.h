#ifndef ADB_KEY_H
#define ADB_KEY_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * adb's key: RSA-2048, the private half as PKCS#8 PEM, the public half as
 * base64 of Android's 524-byte structure and " user@host".
 */
enum { ADB_KEY_FINGERPRINT = 48 }; /* "aa:bb:..", 16 bytes, with the 0 */

struct adb_key {
	char *public_text; /* "QAAAA... user@host", no end of line */
	char fingerprint[ADB_KEY_FINGERPRINT]; /* MD5, as STF shows it */
};

void adb_key_done(struct adb_key *k);

/*
 * Make a private key at `path`, mode 0600; never replaces a file.  The name is
 * there when all of the key is.
 */
int adb_key_make(const char *path, struct err *err);

/* Read the private key and work out the public half.  ERR_INPUT: no such. */
int adb_key_read(const char *path, struct adb_key *k, struct err *err);

/* Make it when the file is absent, then read it. */
int adb_key_ensure(const char *path, struct adb_key *k, struct err *err);

/*
 * Fingerprint of a public key's text ("BASE64 comment", as STF, devices and
 * adbkey.pub hold it).  ERR_INPUT when it is no base64 of the right length.
 */
int adb_key_fingerprint(const char *public_text, char out[ADB_KEY_FINGERPRINT],
			struct err *err);

/*
 * A fingerprint as somebody wrote it (upper case, "MD5:", blanks, no colons)
 * to "aa:bb:.."; -1 when it is not 16 bytes.
 */
int adb_key_normalise(const char *text, char out[ADB_KEY_FINGERPRINT]);

#endif
