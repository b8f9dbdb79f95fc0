#include "unity/raw_src.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "unity/raw_io.h"
#include "unity/raw_seg.h"
#include "unity/raw_segs.h"
#include "unity/raw_spool.h"

enum { MINUTES = 60 * 1000, FOREVER_MIN = 60 * 24 * 365, BEHIND = 2 };

struct raw_src {
	struct raw_src_spec spec;
	struct raw_segs *segs;
	struct raw_seg *seg; /* held, oldest first; the last is this one */
	size_t count, room;
	uint32_t next_number;
	char *coming; /* the next segment, known by name */
	bool piped;
	struct raw_spool spool;
	struct deadline dl; /* ends with the signal that ends us */
	bool stopped;
	bool deleted;  /* some of what was read is no more */
	size_t behind; /* the most segments that were unread */
	struct raw_pages buf;
	size_t skip; /* within it: where `base` of this segment is */
	uint64_t base;
	size_t len;
};

static struct raw_seg *
current(const struct raw_src *s)
{
	return &s->seg[s->count - 1];
}

static uint8_t *
window(const struct raw_src *s)
{
	return s->buf.p + s->skip;
}

int
raw_src_open(const struct raw_src_spec *spec, const struct cancel *cancel,
	     struct raw_src **src, struct err *err)
{
	struct raw_src *s = mem_alloc(sizeof(*s));

	s->spec = *spec;
	s->dl = deadline_in(cancel, (int64_t)MINUTES * FOREVER_MIN);
	s->spool.fd = s->spool.file = -1;
	if (!spec->bytes && raw_segs_open(spec->paths, spec->count,
					  spec->follow, &s->segs, err)) {
		raw_src_free(s);
		return -1;
	}
	*src = s;
	return 0;
}

void
raw_src_free(struct raw_src *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		raw_seg_close(&s->seg[i]);
	raw_spool_done(&s->spool);
	raw_segs_free(s->segs);
	free(s->coming);
	free(s->seg);
	raw_pages_done(&s->buf);
	free(s);
}

/* A signal: for a followed input the end of it, else the error it is. */
static int
interrupted(struct raw_src *s, struct err *err)
{
	if (err->code != ERR_CANCELLED || !s->spec.follow || s->stopped)
		return -1;
	err_clear(err);
	s->stopped = true;
	s->dl.level = 2;
	return 0;
}

static int
open_segment(struct raw_src *s, char *path, struct err *err)
{
	struct raw_seg g = {.number = s->next_number++, .path = path, .fd = -1};
	struct stat st;

	g.fd = raw_io_open(path, s->spec.consume);
	if (g.fd < 0 || fstat(g.fd, &st)) {
		err_sys(err, "open '%s'", path);
		raw_seg_close(&g);
		return -1;
	}
	MEM_GROW(s->seg, s->count, s->room);
	s->seg[s->count++] = g;
	s->base = s->len = 0;
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_INPUT, "'%s' is a folder", path);
	s->piped = !S_ISREG(st.st_mode);
	if (!s->piped)
		return raw_seg_look(current(s), err);
	if (s->count > 1 || s->spool.memory.p)
		return err_set(err, ERR_INPUT,
			       "'%s' is a pipe: only one is read at a time",
			       path);
	raw_spool_init(&s->spool, g.fd);
	return 0;
}

/* What is in memory is a pipe of which all was read. */
static void
open_memory(struct raw_src *s)
{
	MEM_GROW(s->seg, s->count, s->room);
	s->seg[s->count++] =
		(struct raw_seg){.number = s->next_number++,
				 .path = mem_strdup("the recording in memory"),
				 .fd = -1};
	s->piped = true;
	s->spool.mem = (uint8_t *)s->spec.bytes; /* which is only read */
	s->spool.len = s->spec.size;
	s->spool.end = true;
}

static int
tell_behind(struct raw_src *s, struct err *err)
{
	size_t unread;

	if (!s->spec.follow)
		return 0;
	if (raw_segs_unread(s->segs, &unread, err))
		return -1;
	if (unread > s->behind) {
		s->behind = unread;
		if (unread >= BEHIND)
			log_warn("falling behind: %zu segments are unread",
				 unread);
	}
	return 0;
}

