#include "farm/reap_adb.h"

#include <stdlib.h>
#include <string.h>

#include "adb/adb_host.h"
#include "adb/adb_power.h"
#include "adb/adb_server.h"
#include "adb/adb_wait.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "farm/farm.h"
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

/*
 * Where the phone is, if we have it; else `endpoint` stays NULL.  A bastion
 * stays open for it: ssh_tunnel_close().
 */
static int
find_ours(const struct settings *set, const char *serial,
	  struct ssh_tunnel **tunnel, char **endpoint, struct deadline dl,
	  struct err *err)
{
	AUTO_FREE char *there = NULL;
	struct stf stf;
	bool ours = false;
	int rc;

	if (set->stf_url == NULL || set->stf_token.value == NULL)
		return 0;
	if (farm_open(&stf, tunnel, set, dl, err))
		return -1;
	rc = stf_lease_is_mine(&stf, serial, &ours, dl, err);
	if (rc == 0 && ours)
		rc = stf_remote_connect(&stf, serial, &there, dl, err);
	if (rc == 0 && there)
		rc = farm_reach(*tunnel, there, endpoint, err);
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

/* On the phone that is ours, where it is reached. */
static int
set_back(const struct settings *set, const char *detail, const char *serial,
	 struct deadline dl, struct err *err)
{
	const char *at = strstr(detail, " at ");
	struct adb_server s;
	int rc;

	if (open_server(set, at ? at + 4 : NULL, serial, &s, dl, err))
		return -1;
	rc = restore(&s, serial, (int)strtol(detail, NULL, 10), dl, err);
	adb_server_stop(&s, dl);
	return rc;
}

int
reap_adb_awake(const struct settings *set,
	       const struct lease_journal_item *item, struct deadline dl,
	       struct err *err)
{
	const char *detail = item->detail ? item->detail : "-1";
	const char *of = strstr(detail, " of ");
	AUTO_FREE char *serial = of ? NULL : mem_strdup(item->id);
	struct ssh_tunnel *tunnel = NULL;
	int rc = 0;

	if (of)
		rc = find_ours(set, of + 4, &tunnel, &serial, dl, err);
	/* Where it is another's by now, it is his to set. */
	if (rc == 0 && serial && set_back(set, detail, serial, dl, err)) {
		if (err->code == ERR_CANCELLED) {
			rc = -1;
		} else {
			/* A phone that is not there can't be set back. */
			log_debug("stay awake of %s: %s", item->id, err->msg);
			err_clear(err);
		}
	}
	ssh_tunnel_close(tunnel);
	return rc;
}
