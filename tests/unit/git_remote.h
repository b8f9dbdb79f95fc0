#ifndef GIT_REMOTE_H
#define GIT_REMOTE_H

/*
 * Repositories for tests, made by the genuine git in a folder of the test's
 * own.
 */
#include <stdarg.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/check.h"
#include "transport/proc.h"

static char git_dir[512];

static inline struct deadline
git_in(int64_t ms)
{
	return deadline_in(NULL, ms);
}

/*
 * A line of shell, within the folder; what it prints, without the last end of
 * line.  It has to succeed.  free() it.
 */
__attribute__((format(printf, 1, 2))) static inline char *
git_sh(const char *fmt, ...)
{
	AUTO_FREE char *line = NULL;
	AUTO_FREE char *whole = NULL;
	AUTO_BUF struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	int status = -1;
	va_list ap;

	va_start(ap, fmt);
	line = mem_vfmt(fmt, ap);
	va_end(ap);
	whole = mem_fmt("cd '%s' && { %s\n}", git_dir, line);
	const char *argv[] = {"sh", "-ec", whole, NULL};
	const struct proc_spec spec = {.argv = argv, .out_fd = -1};

	if (proc_capture(&spec, &out, &status, git_in(30000), &err) || status)
		printf("# %s: %d %s %s\n", line, status, out.data, err.msg);
	CHECK(status == 0);
	while (out.len && out.data[out.len - 1] == '\n')
		buf_truncate(&out, out.len - 1);
	return buf_take(&out);
}

#define git_do(...) free(git_sh(__VA_ARGS__))

/* The folder, with an empty bare repository far.git in it. */
static inline void
git_make(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(git_dir, sizeof(git_dir), "%s/test_git.XXXXXX",
		 tmp ? tmp : "/tmp");
	CHECK(mkdtemp(git_dir) != NULL);
	(void)setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	(void)setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	(void)setenv("GIT_AUTHOR_NAME", "Jane", 1);
	(void)setenv("GIT_AUTHOR_EMAIL", "jane@example.com", 1);
	(void)setenv("GIT_COMMITTER_NAME", "Jane", 1);
	(void)setenv("GIT_COMMITTER_EMAIL", "jane@example.com", 1);
	git_do("git init -q --bare -b main far.git");
}

static inline void
git_unmake(void)
{
	struct err err = ERR_INIT;

	CHECK(file_remove_tree(git_dir, &err) == 0);
}

/* Does a command's output say so? */
#define GIT_SAYS(want, ...)                                  \
	do {                                                 \
		AUTO_FREE char *said_ = git_sh(__VA_ARGS__); \
		CHECK_STR(said_, want);                      \
	} while (0)

#endif
