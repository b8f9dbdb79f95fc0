#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adb/adb_key.h"
#include "adb/adb_server.h"
#include "base/file.h"
#include "base/mem.h"
#include "farm/lease_journal.h"
#include "run/doctor.h"
#include "transport/proc.h"

/* This machine: programs, key, folders. */

enum { STOP_MS = 1000, FREE_MIN = 2 }; /* GiB */

static int
adb_program(struct doctor *d, struct buf *message, struct buf *cure,
	    struct deadline dl, struct err *err)
{
	AUTO_FREE char *program = NULL;
	AUTO_BUF struct buf out = BUF_INIT_MAX(64 << 10);
	struct proc_spec spec = {.out_fd = -1};
	int status = 0;
	size_t line;

	(void)d;
	if (adb_server_find(&program, err))
		return -1;
	const char *const argv[] = {program, "version", NULL};

	spec.argv = argv;
	if (proc_capture(&spec, &out, &status, dl, err))
		return err_wrap(err, "%s version", program);
	line = strcspn(out.data, "\n");
	buf_fmt(message, "%s, ", program);
	buf_escaped(message, out.data, line);
	if (out.data[line]) {
		const char *next = out.data + line + 1;

		buf_str(message, ", ");
		buf_escaped(message, next, strcspn(next, "\n"));
	}
	if (status == 0)
		return DOCTOR_OK;
	buf_fmt(message, " (exit status %d)", status);
	buf_str(cure, "install adb anew, or put another one into PATH");
	return DOCTOR_FAIL;
}

static int
state_folder(struct doctor *d, struct buf *message, struct buf *cure,
	     struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = file_join(d->set->state_dir, "doctor.test");
	long long room;

	(void)dl;
	if (file_mkdirs(d->set->state_dir, err) || file_write(path, "", 0, err))
		return err_hint(err, "set PATROL_STATE_DIR to a folder that "
				     "this user may write");
	(void)unlink(path);
	room = file_free_bytes(d->set->state_dir);
	buf_fmt(message, "%s can be written", d->set->state_dir);
	if (room < 0 || room >= (long long)FREE_MIN << 30)
		return DOCTOR_OK;
	buf_str(message, ", but only ");
	buf_size(message, room);
	buf_str(message, " are free");
	buf_str(cure, "make room: an artifact and its APK need as much as "
		      "they are large, twice");
	return DOCTOR_WARN;
}

static int
leases(struct doctor *d, struct buf *message, struct buf *cure,
       struct deadline dl, struct err *err)
{
	struct lease_journal_list list;
	size_t held = 0;

	(void)dl;
	if (lease_journal_find(d->set->state_dir, &list, err))
		return -1;
	for (size_t i = 0; i < list.count; i++) {
		for (size_t n = 0; n < list.dead[i].count; n++) {
			buf_fmt(message, "%s%s ", held++ ? ", " : "",
				list.dead[i].item[n].what);
			buf_escaped(message, list.dead[i].item[n].id,
				    strlen(list.dead[i].item[n].id));
		}
	}
	if (held > 0) {
		buf_str(message, " still held by dead runs");
		buf_str(cure, "`patrol reap` gives it back");
	} else {
		buf_fmt(message, "nothing is left of dead runs, %zu running",
			list.alive);
	}
	lease_journal_list_done(&list);
	return held ? DOCTOR_WARN : DOCTOR_OK;
}

/* Others may not read it, or the phones trust them as well. */
static bool
is_private(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || (st.st_mode & 077) == 0;
}

static int
adb_key(struct doctor *d, struct buf *message, struct buf *cure,
	struct deadline dl, struct err *err)
{
	static const char none[] =
		"`patrol doctor --make-key PATH` makes one; put its path into "
		"PATROL_ADB_KEY";
	const char *path = d->set->adb_key;
	struct adb_key key = {0};

	(void)dl;
	if (path == NULL) {
		buf_str(message, "PATROL_ADB_KEY is not set: each new machine "
				 "registers another key in STF");
		buf_str(cure, none);
		return DOCTOR_WARN;
	}
	if (!file_exists(path)) {
		buf_fmt(message, "there is no '%s': the first run makes it",
			path);
		buf_str(cure, none);
		return DOCTOR_WARN;
	}
	if (adb_key_read(path, &key, err))
		return err_hint(err, "%s", none);
	d->key_path = mem_strdup(path);
	memcpy(d->fingerprint, key.fingerprint, sizeof(key.fingerprint));
	buf_fmt(message, "%s, fingerprint %s",
		d->set->owned_adb_key ? "given as text" : path,
		key.fingerprint);
	adb_key_done(&key);
	if (d->set->owned_adb_key || is_private(path))
		return DOCTOR_OK;
	buf_str(message, "; others may read it");
	buf_fmt(cure, "chmod 600 %s", path);
	return DOCTOR_WARN;
}

/* A server as a run starts it, with the key that it will use. */
static int
adb_serves(struct doctor *d, struct buf *message, struct buf *cure,
	   struct deadline dl, struct err *err)
{
	AUTO_FREE char *own = file_join(d->set->state_dir, "adbkey");
	struct adb_server_spec spec = {.state_dir = d->set->state_dir,
				       .key_path =
					       d->key_path ? d->key_path : own};
	struct adb_server server = {0};
	struct adb_key key = {0};
	int rc;

	(void)cure;
	if (file_mkdirs(d->set->state_dir, err) ||
	    (d->key_path == NULL && adb_key_ensure(own, &key, err)))
		return -1;
	adb_key_done(&key);
	rc = adb_server_start(&server, &spec, dl, err);
	if (rc == 0)
		buf_fmt(message,
			"a private server starts and answers, "
			"protocol version %u",
			server.version);
	adb_server_stop(&server, deadline_grace(d->cancel, STOP_MS));
	return rc ? -1 : DOCTOR_OK;
}

static int
graphviz(struct doctor *d, struct buf *message, struct buf *cure,
	 struct deadline dl, struct err *err)
{
	AUTO_FREE char *dot = proc_find("dot");

	(void)d;
	(void)dl;
	(void)err;
	if (dot) {
		buf_str(message, dot);
		return DOCTOR_OK;
	}
	buf_str(message, "no `dot` in PATH: `patrol plan graph` can't draw "
			 "svg; dot and mermaid work");
	buf_str(cure, "install graphviz if you want pictures of plans");
	return DOCTOR_OFF;
}

static int
certificates(struct doctor *d, struct buf *message, struct buf *cure,
	     struct deadline dl, struct err *err)
{
	static const char *const names[] = {"PATROL_CA_FILE", "SSL_CERT_FILE",
					    "CURL_CA_BUNDLE"};

	(void)d;
	(void)dl;
	(void)err;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *path = getenv(names[i]);

		if (path == NULL || *path == '\0')
			continue;
		buf_fmt(message, "%s: '%s'", names[i], path);
		if (access(path, R_OK) == 0)
			return DOCTOR_OK;
		buf_str(message, " can't be read");
		buf_fmt(cure, "correct %s or unset it", names[i]);
		return DOCTOR_FAIL;
	}
	buf_str(message, "the system's certificates");
	return DOCTOR_OK;
}

const struct doctor_check doctor_local_checks[] = {
	{"state folder", 5000, state_folder}, {"dead runs", 5000, leases},
	{"adb program", 10000, adb_program},  {"adb key", 5000, adb_key},
	{"adb server", 15000, adb_serves},    {"graphviz", 1000, graphviz},
	{"certificates", 1000, certificates},
};
const size_t doctor_local_count =
	sizeof(doctor_local_checks) / sizeof(*doctor_local_checks);
