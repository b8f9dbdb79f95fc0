#include "repo/repo.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "transport/sock.h"

enum {
	MAX_ANSWER = 4 << 20,
	MAX_SUBJECT = 500,
	MAX_WALK = 200000, /* commits looked at for a range */
};

/* What the child is to find out. */
struct question {
	const char *dir;
	const char *base; /* NULL: only the head */
	const char *head;
};

/* ---- in the child: plain libgit2, an answer in JSON ---- */

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

	while (w->open && looked++ < MAX_WALK && wrote < REPO_MAX_COMMITS) {
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

static void
child(const struct question *q, int fd)
{
	const char *text;
	size_t len;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* at best */
	(void)signal(SIGINT, SIG_IGN);		/* the parent ends us */
	(void)signal(SIGTERM, SIG_DFL);
	text = answer(q);
	for (len = strlen(text); len;) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		text += n;
		len -= (size_t)n;
	}
	_exit(0);
}

/* ---- in the parent ---- */

static int
ask(const struct question *q, cJSON **out, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(MAX_ANSWER);
	int fd[2], flags, rc;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return err_sys(err, "socketpair");
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		child(q, fd[1]);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return err_sys(err, "fork");
	}
	flags = fcntl(fd[0], F_GETFL);
	(void)fcntl(fd[0], F_SETFL, flags | O_NONBLOCK); /* cannot fail */
	rc = sock_read_all(fd[0], &text, dl, err);
	close(fd[0]);
	(void)kill(pid, SIGKILL); /* it has answered, or never will */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (rc)
		return err_wrap(err, "read the git checkout '%s'", q->dir);
	if (json_parse(text.data, text.len, "libgit2's child", out, err)) {
		err->code = ERR_NOTFOUND;
		return err_hint(err, "the checkout '%s' is damaged", q->dir);
	}
	if (json_get(*out, "error")) {
		err_set(err, ERR_NOTFOUND, "'%s': %s: %s", q->dir,
			json_str(*out, "what", ""),
			json_str(*out, "error", ""));
		cJSON_Delete(*out);
		*out = NULL;
		return -1;
	}
	return 0;
}

static void
take_commit(const cJSON *json, struct repo_commit *c)
{
	c->sha = mem_strdup(json_str(json, "sha", ""));
	c->subject = mem_strdup(json_str(json, "subject", ""));
	c->author = mem_strdup(json_str(json, "author", ""));
	c->time_s = json_int(json, "time", 0);
}

static void
commit_done(struct repo_commit *c)
{
	free(c->sha);
	free(c->subject);
	free(c->author);
}

int
repo_head(const char *dir, struct repo_head *out, struct deadline dl,
	  struct err *err)
{
	struct question q = {.dir = dir};
	AUTO_JSON cJSON *json = NULL;

	if (ask(&q, &json, dl, err))
		return -1;
	memset(out, 0, sizeof(*out));
	take_commit(json_get(json, "commit"), &out->commit);
	out->branch = mem_strdup(json_str(json, "branch", NULL));
	out->shallow = json_bool(json, "shallow", false);
	return 0;
}

void
repo_head_done(struct repo_head *h)
{
	commit_done(&h->commit);
	free(h->branch);
	memset(h, 0, sizeof(*h));
}

int
repo_range(const char *dir, const char *base, const char *head,
	   struct repo_range *out, struct deadline dl, struct err *err)
{
	struct question q = {.dir = dir, .base = base, .head = head};
	AUTO_JSON cJSON *json = NULL;
	const cJSON *one;

	if (ask(&q, &json, dl, err))
		return -1;
	memset(out, 0, sizeof(*out));
	cJSON_ArrayForEach(one, json_get(json, "commits"))
	{
		MEM_GROW(out->item, out->count, out->room);
		take_commit(one, &out->item[out->count++]);
	}
	if (json_bool(json, "no_base", false))
		out->cause = "the older commit is not in this checkout "
			     "(a shallow one?)";
	else if (json_bool(json, "cut", false))
		out->cause = "this checkout is shallow";
	else if (json_bool(json, "too_long", false))
		out->cause = "too many commits";
	out->complete = out->cause == NULL;
	return 0;
}

void
repo_range_done(struct repo_range *r)
{
	for (size_t i = 0; i < r->count; i++)
		commit_done(&r->item[i]);
	free(r->item);
	memset(r, 0, sizeof(*r));
}
