#ifndef ADB_SHELL_V2_H
#define ADB_SHELL_V2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The packets of `shell,v2`: u8 id, u32le length, data.  A reader that takes
 * bytes in any pieces and hands on the data of stdout and stderr without
 * keeping it, so a packet may be of any announced length.
 */
enum adb_shell_v2_id {
	ADB_SHELL_V2_STDIN = 0,
	ADB_SHELL_V2_STDOUT = 1,
	ADB_SHELL_V2_STDERR = 2,
	ADB_SHELL_V2_EXIT = 3,
	ADB_SHELL_V2_CLOSE_STDIN = 4,
	ADB_SHELL_V2_WINDOW = 5,
};

enum { ADB_SHELL_V2_MAX = 16 << 20 }; /* a length above is no such packet */

struct adb_shell_v2 {
	unsigned char head[5];
	size_t head_len;
	uint32_t left; /* of the current packet's data */
	bool exited;
	int status; /* valid once exited */
};

typedef int (*adb_shell_v2_sink)(void *arg, enum adb_shell_v2_id id,
				 const char *data, size_t len, struct err *err);

/* ERR_PROTO: these bytes are no packets.  Bytes after the exit are dropped. */
int adb_shell_v2_feed(struct adb_shell_v2 *p, const void *data, size_t len,
		      adb_shell_v2_sink sink, void *arg, struct err *err);

/* A packet's head, to send: 5 bytes. */
void adb_shell_v2_head(unsigned char out[5], enum adb_shell_v2_id id,
		       uint32_t len);

#endif
