#include "repo/repo_fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { MAX_REQUEST = 64 << 20 };

/* Files come when they are asked for, and can be by their hash. */
static bool
can_leave_out(const struct repo_pkt_refs *refs)
{
	return repo_pkt_can(refs, "filter") &&
	       repo_pkt_can(refs, "allow-reachable-sha1-in-want");
}

/* --- the answer ---------------------------------------------------------- */

/* What comes next of it. */
enum part { OF_SHALLOW, OF_HAVES, OF_PACK };

struct taking {
	struct repo_pkt pkt;
	enum part part;
	git_indexer *indexer;
	git_indexer_progress progress;
	size_t bytes;
};

static int
take_pack(struct taking *t, const char *line, size_t len, struct err *err)
{
	AUTO_BUF struct buf said = BUF_INIT;

	if (len < 2 || *line == 2)
		return REPO_PKT_MORE; /* words for people, or a sign of life */
	if (*line == 3) {
		buf_escaped(&said, line + 1, len - 1 < 200 ? len - 1 : 200);
		return err_set(err, ERR_REMOTE, "the server says '%s'",
			       said.data);
	}
	t->bytes += len - 1;
	if (t->bytes > REPO_FETCH_MAX) {
		err_set(err, ERR_PROTO, "it sends more than %d MiB",
			REPO_FETCH_MAX >> 20);
		return err_hint(err, "use a repository of its own for this");
	}
	if (git_indexer_append(t->indexer, line + 1, len - 1, &t->progress))
		return repo_bare_failed(err, "what the server sent");
	return REPO_PKT_MORE;
}

static int
take_line(void *arg, const char *line, size_t len, struct err *err)
{
	struct taking *t = arg;

	switch (t->part) {
	case OF_SHALLOW:
		if (line == NULL)
			t->part = OF_HAVES;
		return REPO_PKT_MORE;
	case OF_HAVES:
		if (line == NULL || len < 3 ||
		    (strncmp(line, "NAK", 3) != 0 &&
		     strncmp(line, "ACK", 3) != 0))
			return err_set(err, ERR_PROTO,
				       "no answer of git-upload-pack");
		t->part = OF_PACK;
		return REPO_PKT_MORE;
	case OF_PACK:
		break;
	}
	return line ? take_pack(t, line, len, err) : REPO_PKT_ENOUGH;
}

static int
take(void *arg, const void *data, size_t len, struct err *err)
{
	struct taking *t = arg;

	return repo_pkt_feed(&t->pkt, data, len, take_line, t, err);
}

/* Send `request` and put the pack that comes among the objects. */
static int
receive(struct repo_far *f, struct repo_wire *w, const struct buf *request,
	enum part first, struct deadline dl, struct err *err)
{
	AUTO_FREE char *dir = file_join(f->bare->path, "objects/pack");
	git_indexer_options o;
	struct taking t = {.part = first};
	int rc;

	if (buf_check(request, "the request", err))
		return -1;
	(void)git_indexer_options_init(&o, GIT_INDEXER_OPTIONS_VERSION);
	if (git_indexer_new(&t.indexer, dir, 0, f->bare->odb, &o))
		return repo_bare_failed(err, "open a pack");
	repo_pkt_init(&t.pkt);
	rc = repo_wire_ask(w, request->data, request->len, take, &t, dl, err);
	if (rc == 0 && git_indexer_commit(t.indexer, &t.progress))
		rc = repo_bare_failed(err, "what the server sent");
	if (rc == 0 && git_odb_refresh(f->bare->odb))
		rc = repo_bare_failed(err, "read the cache anew");
	git_indexer_free(t.indexer);
	repo_pkt_done(&t.pkt);
	return rc;
}

/* --- the request --------------------------------------------------------- */

static int
call(struct repo_far *f, const char *branch, struct repo_wire **w,
     struct repo_pkt_refs *refs, struct deadline dl, struct err *err)
{
	AUTO_FREE char *name = mem_fmt("refs/heads/%s", branch);
	struct repo_pkt_refs r = {.wanted = name};
	int rc;

