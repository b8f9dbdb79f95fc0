#ifndef ADB_HOST_H
#define ADB_HOST_H

#include <stddef.h>

#include "adb/adb_server.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Questions to the adb server itself (smart socket): one connection each,
 * four hex digits of length before each text, OKAY or FAIL.
 */
enum adb_host_state {
	ADB_HOST_ABSENT,
	ADB_HOST_DEVICE,	/* ready for work */
	ADB_HOST_OFFLINE,	/* connected, does not answer */
	ADB_HOST_UNAUTHORIZED,	/* our key is not trusted (yet) */
	ADB_HOST_CONNECTING,	/* also "authorizing" */
	ADB_HOST_NO_PERMISSION, /* USB node not ours to open */
	ADB_HOST_OTHER,		/* bootloader, recovery, sideload, ... */
};

struct adb_host_device {
	char *serial;
	enum adb_host_state state;
	char *state_text;		/* the server's own word */
	char *product, *model, *device; /* NULL when not told */
	long transport_id;		/* 0 when not told */
};

struct adb_host_list {
	struct adb_host_device *item;
	size_t count, room;
};

void adb_host_list_done(struct adb_host_list *list);
/* NULL when it is not in the list. */
const struct adb_host_device *
adb_host_list_find(const struct adb_host_list *list, const char *serial);

/*
 * Send `service` and read what follows OKAY: hex length and text.  FAIL is
 * ERR_REMOTE with the server's words.
 */
int adb_host_query(const struct adb_server *s, const char *service,
		   struct buf *out, struct deadline dl, struct err *err);

/*
 * The pieces, for exchanges of another shape.  adb_host_okay reads OKAY, or
 * FAIL as ERR_REMOTE; other bytes are ERR_PROTO and quoted.
 */
int adb_host_dial(const struct adb_server *s, int *fd, struct deadline dl,
		  struct err *err);
int adb_host_send(int fd, const void *service, size_t len, struct deadline dl,
		  struct err *err);
int adb_host_okay(int fd, struct deadline dl, struct err *err);
int adb_host_text(int fd, struct buf *out, struct deadline dl, struct err *err);

int adb_host_version(const struct adb_server *s, unsigned *version,
		     struct deadline dl, struct err *err);
int adb_host_devices(const struct adb_server *s, struct adb_host_list *list,
		     struct deadline dl, struct err *err);
/* A list as the server sends it; bad lines are ERR_PROTO. */
int adb_host_parse_devices(const char *text, size_t len,
			   struct adb_host_list *list, struct err *err);
/* An unknown serial is ADB_HOST_ABSENT, no error. */
int adb_host_state(const struct adb_server *s, const char *serial,
		   enum adb_host_state *state, struct deadline dl,
		   struct err *err);
const char *adb_host_state_name(enum adb_host_state state);

/*
 * Tell the server to connect to "host:port".  Its answer is no verdict (it
 * says "failed to authenticate" on good connections, and OKAY always): judge
 * by the state, which adb_wait_device() does.  `words`, when not NULL, gets
 * what the server said, as evidence.
 */
int adb_host_connect(const struct adb_server *s, const char *address,
		     struct buf *words, struct deadline dl, struct err *err);
/* Not connected is fine. */
int adb_host_disconnect(const struct adb_server *s, const char *address,
			struct deadline dl, struct err *err);
int adb_host_reconnect(const struct adb_server *s, const char *serial,
		       struct deadline dl, struct err *err);
/* The device's announced features, "a,b,c"; may be empty. */
int adb_host_features(const struct adb_server *s, const char *serial,
		      struct buf *out, struct deadline dl, struct err *err);

#endif
