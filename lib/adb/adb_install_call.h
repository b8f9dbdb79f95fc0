#ifndef ADB_INSTALL_CALL_H
#define ADB_INSTALL_CALL_H

#include <stddef.h>

#include "adb/adb_device.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * One call of the phone's package manager with the bytes of a file behind it,
 * in one of the ways that phones know.
 */
enum adb_install_call_way {
	ADB_INSTALL_CALL_ABB,	/* abb_exec:package */
	ADB_INSTALL_CALL_EXEC,	/* exec:cmd package */
	ADB_INSTALL_CALL_SHELL, /* shell,v2,raw:cmd package */
};

enum { ADB_INSTALL_CALL_REPLY_MAX = 64 << 10, ADB_INSTALL_CALL_WORDS = 24 };

struct adb_install_call {
	struct adb_device *dev;
	enum adb_install_call_way way;
	const char *word[ADB_INSTALL_CALL_WORDS]; /* NULL-ended */
	size_t count;
	int file; /* its input; -1: none */
	void (*sent)(void *arg, size_t more);
	void (*all_sent)(void *arg); /* and once a second until it ends */
	void *arg;
};

/* One more word; it is borrowed. */
void adb_install_call_add(struct adb_install_call *c, const char *word);
/* "program 'word' 'word'", quoted for the phone's shell. */
void adb_install_call_text(const struct adb_install_call *c,
			   const char *program, struct buf *out);

/*
 * Do it; `text` gets what the package manager printed, until the stream's
 * end.  A refusal before all is sent ends the sending.  ERR_NOTFOUND, reason
 * "refused": the phone does not know this way.  ERR_TIMEOUT, reason
 * "install_waiting": all is sent and no verdict came.
 */
int adb_install_call_do(const struct adb_install_call *c, struct buf *text,
			struct deadline dl, struct err *err);

#endif
