#ifndef ADB_INSTALL_H
#define ADB_INSTALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb_device.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Install one APK, or a base and its splits, streamed to the package manager:
 * abb_exec where announced and accepted, else `cmd package` over exec, else
 * over shell v2, else push and `pm install`.
 */
enum adb_install_phase {
	ADB_INSTALL_SENDING, /* now of total bytes */
	ADB_INSTALL_WAITING, /* all sent; the phone verifies, or asks */
};

struct adb_install_spec {
	const char *const *apk; /* local paths */
	size_t apk_count;	/* > 1: a split set, in one session */
	bool reinstall;		/* -r: keep data */
	bool test_only;		/* -t: accept testOnly builds */
	bool grant;		/* -g: all runtime permissions */
	bool downgrade;		/* -d: debuggable apps only */
	void (*progress)(void *arg, enum adb_install_phase phase, int64_t now,
			 int64_t total);
	void *arg;
};

struct adb_install_result {
	const char *method; /* static: "abb_exec", "exec", "shell", "push" */
	int64_t send_ms, wait_ms;
	int64_t bytes;
	long long free_bytes; /* on /data before; -1 unknown */
};

/*
 * A refusal of the phone is ERR_REMOTE; err.reason is its code
 * ("INSTALL_FAILED_VERSION_DOWNGRADE", or "install_failed" when unknown) and
 * the message has the phone's words and the cure.  ERR_INPUT: an APK that
 * can't be read.  A late verdict is ERR_TIMEOUT (reason "install_waiting":
 * look at the phone).  `result` may be NULL.
 */
int adb_install_apk(struct adb_device *dev, const struct adb_install_spec *spec,
		    struct adb_install_result *result, struct deadline dl,
		    struct err *err);

/*
 * The verdict in what the package manager printed: 0 for "Success", ERR_REMOTE
 * as above for "Failure [...]", ERR_PROTO when there is none.
 */
int adb_install_verdict(const char *text, size_t len, struct err *err);

#endif
