#include "repo/repo_pkt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { HEAD = 4 };

void
repo_pkt_init(struct repo_pkt *p)
{
	buf_init(&p->half, REPO_PKT_MAX + HEAD);
}

void
repo_pkt_done(struct repo_pkt *p)
{
	buf_done(&p->half);
}

/* The length that four digits tell, or -1. */
static long
length_of(const char *at)
{
	long n = 0;

	for (int i = 0; i < HEAD; i++) {
		const char *digit = strchr("0123456789abcdefABCDEF", at[i]);
		long v = digit && at[i] ? digit - "0123456789abcdefABCDEF" : -1;

		if (v < 0)
			return -1;
		n = n * 16 + (v > 15 ? v - 6 : v);
	}
	return n;
}

static int
no_git(const char *at, size_t len, struct err *err)
{
	AUTO_BUF struct buf said = BUF_INIT;

	buf_escaped(&said, at, len < 80 ? len : 80);
	err_set(err, ERR_PROTO, "no git server's answer: '%s'", said.data);
	return err_hint(err, "is the remote's address right?");
}

/* A line that tells a failure in the server's words. */
static int
server_failed(const char *line, size_t len, struct err *err)
{
	AUTO_BUF struct buf said = BUF_INIT;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	buf_escaped(&said, line, len < 200 ? len : 200);
	return err_set(err, ERR_REMOTE, "the server says '%s'", said.data);
}

/* The first line of `at`, when it is whole: how many bytes; 0: not yet. */
static int
one(const char *at, size_t len, size_t *used, repo_pkt_see *see, void *arg,
    struct err *err)
{
	long n;

	*used = 0;
	if (len < HEAD)
		return REPO_PKT_MORE;
	n = length_of(at);
	if (n < 0 || (n > 0 && n < HEAD) || n > REPO_PKT_MAX + HEAD)
		return no_git(at, len, err);
	if (n > 0 && len < (size_t)n)
		return REPO_PKT_MORE;
	*used = n ? (size_t)n : HEAD;
	if (n == 0)
		return see(arg, NULL, 0, err);
	if (n - HEAD > 4 && strncmp(at + HEAD, "ERR ", 4) == 0)
		return server_failed(at + 2 * HEAD, (size_t)n - 2 * HEAD, err);
	return see(arg, at + HEAD, (size_t)n - HEAD, err);
}

int
repo_pkt_feed(struct repo_pkt *p, const void *data, size_t len,
	      repo_pkt_see *see, void *arg, struct err *err)
{
	const char *at = data;
	int rc = REPO_PKT_MORE;
	size_t used;

	while (len && rc == REPO_PKT_MORE) {
		size_t room = p->half.limit - p->half.len;
		size_t take = len < room ? len : room;
		size_t done = 0;

		buf_add(&p->half, at, take);
		at += take;
		len -= take;
		while ((rc = one(p->half.data + done, p->half.len - done, &used,
				 see, arg, err)) == REPO_PKT_MORE &&
		       used)
			done += used;
		buf_drop(&p->half, done);
	}
	return rc;
}

void
repo_pkt_line(struct buf *out, const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	buf_fmt(out, "%04zx%s", strlen(text) + HEAD, text);
}

void
repo_pkt_flush(struct buf *out)
{
	buf_str(out, "0000");
}

bool
repo_pkt_begins(const char *line, size_t len, const char *with)
{
	return len >= strlen(with) && strncmp(line, with, strlen(with)) == 0;
}

bool
repo_pkt_is_oid(const char *s, size_t len)
{
	return len == REPO_PKT_OID &&
	       strspn(s, "0123456789abcdef") >= REPO_PKT_OID;
}

static bool
line_is(const char *name, size_t len, const char *wanted)
{
	return wanted && strlen(wanted) == len &&
	       memcmp(name, wanted, len) == 0;
}

static int
no_ref(const char *line, size_t len, struct err *err)
{
	if (len <= 64 || strspn(line, "0123456789abcdef") != 64)
		return no_git(line, len, err);
	err_set(err, ERR_REMOTE, "it keeps SHA-256 objects");
	return err_hint(err, "only repositories with SHA-1 objects can be "
			     "used");
}

int
repo_pkt_see_ref(void *arg, const char *line, size_t len, struct err *err)
{
	struct repo_pkt_refs *r = arg;
	const char *nul, *name;

	if (line == NULL) {
		bool over = !r->named_service;

		r->named_service = false;
		return over ? REPO_PKT_ENOUGH : REPO_PKT_MORE;
	}
	if (len && line[len - 1] == '\n')
		len--;
	if (repo_pkt_begins(line, len, "# service=")) {
		r->named_service = true;
		return REPO_PKT_MORE;
	}
	if (repo_pkt_begins(line, len, "version ") ||
	    repo_pkt_begins(line, len, "shallow "))
		return REPO_PKT_MORE;
	if (len < REPO_PKT_OID + 2 || line[REPO_PKT_OID] != ' ' ||
	    strspn(line, "0123456789abcdef") != REPO_PKT_OID)
		return no_ref(line, len, err);
	name = line + REPO_PKT_OID + 1;
	len -= REPO_PKT_OID + 1;
	nul = memchr(name, '\0', len);
	if (nul && r->caps == NULL)
		r->caps = mem_strndup(nul + 1, len - (size_t)(nul + 1 - name));
	if (nul)
		len = (size_t)(nul - name);
	r->anything = true;
	if (line_is(name, len, r->wanted))
		memcpy(r->oid, line, REPO_PKT_OID);
	return REPO_PKT_MORE;
}

bool
repo_pkt_can(const struct repo_pkt_refs *r, const char *cap)
{
	size_t len = strlen(cap);

	for (const char *p = r->caps; p && *p;) {
		size_t n = strcspn(p, " ");

		if (n == len && strncmp(p, cap, n) == 0)
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}
