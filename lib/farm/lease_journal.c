#include "farm/lease_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/secret.h"
#include "report/result.h"

enum { MAX_JOURNAL = 1 << 20, CREATE_TRIES = 10 };

static int
write_line(struct lease_journal *j, cJSON *line, struct err *err)
{
	AUTO_FREE char *text = json_text(line);
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_JOURNAL);

	cJSON_Delete(line);
	if (j->fd < 0)
		return 0;
	buf_str(&b, text);
	secret_redact(&b);
	buf_chr(&b, '\n');
	if (file_write_all(j->fd, b.data, b.len, j->path, err))
		return err_wrap(err, "lease journal");
	if (fsync(j->fd))
		return err_sys(err, "lease journal: flush '%s'", j->path);
	return 0;
}

/*
 * Locked, and still there: reap removes what a run left that was killed here,
 * and may have taken ours for that before it was locked.
 */
static int
create_locked(const char *path, int *fd, struct err *err)
{
	struct stat st;

	for (int tries = 0; tries < CREATE_TRIES; tries++) {
		*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (*fd < 0)
			return err_sys(err, "lease journal '%s'", path);
		if (flock(*fd, LOCK_EX) || fstat(*fd, &st))
			return err_sys(err, "lock '%s'", path);
		if (st.st_nlink > 0)
			return 0;
		close(*fd);
		*fd = -1;
	}
	return err_set(err, ERR_IO, "lease journal '%s' is removed by others",
		       path);
}

/* Named as a journal only when it is locked and tells where the result goes. */
static int
create(struct lease_journal *j, const char *state_dir, cJSON *first,
       struct err *err)
{
	AUTO_FREE char *tmp =
		mem_fmt("%s/new-%d-%llx", state_dir, (int)getpid(),
			(unsigned long long)deadline_now_us());

	j->path = mem_fmt("%s/run-%d-%llx.ndjson", state_dir, (int)getpid(),
			  (unsigned long long)deadline_now_us());
	if (create_locked(tmp, &j->fd, err)) {
		cJSON_Delete(first);
		return -1;
	}
	if (write_line(j, first, err) == 0) {
		if (rename(tmp, j->path) == 0)
			return 0;
		err_sys(err, "lease journal '%s'", j->path);
	}
	(void)unlink(tmp); /* nothing is taken in it */
	return -1;
}

int
lease_journal_open(struct lease_journal *j, const char *state_dir,
		   const char *out_dir, struct err *err)
{
	AUTO_FREE char *now = result_time_now();
	AUTO_FREE char *out = realpath(out_dir, NULL);
	cJSON *line = json_obj();

	*j = (struct lease_journal)LEASE_JOURNAL_NONE;
	json_set_str(line, "run", now);
	json_set_int(line, "pid", getpid());
	json_set_str(line, "out", out ? out : out_dir);
	if (file_mkdirs(state_dir, err)) {
		cJSON_Delete(line);
		return err_hint(err, "set PATROL_STATE_DIR to a folder that "
				     "can be written");
	}
	if (create(j, state_dir, line, err)) {
		lease_journal_close(j);
		return -1;
	}
	return 0;
}

/* `value` NULL: without `key`. */
static cJSON *
entry(const char *verb, const char *what, const char *id, const char *key,
      const char *value)
{
	cJSON *line = json_obj();

	json_set_str(line, verb, what);
	json_set_str(line, "id", id);
	if (value)
		json_set_str(line, key, value);
	return line;
}

int
lease_journal_take(struct lease_journal *j, const char *what, const char *id,
		   const char *detail, struct err *err)
{
	return write_line(j, entry("take", what, id, "detail", detail), err);
}

int
lease_journal_have(struct lease_journal *j, const char *what, const char *id,
		   const char *since, struct err *err)
{
	return write_line(j, entry("have", what, id, "since", since), err);
}

int
lease_journal_gave(struct lease_journal *j, const char *what, const char *id,
		   struct err *err)
{
	return write_line(j, entry("gave", what, id, NULL, NULL), err);
}

static void
forget(struct lease_journal_dead *d, const char *what, const char *id)
{
	for (size_t i = d->count; i-- > 0;) {
		struct lease_journal_item *it = &d->item[i];

		if (strcmp(it->what, what) != 0 ||
		    (id && strcmp(it->id, id) != 0))
			continue;
		free(it->what);
		free(it->id);
		free(it->detail);
		free(it->since);
		d->count--;
		memmove(it, it + 1, (d->count - i) * sizeof(*it));
		if (id)
			return;
	}
}

static void
note_since(struct lease_journal_dead *d, const char *what, const char *id,
	   const char *since)
{
	for (size_t i = d->count; i-- > 0;) {
		struct lease_journal_item *it = &d->item[i];

		if (strcmp(it->what, what) != 0 || strcmp(it->id, id) != 0)
			continue;
		free(it->since);
		it->since = mem_strdup(since);
		return;
	}
}

/* A line that was cut by the crash says nothing: skip it. */
static void
read_line(struct lease_journal_dead *d, const char *text, size_t len)
{
	AUTO_JSON cJSON *v = NULL;
	struct err err = ERR_INIT;
	const char *take, *have, *gave, *id;

	if (json_parse(text, len, "journal", &v, &err))
		return;
	take = json_str(v, "take", NULL);
	have = json_str(v, "have", NULL);
	gave = json_str(v, "gave", NULL);
	id = json_str(v, "id", "");
	if (d->out_dir == NULL && json_str(v, "out", NULL))
		d->out_dir = mem_strdup(json_str(v, "out", NULL));
	if (take) {
		MEM_GROW(d->item, d->count, d->room);
		d->item[d->count++] = (struct lease_journal_item){
			.what = mem_strdup(take),
			.id = mem_strdup(id),
			.detail = mem_strdup(json_str(v, "detail", NULL)),
		};
	} else if (have) {
		note_since(d, have, id, json_str(v, "since", NULL));
	} else if (gave) {
		forget(d, gave, json_str(v, "id", NULL));
	}
}

