#include "unity/raw_seg.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unity/raw_io.h"

static int
shrunk(const struct raw_seg *g, struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "'%s' became shorter while it was read; filter it "
		       "again when nobody writes it",
		       g->path);
}

int
raw_seg_read(const struct raw_seg *g, uint64_t at, void *to, size_t len,
	     struct err *err)
{
	size_t got;

	if (raw_io_read(g->fd, at, to, len, &got))
		return err_sys(err, "read '%s'", g->path);
	return got < len ? shrunk(g, err) : 0;
}

int
raw_seg_look(struct raw_seg *g, struct err *err)
{
	struct stat st;

	if (fstat(g->fd, &st))
		return err_sys(err, "look at '%s'", g->path);
	if ((uint64_t)st.st_size < g->size)
		return shrunk(g, err);
	g->size = (uint64_t)st.st_size;
	return 0;
}

int
raw_seg_delete(const struct raw_seg *g, bool *deleted, struct err *err)
{
	if (g->fd < 0 || strcmp(g->path, "-") == 0)
		return 0;
	if (raw_io_delete(g->fd, g->path))
		return err_sys(err, "delete '%s', which was read", g->path);
	*deleted = true;
	return 0;
}

void
raw_seg_give_back(struct raw_seg *g, uint64_t upto, bool *deleted)
{
	uint64_t before = g->gone;

	if (g->stays)
		return;
	g->stays = !raw_io_give_back(g->fd, &g->gone, upto);
	*deleted |= !g->stays && g->gone > before;
}

void
raw_seg_close(struct raw_seg *g)
{
	if (g->fd >= 0)
		close(g->fd);
	free(g->path);
}
