#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"

static char *
in_tmp(const char *name)
{
	return file_join(getenv("TMPDIR"), name);
}

static void
reads_whole_within_limit(void)
{
	AUTO_FREE char *path = in_tmp("r");
	AUTO_BUF struct buf b = BUF_INIT_MAX(8);
	struct err err = ERR_INIT;

	CHECK(file_write_raw(path,
			     "1234\0"
			     "678",
			     8, &err) == 0);
	CHECK(file_read(path, &b, &err) == 0 && b.len == 8);
	CHECK(memcmp(b.data,
		     "1234\0"
		     "678",
		     8) == 0);
	buf_clear(&b);
	CHECK(file_write_raw(path, "123456789", 9, &err) == 0);
	CHECK(file_read(path, &b, &err) == -1 && err.code == ERR_PROTO);
	CHECK(unlink(path) == 0);
	CHECK(file_read(path, &b, &err) == -1 && err.code == ERR_NOTFOUND);
	CHECK(file_read(getenv("TMPDIR"), &b, &err) == -1 && err.sys == EISDIR);
}

static void
reader_sees_old_or_new(void)
{
	AUTO_FREE char *path = in_tmp("w");
	AUTO_FREE char *part = in_tmp("w.part");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct file_part p;

	CHECK(file_write_raw(path, "old", 3, &err) == 0);
	CHECK(!file_exists(part));
	REQUIRE(file_part_open(&p, path, &err) == 0);
	CHECK(file_part_write(&p, "new ", 4, &err) == 0);
	CHECK(file_exists(part));
	CHECK(file_read(path, &b, &err) == 0);
	CHECK_STR(b.data, "old");
	CHECK(file_part_write(&p, "text", 4, &err) == 0);
	CHECK(file_part_commit(&p, &err) == 0);
	file_part_done(&p);
	buf_clear(&b);
	CHECK(file_read(path, &b, &err) == 0);
	CHECK_STR(b.data, "new text");
	CHECK(!file_exists(part));
}

static void
unfinished_is_removed(void)
{
	AUTO_FREE char *path = in_tmp("u");
	AUTO_FREE char *part = in_tmp("u.part");
	struct err err = ERR_INIT;
	struct file_part p;

	REQUIRE(file_part_open(&p, path, &err) == 0);
	CHECK(file_part_write(&p, "half", 4, &err) == 0);
	file_part_done(&p);
	CHECK(!file_exists(path) && !file_exists(part));
	file_part_done(&p); /* twice is fine */
	CHECK(file_part_open(&p, "/dev/null/none/f", &err) == -1);
	CHECK_HAS(err.msg, "open '/dev/null/none/f.part'");
	file_part_done(&p);
}

