#include "repo/repo_bare.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"

enum { LOCK_LOOK_MS = 20, KEY_DIGITS = 24 };

int
repo_bare_failed(struct err *err, const char *what)
{
	const git_error *e = git_error_last();

	err_set(err, ERR_IO, "%s: %s", what,
		e && e->message ? e->message : "unknown");
	return err_reason(err, REPO_BARE_DAMAGED);
}

/* The lock sends no event when it is free. */
static int
lock(struct repo_bare *b, struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = mem_fmt("%s.lock", b->path);

	while (file_lock(path, &b->lock_fd, err)) {
		if (err->code != ERR_BUSY)
			return -1;
		err_clear(err);
		if (deadline_pause(dl, LOCK_LOOK_MS, err))
			return err_wrap(err, "another patrol holds '%s'", path);
	}
	return 0;
}

static int
open_or_make(struct repo_bare *b, struct err *err)
{
	if (git_repository_open_bare(&b->repo, b->path) &&
	    git_repository_init(&b->repo, b->path, 1))
		return repo_bare_failed(err, "make the cache");
	if (git_repository_odb(&b->odb, b->repo))
		return repo_bare_failed(err, "open the cache");
	return 0;
}

int
repo_bare_open(struct repo_bare *b, const char *state_dir, const char *remote,
	       struct deadline dl, struct err *err)
{
	AUTO_FREE char *dir = file_join(state_dir, "git");
	struct digest *d = digest_new();
	char key[DIGEST_HEX];
	int rc;

	*b = (struct repo_bare){.lock_fd = -1};
	digest_feed(d, remote, strlen(remote));
	rc = digest_finish(d, key, err);
	digest_free(d);
	if (rc || file_mkdirs(dir, err))
		return -1;
	b->path = mem_fmt("%s/%.*s", dir, KEY_DIGITS, key);
	if (lock(b, dl, err)) {
		repo_bare_close(b);
		return -1;
	}
	if (open_or_make(b, err) == 0)
		return 0;
	err_clear(err);
	if (repo_bare_renew(b, err) == 0)
		return 0;
	repo_bare_close(b);
	return -1;
}

static void
leave(struct repo_bare *b)
{
	git_odb_free(b->odb);
	git_repository_free(b->repo);
	b->odb = NULL;
	b->repo = NULL;
}

void
repo_bare_close(struct repo_bare *b)
{
	leave(b);
	if (b->lock_fd >= 0)
		close(b->lock_fd);
	free(b->path);
	*b = (struct repo_bare){.lock_fd = -1};
}

int
repo_bare_renew(struct repo_bare *b, struct err *err)
{
	leave(b);
	if (file_remove_tree(b->path, err))
		return -1;
	return open_or_make(b, err);
}

bool
repo_bare_is_long(const struct repo_bare *b)
{
	AUTO_FREE char *path = file_join(b->path, "objects/pack");
	DIR *d = opendir(path);
	int packs = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *end = strrchr(e->d_name, '.');

		packs += end && strcmp(end, ".pack") == 0;
	}
	if (d)
		closedir(d);
	return packs > REPO_BARE_PACKS;
}

bool
repo_bare_seen(const struct repo_bare *b, const char *branch, git_oid *out)
{
	AUTO_FREE char *name = mem_fmt("refs/patrol/%s", branch);

	return git_reference_name_to_id(out, b->repo, name) == 0 &&
	       git_odb_exists(b->odb, out);
}

int
repo_bare_set_seen(struct repo_bare *b, const char *branch, const git_oid *id,
		   struct err *err)
{
	AUTO_FREE char *name = mem_fmt("refs/patrol/%s", branch);
	git_reference *ref = NULL;
	int rc = git_reference_create(&ref, b->repo, name, id, 1, NULL);

	git_reference_free(ref);
	return rc ? repo_bare_failed(err, "note what was seen") : 0;
}
