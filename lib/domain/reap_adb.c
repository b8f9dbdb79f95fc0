#include "domain/reap_adb.h"

#include <stdlib.h>
#include <string.h>

#include "adb/adb_host.h"
#include "adb/adb_power.h"
#include "adb/adb_server.h"
#include "adb/adb_wait.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "stf/stf_lease.h"

enum { PHONE_MS = 6000 }; /* until the phone is there, or gone */

int
reap_adb_disconnect(const struct settings *set,
		    const struct lease_journal_item *item, struct deadline dl,
		    struct err *err)
{
	struct adb_server s;
	int rc;

	(void)set;
	if (item->detail == NULL)
		return 0;
	if (adb_server_join(&s, item->detail, dl, err)) {
		if (err->code != ERR_NOTFOUND)
			return -1;
		err_clear(err); /* it ended, and its connections with it */
		return 0;
	}
	rc = adb_host_disconnect(&s, item->id, dl, err);
	adb_server_stop(&s, dl);
	return rc;
}

/* Where the phone is, if we have it; else `endpoint` stays NULL. */
static int
find_ours(const struct settings *set, const char *serial, char **endpoint,
	  struct deadline dl, struct err *err)
{
	struct stf stf;
	bool ours = false;
	int rc;

	if (set->stf_url == NULL || set->stf_token.value == NULL)
		return 0;
	if (stf_init(&stf, set->stf_url, &set->stf_token, err))
		return -1;
	rc = stf_lease_is_mine(&stf, serial, &ours, dl, err);
	if (rc == 0 && ours)
		rc = stf_remote_connect(&stf, serial, endpoint, dl, err);
	stf_done(&stf);
	return rc;
}

/* The server that the run had joined, or one like that it had for itself. */
static int
open_server(const struct settings *set, const char *joined, const char *serial,
	    struct adb_server *s, struct deadline dl, struct err *err)
{
	AUTO_FREE char *key = set->adb_key
				      ? mem_strdup(set->adb_key)
				      : file_join(set->state_dir, "adbkey");
	struct adb_server_spec spec = {
		.state_dir = set->state_dir,
		.key_path = key,
		.usb = strchr(serial, ':') ? ADB_SERVER_NO_USB : ADB_SERVER_USB,
	};

	return joined ? adb_server_join(s, joined, dl, err)
		      : adb_server_start(s, &spec, dl, err);
}

static int
restore(const struct adb_server *s, const char *serial, int before,
	struct deadline dl, struct err *err)
{
	const struct adb_wait_spec spec = {
		.serial = serial,
		.address = s->ours && strchr(serial, ':') ? serial : NULL,
	};
	struct adb_device dev = {0};
	int rc;

	if (adb_wait_device(s, &spec, deadline_cap(dl, PHONE_MS), err) ||
	    adb_device_init(&dev, s, serial, dl, err))
		return -1;
	rc = adb_power_restore(&dev, before, dl, err);
	adb_device_done(&dev);
	return rc;
}

int
reap_adb_awake(const struct settings *set,
	       const struct lease_journal_item *item, struct deadline dl,
	       struct err *err)
{
	const char *detail = item->detail ? item->detail : "-1";
	const char *at = strstr(detail, " at "), *of = strstr(detail, " of ");
	AUTO_FREE char *serial = of ? NULL : mem_strdup(item->id);
	struct adb_server s;
	int rc;

	if (of && find_ours(set, of + 4, &serial, dl, err))
		return -1;
	if (serial == NULL)
		return 0; /* it is another's to set now */
	if (open_server(set, at ? at + 4 : NULL, serial, &s, dl, err)) {
		rc = -1;
	} else {
		rc = restore(&s, serial, (int)strtol(detail, NULL, 10), dl,
			     err);
		adb_server_stop(&s, dl);
	}
	if (rc == 0 || err->code == ERR_CANCELLED)
		return rc;
	log_debug("stay awake of %s: %s", item->id, err->msg);
	err_clear(err); /* a phone that is not there can't be set back */
	return 0;
}
