#ifndef STF_H
#define STF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "base/secret.h"
#include "transport/http.h"

/*
 * The REST API of an STF farm (DeviceFarmer/stf, VKCOM/devicehub), one
 * function a call.  Nothing here retries; stf_lease.h does.
 *
 * Errors: ERR_AUTH: the token is missing, unknown or stale, or may not read
 * this (403 to a GET).  ERR_BUSY: the farm answered 403 to a change (not
 * available, or not ours).  ERR_NOTFOUND: 404.
 * ERR_TIMEOUT or ERR_IO: no answer came, which does not mean that nothing
 * happened.  ERR_REMOTE: 5xx and other refusals; ERR_PROTO: no JSON of STF.
 * After a call stf->status has the HTTP status, 0 when none came.
 */
struct stf {
	struct http *http;
	char *api;		    /* ".../api/v1", no slash behind */
	const struct secret *token; /* borrowed */
	int status;
	bool answered;	 /* it once said yes to this token */
	int64_t call_ms; /* of one call; stf_init() sets STF_CALL_MS */
	int64_t late_ms; /* how late a lost reservation may come */
};

enum {
	STF_CALL_MS = 25000, /* devicehub itself waits 20 s for a worker */
	STF_LATE_MS = 12000,
	STF_MAX_BODY = 32 << 20,
	STF_MAX_DEVICES = 10000,
};

/* `url` with or without "/api/v1".  ERR_INPUT when it is no http(s) URL. */
int stf_init(struct stf *s, const char *url, const struct secret *token,
	     struct err *err);
void stf_done(struct stf *s);

struct stf_user {
	char *email;
	char *name;
	bool admin;
	char **fingerprint; /* "aa:bb:...", of the account's adb keys */
	size_t fingerprint_count;
};

/* Who the token belongs to; also the check of the token. */
int stf_user(struct stf *s, struct stf_user *out, struct deadline dl,
	     struct err *err);
void stf_user_done(struct stf_user *u);
bool stf_user_has_key(const struct stf_user *u, const char *fingerprint);

/*
 * A device's record.  All strings are borrowed from `json`, blank-trimmed
 * where STF leaves blanks, and never NULL but where said.
 */
struct stf_device {
	cJSON *json;
	const char *serial;
	char *model;	     /* trimmed copy; "" before it was first ready */
	const char *version; /* of Android */
	const char *sdk;
	const char *abi;
	const char *owner_email; /* NULL: nobody */
	const char *owner_name;	 /* NULL: nobody */
	const char *usage_since; /* RFC 3339, of its present use; NULL */
	const char *usage;	 /* "automation": by the API; or NULL */
	const char *group_class; /* "once": somebody's booking; or NULL */
	const char *group_stop;	 /* RFC 3339 end of that slot; or NULL */
	bool present, ready, using;
	int status;	/* adb's: 1 offline 2 unauthorized 3 online
				 * 4 connecting 5 authorizing */
	bool elsewhere; /* in a group that is not ours now */
};

struct stf_devices {
	struct stf_device *item;
	size_t count, room;
};

/* Takes `json`, an object of STF.  ERR_PROTO when it has no serial. */
int stf_device_parse(cJSON *json, struct stf_device *out, struct err *err);
void stf_device_done(struct stf_device *d);

/*
 * RFC 3339 end of somebody's booking of it; NULL when it is in none, as in the
 * standing groups of a farm.
 */
const char *stf_device_booked_until(const struct stf_device *d);

/* Where the device list comes from. */
enum stf_target {
	STF_TARGET_USER,     /* what this user can reach now */
	STF_TARGET_BOOKABLE, /* also what others have booked */
};

int stf_devices(struct stf *s, enum stf_target target, struct stf_devices *out,
		struct deadline dl, struct err *err);
/* The records of `list`, an array, which is emptied. */
int stf_devices_parse(cJSON *list, struct stf_devices *out, struct err *err);
void stf_devices_done(struct stf_devices *l);
int stf_device(struct stf *s, const char *serial, struct stf_device *out,
	       struct deadline dl, struct err *err);

/* `idle_ms`: STF gives the device back after so long without traffic. */
int stf_reserve(struct stf *s, const char *serial, int64_t idle_ms,
		struct deadline dl, struct err *err);
int stf_release(struct stf *s, const char *serial, struct deadline dl,
		struct err *err);
/* `endpoint`: "host:port", free() it; NULL when the farm left it out. */
int stf_remote_connect(struct stf *s, const char *serial, char **endpoint,
		       struct deadline dl, struct err *err);
int stf_remote_disconnect(struct stf *s, const char *serial, struct deadline dl,
			  struct err *err);

/*
 * `publickey`: the text of adbkey.pub; without a comment one is added (farms
 * crash on keys that have none).  Success does not mean that the key is in
 * our account: look at stf_user().
 */
int stf_register_key(struct stf *s, const char *publickey, const char *title,
		     struct deadline dl, struct err *err);
/* STF's fingerprint of it (MD5, "aa:bb:..."); ERR_INPUT: not such a key. */
int stf_key_fingerprint(const char *publickey, char out[48], struct err *err);

#endif
