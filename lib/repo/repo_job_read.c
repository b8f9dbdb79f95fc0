/* Listing and reading the files of a branch. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repo/repo_job.h"

int
repo_job_tree(struct repo_job *j, const char *oid, git_tree **out,
	      struct err *err)
{
	git_commit *commit = NULL;
	git_oid id;
	int rc = git_oid_fromstr(&id, oid);

	if (rc == 0)
		rc = git_commit_lookup(&commit, j->bare.repo, &id);
	if (rc == 0)
		rc = git_commit_tree(out, commit);
	git_commit_free(commit);
	return rc ? repo_bare_failed(err, "read a commit") : 0;
}

int
repo_job_tell_tip(struct repo_job *j, const char *oid, struct err *err)
{
	git_commit *commit = NULL;
	git_oid id;

	json_set_str(j->answer, "commit", oid);
	if (*oid == '\0')
		return 0;
	if (git_oid_fromstr(&id, oid) ||
	    git_commit_lookup(&commit, j->bare.repo, &id))
		return repo_bare_failed(err, "read a commit");
	json_set_str(j->answer, "committer",
		     git_commit_committer(commit)->email);
	git_commit_free(commit);
	return 0;
}

/* --- list ---------------------------------------------------------------- */

struct listing {
	git_repository *repo;
	cJSON *paths, *last;
	size_t count, most;
};

/* cJSON looks for the end of an array at each addition. */
static void
add_path(struct listing *l, const char *path)
{
	cJSON *one = cJSON_CreateString(path);

	if (one == NULL)
		abort(); /* out of memory: as in mem.h */
	if (l->last == NULL) {
		json_push(l->paths, one);
	} else {
		l->last->next = one;
		one->prev = l->last;
		l->paths->child->prev = one;
	}
	l->last = one;
	l->count++;
}

static int list_tree(struct listing *l, const git_tree *tree,
		     const char *before, int depth, struct err *err);

static int
list_entry(struct listing *l, const git_tree_entry *e, const char *before,
	   int depth, struct err *err)
{
	AUTO_FREE char *path = mem_fmt("%s%s", before, git_tree_entry_name(e));
	AUTO_FREE char *below = NULL;
	git_tree *tree = NULL;
	int rc;

	if (git_tree_entry_type(e) == GIT_OBJECT_BLOB) {
		add_path(l, path);
		return 0;
	}
	if (git_tree_entry_type(e) != GIT_OBJECT_TREE || depth == 0)
		return 0;
	if (git_tree_lookup(&tree, l->repo, git_tree_entry_id(e)))
		return repo_bare_failed(err, "read a folder");
	below = mem_fmt("%s/", path);
	rc = list_tree(l, tree, below, depth - 1, err);
	git_tree_free(tree);
	return rc;
}

static int
list_tree(struct listing *l, const git_tree *tree, const char *before,
	  int depth, struct err *err)
{
	for (size_t i = git_tree_entrycount(tree); i > 0; i--) {
		if (l->most && l->count >= l->most)
			return 0;
		if (l->count >= REPO_FILES_MAX)
			return err_set(err, ERR_INPUT,
				       "it has more than %d files",
				       REPO_FILES_MAX);
		if (list_entry(l, git_tree_entry_byindex(tree, i - 1), before,
			       depth, err))
			return -1;
	}
	return 0;
}

int
repo_job_list(struct repo_job *j, struct err *err)
{
	struct listing l = {
		.repo = j->bare.repo,
		.paths = json_arr(),
		.most = (size_t)json_int(j->q.head, "most", 0),
	};
	char tip[REPO_PKT_OID + 1];
	git_tree *tree = NULL;
	int rc;

	json_set(j->answer, "paths", l.paths);
	if (repo_fetch_tip(&j->far, json_str(j->q.head, "branch", ""), tip,
			   j->dl, err) ||
	    repo_job_tell_tip(j, tip, err))
		return -1;
	if (*tip == '\0')
		return 0;
	if (repo_job_tree(j, tip, &tree, err))
		return -1;
	rc = list_tree(&l, tree, "", REPO_JOB_DEPTH, err);
	git_tree_free(tree);
	return rc;
}

/* --- read ---------------------------------------------------------------- */

