#include "report/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/result.h"
#include "report/store_list.h"
#include "transport/ssh_sftp.h"

enum {
	TRIES = 4, /* without a file that arrived in between */
	PAUSE_MS = 1000,
};

/* One upload, over as many connections as it takes. */
struct upload {
	const struct settings *set;
	struct store_target target;
	const char *dir;
	char *there; /* the run's folder on the server; NULL: none is made */
	struct store_list list;
	size_t next;	  /* of list: the first that is not there yet */
	const char *last; /* result.json's text, once it is its turn */
	uint64_t bytes;
	struct ssh ssh;
	struct ssh_sftp sftp;
	bool connected;
};

static void
disconnect(struct upload *u)
{
	ssh_sftp_close(&u->sftp);
	if (u->connected)
		ssh_close(&u->ssh);
	u->connected = false;
}

static int
connect_to(struct upload *u, struct deadline dl, struct err *err)
{
	int64_t stall_ms = u->set->budget.store_stall_ms;
	struct ssh_config c = {
		.host = u->target.host,
		.port = u->target.port,
		.user = u->target.user,
		.known_hosts = u->set->ssh_known_hosts,
		.key = u->set->ssh_key,
		.passphrase = u->set->ssh_passphrase.value,
	};

	if (u->connected)
		return 0;
	if (ssh_open(&u->ssh, &c, deadline_cap(dl, stall_ms), err))
		return -1;
	u->connected = true;
	if (ssh_sftp_open(&u->sftp, &u->ssh, stall_ms, dl, err) ||
	    (u->there && ssh_sftp_mkdirs(&u->sftp, u->there, dl, err))) {
		disconnect(u);
		return -1;
	}
	return 0;
}

/* The folder of a file; those above it were made with the files before. */
static int
make_folder_of(struct upload *u, const char *name, struct deadline dl,
	       struct err *err)
{
	const char *slash = strrchr(name, '/');
	AUTO_FREE char *path = NULL;

	if (slash == NULL)
		return 0;
	path = mem_fmt("%s/%.*s", u->there, (int)(slash - name), name);
	return ssh_sftp_mkdirs(&u->sftp, path, dl, err);
}

static void
say(const char *name, const struct ssh_sftp_sent *sent)
{
	log_debug("store: '%s': %s, %llu bytes sent after %llu", name,
		  sent->there ? "was there" : "put",
		  (unsigned long long)sent->bytes,
		  (unsigned long long)sent->resumed);
}

static int
put_file(struct upload *u, const char *name, struct deadline dl,
	 struct err *err)
{
	AUTO_FREE char *from = file_join(u->dir, name);
	AUTO_FREE char *to = file_join(u->there, name);
	AUTO_BUF struct buf shown = BUF_INIT;
	struct ssh_sftp_sent sent;
	struct stat st;
	AUTO_FD int fd =
		open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	buf_escaped(&shown, name, strlen(name));
	if (fd < 0 || fstat(fd, &st))
		return err_sys(err, "open '%s'", shown.data);
	if (make_folder_of(u, name, dl, err) ||
	    ssh_sftp_put(&u->sftp, fd, to, SSH_SFTP_IF_CHANGED, &sent, dl, err))
		return err_wrap(err, "put '%s'", shown.data);
	say(shown.data, &sent);
	u->bytes += (uint64_t)st.st_size;
	return 0;
}

/* Not from its file: that says so only when it is true. */
static int
put_last(struct upload *u, struct deadline dl, struct err *err)
{
	AUTO_FREE char *to = file_join(u->there, "result.json");
	AUTO_FD int fd = memfd_create("result.json", MFD_CLOEXEC);
	struct ssh_sftp_sent sent;

	if (fd < 0)
		return err_sys(err, "memfd_create");
	/* It changes without becoming longer or, in the same second, newer. */
	if (file_write_all(fd, u->last, strlen(u->last), "result.json", err) ||
	    ssh_sftp_put(&u->sftp, fd, to, SSH_SFTP_ALWAYS, &sent, dl, err))
		return err_wrap(err, "put 'result.json'");
	say("result.json", &sent);
	return 0;
}

static int
put_some(struct upload *u, struct deadline dl, struct err *err)
{
	if (connect_to(u, dl, err))
		return -1;
	for (; u->next < u->list.count; u->next++) {
		if (put_file(u, u->list.item[u->next], dl, err))
			return -1;
	}
	return u->last ? put_last(u, dl, err) : 0;
}

