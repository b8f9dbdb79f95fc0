#include "report/store_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

enum { DEPTH_MAX = 16, FILES_MAX = 100000 };

static bool
left_out(const char *name, bool top)
{
	size_t len = strlen(name);

	if (name[0] == '.' || (top && strcmp(name, "result.json") == 0))
		return true;
	return len > 5 && strcmp(name + len - 5, ".part") == 0;
}

static int
add(struct store_list *l, const char *name, struct err *err)
{
	if (l->count >= FILES_MAX)
		return err_set(err, ERR_INPUT, "more than %d files",
			       (int)FILES_MAX);
	MEM_GROW(l->item, l->count, l->room);
	l->item[l->count++] = mem_strdup(name);
	return 0;
}

/* `below`: "" or "screens/". */
static int
walk(const char *dir, const char *below, int depth, struct store_list *l,
     struct err *err)
{
	AUTO_FREE char *path = file_join(dir, below);
	DIR *d = opendir(path);
	struct dirent *e;
	int rc = 0;

	if (d == NULL)
		return err_sys(err, "read folder '%s'", path);
	while (rc == 0 && (errno = 0, e = readdir(d))) {
		AUTO_FREE char *name = mem_fmt("%s%s", below, e->d_name);
		AUTO_FREE char *deeper = mem_fmt("%s/", name);
		struct stat st;

		if (left_out(e->d_name, depth == 0) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISREG(st.st_mode))
			rc = add(l, name, err);
		else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			rc = walk(dir, deeper, depth + 1, l, err);
	}
	if (rc == 0 && errno)
		rc = err_sys(err, "read folder '%s'", path);
	closedir(d);
	return rc;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
store_list_read(const char *dir, struct store_list *l, struct err *err)
{
	*l = (struct store_list){0};
	if (walk(dir, "", 0, l, err)) {
		store_list_done(l);
		return -1;
	}
	if (l->count)
		qsort(l->item, l->count, sizeof(*l->item), by_name);
	return 0;
}

void
store_list_done(struct store_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->item[i]);
	free(l->item);
	*l = (struct store_list){0};
}
