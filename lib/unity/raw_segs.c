#include "unity/raw_segs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unity/raw_io.h"

/* A watch may see nothing (a FUSE mount): then look again after this time. */
enum { LOOK_MS = 250 };

struct raw_segs {
	char **given; /* files and folders as named */
	size_t count;
	bool follow;
	bool has_dir;
	int watch;   /* -1: none */
	char *last;  /* taken */
	char **item; /* sorted, what was found by the last look */
	size_t items, room;
};

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Two runs of digits; moves both behind them. */
static int
compare_numbers(const char **a, const char **b)
{
	size_t na, nb;
	int rc;

	while (**a == '0' && digit((*a)[1]))
		(*a)++;
	while (**b == '0' && digit((*b)[1]))
		(*b)++;
	na = strspn(*a, "0123456789");
	nb = strspn(*b, "0123456789");
	if (na != nb)
		return na < nb ? -1 : 1;
	rc = strncmp(*a, *b, na);
	*a += na;
	*b += nb;
	return rc;
}

int
raw_segs_compare(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		if (digit(*x) && digit(*y)) {
			int rc = compare_numbers(&x, &y);

			if (rc)
				return rc;
			continue;
		}
		if (*x != *y)
			return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
		x++;
		y++;
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(a, b); /* "01" and "1" */
}

static int
compare(const void *a, const void *b)
{
	return raw_segs_compare(*(char *const *)a, *(char *const *)b);
}

static void
forget(struct raw_segs *s)
{
	for (size_t i = 0; i < s->items; i++)
		free(s->item[i]);
	s->items = 0;
}

static void
found(struct raw_segs *s, char *path)
{
	MEM_GROW(s->item, s->items, s->room);
	s->item[s->items++] = path;
}

static bool
is_raw(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".raw") == 0;
}

static int
look_into(struct raw_segs *s, const char *dir, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return err_sys(err, "open folder '%s'", dir);
	while ((e = readdir(d))) {
		if (is_raw(e->d_name))
			found(s, file_join(dir, e->d_name));
	}
	(void)closedir(d); /* was only read */
	return 0;
}

static bool
is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
look(struct raw_segs *s, struct err *err)
{
	forget(s);
	for (size_t i = 0; i < s->count; i++) {
		if (!is_dir(s->given[i]))
			found(s, mem_strdup(s->given[i]));
		else if (look_into(s, s->given[i], err))
			return -1;
	}
	if (s->items > 1)
		qsort(s->item, s->items, sizeof(*s->item), compare);
	return 0;
}

static void
watch(struct raw_segs *s)
{
	s->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (size_t i = 0; s->watch >= 0 && i < s->count; i++)
		/* Without it the time between two looks has to do. */
		(void)inotify_add_watch(s->watch, s->given[i],
					IN_MODIFY | IN_CREATE | IN_MOVED_TO |
						IN_CLOSE_WRITE);
}

int
raw_segs_open(const char *const *paths, size_t count, bool follow,
	      struct raw_segs **segs, struct err *err)
{
	struct raw_segs *s;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(paths[i], "-") == 0 && count > 1)
			return err_set(err, ERR_USAGE,
				       "'-' is the whole input: name no other "
				       "file beside it");
	}
	s = mem_alloc(sizeof(*s));
	s->given = mem_array(count, sizeof(*s->given));
	s->count = count;
	s->follow = follow;
	s->watch = -1;
	for (size_t i = 0; i < count; i++) {
		s->given[i] = mem_strdup(paths[i]);
		s->has_dir |= is_dir(paths[i]);
	}
	if (follow)
		watch(s);
	if (look(s, err)) {
		raw_segs_free(s);
		return -1;
	}
	if (s->items == 0 && !follow) {
		err_set(err, ERR_INPUT,
			"folder '%s' has no *.raw file; name the segments",
			paths[0]);
		raw_segs_free(s);
		return -1;
	}
	*segs = s;
	return 0;
}

void
raw_segs_free(struct raw_segs *s)
{
	if (!s)
		return;
	forget(s);
	for (size_t i = 0; i < s->count; i++)
		free(s->given[i]);
	if (s->watch >= 0)
		close(s->watch);
	free(s->given);
	free(s->item);
	free(s->last);
	free(s);
}

static size_t
first_behind(const struct raw_segs *s)
{
	size_t i = 0;

	while (s->last && i < s->items &&
	       raw_segs_compare(s->item[i], s->last) <= 0)
		i++;
	return i;
}

int
raw_segs_spare(const char *const *paths, size_t count, const char *out,
	       struct err *err)
{
	struct raw_segs *s = NULL;
	struct stat own, other;
	bool same = false;

	if (count == 0 || !out || stat(out, &own) || !S_ISREG(own.st_mode))
		return 0;
	if (raw_segs_open(paths, count, true, &s, err))
		return -1;
	for (size_t i = 0; s && i < s->items && !same; i++)
		same = stat(s->item[i], &other) == 0 &&
		       raw_io_same(&other, &own);
	raw_segs_free(s);
	if (same)
		return err_set(err, ERR_USAGE,
			       "'%s' is a part of the input and would be "
			       "replaced: give the output another name, in "
			       "another folder than the segments",
			       out);
	return 0;
}

int
raw_segs_next(struct raw_segs *s, char **path, struct err *err)
{
	size_t i;

	if (s->follow && s->has_dir && look(s, err))
		return -1;
	i = first_behind(s);
	*path = i < s->items ? mem_strdup(s->item[i]) : NULL;
	if (*path) {
		free(s->last);
		s->last = mem_strdup(*path);
	}
	return 0;
}

int
raw_segs_unread(struct raw_segs *s, size_t *count, struct err *err)
{
	if (s->follow && s->has_dir && look(s, err))
		return -1;
	*count = s->items - first_behind(s);
	return 0;
}

int
raw_segs_wait(struct raw_segs *s, struct deadline dl, struct err *err)
{
	struct pollfd fds[2] = {{.fd = s->watch, .events = POLLIN}};
	char events[4096];

	if (deadline_poll(dl, fds, s->watch >= 0, LOOK_MS, err))
		return -1;
	/* What happened does not matter. */
	while (s->watch >= 0 && read(s->watch, events, sizeof(events)) > 0)
		continue;
	return 0;
}