/* The name of the next segment when there is one; waits for none. */
static int
look_ahead(struct raw_src *s, struct err *err)
{
	return s->coming ? 0 : raw_segs_next(s->segs, &s->coming, err);
}

static int
wait_more(struct raw_src *s, struct err *err)
{
	if (raw_segs_wait(s->segs, s->dl, err) && interrupted(s, err))
		return -1;
	return 0;
}

int
raw_src_next(struct raw_src *s, bool *more, struct err *err)
{
	char *path;

	if (s->spec.bytes) {
		*more = s->count == 0;
		if (*more)
			open_memory(s);
		return 0;
	}
	for (;;) {
		if (look_ahead(s, err))
			return -1;
		if (s->coming || !s->spec.follow || s->stopped || s->count > 0)
			break;
		if (wait_more(s, err))
			return -1;
	}
	if (s->count > 0)
		current(s)->done = true;
	*more = s->coming != NULL;
	if (!s->coming)
		return 0;
	path = s->coming;
	s->coming = NULL;
	if (open_segment(s, path, err))
		return -1;
	return tell_behind(s, err);
}

const char *
raw_src_name(const struct raw_src *s)
{
	const char *path = current(s)->path;

	return strcmp(path, "-") == 0 ? "standard input" : path;
}

uint32_t
raw_src_segment(const struct raw_src *s)
{
	return current(s)->number;
}

size_t
raw_src_unread(const struct raw_src *s)
{
	return s->behind;
}

bool
raw_src_stopped(const struct raw_src *s)
{
	return s->stopped;
}

uint64_t
raw_src_size(const struct raw_src *s)
{
	return s->piped ? raw_spool_known(&s->spool) : current(s)->size;
}

/* A file that is followed ends when we are told so or when the next begins. */
static int
file_has(struct raw_src *s, uint64_t upto, bool *has, struct err *err)
{
	for (;;) {
		bool last_look = !s->spec.follow || s->stopped;

		*has = upto <= current(s)->size;
		if (*has)
			return 0;
		if (!last_look && look_ahead(s, err))
			return -1;
		last_look |= s->coming != NULL;
		if (raw_seg_look(current(s), err))
			return -1;
		*has = upto <= current(s)->size;
		if (*has || last_look)
			return 0;
		if (wait_more(s, err))
			return -1;
	}
}

static int
pipe_has(struct raw_src *s, uint64_t upto, bool *has, struct err *err)
{
	if (raw_spool_fill(&s->spool, upto, s->dl, err)) {
		if (interrupted(s, err))
			return -1;
		s->spool.end = true;
	}
	*has = upto <= raw_spool_known(&s->spool);
	return 0;
}

int
raw_src_has(struct raw_src *s, uint64_t at, uint64_t len, bool *has,
	    struct err *err)
{
	uint64_t upto = at + len;

	if (upto < at) {
		*has = false;
		return 0;
	}
	if (s->piped)
		return pipe_has(s, upto, has, err);
	return file_has(s, upto, has, err);
}

/*
 * Fill the window from `at` on; what it has of that already is moved.  Large
 * reads lie in memory as in the file's pages and end with one, which is what
 * the kernel copies fastest.
 */
static int
read_file(struct raw_src *s, uint64_t at, size_t want, struct err *err)
{
	size_t shift = want >= RAW_PAGE ? (size_t)(at % RAW_PAGE) : 0;
	size_t have = 0;

	if (s->spec.moving && s->spec.moving(s->spec.arg, err))
		return -1;
	raw_pages_need(&s->buf, shift + want, s->len ? s->skip + s->len : 0);
	if (at >= s->base && at < s->base + s->len) {
		have = (size_t)(s->base + s->len - at);
		memmove(s->buf.p + shift, window(s) + (at - s->base), have);
	}
	s->skip = shift;
	s->base = at;
	s->len = have;
	if (want < current(s)->size - at && shift + want >= RAW_PAGE)
		want -= (shift + want) % RAW_PAGE;
	if (s->len < want &&
	    raw_seg_read(current(s), at + s->len, window(s) + s->len,
			 want - s->len, err))
		return -1;
	s->len = s->len < want ? want : s->len;
	return 0;
}

