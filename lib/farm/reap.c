#include "farm/reap.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb_server.h"
#include "base/file.h"
#include "base/mem.h"
#include "farm/farm.h"
#include "farm/lease_journal.h"
#include "farm/phone_lock.h"
#include "farm/reap_adb.h"
#include "report/outputs.h"
#include "stf/stf_lease.h"
#include "transport/http.h"

/* The token that we have is for the farm that is set, and for no other. */
static int
check_farm(const struct settings *set, const char *url, struct err *err)
{
	AUTO_FREE char *ours = set->stf_url ? http_origin(set->stf_url) : NULL;
	AUTO_FREE char *its = http_origin(url);

	if (set->stf_url == NULL || (ours && its && strcmp(ours, its) == 0))
		return 0;
	err_set(err, ERR_USAGE, "it is of the farm '%s', STF_URL is '%s'",
		its ? its : "?", ours ? ours : "?");
	return err_hint(err, "reap with STF_URL and STF_TOKEN of that farm");
}

static int
release(const struct settings *set, const struct lease_journal_item *item,
	struct buf *note, struct deadline dl, struct err *err)
{
	const char *url = item->detail ? item->detail : set->stf_url;
	struct ssh_tunnel *tunnel;
	struct stf stf;
	int rc;

	(void)note;
	if (url == NULL || set->stf_token.value == NULL) {
		err_set(err, ERR_USAGE, "STF_URL or STF_TOKEN is not set");
		return err_hint(err, "set them as the run had them");
	}
	if (check_farm(set, url, err) ||
	    farm_open_at(&stf, &tunnel, url, set, dl, err))
		return -1;
	rc = stf_lease_reap(&stf, item->id, item->since, item->age_ms, dl, err);
	if (rc)
		farm_explain(tunnel, err);
	if (rc && set->ssh == NULL && err->code == ERR_IO)
		(void)err_hint(err, "if a bastion leads there, set PATROL_SSH "
				    "as the run had it");
	farm_close(&stf, &tunnel);
	return rc;
}

/* The file alone: the kernel's lock ended with its run. */
static int
unlock(const struct settings *set, const struct lease_journal_item *item,
       struct buf *note, struct deadline dl, struct err *err)
{
	const char *url = item->detail ? item->detail : set->stf_url;
	struct phone_locks locks = {0};

	(void)note;
	(void)dl; /* nothing to wait for */
	if (url &&
	    phone_lock_take(&locks, set->state_dir, url, item->id, "-", err)) {
		if (err->code != ERR_BUSY)
			return -1;
		err_clear(err); /* whoever has it now removes it */
	}
	phone_lock_drop_all(&locks);
	return 0;
}

/* The undo of each kind of thing, by its name in the journal. */
static const struct {
	const char *what, *word;
	int (*undo)(const struct settings *set,
		    const struct lease_journal_item *item, struct buf *note,
		    struct deadline dl, struct err *err);
} undos[] = {
	{"stf", "the phone", release},
	{"adb_connect", "adb's connection to", reap_adb_disconnect},
	{"stay_awake", "the setting that it stays awake of", reap_adb_awake},
	{"capture", "the capture on", reap_adb_capture},
	{"gc_counter", "the app's counter on", reap_adb_counter},
	{"lock", "the lock of", unlock},
};

const char *
reap_word(const char *what)
{
	for (size_t i = 0; i < sizeof(undos) / sizeof(*undos); i++) {
		if (strcmp(undos[i].what, what) == 0)
			return undos[i].word;
	}
	return what;
}

static int
undo(const struct settings *set, const struct lease_journal_item *item,
     struct buf *note, struct deadline dl, struct err *err)
{
	for (size_t i = 0; i < sizeof(undos) / sizeof(*undos); i++) {
		if (strcmp(undos[i].what, item->what) == 0)
			return undos[i].undo(set, item, note, dl, err);
	}
	return err_set(err, ERR_INPUT,
		       "this version does not know how to give back '%s'",
		       item->what);
}

/* Files that it was writing when it was killed. */
static void
remove_parts(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);
		AUTO_FREE char *path = file_join(folder, e->d_name);

		if (len > 5 && strcmp(e->d_name + len - 5, ".part") == 0)
			(void)unlink(path); /* in nobody's way if it stays */
		else if (e->d_type == DT_DIR && e->d_name[0] != '.')
			remove_parts(path);
	}
	if (dir)
		closedir(dir);
}

int
reap_clear_folder(const char *out_dir, struct err *err)
{
	AUTO_FREE char *work = file_join(out_dir, ".work");
	AUTO_FREE char *raw = file_join(out_dir, ".work-raw");

	if (file_remove_tree(work, err) || file_remove_tree(raw, err))
		return -1;
	remove_parts(out_dir);
	return 0;
}

