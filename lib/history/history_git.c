#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "history/history_backend.h"
#include "repo/repo_branch.h"

/*
 * git:BRANCH.  The files of dir:PATH, in a branch of the repository that has
 * nothing else and shares no commit with the game: each add is one commit,
 * pushed.
 */
struct git {
	char *branch;
	struct repo_place place;
	char commit[REPO_SHA_HEX]; /* that was listed last; "": none */
};

enum { STRANGERS = 100 }; /* files of others that a list may meet */

static int
check(const char *rest, struct err *err)
{
	if (*rest)
		return repo_branch_check(rest, err);
	return err_set(err, ERR_USAGE, "git: has no branch");
}

static void *
open_git(const char *rest, const struct history_access *access)
{
	const struct secret *pass = access->ssh_passphrase;
	struct git *g = mem_alloc(sizeof(*g));

	g->branch = mem_strdup(rest);
	g->place = (struct repo_place){
		.remote = access->remote,
		.remote_name = "PATROL_HISTORY_REMOTE",
		.state_dir = access->state_dir,
		.login =
			{
				.token = access->git_token,
				.token_name = "PATROL_HISTORY_TOKEN (or "
					      "GITHUB_TOKEN)",
				.ssh_key = access->ssh_key,
				.ssh_passphrase = pass ? pass->value : NULL,
				.ssh_known_hosts = access->ssh_known_hosts,
			},
	};
	return g;
}

static void
close_git(void *self)
{
	struct git *g = self;

	free(g->branch);
	free(g);
}

/* --- list ---------------------------------------------------------------- */

struct listing {
	struct history_ids *ids;
	size_t paths;
};

static void
see_path(void *arg, const char *path)
{
	struct listing *l = arg;
	const char *slash = strchr(path, '/');
	const char *end = strrchr(path, '.');
	AUTO_FREE char *id = NULL;
	AUTO_FREE char *own = NULL;
	int64_t at_s;

	l->paths++;
	if (slash == NULL || end == NULL || end < slash ||
	    strcmp(end, ".json") != 0)
		return;
	id = mem_strndup(slash + 1, (size_t)(end - slash - 1));
	if (!history_id_parse(id, &at_s))
		return;
	own = history_id_path(id);
	if (strcmp(own, path) == 0)
		history_ids_push(l->ids, id);
}

static int
list(void *self, size_t most, struct history_ids *out, struct deadline dl,
     struct err *err)
{
	struct git *g = self;
	size_t ask = most ? most + STRANGERS : 0;
	struct listing l = {.ids = out};
	struct repo_tip tip;

	if (repo_branch_list(&g->place, g->branch, ask, &tip, see_path, &l, dl,
			     err))
		return -1;
	/* More strangers than anybody thought of: look at all of them. */
	if (ask && l.paths >= ask && out->count < most) {
		history_ids_done(out);
		if (repo_branch_list(&g->place, g->branch, 0, &tip, see_path,
				     &l, dl, err))
			return -1;
	}
	memcpy(g->commit, tip.commit, sizeof(g->commit));
	return 0;
}

/* --- read ---------------------------------------------------------------- */

struct reading {
	char *const *id;
	history_see *see;
	void *arg;
};

static int
see_record(void *arg, size_t index, const char *data, size_t len,
	   struct err *err)
{
	const struct reading *r = arg;

	return r->see(r->arg, r->id[index], data, len, err);
}

static char **
paths_of(char *const *id, size_t count)
{
	char **path = mem_array(count, sizeof(*path));

	for (size_t i = 0; i < count; i++)
		path[i] = history_id_path(id[i]);
	return path;
}

static void
free_paths(char **path, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(path[i]);
	free(path);
}

static int
read_records(void *self, char *const *id, size_t count, history_see *see,
	     void *arg, struct deadline dl, struct err *err)
{
	struct git *g = self;
	struct reading r = {.id = id, .see = see, .arg = arg};
	char **path = paths_of(id, count);
	const struct repo_read what = {
		.branch = g->branch,
		.commit = *g->commit ? g->commit : NULL,
		.path = (const char *const *)path,
		.count = count,
		.file_max = HISTORY_RECORD_MAX,
	};
	int rc = repo_branch_read(&g->place, &what, NULL, see_record, &r, dl,
				  err);

	free_paths(path, count);
	return rc;
}

/* --- write --------------------------------------------------------------- */

static int
change(struct git *g, struct repo_file *file, size_t count, const char *what,
       size_t *changed, struct deadline dl, struct err *err)
{
	AUTO_FREE char *message = mem_fmt("history: %s", what);
	const struct repo_change c = {
		.branch = g->branch,
		.file = file,
		.count = count,
		.there = REPO_KEEP,
		.message = message,
	};
	struct repo_changed done;

	if (repo_branch_change(&g->place, &c, &done, dl, err))
		return -1;
	if (*done.commit)
		memcpy(g->commit, done.commit, sizeof(g->commit));
	*changed = done.files;
	return 0;
}

static int
add(void *self, const struct history_entry *e, size_t count, size_t *added,
    struct deadline dl, struct err *err)
{
	struct repo_file *file = mem_array(count, sizeof(*file));
	AUTO_FREE char *what = count == 1 ? mem_strdup(e[0].id)
					  : mem_fmt("%zu runs, the last %s",
						    count, e[count - 1].id);
	int rc;

	for (size_t i = 0; i < count; i++) {
		file[i].path = history_id_path(e[i].id);
		file[i].data = e[i].text;
		file[i].len = e[i].len;
	}
	rc = change(self, file, count, what, added, dl, err);
	for (size_t i = 0; i < count; i++)
		free((char *)(uintptr_t)file[i].path);
	free(file);
	return rc;
}

static int
remove_records(void *self, char *const *id, size_t count, struct deadline dl,
	       struct err *err)
{
	struct repo_file *file = mem_array(count, sizeof(*file));
	AUTO_FREE char *what = mem_fmt("without %zu runs", count);
	char **path = paths_of(id, count);
	size_t removed;
	int rc;

	for (size_t i = 0; i < count; i++)
		file[i].path = path[i];
	rc = change(self, file, count, what, &removed, dl, err);
	free_paths(path, count);
	free(file);
	return rc;
}

const struct history_backend history_git_backend = {
	.scheme = "git",
	.check = check,
	.open = open_git,
	.close = close_git,
	.list = list,
	.read = read_records,
	.add = add,
	.remove = remove_records,
};