/* The files that are asked for, as the tree has them. */
struct found {
	git_oid oid[REPO_JOB_PATHS];
	bool there[REPO_JOB_PATHS];
	size_t count;
};

static void
find(const struct repo_job *j, const git_tree *tree, struct found *f)
{
	const cJSON *path;

	f->count = 0;
	cJSON_ArrayForEach(path, json_get(j->q.head, "paths"))
	{
		git_tree_entry *e = NULL;
		size_t i = f->count;

		if (i == REPO_JOB_PATHS)
			return;
		f->there[i] = tree && cJSON_IsString(path) &&
			      git_tree_entry_bypath(&e, tree,
						    path->valuestring) == 0 &&
			      git_tree_entry_type(e) == GIT_OBJECT_BLOB;
		if (f->there[i])
			f->oid[i] = *git_tree_entry_id(e);
		git_tree_entry_free(e);
		f->count++;
	}
}

/* Those that are not here. */
static size_t
lacking(const struct repo_job *j, const struct found *f, git_oid *out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->there[i] && !git_odb_exists(j->bare.odb, &f->oid[i]))
			out[n++] = f->oid[i];
	}
	return n;
}

/* One that is too long is not even unpacked: zeros stand for it. */
static void
add_too_long(struct repo_job *j, size_t most, cJSON *file)
{
	AUTO_FREE char *zeros = mem_alloc(most + 1);

	json_set_int(file, "len", (int64_t)most + 1);
	buf_add(&j->body, zeros, most + 1);
}

static int
add_file(struct repo_job *j, const git_oid *oid, cJSON *file, struct err *err)
{
	size_t most = (size_t)json_int(j->q.head, "file_max", 0), size;
	git_blob *blob = NULL;
	git_object_t type;

	if (git_odb_read_header(&size, &type, j->bare.odb, oid))
		return repo_bare_failed(err, "read a file");
	if (size > most) {
		add_too_long(j, most, file);
		return buf_check(&j->body, "what is read", err);
	}
	if (git_blob_lookup(&blob, j->bare.repo, oid))
		return repo_bare_failed(err, "read a file");
	json_set_int(file, "len", (int64_t)size);
	buf_add(&j->body, git_blob_rawcontent(blob), size);
	git_blob_free(blob);
	return buf_check(&j->body, "what is read", err);
}

static int
add_files(struct repo_job *j, const struct found *f, struct err *err)
{
	cJSON *files = json_arr();

	json_set(j->answer, "files", files);
	for (size_t i = 0; i < f->count && j->body.len < REPO_JOB_BYTES; i++) {
		cJSON *file = json_obj();

		json_push(files, file);
		json_set_int(file, "len", -1);
		if (f->there[i] && add_file(j, &f->oid[i], file, err))
			return -1;
	}
	return 0;
}

/* Those of the commit `oid`; *gone: the server has its files no more. */
static int
read_at(struct repo_job *j, const char *oid, bool *gone, struct err *err)
{
	git_oid want[REPO_JOB_PATHS];
	git_tree *tree = NULL;
	struct found f;
	size_t lack;

	if (*oid && repo_job_tree(j, oid, &tree, err))
		return -1;
	find(j, tree, &f);
	git_tree_free(tree);
	lack = lacking(j, &f, want);
	if (repo_fetch_files(&j->far, json_str(j->q.head, "branch", ""), oid,
			     want, lack, j->dl, err)) {
		*gone = err->code == ERR_NOTFOUND || err->code == ERR_REMOTE;
		return -1;
	}
	return repo_job_tell_tip(j, oid, err) || add_files(j, &f, err) ? -1 : 0;
}

int
repo_job_read(struct repo_job *j, struct err *err)
{
	const char *branch = json_str(j->q.head, "branch", "");
	const char *asked = json_str(j->q.head, "commit", "");
	char tip[REPO_PKT_OID + 1] = "";
	bool gone = false;
	git_oid id;

	if (git_oid_fromstr(&id, asked) == 0 &&
	    git_odb_exists(j->bare.odb, &id)) {
		if (read_at(j, asked, &gone, err) == 0)
			return 0;
		if (!gone)
			return -1;
		err_clear(err);
	}
	/* Not asked for one, or it was pushed away: the newest instead. */
	if (repo_fetch_tip(&j->far, branch, tip, j->dl, err))
		return -1;
	return read_at(j, tip, &gone, err);
}