/* The result that the killed run could not write. */
static int
write_result(const struct lease_journal_list *list,
	     const struct lease_journal_dead *d, struct err *err)
{
	AUTO_FREE char *path = NULL;
	struct result res;
	int rc;

	if (d->out_dir == NULL || !file_exists(d->out_dir) ||
	    lease_journal_live_writes(list, d->out_dir))
		return 0;
	if (reap_clear_folder(d->out_dir, err))
		return -1;
	path = file_join(d->out_dir, "result.json");
	if (file_exists(path))
		return 0;
	result_init(&res, "run", "patrol");
	result_decide(&res, RESULT_CANCELLED, "killed",
		      "the patrol was killed; what it held was given back "
		      "by patrol reap");
	rc = outputs_write(&res, d->out_dir, err);
	result_done(&res);
	return rc;
}

static void
say(struct progress *p, enum progress_mark mark, const char *what,
    const char *id, const char *text)
{
	AUTO_FREE char *name = mem_fmt("%s %s", what, id);

	if (p)
		progress_item(p, mark, name, text, -1);
}

/*
 * The same account has it again, for a run that lives: by its journal, or it
 * has locked the phone and has only not written that down yet.  Else the lock
 * is ours, so that no run begins with what we are about to give back.
 */
static int
keep_off(const struct settings *set, const struct lease_journal_list *list,
	 const struct lease_journal_item *item, struct phone_locks *locks,
	 bool *in_use, struct err *err)
{
	const char *url = item->detail ? item->detail : set->stf_url;

	*in_use = strcmp(item->what, "lock") != 0 &&
		  lease_journal_live_holds(list, item->what, item->id);
	if (*in_use || url == NULL || strcmp(item->what, "stf") != 0)
		return 0;
	if (phone_lock_take(locks, set->state_dir, url, item->id, "-", err)) {
		if (err->code != ERR_BUSY)
			return -1;
		err_clear(err);
		*in_use = true;
	}
	return 0;
}

static int
give_back(const struct settings *set, const struct lease_journal_list *list,
	  const struct lease_journal_item *item, bool *in_use, struct buf *note,
	  struct deadline dl, struct err *err)
{
	struct phone_locks locks = {0};
	int rc = keep_off(set, list, item, &locks, in_use, err);

	if (rc == 0 && !*in_use)
		rc = undo(set, item, note, dl, err);
	phone_lock_drop_all(&locks);
	return rc;
}

/* That of the plan, where no setting names one; NULL: it had no phone. */
static const char *
farm_of(const struct lease_journal_dead *d)
{
	for (size_t i = 0; i < d->count; i++) {
		if (strcmp(d->item[i].what, "stf") == 0)
			return d->item[i].detail;
	}
	return NULL;
}

static int
reap_one(const struct settings *set, const struct lease_journal_list *list,
	 struct lease_journal_dead *d, struct progress *progress,
	 struct reap_count *count, struct deadline dl, struct err *err)
{
	size_t left = 0, later = 0;
	struct settings its = *set; /* borrowed */

	if (its.stf_url == NULL)
		its.stf_url = farm_of(d);
	/* What was done last is undone first: the lease goes at the end. */
	for (size_t i = d->count; i-- > 0;) {
		AUTO_BUF struct buf note = BUF_INIT;
		struct err now = ERR_INIT;
		bool in_use = false;

		if (give_back(&its, list, &d->item[i], &in_use, &note, dl,
			      &now) == 0) {
			if (in_use) {
				later++;
				continue;
			}
			count->given++;
			say(progress, note.len ? PROGRESS_WARN : PROGRESS_OK,
			    d->item[i].what, d->item[i].id,
			    note.len ? note.data : "given back");
			continue;
		}
		left++;
		say(progress, PROGRESS_FAIL, d->item[i].what, d->item[i].id,
		    now.msg);
		if (err->code == ERR_NONE)
			*err = now;
	}
	count->left += left;
	if (left > 0)
		return -1;
	if (later > 0)
		return 0;
	/* First: what was given back must not be given back again. */
	return lease_journal_settle(d, err) || write_result(list, d, err) ? -1
									  : 0;
}

int
reap_dead(const struct settings *set, struct progress *progress,
	  struct reap_count *count, struct deadline dl, struct err *err)
{
	struct lease_journal_list list;
	int rc = 0;

	*count = (struct reap_count){0};
	adb_server_sweep(set->state_dir);
	if (lease_journal_find(set->state_dir, &list, err))
		return -1;
	count->runs = list.count;
	count->alive = list.alive;
	for (size_t i = 0; i < list.count; i++) {
		if (reap_one(set, &list, &list.dead[i], progress, count, dl,
			     err))
			rc = -1;
	}
	if (list.unread > 0 && rc == 0) {
		*err = list.why;
		rc = err_wrap(err, "a dead run's journal");
	}
	lease_journal_list_done(&list);
	/* Their adb servers died with them. */
	adb_server_sweep(set->state_dir);
	return rc;
}
