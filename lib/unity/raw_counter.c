#include "unity/raw_counter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* Open it, as soon as it is there. */
static int
look(struct raw_counter *c, struct err *err)
{
	struct err *why = c->growing ? &c->why : err;

	err_clear(&c->why);
	c->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (c->fd >= 0)
		return 0;
	err_sys(why, "open the app's counter '%s'", c->name);
	return c->growing ? 0 : -1;
}

int
raw_counter_open(struct raw_counter *c, const char *path, const char *name,
		 bool growing, struct err *err)
{
	*c = (struct raw_counter){.path = path,
				  .name = name ? name : path,
				  .growing = growing,
				  .fd = -1,
				  .end = true};
	if (!path)
		return 0;
	return look(c, err);
}

void
raw_counter_done(struct raw_counter *c)
{
	if (c->path && c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* An app that begins its counter anew: what is here is no whole any more. */
static void
look_at_end(struct raw_counter *c)
{
	struct stat st;

	c->cut = fstat(c->fd, &st) == 0 && S_ISREG(st.st_mode) &&
		 (uint64_t)st.st_size < c->read;
	c->over = c->cut;
}

/* More of the file behind what is not used yet. */
static int
fill(struct raw_counter *c, struct err *err)
{
	ssize_t n;

	c->end = true;
	if (c->fd < 0 && look(c, err))
		return -1;
	if (c->fd < 0 || c->over)
		return 0;
	memmove(c->buf, c->buf + c->at, c->len - c->at);
	c->len -= c->at;
	c->at = 0;
	/* A line without an end is none of ours. */
	if (c->len == sizeof(c->buf)) {
		c->len = 0;
		c->odd++;
	}
	do {
		n = read(c->fd, c->buf + c->len, sizeof(c->buf) - c->len);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		c->over = true;
		err_sys(c->growing ? &c->why : err,
			"read the app's counter '%s'", c->name);
		return c->growing ? 0 : -1;
	}
	c->len += (size_t)n;
	c->read += (uint64_t)n;
	c->end = n == 0;
	if (c->end)
		look_at_end(c);
	return 0;
}

static bool
take_number(const char **p, const char *end, uint64_t *v)
{
	const char *s = *p;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (s == end || !isdigit((unsigned char)*s))
		return false;
	for (*v = 0; s < end && isdigit((unsigned char)*s); s++) {
		if (*v > (UINT64_MAX - 9) / 10)
			return false;
		*v = *v * 10 + (uint64_t)(*s - '0');
	}
	*p = s;
	return true;
}

static void
take_line(struct raw_counter *c, const char *p, const char *end)
{
	c->lines++;
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	if (p == end || *p == '#')
		return;
	c->has = take_number(&p, end, &c->time);
	while (c->has && p < end && *p && strchr(" \t,;", *p))
		p++;
	c->has = c->has && take_number(&p, end, &c->bytes) && p == end;
	if (c->has)
		c->values++;
	else if (c->lines > 1)
		c->odd++;
}

/* Have a value waiting, unless there is none. */
static int
want(struct raw_counter *c, struct err *err)
{
	bool looked = false;

	while (c->path && !c->has) {
		char *line = c->buf + c->at;
		char *end = memchr(line, '\n', c->len - c->at);

		if (end) {
			take_line(c, line, end);
			c->at += (size_t)(end - line) + 1;
			continue;
		}
		if (looked && c->end) {
			/* The last line of a file that is whole. */
			if (!c->growing && c->at < c->len) {
				take_line(c, line, c->buf + c->len);
				c->at = c->len;
				continue;
			}
			return 0;
		}
		looked = true;
		if (fill(c, err))
			return -1;
	}
	return 0;
}

int
raw_counter_ready(struct raw_counter *c, uint64_t time, bool *ready,
		  struct err *err)
{
	if (want(c, err))
		return -1;
	*ready = c->has ? c->time >= time : !c->growing || c->over;
	return 0;
}

int
raw_counter_take(struct raw_counter *c, uint64_t start, uint64_t end,
		 uint64_t *sum, bool *any, struct err *err)
{
	*sum = 0;
	*any = false;
	if (!c->begun)
		c->begin = start;
	c->begun = true;
	for (;;) {
		if (want(c, err))
			return -1;
		if (!c->has || c->time >= end)
			return 0;
		c->has = false;
		if (c->time < start) {
			c->strays++;
			c->late += c->time >= c->begin;
			continue;
		}
		*sum = *sum > UINT64_MAX - c->bytes ? UINT64_MAX
						    : *sum + c->bytes;
		*any = true;
	}
}