	if (repo_wire_open(w, f->remote, f->login, "git-upload-pack", dl, err))
		return -1;
	rc = repo_wire_refs(*w, &r, dl, err);
	if (rc == 0 && r.anything &&
	    !(repo_pkt_can(&r, "side-band-64k") &&
	      repo_pkt_can(&r, "shallow"))) {
		err_set(err, ERR_REMOTE, "its git is too old");
		rc = err_hint(err, "git 1.7 or newer is needed there");
	}
	if (rc) {
		repo_wire_close(*w);
		free(r.caps);
		return -1;
	}
	r.wanted = NULL;
	*refs = r;
	return 0;
}

static void
add_want(struct buf *b, const char *oid, const struct repo_pkt_refs *refs)
{
	repo_pkt_line(b, "want %s side-band-64k ofs-delta no-progress%s%s\n",
		      oid, repo_pkt_can(refs, "filter") ? " filter" : "",
		      repo_pkt_can(refs, "agent") ? " agent=patrol" : "");
}

/* Whether the server may leave out what we have seen before. */
enum fetch { FETCH_NEWS, FETCH_ALL };

static int
fetch_tip(struct repo_far *f, struct repo_wire *w, const char *branch,
	  const struct repo_pkt_refs *refs, enum fetch how, struct deadline dl,
	  struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_REQUEST);
	char have[REPO_PKT_OID + 1] = "";
	git_oid seen;

	if (how == FETCH_NEWS && repo_bare_seen(f->bare, branch, &seen))
		git_oid_tostr(have, sizeof(have), &seen);
	add_want(&b, refs->oid, refs);
	/* Of what we have the parents are not here either. */
	if (*have)
		repo_pkt_line(&b, "shallow %s\n", have);
	repo_pkt_line(&b, "deepen 1\n");
	if (how == FETCH_NEWS && can_leave_out(refs))
		repo_pkt_line(&b, "filter blob:none\n");
	repo_pkt_flush(&b);
	if (*have)
		repo_pkt_line(&b, "have %s\n", have);
	repo_pkt_line(&b, "done\n");
	return receive(f, w, &b, OF_SHALLOW, dl, err);
}

int
repo_fetch_tip(struct repo_far *f, const char *branch,
	       char oid[REPO_PKT_OID + 1], struct deadline dl, struct err *err)
{
	struct repo_pkt_refs refs;
	struct repo_wire *w;
	git_oid id;
	int rc = 0;

	if (call(f, branch, &w, &refs, dl, err))
		return -1;
	if (*refs.oid) {
		(void)git_oid_fromstr(&id, refs.oid); /* its form is checked */
		if (!git_odb_exists(f->bare->odb, &id))
			rc = fetch_tip(f, w, branch, &refs, FETCH_NEWS, dl,
				       err);
		if (rc == 0)
			rc = repo_bare_set_seen(f->bare, branch, &id, err);
	}
	if (rc == 0)
		memcpy(oid, refs.oid, sizeof(refs.oid));
	repo_wire_close(w);
	free(refs.caps);
	return rc;
}

static int
fetch_wanted(struct repo_far *f, struct repo_wire *w,
	     const struct repo_pkt_refs *refs, const git_oid *want,
	     size_t count, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_REQUEST);

	for (size_t i = 0; i < count; i++) {
		char oid[REPO_PKT_OID + 1];

		git_oid_tostr(oid, sizeof(oid), &want[i]);
		if (i == 0)
			add_want(&b, oid, refs);
		else
			repo_pkt_line(&b, "want %s\n", oid);
	}
	repo_pkt_flush(&b);
	repo_pkt_line(&b, "done\n");
	return receive(f, w, &b, OF_HAVES, dl, err);
}

int
repo_fetch_files(struct repo_far *f, const char *branch, const char *tip,
		 const git_oid *want, size_t count, struct deadline dl,
		 struct err *err)
{
	struct repo_pkt_refs refs;
	struct repo_wire *w;
	int rc;

	if (count == 0)
		return 0;
	if (call(f, branch, &w, &refs, dl, err))
		return -1;
	if (can_leave_out(&refs)) {
		rc = fetch_wanted(f, w, &refs, want, count, dl, err);
	} else if (strcmp(refs.oid, tip) == 0) {
		rc = fetch_tip(f, w, branch, &refs, FETCH_ALL, dl, err);
	} else {
		err_set(err, ERR_NOTFOUND,
			"the branch '%s' has changed while it was read",
			branch);
		rc = err_hint(err, "try again");
	}
	repo_wire_close(w);
	free(refs.caps);
	return rc;
}
