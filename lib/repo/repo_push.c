#include "repo/repo_push.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char nothing[] = "0000000000000000000000000000000000000000";

/* --- the answer ---------------------------------------------------------- */

struct report {
	struct repo_pkt outer, inner;
	bool bands;
	bool unpacked, done, over;
	struct buf *words; /* why not, or what the server told people */
};

static void
add_words(struct report *r, const char *text, size_t len)
{
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	if (len == 0)
		return;
	if (r->words->len)
		buf_str(r->words, ", ");
	buf_escaped(r->words, text, len < 200 ? len : 200);
}

/* "unpack ok", "ok REF", "ng REF WHY", and a flush. */
static int
see_status(void *arg, const char *line, size_t len, struct err *err)
{
	struct report *r = arg;
	const char *why;

	(void)err;
	if (line == NULL) {
		r->over = true;
		return REPO_PKT_ENOUGH;
	}
	if (repo_pkt_begins(line, len, "unpack ok")) {
		r->unpacked = true;
	} else if (repo_pkt_begins(line, len, "ok ")) {
		r->done = true;
	} else if (repo_pkt_begins(line, len, "ng ")) {
		why = memchr(line + 3, ' ', len - 3);
		if (why)
			add_words(r, why + 1, len - (size_t)(why + 1 - line));
	} else {
		add_words(r, line, len);
	}
	return REPO_PKT_MORE;
}

static int
see_band(void *arg, const char *line, size_t len, struct err *err)
{
	struct report *r = arg;

	if (!r->bands)
		return see_status(r, line, len, err);
	if (line == NULL)
		return REPO_PKT_ENOUGH;
	if (len < 2)
		return REPO_PKT_MORE;
	if (*line != 1) {
		add_words(r, line + 1, len - 1);
		return REPO_PKT_MORE;
	}
	if (repo_pkt_feed(&r->inner, line + 1, len - 1, see_status, r, err) < 0)
		return -1;
	return REPO_PKT_MORE;
}

static int
take(void *arg, const void *data, size_t len, struct err *err)
{
	struct report *r = arg;

	return repo_pkt_feed(&r->outer, data, len, see_band, r, err);
}

/* --- the request --------------------------------------------------------- */

static int
add_pack(struct repo_far *f, const struct repo_push *p, struct buf *out,
	 struct err *err)
{
	git_packbuilder *pb = NULL;
	git_buf pack = GIT_BUF_INIT;
	int rc = git_packbuilder_new(&pb, f->bare->repo);

	for (size_t i = 0; i < p->count && rc == 0; i++)
		rc = git_packbuilder_insert(pb, &p->object[i], NULL);
	if (rc == 0) {
		(void)git_packbuilder_set_threads(pb, 1);
		rc = git_packbuilder_write_buf(&pack, pb);
	}
	if (rc)
		(void)repo_bare_failed(err, "pack the commit");
	else
		buf_add(out, pack.ptr, pack.size);
	git_buf_dispose(&pack);
	git_packbuilder_free(pb);
	return rc ? -1 : buf_check(out, "the commit", err);
}

static int
add_request(struct repo_far *f, const struct repo_push *p, bool bands,
	    struct buf *out, struct err *err)
{
	AUTO_FREE char *caps = mem_fmt(" report-status%s agent=patrol",
				       bands ? " side-band-64k" : "");
	AUTO_FREE char *line = NULL;
	char to[REPO_PKT_OID + 1];

	git_oid_tostr(to, sizeof(to), &p->commit);
	line = mem_fmt("%s %s refs/heads/%s", *p->old ? p->old : nothing, to,
		       p->branch);
	/* A zero byte stands between the two. */
	buf_fmt(out, "%04zx%s", 4 + strlen(line) + 1 + strlen(caps), line);
	buf_chr(out, '\0');
	buf_str(out, caps);
	repo_pkt_flush(out);
	return add_pack(f, p, out, err);
}

static int
send_it(struct repo_far *f, struct repo_wire *w, const struct repo_push *p,
	bool bands, enum repo_push_end *end, struct buf *words,
	struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf request = BUF_INIT_MAX(REPO_PUSH_MAX);
	struct report r = {.bands = bands, .words = words};
	int rc;

	if (add_request(f, p, bands, &request, err))
		return -1;
	repo_pkt_init(&r.outer);
	repo_pkt_init(&r.inner);
	rc = repo_wire_ask(w, request.data, request.len, take, &r, dl, err);
	repo_pkt_done(&r.outer);
	repo_pkt_done(&r.inner);
	if (rc)
		return -1;
	*end = r.unpacked && r.done ? REPO_PUSH_DONE : REPO_PUSH_REFUSED;
	return 0;
}

int
repo_push(struct repo_far *f, const struct repo_push *p,
	  enum repo_push_end *end, struct buf *words, struct deadline dl,
	  struct err *err)
{
	AUTO_FREE char *name = mem_fmt("refs/heads/%s", p->branch);
	struct repo_pkt_refs refs = {.wanted = name};
	struct repo_wire *w;
	int rc;

	if (repo_wire_open(&w, f->remote, f->login, "git-receive-pack", dl,
			   err))
		return -1;
	rc = repo_wire_refs(w, &refs, dl, err);
	if (rc == 0 && strcmp(refs.oid, p->old) != 0)
		*end = REPO_PUSH_LOST;
	else if (rc == 0)
		rc = send_it(f, w, p, repo_pkt_can(&refs, "side-band-64k"), end,
			     words, dl, err);
	free(refs.caps);
	repo_wire_close(w);
	return rc;
}
