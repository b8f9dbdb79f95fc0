#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/wall.h"
#include "history/history_backend.h"

/*
 * dir:PATH.  A record is the file PATH/2026-11/ID.json, so that no folder gets
 * long, and what it costs to add one does not depend on how many there are.
 */
enum {
	MONTH = 7,
	STEP = 64 << 10, /* a file that is too long is read so much further */
	PART_DIGITS = 16,
	PART_OLD_S = 3600, /* no writer takes so long for a record */
	PART_MONTHS = 2,   /* the newest, in which an add looks */
};

struct dir {
	char *path;
};

static int
check(const char *rest, struct err *err)
{
	if (*rest)
		return 0;
	return err_set(err, ERR_USAGE, "dir: has no path");
}

static void *
open_dir(const char *rest, const struct history_access *access)
{
	struct dir *d = mem_alloc(sizeof(*d));

	(void)access;
	d->path = mem_strdup(rest);
	return d;
}

static void
close_dir(void *self)
{
	struct dir *d = self;

	free(d->path);
	free(d);
}

/* "PATH/2026-11" of an id; free() it. */
static char *
month_of(const struct dir *d, const char *id)
{
	return mem_fmt("%s/%.4s-%.2s", d->path, id, id + 4);
}

static char *
file_of(const struct dir *d, const char *id)
{
	AUTO_FREE char *path = history_id_path(id);

	return file_join(d->path, path);
}

/* --- list ---------------------------------------------------------------- */

enum kind { VISIBLE, HIDDEN };

/* Names in `dir`, none when it is not there. */
static int
names_in(const char *dir, enum kind kind, struct history_ids *out,
	 struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	if (d == NULL)
		return errno == ENOENT ? 0 : err_sys(err, "open '%s'", dir);
	while (rc == 0 && (errno = 0, e = readdir(d))) {
		if ((e->d_name[0] == '.') != (kind == HIDDEN))
			continue;
		if (out->count >= HISTORY_IDS_MAX) {
			err_set(err, ERR_INPUT, "'%s' has more than %d files",
				dir, HISTORY_IDS_MAX);
			rc = err_hint(err, "`patrol history prune` makes it "
					   "smaller");
		} else {
			history_ids_push(out, e->d_name);
		}
	}
	if (rc == 0 && errno)
		rc = err_sys(err, "read folder '%s'", dir);
	closedir(d);
	return rc;
}

static bool
is_month(const char *name)
{
	static const char form[] = "dddd-dd";

	for (size_t i = 0; i < MONTH; i++) {
		if (form[i] == 'd' ? name[i] < '0' || name[i] > '9'
				   : name[i] != form[i])
			return false;
	}
	return name[MONTH] == '\0';
}

/* The ids of one month. */
static int
list_month(const struct dir *d, const char *month, struct history_ids *out,
	   struct err *err)
{
	AUTO_FREE char *path = file_join(d->path, month);
	struct history_ids names = {.item = NULL};
	int rc = names_in(path, VISIBLE, &names, err);

	for (size_t i = 0; rc == 0 && i < names.count; i++) {
		char *name = names.item[i], *end = strrchr(name, '.');
		int64_t at_s;

		if (end == NULL || strcmp(end, ".json") != 0)
			continue;
		*end = '\0';
		if (history_id_parse(name, &at_s) &&
		    strncmp(name, month, 4) == 0 &&
		    strncmp(name + 4, month + 5, 2) == 0)
			history_ids_push(out, name);
	}
	history_ids_done(&names);
	return rc;
}

/* From the newest month on, until there are enough. */
static int
list(void *self, size_t most, struct history_ids *out, struct deadline dl,
     struct err *err)
{
	const struct dir *d = self;
	struct history_ids months = {.item = NULL};
	int rc = names_in(d->path, VISIBLE, &months, err);

	history_ids_settle(&months, 0);
	for (size_t i = months.count; rc == 0 && i > 0; i--) {
		if (most && out->count >= most)
			break;
		rc = deadline_check(dl, err);
		if (rc == 0 && is_month(months.item[i - 1]))
			rc = list_month(d, months.item[i - 1], out, err);
	}
	history_ids_done(&months);
	return rc;
}

/* --- read ---------------------------------------------------------------- */

/* A pipe would hold us for ever. */
static int
read_file(const char *path, struct buf *text, struct err *err)
{
	struct stat st;

	if (stat(path, &st))
		return err_sys(err, "read '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_IO, "'%s' is no file", path);
	return file_read(path, text, err);
}

static int
read_records(void *self, char *const *id, size_t count, history_see *see,
	     void *arg, struct deadline dl, struct err *err)
{
	const struct dir *d = self;
	AUTO_BUF struct buf text = BUF_INIT_MAX(HISTORY_RECORD_MAX + STEP);

	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *path = file_of(d, id[i]);

		if (deadline_check(dl, err))
			return -1;
		buf_clear(&text);
		if (read_file(path, &text, err)) {
			bool gone = err->sys == ENOENT; /* in between */

			if (!gone && !text.over)
				return -1;
			err_clear(err);
			if (gone)
				continue;
		}
		if (see(arg, id[i], text.data, text.len, err))
			return -1;
	}
	return 0;
}

