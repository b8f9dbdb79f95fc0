#include "repo/repo_child.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "repo/repo.h"
#include "repo/repo_branch_child.h"

enum {
	MAX_SUBJECT = 500,
	MAX_WALK = 200000, /* commits looked at for a range */
};

/* What is to be found out. */
struct question {
	const char *dir;
	const char *base; /* NULL: only the head */
	const char *head;
};

static void
set_failure(cJSON *out, const char *what)
{
	const git_error *e = git_error_last();

	json_set_str(out, "error", e && e->message ? e->message : "unknown");
	json_set_str(out, "what", what);
}

static cJSON *
commit_json(const git_commit *c)
{
	const char *message = git_commit_message(c);
	const git_signature *who = git_commit_author(c);
	AUTO_FREE char *subject = NULL;
	char sha[GIT_OID_HEXSZ + 1];
	cJSON *o = json_obj();
	size_t len;

	message = message ? message : "";
	while (*message == '\n' || *message == '\r')
		message++;
	len = strcspn(message, "\r\n");
	subject = mem_strndup(message, len < MAX_SUBJECT ? len : MAX_SUBJECT);
	json_set_str(o, "sha",
		     git_oid_tostr(sha, sizeof(sha), git_commit_id(c)));
	json_set_str(o, "subject", subject);
	json_set_str(o, "author", who && who->name ? who->name : "");
	json_set_int(o, "time", who ? who->when.time : 0);
	return o;
}

static void
answer_head(git_repository *repo, cJSON *out)
{
	git_reference *ref = NULL;
	git_object *object = NULL;

	if (git_repository_head(&ref, repo) ||
	    git_reference_peel(&object, ref, GIT_OBJECT_COMMIT)) {
		set_failure(out, "no commit is checked out");
		git_reference_free(ref);
		return;
	}
	json_set(out, "commit", commit_json((git_commit *)object));
	json_set_str(out, "branch",
		     git_reference_is_branch(ref) ? git_reference_shorthand(ref)
						  : NULL);
	json_set_bool(out, "shallow", git_repository_is_shallow(repo) == 1);
	git_object_free(object);
	git_reference_free(ref);
}

/* From which side a commit was reached, and whether it waits in the queue. */
enum { OF_BASE = 1, OF_HEAD = 2, QUEUED = 4 };

struct mark {
	git_oid id;
	unsigned flags; /* 0: an empty slot */
};

/* Both sides at once, youngest commit first, until only the base's is left. */
struct walk {
	git_repository *repo;
	struct mark *mark; /* open addressing, doubling */
	size_t mark_room, mark_count;
	git_commit **queue; /* oldest first: the end is next */
	size_t count, room;
	size_t open; /* queued and not reached from the base */
	bool cut;    /* a parent is not here */
};

static struct mark *
find_mark(struct mark *mark, size_t room, const git_oid *id)
{
	size_t i;

	memcpy(&i, id->id, sizeof(i));
	for (i &= room - 1; mark[i].flags; i = (i + 1) & (room - 1))
		if (git_oid_equal(&mark[i].id, id))
			break;
	return &mark[i];
}

static struct mark *
mark_of(struct walk *w, const git_oid *id)
{
	if (w->mark_count * 2 >= w->mark_room) {
		size_t room = w->mark_room ? w->mark_room * 2 : 1024;
		struct mark *more = mem_array(room, sizeof(*more));

		for (size_t i = 0; i < w->mark_room; i++)
			if (w->mark[i].flags)
				*find_mark(more, room, &w->mark[i].id) =
					w->mark[i];
		free(w->mark);
		w->mark = more;
		w->mark_room = room;
	}
	return find_mark(w->mark, w->mark_room, id);
}

