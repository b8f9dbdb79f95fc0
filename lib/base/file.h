#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* Read a whole file into `b`, bounded by its limit.  "-" is stdin. */
int file_read(const char *path, struct buf *b, struct err *err);

/*
 * Write beside the name, flush, check close, rename: a reader sees the old
 * file or the new one.  file_write redacts secrets; file_write_raw does not.
 */
int file_write(const char *path, const char *data, size_t len, struct err *err);
int file_write_raw(const char *path, const void *data, size_t len,
		   struct err *err);
/* Append, for GITHUB_OUTPUT and the step summary.  Redacts. */
int file_append(const char *path, const char *data, size_t len,
		struct err *err);

/*
 * A large file written as its bytes arrive: `path`.part until file_commit.
 * Not a regular file (/dev/null, a pipe): opened as it is, no rename.
 */
struct file_part {
	int fd;
	char *path;
	char *part; /* NULL: written in place */
};

int file_part_open(struct file_part *p, const char *path, struct err *err);
int file_part_write(struct file_part *p, const void *data, size_t len,
		    struct err *err);
/* Wait until it is on the disk, which for gigabytes is long. */
int file_part_sync(struct file_part *p, struct err *err);
int file_part_commit(struct file_part *p, struct err *err);
void file_part_done(struct file_part *p); /* removes what is unfinished */
/* Leave what is unfinished under its .part, for whoever has nothing else. */
void file_part_leave(struct file_part *p);

/* mkdir -p */
int file_mkdirs(const char *path, struct err *err);
/* dir + "/" + name; free() it. */
char *file_join(const char *dir, const char *name);
/* Remove a tree of ours, without following links; absent is fine. */
int file_remove_tree(const char *path, struct err *err);
/*
 * The same beside the caller's own work: to free gigabytes takes a while.
 * file_remove_end() waits for it, frees it and tells how it went; NULL is 0.
 */
struct file_removal;
struct file_removal *file_remove_begin(const char *path);
int file_remove_end(struct file_removal *f, struct err *err);

/* Exclusive lock that ends with the process.  ERR_BUSY when held. */
int file_lock(const char *path, int *fd, struct err *err);

int file_write_all(int fd, const void *data, size_t len, const char *what,
		   struct err *err);
/*
 * Text to whoever looks on (stderr, stdout).  Nobody need be there: what is
 * not taken in time is dropped, so that a pipe that is not read or a
 * stopped terminal never holds a run.  False: something was dropped.
 */
bool file_say(int fd, const char *text, size_t len, int64_t wait_ms);
bool file_exists(const char *path);
/*
 * Take descriptors 0 to 2 where they are closed, so that no file of ours
 * becomes one of them and has text in it or is read as input.  Using one of
 * these fails.  To be called before anything is opened.
 */
void file_std_open(void);
/* Free bytes where `path` lies; -1 when unknown. */
long long file_free_bytes(const char *path);

/* Any name a peer gave as one safe path component ([A-Za-z0-9._-]). */
char *file_safe_name(const char *name);

#endif