/*
 * A name in a refusal is one of ours; a link that broke is worth another, and
 * so is a server that was too slow to let us in.
 */
static bool
worth_another(const struct err *err, struct deadline dl)
{
	return err->code == ERR_IO || err->code == ERR_PROTO ||
	       (err->code == ERR_TIMEOUT && deadline_left_ms(dl) > 0);
}

/* The listed files and then the last, again and again while the link breaks. */
static int
put_all(struct upload *u, struct deadline dl, struct err *err)
{
	size_t reached = u->next;
	int tries = 0;

	while (put_some(u, dl, err)) {
		disconnect(u);
		tries = u->next > reached ? 1 : tries + 1;
		reached = u->next;
		if (!worth_another(err, dl) || tries >= TRIES)
			return -1;
		log_debug("store: %s; again", err->msg);
		err_clear(err);
		if (deadline_pause(dl, (int64_t)tries * PAUSE_MS, err))
			return -1;
	}
	return 0;
}

static cJSON *
describe(cJSON *result, const char *url, const char *state,
	 const struct upload *u, const char *message)
{
	cJSON *o = json_obj();

	json_set_str(o, "url", url);
	json_set_str(o, "state", state);
	json_set_int(o, "files", u ? (int64_t)u->next : 0);
	json_set_int(o, "bytes", u ? (int64_t)u->bytes : 0);
	json_set_str(o, "message", message);
	json_set(result, "store", o);
	return o;
}

static int
put_folder(struct upload *u, cJSON *result, const char *url, struct deadline dl,
	   struct err *err)
{
	AUTO_FREE char *text = NULL;

	/* Should we be killed in it, this is what is true. */
	describe(result, url, "pending", u, NULL);
	if (result_put(result, u->dir, err) ||
	    store_list_read(u->dir, &u->list, err) || put_all(u, dl, err))
		return -1;
	/* It says so of itself: whoever reads it there sees a whole folder. */
	describe(result, url, "stored", u, NULL);
	text = json_pretty(result);
	u->last = text;
	if (put_all(u, dl, err))
		return -1;
	return result_put(result, u->dir, err);
}

static char *
url_of(const struct settings *set, const char *name)
{
	size_t len = strlen(set->store);

	while (len && set->store[len - 1] == '/')
		len--;
	return mem_fmt("%.*s/%s", (int)len, set->store, name);
}

int
store_put(cJSON *result, const char *dir, const struct settings *set,
	  struct deadline dl, struct err *err)
{
	AUTO_FREE char *name = store_name(result);
	AUTO_FREE char *url = url_of(set, name);
	struct upload u = {.set = set, .dir = dir};
	struct err ignored = ERR_INIT;
	int rc;

	if (store_parse(set->store, &u.target, err))
		return -1;
	u.there = file_join(u.target.path, name);
	rc = put_folder(&u, result, url, dl, err);
	if (rc) {
		err_wrap(err, "store '%s'", url);
		err_hint(err, "repeat it with `patrol store --out %s`", dir);
		describe(result, url, "failed", &u, err->msg);
		/* The upload's own failure is the one to tell. */
		(void)result_put(result, dir, &ignored);
	}
	disconnect(&u);
	store_list_done(&u.list);
	store_target_done(&u.target);
	free(u.there);
	return rc;
}

int
store_look(const struct settings *set, bool *there, struct deadline dl,
	   struct err *err)
{
	struct upload u = {.set = set};
	bool folder = false;
	int rc;

	if (store_parse(set->store, &u.target, err))
		return -1;
	rc = connect_to(&u, dl, err);
	if (rc == 0) {
		rc = ssh_sftp_is_folder(&u.sftp, u.target.path, &folder, dl,
					err);
		if (rc && err->code == ERR_NOTFOUND) {
			err_clear(err);
			rc = 0;
		} else if (rc == 0 && !folder) {
			rc = err_set(err, ERR_REMOTE,
				     "'%s' is a file, not a folder",
				     u.target.path);
		}
		*there = folder;
	}
	if (rc)
		err_wrap(err, "store '%s'", set->store);
	disconnect(&u);
	store_target_done(&u.target);
	return rc;
}

void
store_not_tried(cJSON *result, const struct settings *set, const char *why)
{
	AUTO_FREE char *name = store_name(result);
	AUTO_FREE char *url = url_of(set, name);

	describe(result, url, "failed", NULL, why);
}