static int
at_pipe(struct raw_src *s, uint64_t at, size_t need, const uint8_t **p,
	size_t *got, struct err *err)
{
	uint64_t known;
	bool has;

	if (pipe_has(s, at + need, &has, err))
		return -1;
	known = raw_spool_known(&s->spool);
	at = at > known ? known : at;
	*got = known - at < RAW_WINDOW ? (size_t)(known - at) : RAW_WINDOW;
	*p = raw_spool_at(&s->spool, at);
	if (*p)
		return 0;
	if (*got > need)
		*got = need;
	raw_pages_need(&s->buf, *got, 0);
	*p = s->buf.p;
	return raw_spool_copy(&s->spool, at, s->buf.p, *got, err);
}

int
raw_src_at(struct raw_src *s, uint64_t at, size_t need, const uint8_t **p,
	   size_t *got, struct err *err)
{
	size_t want = need > s->spec.ahead ? need : s->spec.ahead;
	uint64_t left;
	bool has;

	if (s->piped)
		return at_pipe(s, at, need, p, got, err);
	if (at >= s->base && at + need <= s->base + s->len) {
		*p = window(s) + (at - s->base);
		*got = (size_t)(s->base + s->len - at);
		return 0;
	}
	if (at + need > current(s)->size && file_has(s, at + need, &has, err))
		return -1;
	left = at < current(s)->size ? current(s)->size - at : 0;
	if (want >= RAW_PAGE)
		want += RAW_PAGE; /* some of it may be given up again */
	if (want > left)
		want = (size_t)left;
	if (read_file(s, at, want, err))
		return -1;
	*p = window(s);
	*got = s->len;
	return 0;
}

static struct raw_seg *
find(const struct raw_src *s, uint32_t number)
{
	for (size_t i = s->count; i-- > 0;) {
		if (s->seg[i].number == number)
			return &s->seg[i];
	}
	return NULL;
}

const uint8_t *
raw_src_held(const struct raw_src *s, uint32_t segment, uint64_t at, size_t len)
{
	if (s->piped)
		return raw_spool_at(&s->spool, at);
	if (segment != current(s)->number || at < s->base ||
	    at + len > s->base + s->len)
		return NULL;
	return window(s) + (at - s->base);
}

int
raw_src_fd(const struct raw_src *s, uint32_t segment)
{
	const struct raw_seg *g = find(s, segment);

	return g && !s->piped ? g->fd : -1;
}

int
raw_src_copy(struct raw_src *s, uint32_t segment, uint64_t at, void *to,
	     size_t len, struct err *err)
{
	if (s->piped)
		return raw_spool_copy(&s->spool, at, to, len, err);
	return raw_seg_read(find(s, segment), at, to, len, err);
}

static int
drop_oldest(struct raw_src *s, struct err *err)
{
	struct raw_seg *g = &s->seg[0];

	if (s->spec.consume && raw_seg_delete(g, &s->deleted, err))
		return -1;
	raw_seg_close(g);
	s->count--;
	memmove(s->seg, s->seg + 1, s->count * sizeof(*s->seg));
	return 0;
}

int
raw_src_finish(struct raw_src *s, struct err *err)
{
	while (s->count > 0) {
		if (drop_oldest(s, err))
			return -1;
	}
	return 0;
}

int
raw_src_check(struct raw_src *s, struct err *err)
{
	return deadline_check(s->dl, err) ? interrupted(s, err) : 0;
}

int
raw_src_wait_out(struct raw_src *s, int fd, struct err *err)
{
	while (deadline_wait(s->dl, fd, POLLOUT, err)) {
		if (interrupted(s, err))
			return -1;
	}
	return 0;
}

bool
raw_src_deleted(const struct raw_src *s)
{
	return s->deleted;
}

int
raw_src_release(struct raw_src *s, uint32_t segment, uint64_t at,
		struct err *err)
{
	if (s->piped) {
		raw_spool_release(&s->spool, at);
		return 0;
	}
	while (s->count > 1 && s->seg[0].done && s->seg[0].number < segment) {
		if (drop_oldest(s, err))
			return -1;
	}
	/* One that grows for hours would else fill the disk until its end. */
	if (s->spec.consume && s->spec.follow && s->count > 0 &&
	    s->seg[0].number == segment)
		raw_seg_give_back(&s->seg[0], at, &s->deleted);
	return 0;
}
