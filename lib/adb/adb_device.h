#ifndef ADB_DEVICE_H
#define ADB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "adb/adb_server.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * One device at a server, and what we learned about how to talk to it.
 */
enum adb_device_shell {
	ADB_DEVICE_SHELL_UNKNOWN, /* not tried yet */
	ADB_DEVICE_SHELL_V2,
	ADB_DEVICE_SHELL_MARKER, /* shell: with a marker; streams merged */
};

struct adb_device {
	const struct adb_server *server; /* borrowed, outlives us */
	char *serial;
	char *features; /* announced; "" when none */
	enum adb_device_shell shell;
	int sdk; /* 0: not read yet */
};

/* Reads the announced features; the device must be in state `device`. */
int adb_device_init(struct adb_device *dev, const struct adb_server *s,
		    const char *serial, struct deadline dl, struct err *err);
void adb_device_done(struct adb_device *dev);
bool adb_device_has(const struct adb_device *dev, const char *feature);

/*
 * Wait until Android is ready for work: the shell answers, boot is complete,
 * the package service is up.  ERR_TIMEOUT says which was missing.
 */
int adb_device_ready(struct adb_device *dev, struct deadline dl,
		     struct err *err);

/* Who the phone is.  Strings are "" when the phone does not tell. */
struct adb_device_facts {
	char *model; /* "Pixel 6" */
	char *manufacturer;
	char *serialno;	     /* ro.serialno: same phone, other address */
	char *release;	     /* "13" */
	char *build;	     /* ro.build.fingerprint */
	char *abis;	     /* "arm64-v8a,armeabi-v7a" */
	char *soc;	     /* ro.soc.model, else ro.board.platform */
	int sdk;	     /* 0: unknown */
	long long ram_bytes; /* -1: unknown */
	int width, height;   /* pixels; 0: unknown */
};

/* One round trip.  Also fills dev->sdk. */
int adb_device_facts(struct adb_device *dev, struct adb_device_facts *facts,
		     struct deadline dl, struct err *err);
void adb_device_facts_done(struct adb_device_facts *facts);

/* Free bytes on /data; -1 when the phone does not tell. */
int adb_device_free_space(struct adb_device *dev, long long *bytes,
			  struct deadline dl, struct err *err);

#endif