static void
dead_done(struct lease_journal_dead *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->item[i].what);
		free(d->item[i].id);
		free(d->item[i].detail);
		free(d->item[i].since);
	}
	free(d->item);
	free(d->path);
	free(d->out_dir);
	if (d->lock >= 0)
		close(d->lock);
	*d = (struct lease_journal_dead){.lock = -1};
}

/* On the wall clock, which is all that a dead run has left. */
static int64_t
age_ms(const char *path)
{
	struct stat st;
	struct timespec now;

	if (stat(path, &st) || clock_gettime(CLOCK_REALTIME, &now))
		return -1;
	return (int64_t)(now.tv_sec - st.st_mtim.tv_sec) * 1000 +
	       (now.tv_nsec - st.st_mtim.tv_nsec) / 1000000;
}

static int
read_journal(struct lease_journal_dead *d, const char *path, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_JOURNAL);
	const char *p;

	d->path = mem_strdup(path);
	if (file_read(path, &b, err))
		return -1;
	p = b.data;
	/* After a power cut there may be zeros. */
	while (p < b.data + b.len) {
		size_t left = (size_t)(b.data + b.len - p);
		const char *end = memchr(p, '\n', left);
		size_t len = end ? (size_t)(end - p) : left;

		read_line(d, p, len);
		p += len + (end != NULL);
	}
	for (size_t i = 0; i < d->count; i++)
		d->item[i].age_ms = age_ms(path);
	return 0;
}

void
lease_journal_close(struct lease_journal *j)
{
	struct lease_journal_dead d = {.lock = -1};
	struct err err = ERR_INIT;

	if (j->fd >= 0) {
		if (read_journal(&d, j->path, &err) == 0 && d.count == 0)
			(void)unlink(j->path); /* reap would find it empty */
		dead_done(&d);
		close(j->fd);
	}
	free(j->path);
	*j = (struct lease_journal){.fd = -1};
}

/* Ours, and still in the folder. */
static bool
is_ours(const char *path, int lock)
{
	struct stat st;

	if (lock >= 0 ? fstat(lock, &st) : stat(path, &st))
		return false;
	return st.st_uid == geteuid() && st.st_nlink > 0;
}

static void
note(struct lease_journal_list *list, const char *path)
{
	struct lease_journal_dead d = {.lock = -1};
	struct err err = ERR_INIT;
	bool alive;

	alive = file_lock(path, &d.lock, &err) != 0;
	if (!is_ours(path, d.lock)) {
		dead_done(&d);
		return;
	}
	list->alive += alive;
	err_clear(&err);
	if (read_journal(&d, path, &err)) {
		dead_done(&d);
		if (!alive && list->unread++ == 0)
			list->why = err;
	} else if (alive) {
		MEM_GROW(list->live, list->live_count, list->live_room);
		list->live[list->live_count++] = d;
	} else {
		MEM_GROW(list->dead, list->count, list->room);
		list->dead[list->count++] = d;
	}
}

/* One that was never begun: its run was killed before it took anything. */
static void
sweep(const char *path)
{
	int lock = -1;
	struct err err = ERR_INIT;

	if (file_lock(path, &lock, &err))
		return; /* it is being begun, or is not ours */
	if (is_ours(path, lock))
		(void)unlink(path); /* the next one tries again */
	close(lock);
}

int
lease_journal_find(const char *state_dir, struct lease_journal_list *list,
		   struct err *err)
{
	DIR *dir = opendir(state_dir);
	struct dirent *e;

	*list = (struct lease_journal_list){.why = ERR_INIT};
	if (dir == NULL)
		return errno == ENOENT ? 0
				       : err_sys(err, "open '%s'", state_dir);
	while ((e = readdir(dir))) {
		AUTO_FREE char *path = file_join(state_dir, e->d_name);
		size_t len = strlen(e->d_name);

		if (strncmp(e->d_name, "run-", 4) == 0 && len >= 11 &&
		    strcmp(e->d_name + len - 7, ".ndjson") == 0)
			note(list, path);
		else if (strncmp(e->d_name, "new-", 4) == 0)
			sweep(path);
	}
	closedir(dir);
	return 0;
}

bool
lease_journal_live_holds(const struct lease_journal_list *list,
			 const char *what, const char *id)
{
	for (size_t i = 0; i < list->live_count; i++) {
		const struct lease_journal_dead *d = &list->live[i];

		for (size_t n = 0; n < d->count; n++) {
			if (strcmp(d->item[n].what, what) == 0 &&
			    strcmp(d->item[n].id, id) == 0)
				return true;
		}
	}
	return false;
}

bool
lease_journal_live_writes(const struct lease_journal_list *list,
			  const char *out_dir)
{
	for (size_t i = 0; i < list->live_count; i++) {
		if (list->live[i].out_dir &&
		    strcmp(list->live[i].out_dir, out_dir) == 0)
			return true;
	}
	return false;
}

int
lease_journal_settle(struct lease_journal_dead *d, struct err *err)
{
	if (unlink(d->path) && errno != ENOENT)
		return err_sys(err, "remove '%s'", d->path);
	return 0;
}

void
lease_journal_list_done(struct lease_journal_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		dead_done(&list->dead[i]);
	for (size_t i = 0; i < list->live_count; i++)
		dead_done(&list->live[i]);
	free(list->dead);
	free(list->live);
	*list = (struct lease_journal_list){.why = ERR_INIT};
}
