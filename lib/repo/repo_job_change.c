/* One commit with what is to be changed, pushed to a branch. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repo/repo_job.h"
#include "repo/repo_push.h"

enum {
	MAX_TRIES = 200,
	MAX_REFUSALS = 3, /* while nobody else was there */
	REFUSED_WAIT_MS = 200,
};

static const char name[] = "patrol";
static const char address[] = "patrol@localhost"; /* nobody's */

/* What is new, for the pack. */
struct fresh {
	git_oid *item;
	size_t count, room;
};

static void
add_fresh(struct fresh *f, const git_oid *id)
{
	MEM_GROW(f->item, f->count, f->room);
	f->item[f->count++] = *id;
}

/* --- the tree ------------------------------------------------------------ */

struct updates {
	git_tree_update *item;
	size_t count, room;
};

static void
add_update(struct updates *u, git_tree_update_t action, const git_oid *id,
	   git_filemode_t mode, const char *path)
{
	MEM_GROW(u->item, u->count, u->room);
	u->item[u->count++] = (git_tree_update){
		.action = action,
		.id = *id,
		.filemode = mode,
		.path = path,
	};
}

/* One file, when it differs from what is there. */
static int
update(struct repo_job *j, const git_tree *tree, const char *path,
       const char *data, int64_t len, struct updates *u, struct fresh *fresh,
       struct err *err)
{
	bool keep = json_bool(j->q.head, "keep", false);
	git_tree_entry *e = NULL;
	git_filemode_t mode = GIT_FILEMODE_BLOB;
	git_oid was = {{0}}, id = {{0}};
	bool there = tree && git_tree_entry_bypath(&e, tree, path) == 0;

	if (there) {
		was = *git_tree_entry_id(e);
		mode = git_tree_entry_filemode(e);
		git_tree_entry_free(e);
	}
	if (len < 0) {
		if (there)
			add_update(u, GIT_TREE_UPDATE_REMOVE, &was, mode, path);
		return 0;
	}
	if (there && keep)
		return 0;
	if (git_blob_create_from_buffer(&id, j->bare.repo, data, (size_t)len))
		return repo_bare_failed(err, "write a file");
	if (there && git_oid_equal(&id, &was))
		return 0;
	add_fresh(fresh, &id);
	add_update(u, GIT_TREE_UPDATE_UPSERT, &id,
		   mode == GIT_FILEMODE_BLOB_EXECUTABLE ? mode
							: GIT_FILEMODE_BLOB,
		   path);
	return 0;
}

static int
find_updates(struct repo_job *j, const git_tree *tree, struct updates *u,
	     struct fresh *fresh, struct err *err)
{
	const char *at = j->q.body, *end = at + j->q.body_len;
	const cJSON *file;

	cJSON_ArrayForEach(file, json_get(j->q.head, "files"))
	{
		int64_t len = json_int(file, "len", -1);

		if (len > end - at)
			return err_set(err, ERR_IO, "half a question");
		if (update(j, tree, json_str(file, "path", ""), at, len, u,
			   fresh, err))
			return -1;
		if (len > 0)
			at += len;
	}
	return 0;
}

/* The folders of `now` that `before` has not. */
static int
add_folders(struct repo_job *j, const git_tree *before, const git_tree *now,
	    int depth, struct fresh *fresh, struct err *err)
{
	int rc = 0;

	add_fresh(fresh, git_tree_id(now));
	for (size_t i = 0; i < git_tree_entrycount(now) && rc == 0; i++) {
		const git_tree_entry *e = git_tree_entry_byindex(now, i);
		const git_tree_entry *was =
			before ? git_tree_entry_byname(before,
						       git_tree_entry_name(e))
			       : NULL;
		git_tree *old = NULL, *new = NULL;

		if (git_tree_entry_type(e) != GIT_OBJECT_TREE ||
		    (was && git_oid_equal(git_tree_entry_id(was),
					  git_tree_entry_id(e))))
			continue;
		if (depth == 0)
			return err_set(err, ERR_INPUT,
				       "more than %d folders in each other",
				       REPO_JOB_DEPTH);
		if (was && git_tree_entry_type(was) == GIT_OBJECT_TREE &&
		    git_tree_lookup(&old, j->bare.repo, git_tree_entry_id(was)))
			return repo_bare_failed(err, "read a folder");
		if (git_tree_lookup(&new, j->bare.repo, git_tree_entry_id(e)))
			rc = repo_bare_failed(err, "read a folder");
		else
			rc = add_folders(j, old, new, depth - 1, fresh, err);
		git_tree_free(old);
		git_tree_free(new);
	}
	return rc;
}

/* --- the commit ---------------------------------------------------------- */

static int
write_commit(struct repo_job *j, git_tree *tree, const char *parent,
	     git_oid *out, struct err *err)
{
	git_commit *before = NULL;
	git_signature *who = NULL;
	git_oid id;
	int rc = git_signature_now(&who, name, address);

	if (rc == 0 && *parent)
		rc = git_oid_fromstr(&id, parent) ||
		     git_commit_lookup(&before, j->bare.repo, &id);
	if (rc == 0)
		rc = git_commit_create_v(
			out, j->bare.repo, NULL, who, who, NULL,
			json_str(j->q.head, "message", "patrol"), tree,
			before ? 1 : 0, before);
	git_commit_free(before);
	git_signature_free(who);
	return rc ? repo_bare_failed(err, "write the commit") : 0;
}

static int
build_on(struct repo_job *j, git_tree *before, const char *parent,
	 const struct updates *u, git_oid *commit, struct fresh *fresh,
	 struct err *err)
{
	git_tree *now = NULL;
	git_oid id;
	int rc;