/* Takes `c`, reached with `flags`. */
static void
reach(struct walk *w, git_commit *c, unsigned flags)
{
	struct mark *m = mark_of(w, git_commit_id(c));
	unsigned before = m->flags;
	size_t i;

	if (!before) {
		m->id = *git_commit_id(c);
		w->mark_count++;
	}
	m->flags |= flags;
	if (before & QUEUED && !(before & OF_BASE) && flags & OF_BASE)
		w->open--;
	if (before) { /* known already */
		git_commit_free(c);
		return;
	}
	m->flags |= QUEUED;
	w->open += !(m->flags & OF_BASE);
	MEM_GROW(w->queue, w->count, w->room);
	/* The frontier is a few commits wide: insertion is enough. */
	for (i = w->count++; i; i--) {
		if (git_commit_time(w->queue[i - 1]) <= git_commit_time(c))
			break;
		w->queue[i] = w->queue[i - 1];
	}
	w->queue[i] = c;
}

static void
reach_parents(struct walk *w, const git_commit *c, unsigned flags)
{
	for (unsigned int i = 0; i < git_commit_parentcount(c); i++) {
		git_commit *parent;

		/* libgit2 before 1.7 knows no shallow grafts. */
		if (git_commit_lookup(&parent, w->repo,
				      git_commit_parent_id(c, i)) == 0)
			reach(w, parent, flags & (OF_BASE | OF_HEAD));
		else if (!(flags & OF_BASE))
			w->cut = true;
	}
}

static bool
walk(struct walk *w, cJSON *commits)
{
	size_t looked = 0, wrote = 0;

	while (w->open && w->count && looked++ < MAX_WALK &&
	       wrote < REPO_MAX_COMMITS) {
		git_commit *c = w->queue[--w->count];
		struct mark *m = mark_of(w, git_commit_id(c));
		unsigned flags = m->flags;

		m->flags &= ~(unsigned)QUEUED;
		if (!(flags & OF_BASE)) {
			w->open--;
			wrote++;
			json_push(commits, commit_json(c));
		}
		reach_parents(w, c, flags);
		git_commit_free(c);
	}
	return w->open == 0;
}

static int
lookup(git_repository *repo, const char *name, git_commit **out)
{
	git_object *object = NULL, *commit = NULL;
	int rc = git_revparse_single(&object, repo, name);

	if (rc == 0)
		rc = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
	git_object_free(object);
	*out = (git_commit *)commit;
	return rc;
}

static void
answer_range(git_repository *repo, const struct question *q, cJSON *out)
{
	struct walk w = {.repo = repo};
	cJSON *commits = json_arr();
	git_commit *c;
	bool whole, has_base;

	json_set(out, "commits", commits);
	if (lookup(repo, q->head, &c)) {
		set_failure(out, "the head commit is not here");
		return;
	}
	reach(&w, c, OF_HEAD);
	has_base = lookup(repo, q->base, &c) == 0;
	if (has_base)
		reach(&w, c, OF_BASE);
	whole = walk(&w, commits);
	json_set_bool(out, "cut", w.cut);
	json_set_bool(out, "too_long", !whole);
	json_set_bool(out, "no_base", !has_base);
	while (w.count)
		git_commit_free(w.queue[--w.count]);
	free(w.queue);
	free(w.mark);
}

static char *
answer(const struct question *q)
{
	AUTO_JSON cJSON *out = json_obj();
	git_repository *repo = NULL;

	git_libgit2_init();
	/* A runner's checkout often belongs to another user. */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	if (git_repository_open_ext(&repo, q->dir, 0, NULL))
		set_failure(out, "no usable git checkout");
	else if (q->base)
		answer_range(repo, q, out);
	else
		answer_head(repo, out);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return json_text(out);
}

void
repo_child(int argc, char **argv)
{
	struct question q = {0};
	AUTO_FREE char *text = NULL;

	repo_branch_child(argc, argv);
	if (argc < 3 || strcmp(argv[1], REPO_CHILD) != 0)
		return;
	q.dir = argv[2];
	if (argc >= 5) {
		q.base = argv[3];
		q.head = argv[4];
	}
	text = answer(&q);
	(void)fputs(text, stdout); /* cut, it is no JSON */
	(void)fflush(stdout);
	/*
	 * Whoever asks reads both streams, so nothing may speak after this:
	 * libgit2 leaks when it refuses a checkout, and a sanitizer says so.
	 */
	_exit(0);
}
