#include "followup/propose_merge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "followup/unity_files.h"
#include "unity/graphics.h"

/* Files of the run's folder for what unity_files_merge() reads and writes. */
struct files {
	char *base, *open, *both, *normal, *pulled, *to;
	char *log[2];
	size_t logs;
};

static void
find_files(const struct propose_merge *m, struct files *f)
{
	static const char *const log[] = {"logs/logcat.txt", "logs/app.log"};

	*f = (struct files){
		.base = file_join(m->out, "graphics-states/.base"),
		.open = file_join(m->out, "graphics-states/.open"),
		.both = file_join(m->out, "graphics-states/.both"),
		.normal = file_join(m->out, "graphics-states/.normal"),
		.pulled = file_join(m->out, m->pulled),
		.to = file_join(m->out, PROPOSE_MERGE_FILE),
	};
	for (size_t i = 0; i < sizeof(log) / sizeof(*log); i++) {
		char *path = file_join(m->out, log[i]);

		if (file_exists(path))
			f->log[f->logs++] = path;
		else
			free(path);
	}
}

static void
files_done(struct files *f)
{
	char **const all[] = {&f->base, &f->open, &f->both, &f->normal};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		(void)unlink(*all[i]); /* ours; it may not be there */
		free(*all[i]);
	}
	for (size_t i = 0; i < f->logs; i++)
		free(f->log[i]);
	free(f->pulled);
	free(f->to);
}

/* In Git LFS the repository has a pointer instead of the file. */
static int
put(const char *path, const struct buf *text, const char *asset,
    struct err *err)
{
	static const char pointer[] = "version https://git-lfs.github.com/";

	if (strncmp(text->data, pointer, sizeof(pointer) - 1) == 0) {
		err_set(err, ERR_INPUT, "'%s' is kept in Git LFS", asset);
		return err_hint(err, "take it out of .gitattributes: it is "
				     "text, and small");
	}
	return file_write_raw(path, text->data, text->len, err);
}

/* `with` merged behind `base`, into the file `to`. */
static int
merge(const char *base, const char *with, const char *to, const struct files *f,
      bool prune, cJSON *counts, struct err *err)
{
	const struct unity_files_merge m = {
		.base = base,
		.pulled = with,
		.to = to,
		.log = (const char *const *)f->log,
		.logs = prune ? f->logs : 0,
	};

	return unity_files_merge(&m, counts, err);
}

static int
same_file(const char *a, const char *b, bool *same, struct err *err)
{
	AUTO_BUF struct buf x = BUF_INIT_MAX((size_t)GRAPHICS_LIMIT * 4);
	AUTO_BUF struct buf y = BUF_INIT_MAX((size_t)GRAPHICS_LIMIT * 4);

	if (file_read(a, &x, err) || file_read(b, &y, err))
		return -1;
	*same = x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
	return 0;
}

/*
 * The base, with what an open request has more.  One that no longer fits, as
 * of another graphics API, is left out: today's is the newer.
 */
static const char *
start_of(const struct propose_merge *m, const struct files *f,
	 struct propose_merged *out)
{
	AUTO_JSON cJSON *counts = json_obj();
	struct err err = ERR_INIT;

	if (m->open == NULL)
		return f->base;
	if (put(f->open, m->open, m->asset, &err) == 0 &&
	    merge(f->base, f->open, f->both, f, false, counts, &err) == 0)
		return f->both;
	out->not_open = mem_strdup(err.msg);
	return f->base;
}

static int
do_merge(const struct propose_merge *m, const struct files *f,
	 struct propose_merged *out, struct err *err)
{
	AUTO_JSON cJSON *counts = json_obj();
	const char *start;

	if (put(f->base, m->base, m->asset, err) ||
	    merge(f->base, f->base, f->normal, f, false, counts, err))
		return err_wrap(err, "'%s' in the repository", m->asset);
	start = start_of(m, f, out);
	if (merge(start, f->pulled, f->to, f, true, out->counts, err))
		return -1;
	/* Of the base, also where another request's were between. */
	json_set_int(out->counts, "base_variants",
		     json_int(counts, "variants", 0));
	json_set_int(out->counts, "base_states", json_int(counts, "states", 0));
	/* Entries that nothing leads to, and how it is laid out, are no news.
	 */
	if (same_file(f->to, f->normal, &out->is_base, err) ||
	    file_read(f->to, &out->text, err))
		return -1;
	out->is_open =
		m->open && m->open->len == out->text.len &&
		memcmp(m->open->data, out->text.data, out->text.len) == 0;
	return 0;
}

int
propose_merge(const struct propose_merge *m, struct propose_merged *out,
	      struct err *err)
{
	struct files f;
	int rc;

	*out = (struct propose_merged){.counts = json_obj()};
	buf_init(&out->text, (size_t)GRAPHICS_LIMIT * 4);
	find_files(m, &f);
	rc = do_merge(m, &f, out, err);
	files_done(&f);
	if (rc)
		propose_merge_done(out);
	return rc;
}

void
propose_merge_done(struct propose_merged *m)
{
	buf_done(&m->text);
	cJSON_Delete(m->counts);
	free(m->not_open);
	*m = (struct propose_merged){.counts = NULL};
}
