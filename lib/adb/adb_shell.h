#ifndef ADB_SHELL_H
#define ADB_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "adb/adb_device.h"
#include "adb/adb_shell_v2.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Commands on the phone.  `shell,v2,raw:` is tried once a device and judged
 * by its framing, whatever is announced; the fallback is `shell:` with a
 * marker behind the command that carries the exit status.  An end without an
 * exit status is an error (ERR_IO), always: the connection was cut.
 */
struct adb_shell_result {
	int status; /* exit status; 128 + n for signal n */
	struct buf out;
	struct buf err; /* empty where the phone merges the two */
};

/* `limit` bytes for each stream. */
void adb_shell_result_init(struct adb_shell_result *r, size_t limit);
void adb_shell_result_done(struct adb_shell_result *r);

/*
 * Run to the end.  0 whenever the exit status is known, whatever it is.
 * More output than the limit is ERR_PROTO.
 */
int adb_shell_run(struct adb_device *dev, const char *command,
		  struct adb_shell_result *r, struct deadline dl,
		  struct err *err);

/*
 * The same for a command that has to succeed: `out` (may be NULL) gets its
 * stdout without trailing white space; any other status than 0 is ERR_REMOTE
 * with the phone's words.
 */
int adb_shell_text(struct adb_device *dev, const char *command, struct buf *out,
		   struct deadline dl, struct err *err);

/* Find out which of the two ways works; others call it when they need it. */
int adb_shell_probe(struct adb_device *dev, struct deadline dl,
		    struct err *err);

/* Append `s` quoted as one word for the phone's shell. */
void adb_shell_quote(struct buf *b, const char *s);

/*
 * A command whose output is heard as it comes.  Watch `fd` for POLLIN, then
 * pump.  No input: the command's stdin is closed.
 */
struct adb_shell {
	int fd; /* -1: none */
	bool v2;
	bool ended; /* the exit status, or the end, was seen */
	int status; /* -1 when the end came without one */
	struct adb_shell_v2 packets;
	char marker[24];
	struct buf tail; /* of the marker fallback: the current line */
};

typedef int (*adb_shell_sink)(void *arg, enum adb_shell_v2_id id,
			      const char *data, size_t len, struct err *err);

int adb_shell_open(struct adb_device *dev, const char *command,
		   struct adb_shell *sh, struct deadline dl, struct err *err);
/*
 * The same for a command that runs until its standard input ends: when we say
 * so, or when the connection is gone, whatever became of us.  ERR_NOTFOUND on
 * phones before Android 7, whose shell can't tell an end.
 */
int adb_shell_open_leash(struct adb_device *dev, const char *command,
			 struct adb_shell *sh, struct deadline dl,
			 struct err *err);
int adb_shell_end_leash(struct adb_shell *sh, struct deadline dl,
			struct err *err);
/*
 * Read what is there without waiting and hand it to `sink`; look at
 * sh->ended after.  -1: the sink failed, or the stream broke.
 */
int adb_shell_pump(struct adb_shell *sh, adb_shell_sink sink, void *arg,
		   struct err *err);
void adb_shell_close(struct adb_shell *sh); /* ends the command too */

#endif
