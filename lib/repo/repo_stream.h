#ifndef REPO_STREAM_H
#define REPO_STREAM_H

#include <sys/types.h>

#include "base/buf.h"
#include "repo/repo_wire.h"

/*
 * A git service as two streams of bytes and what it complains: a process here
 * or behind SSH.  Nothing but wait() waits.
 */
enum { REPO_STREAM_NOTHING = 0, REPO_STREAM_ENDED = -2 };

struct repo_stream {
	/* Bytes that were taken; -1. */
	ssize_t (*write)(void *self, const char *data, size_t len,
			 struct err *err);
	int (*write_end)(void *self, struct err *err);
	/* Bytes, REPO_STREAM_NOTHING for now, REPO_STREAM_ENDED; -1. */
	ssize_t (*read)(void *self, char *to, size_t room, struct err *err);
	/* Until one of both is worth trying again. */
	int (*wait)(void *self, bool to_write, struct deadline dl,
		    struct err *err);
	/* What it said on stderr, at its end. */
	void (*words)(void *self, struct buf *out);
	void (*close)(void *self);
};

enum { REPO_STREAM_WORDS = 2000 };

extern const struct repo_stream repo_stream_file;
extern const struct repo_stream repo_stream_ssh;

int repo_stream_file_open(void **out, const struct repo_remote *remote,
			  const char *service, struct err *err);
int repo_stream_ssh_open(void **out, const struct repo_remote *remote,
			 const struct repo_login *login, const char *service,
			 struct deadline dl, struct err *err);

#endif
