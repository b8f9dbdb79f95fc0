#ifndef ADB_DEVICE_PHONE_H
#define ADB_DEVICE_PHONE_H

#include <stddef.h>

#include "adb/adb_device.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * How the phone is at this moment, so that a hot or throttled sample can be
 * told from a regression.  Each value is -1 when the phone does not tell
 * (battery_c: ADB_DEVICE_PHONE_UNKNOWN_C).
 */
enum { ADB_DEVICE_PHONE_CPUS = 32, ADB_DEVICE_PHONE_UNKNOWN_C = -1000 };

struct adb_phone_state {
	double battery_c; /* degrees Celsius */
	int battery_pct;
	int charging;	    /* 1, 0 or -1 */
	int thermal_status; /* Android's 0 (none) .. 6 (shutdown) */
	int cpu_count;	    /* entries of cpu_khz; 0: unknown */
	int cpu_khz[ADB_DEVICE_PHONE_CPUS];	/* now */
	int cpu_max_khz[ADB_DEVICE_PHONE_CPUS]; /* allowed now */
	long long free_bytes;			/* MemAvailable */
	int brightness;	   /* 0..255, or as the phone counts */
	long long took_us; /* of the round trip */
};

/* One shell round trip. */
int adb_device_phone_state(struct adb_device *dev,
			   struct adb_phone_state *state, struct deadline dl,
			   struct err *err);
/* From the command's output; never fails, what is absent stays unknown. */
void adb_device_phone_parse(const char *text, struct adb_phone_state *state);

#endif
