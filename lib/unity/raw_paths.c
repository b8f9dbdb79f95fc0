#include "unity/raw_paths.h"

#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "unity/raw_io.h"
#include "unity/raw_segs.h"

/* A segment of the next run, if not of this one. */
static int
folders(const struct raw_filter_spec *spec, struct err *err)
{
	const char *out = spec->out ? spec->out : "-";
	const char *slash = strrchr(out, '/');
	size_t n = strlen(out);
	AUTO_FREE char *dir = NULL;
	struct stat to, from;

	if (spec->src.bytes || n < 4 || strcmp(out + n - 4, ".raw") != 0)
		return 0;
	dir = slash ? mem_strndup(out, (size_t)(slash - out) + 1)
		    : mem_strdup(".");
	for (size_t i = 0; i < spec->src.count; i++) {
		if (stat(dir, &to) || stat(spec->src.paths[i], &from) ||
		    !raw_io_same(&to, &from))
			continue;
		return err_set(err, ERR_USAGE,
			       "'%s' would be a segment of the folder that is "
			       "read; write it to another folder",
			       out);
	}
	return 0;
}

int
raw_paths_check(const struct raw_filter_spec *spec, struct err *err)
{
	const struct raw_src_spec *src = &spec->src;

	if (raw_segs_spare(src->paths, src->count, spec->out, err) ||
	    raw_segs_spare(src->paths, src->count, spec->summary, err))
		return -1;
	return folders(spec, err);
}

int
raw_paths_apart(int out_fd, int summary_fd, const char *out, struct err *err)
{
	struct stat a, b;

	if (fstat(out_fd, &a) || fstat(summary_fd, &b) ||
	    !raw_io_same(&a, &b) || !S_ISREG(a.st_mode))
		return 0;
	return err_set(err, ERR_USAGE,
		       "'%s' can't be both the output and the summary; give "
		       "--summary another name",
		       out);
}
