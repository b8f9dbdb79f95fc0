#include "farm/reap_adb.h"

#include <stdlib.h>
#include <string.h>

#include "adb/adb_host.h"
#include "adb/adb_power.h"
#include "adb/adb_server.h"
#include "adb/adb_shell.h"
#include "adb/adb_wait.h"
#include "base/file.h"
#include "base/mem.h"
#include "farm/farm.h"
#include "stf/stf_lease.h"

enum { PHONE_MS = 6000 }; /* until the phone is there, or gone */

int
reap_adb_disconnect(const struct settings *set,
		    const struct lease_journal_item *item, struct buf *note,
		    struct deadline dl, struct err *err)
{
	struct adb_server s;
	int rc;

	(void)set;
	(void)note;
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

/* The last " of SERIAL" or " at SERVER": a path before it may have spaces. */
static const char *
tail_of(const char *detail, const char *word)
{
	const char *at = NULL;

	for (const char *p = detail; (p = strstr(p, word)); p++)
		at = p;
	return at;
}

/* What is to be done on the phone, by the journal's detail. */
typedef int phone_act(struct adb_device *dev, const char *detail,
		      struct deadline dl, struct err *err);

static int
at_device(const struct adb_server *s, const char *serial, phone_act *act,
	  const char *detail, struct deadline dl, struct err *err)
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
	rc = act(&dev, detail, dl, err);
	adb_device_done(&dev);
	return rc;
}

/* On the phone that is ours, where it is reached. */
static int
at_server(const struct settings *set, const char *detail, const char *serial,
	  phone_act *act, struct deadline dl, struct err *err)
{
	const char *at = tail_of(detail, " at ");
	struct adb_server s;
	int rc;

	if (open_server(set, at ? at + 4 : NULL, serial, &s, dl, err))
		return -1;
	rc = at_device(&s, serial, act, detail, dl, err);
	adb_server_stop(&s, dl);
	return rc;
}

static int
on_phone(const struct settings *set, const struct lease_journal_item *item,
	 phone_act *act, struct buf *note, struct deadline dl, struct err *err)
{
	const char *detail = item->detail ? item->detail : "-1";
	const char *of = tail_of(detail, " of ");
	AUTO_FREE char *serial = of ? NULL : mem_strdup(item->id);
	struct ssh_tunnel *tunnel = NULL;
	int rc = 0;

	if (of)
		rc = find_ours(set, of + 4, &tunnel, &serial, dl, err);
	/* Where it is another's by now, it is his to set. */
	if (rc == 0 && serial == NULL)
		buf_str(note, "left as it is: the phone is not ours any more");
	if (rc == 0 && serial && at_server(set, detail, serial, act, dl, err)) {
		if (err->code == ERR_CANCELLED) {
			rc = -1;
		} else {
			/* Who can't reach it can't change anything there. */
			buf_fmt(note, "left as it is: %s", err->msg);
			err_clear(err);
		}
	}
	ssh_tunnel_close(tunnel);
	return rc;
}

static int
restore(struct adb_device *dev, const char *detail, struct deadline dl,
	struct err *err)
{
	return adb_power_restore(dev, (int)strtol(detail, NULL, 10), dl, err);
}

int
reap_adb_awake(const struct settings *set,
	       const struct lease_journal_item *item, struct buf *note,
	       struct deadline dl, struct err *err)
{
	return on_phone(set, item, restore, note, dl, err);
}

void
reap_adb_uncapture(struct buf *command, const char *package, const char *folder)
{
	if (folder) {
		buf_str(command, "rm -rf ");
		adb_shell_quote(command, folder);
		return;
	}
	buf_str(command, "run-as ");
	adb_shell_quote(command, package);
	buf_str(command, " rm -rf code_cache/patrol && "
			 "rm -f /data/local/tmp/patrol-filter");
}

/* "PACKAGE PATH of SERIAL": the path, or NULL where there is none. */
static char *
path_of(const char *detail)
{
	const char *rest = strchr(detail, ' ');
	const char *end;

	if (rest == NULL || *++rest != '/')
		return NULL;
	end = tail_of(rest, " of ");
	if (end == NULL)
		end = tail_of(rest, " at ");
	return end ? mem_strndup(rest, (size_t)(end - rest)) : mem_strdup(rest);
}

/* The app would write on: it ends first. */
static void
stop_app(struct buf *command, const char *package)
{
	buf_str(command, "am force-stop ");
	adb_shell_quote(command, package);
	buf_str(command, "; ");
}

/* Its program ended with its connection. */
static int
uncapture(struct adb_device *dev, const char *detail, struct deadline dl,
	  struct err *err)
{
	AUTO_FREE char *package = mem_strndup(detail, strcspn(detail, " "));
	AUTO_FREE char *folder = path_of(detail);
	AUTO_BUF struct buf b = BUF_INIT;

	stop_app(&b, package);
	reap_adb_uncapture(&b, package, folder);
	return adb_shell_text(dev, b.data, NULL, dl, err);
}

int
reap_adb_capture(const struct settings *set,
		 const struct lease_journal_item *item, struct buf *note,
		 struct deadline dl, struct err *err)
{
	return on_phone(set, item, uncapture, note, dl, err);
}

void
reap_adb_uncount(struct buf *command, const char *package, const char *path)
{
	if (strncmp(path, "/data/", 6) == 0) {
		buf_str(command, "run-as ");
		adb_shell_quote(command, package);
		buf_chr(command, ' ');
	}
	buf_str(command, "rm -f ");
	adb_shell_quote(command, path);
}

static int
uncount(struct adb_device *dev, const char *detail, struct deadline dl,
	struct err *err)
{
	AUTO_FREE char *package = mem_strndup(detail, strcspn(detail, " "));
	AUTO_FREE char *path = path_of(detail);
	AUTO_BUF struct buf b = BUF_INIT;

	if (path == NULL)
		return 0;
	stop_app(&b, package);
	reap_adb_uncount(&b, package, path);
	return adb_shell_text(dev, b.data, NULL, dl, err);
}

int
reap_adb_counter(const struct settings *set,
		 const struct lease_journal_item *item, struct buf *note,
		 struct deadline dl, struct err *err)
{
	return on_phone(set, item, uncount, note, dl, err);
}