	if (git_tree_create_updated(&id, j->bare.repo, before, u->count,
				    u->item) ||
	    git_tree_lookup(&now, j->bare.repo, &id))
		return repo_bare_failed(err, "write the folders");
	rc = add_folders(j, before, now, REPO_JOB_DEPTH, fresh, err);
	if (rc == 0)
		rc = write_commit(j, now, parent, commit, err);
	if (rc == 0)
		add_fresh(fresh, commit);
	git_tree_free(now);
	return rc;
}

/* The commit on top of `parent`; *changed 0: there is none to be made. */
static int
build(struct repo_job *j, const char *parent, git_oid *commit, size_t *changed,
      struct fresh *fresh, struct err *err)
{
	struct updates u = {.item = NULL};
	git_tree *before = NULL;
	int rc = 0;

	fresh->count = 0;
	if (*parent)
		rc = repo_job_tree(j, parent, &before, err);
	if (rc == 0)
		rc = find_updates(j, before, &u, fresh, err);
	*changed = u.count;
	if (rc == 0 && u.count)
		rc = build_on(j, before, parent, &u, commit, fresh, err);
	git_tree_free(before);
	free(u.item);
	return rc;
}

/* --- the push ------------------------------------------------------------ */

/* The parent that is asked for, which is here or the newest of its branch. */
static int
find_parent(struct repo_job *j, const char *parent, struct err *err)
{
	char tip[REPO_PKT_OID + 1];
	git_oid id;

	if (git_oid_fromstr(&id, parent))
		return err_set(err, ERR_INPUT, "'%s' is no commit", parent);
	if (git_odb_exists(j->bare.odb, &id))
		return 0;
	if (repo_fetch_tip(&j->far, json_str(j->q.head, "of", ""), tip, j->dl,
			   err))
		return -1;
	if (strcmp(tip, parent) == 0)
		return 0;
	return err_set(err, ERR_BUSY, "commit %.10s is no more the newest",
		       parent);
}

static int
moved(const char *expect, const char *tip, struct err *err)
{
	return err_set(err, ERR_BUSY,
		       "somebody changed it meanwhile, from %.10s to %.10s",
		       *expect ? expect : "nothing", *tip ? tip : "nothing");
}

/* 1: it is done, 0: once more. */
static int
attempt(struct repo_job *j, const char *tip, struct fresh *fresh,
	enum repo_push_end *end, struct buf *words, struct err *err)
{
	const char *parent = json_str(j->q.head, "parent", NULL);
	struct repo_push p = {.branch = json_str(j->q.head, "branch", ""),
			      .old = tip};
	char oid[REPO_PKT_OID + 1] = "";
	size_t changed = 0;

	if (build(j, parent ? parent : tip, &p.commit, &changed, fresh, err))
		return -1;
	*end = REPO_PUSH_DONE;
	if (changed) {
		p.object = fresh->item;
		p.count = fresh->count;
		git_oid_tostr(oid, sizeof(oid), &p.commit);
		if (repo_push(&j->far, &p, end, words, j->dl, err))
			return -1;
	}
	if (*end != REPO_PUSH_DONE)
		return 0;
	json_set_str(j->answer, "commit", oid);
	json_set_int(j->answer, "changed", (int64_t)changed);
	if (changed && repo_bare_set_seen(&j->bare, p.branch, &p.commit, err))
		return -1;
	return 1;
}

static int
refused(const char *words, struct err *err)
{
	err_set(err, ERR_REMOTE, "the server refused the push: %s",
		*words ? words : "without a word");
	return err_hint(err, "may this branch be pushed to? Look at its "
			     "protection and the server's hooks");
}

/* Until it is pushed: who loses a race has seen somebody else win it. */
static int
push(struct repo_job *j, struct fresh *fresh, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT_MAX(REPO_PUSH_WORDS);
	const char *branch = json_str(j->q.head, "branch", "");
	const char *expect = json_str(j->q.head, "expect", NULL);
	char tip[REPO_PKT_OID + 1] = "", before[REPO_PKT_OID + 1] = "?";
	enum repo_push_end end;
	int refusals = 0;

	for (int i = 1; i <= MAX_TRIES; i++) {
		int rc;

		if (repo_fetch_tip(&j->far, branch, tip, j->dl, err))
			return -1;
		if (expect && strcmp(expect, tip) != 0)
			return moved(expect, tip, err);
		if (strcmp(before, tip) != 0)
			refusals = 0;
		memcpy(before, tip, sizeof(before));
		buf_clear(&words);
		rc = attempt(j, tip, fresh, &end, &words, err);
		json_set_int(j->answer, "tries", i);
		if (rc)
			return rc < 0 ? -1 : 0;
		if (end != REPO_PUSH_REFUSED)
			continue;
		/* It may be that somebody else holds its lock. */
		if (++refusals == MAX_REFUSALS)
			return refused(words.data, err);
		if (deadline_pause(j->dl, REFUSED_WAIT_MS, err))
			return -1;
	}
	return err_set(err, ERR_BUSY, "others pushed %d times in between",
		       MAX_TRIES);
}

int
repo_job_change(struct repo_job *j, struct err *err)
{
	const char *parent = json_str(j->q.head, "parent", NULL);
	struct fresh fresh = {.item = NULL};
	int rc = 0;

	if (parent)
		rc = find_parent(j, parent, err);
	if (rc == 0)
		rc = push(j, &fresh, err);
	free(fresh.item);
	return rc;
}