static void
full_disk_keeps_the_old(void)
{
	AUTO_FREE char *link = in_tmp("full");
	struct err err = ERR_INIT;
	struct stat st;

	CHECK(file_write_raw("/dev/full", "x", 1, &err) == -1);
	CHECK(err.sys == ENOSPC);
	REQUIRE(symlink("/dev/full", link) == 0);
	CHECK(file_write_raw(link, "x", 1, &err) == -1 && err.sys == ENOSPC);
	CHECK(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(file_write_raw("/dev/null", "x", 1, &err) == 0);
	CHECK(file_append("/dev/full", "x", 1, &err) == -1);
	CHECK_HAS(err.msg, "write '/dev/full'");
}

static void
appends(void)
{
	AUTO_FREE char *path = in_tmp("a");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	CHECK(file_append(path, "a\n", 2, &err) == 0);
	CHECK(file_append(path, "b\n", 2, &err) == 0);
	CHECK(file_read(path, &b, &err) == 0);
	CHECK_STR(b.data, "a\nb\n");
}

static void
lock_is_exclusive(void)
{
	AUTO_FREE char *path = in_tmp("lock");
	struct err err = ERR_INIT;
	int a = -1, b = -1;

	REQUIRE(file_lock(path, &a, &err) == 0);
	CHECK(fcntl(a, F_GETFD) & FD_CLOEXEC);
	CHECK(file_lock(path, &b, &err) == -1 && err.code == ERR_BUSY);
	CHECK(b == -1);
	close(a);
	CHECK(file_lock(path, &b, &err) == 0);
	close(b);
	CHECK(file_lock("/dev/null/none", &b, &err) == -1 &&
	      err.sys == ENOTDIR);
}

static void
folders_are_made(void)
{
	AUTO_FREE char *deep = in_tmp("m/a//b/c/");
	AUTO_FREE char *file = in_tmp("m/file");
	AUTO_FREE char *under = in_tmp("m/file/x");
	struct err err = ERR_INIT;

	CHECK(file_mkdirs(deep, &err) == 0 && file_exists(deep));
	CHECK(file_mkdirs(deep, &err) == 0);
	CHECK(file_write_raw(file, "x", 1, &err) == 0);
	CHECK(file_mkdirs(file, &err) == -1 && err.sys == ENOTDIR);
	CHECK(file_mkdirs(under, &err) == -1);
}

static void
tree_goes_links_are_not_followed(void)
{
	AUTO_FREE char *keep = in_tmp("keep");
	AUTO_FREE char *kept = in_tmp("keep/file");
	AUTO_FREE char *tree = in_tmp("t");
	AUTO_FREE char *deep = in_tmp("t/a/b");
	AUTO_FREE char *file = in_tmp("t/a/b/f");
	AUTO_FREE char *link = in_tmp("t/a/link");
	struct err err = ERR_INIT;

	REQUIRE(file_mkdirs(keep, &err) == 0 && file_mkdirs(deep, &err) == 0);
	CHECK(file_write_raw(kept, "x", 1, &err) == 0);
	CHECK(file_write_raw(file, "x", 1, &err) == 0);
	CHECK(symlink(keep, link) == 0);
	CHECK(file_remove_tree(tree, &err) == 0);
	CHECK(!file_exists(tree) && file_exists(kept));
	CHECK(file_remove_tree(tree, &err) == 0); /* absent is fine */
	CHECK(symlink(keep, tree) == 0);
	CHECK(file_remove_tree(tree, &err) == 0); /* the link itself */
	CHECK(file_exists(kept) && access(tree, F_OK) != 0);
	CHECK(file_remove_tree(kept, &err) == 0 && !file_exists(kept));
}

static void
names_are_one_component(void)
{
	static const struct {
		const char *name, *safe;
	} rows[] = {
		{"logo.png", "logo.png"},
		{"", "_"},
		{"..", "_."},
		{".hidden", "_hidden"},
		{"a/b\\c", "a_b_c"},
		{"../../etc/passwd", "_._.._etc_passwd"},
		{"a b\n\x01\xc3\xa9", "a_b____"},
	};
	char long_name[400];
	char *s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		s = file_safe_name(rows[i].name);
		CHECK_STR(s, rows[i].safe);
		free(s);
	}
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	s = file_safe_name(long_name);
	CHECK(strlen(s) == 120);
	free(s);
}

static void
joins(void)
{
	AUTO_FREE char *a = file_join("d", "n");
	AUTO_FREE char *b = file_join("d/", "n");
	AUTO_FREE char *c = file_join("/", "n");

	CHECK_STR(a, "d/n");
	CHECK_STR(b, "d/n");
	CHECK_STR(c, "/n");
	CHECK(file_free_bytes("/") >= 0);
	CHECK(file_free_bytes("/dev/null/none") == -1);
}

CHECK_MAIN(CHECK_CASE("a file is read whole or refused",
		      reads_whole_within_limit),
	   CHECK_CASE("a reader sees the old file or the new one",
		      reader_sees_old_or_new),
	   CHECK_CASE("what is not finished is removed", unfinished_is_removed),
	   CHECK_CASE("a full disk is told", full_disk_keeps_the_old),
	   CHECK_CASE("appending appends", appends),
	   CHECK_CASE("a lock has one holder and ends with it",
		      lock_is_exclusive),
	   CHECK_CASE("folders are made with those above", folders_are_made),
	   CHECK_CASE("a tree is removed without following links",
		      tree_goes_links_are_not_followed),
	   CHECK_CASE("any name becomes one safe component",
		      names_are_one_component),
	   CHECK_CASE("paths are joined by one slash", joins), )
