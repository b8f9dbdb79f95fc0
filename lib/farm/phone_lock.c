#include "farm/phone_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/wall.h"
#include "transport/http.h"

enum { TRIES = 50, NOTE_MAX = 8192 };

/* The serial is there for people; the hash tells farms apart. */
static char *
path_of(const char *state_dir, const char *farm, const char *serial)
{
	AUTO_FREE char *origin = http_origin(farm);
	AUTO_FREE char *key = mem_fmt("%s\n%s", origin ? origin : farm, serial);
	AUTO_FREE char *safe = file_safe_name(serial);
	uint64_t h = 1469598103934665603u; /* FNV-1a: names, no secrets */

	for (const char *p = key; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	return mem_fmt("%s/phone-%.80s-%016llx.lock", state_dir, safe,
		       (unsigned long long)h);
}

static void
read_note(int fd, struct buf *out)
{
	AUTO_JSON cJSON *v = NULL;
	struct err err = ERR_INIT;
	char text[NOTE_MAX];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n <= 0 || json_parse(text, (size_t)n, "lock", &v, &err)) {
		buf_str(out, "another process"); /* it has only just come */
		return;
	}
	buf_fmt(out, "process %lld since ", (long long)json_int(v, "pid", 0));
	buf_escaped(out, json_str(v, "since", "?"),
		    strnlen(json_str(v, "since", "?"), 40));
	buf_str(out, ", results in '");
	buf_escaped(out, json_str(v, "out", "?"),
		    strnlen(json_str(v, "out", "?"), 200));
	buf_chr(out, '\'');
}

static int
write_note(int fd, const char *path, const char *serial, const char *out_dir,
	   struct err *err)
{
	AUTO_JSON cJSON *v = json_obj();
	AUTO_BUF struct buf since = BUF_INIT;
	AUTO_FREE char *out = realpath(out_dir, NULL);
	AUTO_FREE char *text = NULL;

	wall_text(&since, wall_now_s());
	json_set_int(v, "pid", getpid());
	json_set_str(v, "since", since.data);
	json_set_str(v, "serial", serial);
	json_set_str(v, "out", out ? out : out_dir);
	text = json_text(v);
	if (ftruncate(fd, 0))
		return err_sys(err, "write '%s'", path);
	return file_write_all(fd, text, strlen(text), path, err);
}

static int
held(int fd, const char *serial, struct err *err)
{
	AUTO_BUF struct buf who = BUF_INIT;

	read_note(fd, &who);
	err_set(err, ERR_BUSY,
		"device '%s' is taken by another patrol on this machine: %s",
		serial, who.data);
	return err_reason(err, "device_busy");
}

/* Does the name still lead to what we have locked? */
static bool
is_named(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/*
 * Whoever ends removes the file, so one that we opened before may be gone when
 * we have its lock: then it locks nobody out, and we begin anew.
 */
static int
lock(const char *path, const char *serial, int *fd, struct err *err)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	for (int i = 0; i < TRIES; i++) {
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (*fd < 0)
			return err_sys(err, "lock file '%s'", path);
		if (fcntl(*fd, F_OFD_SETLK, &whole)) {
			if (errno == EAGAIN || errno == EACCES)
				held(*fd, serial, err);
			else
				err_sys(err, "lock '%s'", path);
			close(*fd);
			return -1;
		}
		if (is_named(*fd, path))
			return 0;
		close(*fd);
	}
	err_set(err, ERR_BUSY, "'%s' comes and goes", path);
	return err_reason(err, "device_busy");
}

static struct phone_lock *
find(struct phone_locks *l, const char *serial)
{
	for (size_t i = 0; i < l->count; i++) {
		if (strcmp(l->item[i].serial, serial) == 0)
			return &l->item[i];
	}
	return NULL;
}

static void
unlock(struct phone_lock *k)
{
	(void)unlink(k->path); /* ours; a stale one blocks nobody */
	close(k->fd);
	free(k->path);
	free(k->serial);
}

int
phone_lock_take(struct phone_locks *l, const char *state_dir, const char *farm,
		const char *serial, const char *out_dir, struct err *err)
{
	struct phone_lock k = {.fd = -1};

	if (find(l, serial))
		return 0;
	if (file_mkdirs(state_dir, err))
		return -1;
	k.path = path_of(state_dir, farm, serial);
	if (lock(k.path, serial, &k.fd, err)) {
		free(k.path);
		return -1;
	}
	k.serial = mem_strdup(serial);
	if (write_note(k.fd, k.path, serial, out_dir, err)) {
		unlock(&k);
		return -1;
	}
	MEM_GROW(l->item, l->count, l->room);
	l->item[l->count++] = k;
	return 0;
}

void
phone_lock_drop(struct phone_locks *l, const char *serial)
{
	struct phone_lock *k = find(l, serial);

	if (k == NULL)
		return;
	unlock(k);
	*k = l->item[--l->count];
}

void
phone_lock_drop_all(struct phone_locks *l)
{
	while (l->count > 0)
		unlock(&l->item[--l->count]);
	free(l->item);
	*l = (struct phone_locks){0};
}

void
phone_lock_holder(const char *state_dir, const char *farm, const char *serial,
		  struct buf *out)
{
	AUTO_FREE char *path = path_of(state_dir, farm, serial);
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	/* Only asks: to take it for a moment would lock somebody out. */
	if (fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 &&
	    whole.l_type != F_UNLCK)
		read_note(fd, out);
}
