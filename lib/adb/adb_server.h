#ifndef ADB_SERVER_H
#define ADB_SERVER_H

#include <stdbool.h>

#include "base/deadline.h"
#include "base/err.h"
#include "transport/proc.h"

/*
 * The adb server: a private one that is our child, or one that runs already.
 *
 * Only the server is a program of adb's; everything else speaks its socket.
 * A private server sits on a loopback port of the kernel's choice, has a HOME
 * of its own with exactly one key, sees none of the user's ADB_* variables and
 * dies with us.  A joined server is never ended.
 */
enum adb_server_usb { ADB_SERVER_NO_USB, ADB_SERVER_USB };

struct adb_server {
	char *host;
	int port;
	bool ours;
	unsigned version; /* what host:version answered: 41 */
	char *program;	  /* absolute path; NULL when joined */
	char *home;	  /* temporary HOME; NULL when joined */
	char *log;	  /* the server's output, inside `home` */
	char *key_path;	  /* private key in use; NULL when joined */
	char *state_dir;  /* where `home` was made; NULL when joined */
	enum adb_server_usb usb;
	int lock; /* held while `home` is in use; valid with it */
	struct proc proc;
};

struct adb_server_spec {
	const char *program;	 /* NULL: adb_server_find */
	const char *state_dir;	 /* HOME is made in here; created when absent */
	const char *key_path;	 /* RSA private key, PEM */
	enum adb_server_usb usb; /* claim phones on USB as well */
};

/*
 * The adb program: PATH, then $ANDROID_HOME and $ANDROID_SDK_ROOT with
 * /platform-tools/adb.  Absolute; free() it.  ERR_NOTFOUND names the cure.
 */
int adb_server_find(char **program, struct err *err);

/*
 * Start a private server and wait until it answers.  On success
 * adb_server_stop() ends it and removes its HOME; push that before calling
 * (a zeroed struct is fine to stop).  A server that ends at once or never
 * answers is ERR_IO or ERR_TIMEOUT with the last lines of its output.
 */
int adb_server_start(struct adb_server *s, const struct adb_server_spec *spec,
		     struct deadline dl, struct err *err);

/*
 * Another one in the place of ours, which ended or hangs: the same key, a new
 * port, none of its connections.  On failure `s` is as it was.
 */
int adb_server_again(struct adb_server *s, struct deadline dl, struct err *err);

/*
 * Join a server that runs: `address` "host:port", or NULL for
 * ADB_SERVER_SOCKET ("tcp:host:port", "tcp:port"), ANDROID_ADB_SERVER_ADDRESS
 * and _PORT, else 127.0.0.1:5037.  ERR_NOTFOUND: nothing listens there.
 * ERR_PROTO: something listens that is no adb server; its first bytes are
 * told.
 */
int adb_server_join(struct adb_server *s, const char *address,
		    struct deadline dl, struct err *err);

/* Remove the HOMEs that killed patrols left: nobody holds their lock. */
void adb_server_sweep(const char *state_dir);

/*
 * End our server, remove its HOME, release everything.  A joined server goes
 * on.  Takes at most `dl`, then kills.  Zeroed or stopped twice is fine.
 */
void adb_server_stop(struct adb_server *s, struct deadline dl);

#endif