/* --- what a crash left --------------------------------------------------- */

/*
 * A name that nobody else writes at the same time: several machines may share
 * the folder, and in their containers all have the same pid.
 */
static char *
mine_for(const char *month, const char *id)
{
	uint64_t n;

	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) != sizeof(n))
		n = (uint64_t)deadline_now_us();
	return mem_fmt("%s/.%s.%d-%0*llx", month, id, (int)getpid(),
		       PART_DIGITS, (unsigned long long)n);
}

/* Is it a name that mine_for() made, perhaps with file_write()'s end? */
static bool
is_mine(const char *name)
{
	static const char end[] = ".part";
	AUTO_FREE char *id = mem_strdup(name + 1); /* behind its dot */
	size_t len = strlen(id), digits;
	int64_t at_s;
	char *pid;

	if (len > sizeof(end) && strcmp(id + len - (sizeof(end) - 1), end) == 0)
		id[len - (sizeof(end) - 1)] = '\0';
	pid = strrchr(id, '.');
	if (pid == NULL)
		return false;
	*pid++ = '\0';
	digits = strspn(pid, "0123456789");
	return digits > 0 && pid[digits] == '-' &&
	       strlen(pid + digits + 1) == PART_DIGITS &&
	       strspn(pid + digits + 1, "0123456789abcdef") == PART_DIGITS &&
	       history_id_parse(id, &at_s);
}

static size_t
tidy_month(const struct dir *d, const char *month)
{
	AUTO_FREE char *path = file_join(d->path, month);
	struct history_ids names = {.item = NULL};
	int64_t old = wall_now_s() - PART_OLD_S;
	struct err err = ERR_INIT;
	size_t n = 0;

	if (names_in(path, HIDDEN, &names, &err))
		err_clear(&err); /* who reads or writes there tells it */
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *file = file_join(path, names.item[i]);
		struct stat st;

		if (is_mine(names.item[i]) && lstat(file, &st) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime < old)
			n += unlink(file) == 0;
	}
	history_ids_done(&names);
	if (n)
		(void)rmdir(path); /* when there was nothing else */
	return n;
}

/* In the newest `most` months; 0: in all. */
static int
tidy_months(const struct dir *d, size_t most, size_t *files, struct deadline dl,
	    struct err *err)
{
	struct history_ids months = {.item = NULL};
	int rc = names_in(d->path, VISIBLE, &months, err);
	size_t done = 0;

	history_ids_settle(&months, 0);
	for (size_t i = months.count; rc == 0 && i > 0; i--) {
		if (most && done == most)
			break;
		rc = deadline_check(dl, err);
		if (rc || !is_month(months.item[i - 1]))
			continue;
		*files += tidy_month(d, months.item[i - 1]);
		done++;
	}
	history_ids_done(&months);
	return rc;
}

static int
tidy(void *self, size_t *files, struct deadline dl, struct err *err)
{
	return tidy_months(self, 0, files, dl, err);
}

/* --- write --------------------------------------------------------------- */

static int
write_one(const struct dir *d, const struct history_entry *e, struct err *err)
{
	AUTO_FREE char *month = month_of(d, e->id);
	AUTO_FREE char *path = file_of(d, e->id);
	AUTO_FREE char *mine = mine_for(month, e->id);

	if (file_mkdirs(month, err) || file_write(mine, e->text, e->len, err))
		return -1;
	if (rename(mine, path)) {
		err_sys(err, "rename to '%s'", path);
		(void)unlink(mine); /* the failure is told already */
		return -1;
	}
	return 0;
}

static int
add_one(const struct dir *d, const struct history_entry *e, size_t *added,
	struct err *err)
{
	enum { TRIES = 5 };
	AUTO_FREE char *path = file_of(d, e->id);

	if (file_exists(path))
		return 0;
	/* Who prunes may take the month's folder away in between. */
	for (int tries = 1; write_one(d, e, err); tries++) {
		if (err->sys != ENOENT || tries >= TRIES)
			return -1;
		err_clear(err);
	}
	++*added;
	return 0;
}

static int
add(void *self, const struct history_entry *e, size_t count, size_t *added,
    struct deadline dl, struct err *err)
{
	size_t files = 0;

	if (tidy_months(self, PART_MONTHS, &files, dl, err))
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (deadline_check(dl, err) || add_one(self, &e[i], added, err))
			return -1;
	}
	return 0;
}

static int
remove_records(void *self, char *const *id, size_t count, struct deadline dl,
	       struct err *err)
{
	const struct dir *d = self;

	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *path = file_of(d, id[i]);
		AUTO_FREE char *month = month_of(d, id[i]);

		if (deadline_check(dl, err))
			return -1;
		if (unlink(path) == 0)
			(void)rmdir(month); /* when it was the month's last */
		else if (errno != ENOENT)
			return err_sys(err, "remove '%s'", path);
	}
	return 0;
}

const struct history_backend history_dir_backend = {
	.scheme = "dir",
	.check = check,
	.open = open_dir,
	.close = close_dir,
	.list = list,
	.read = read_records,
	.add = add,
	.remove = remove_records,
	.tidy = tidy,
};
