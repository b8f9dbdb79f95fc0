#ifndef REPO_MESSAGE_H
#define REPO_MESSAGE_H

#include "base/buf.h"
#include "base/json.h"

/*
 * What the program and its child of repo_branch.h say to each other: JSON and
 * the bytes of files behind it, in a file that nobody else can open.
 */
struct repo_message {
	cJSON *head;
	const char *body; /* of a mapped file */
	size_t body_len;
	void *map;
	size_t map_len;
};

enum { REPO_MESSAGE_HEAD = 64 << 20 };

/* Of no name; -1 with `err`. */
int repo_message_file(struct err *err);
int repo_message_write(int fd, const cJSON *head, const struct buf *body,
		       struct err *err);
int repo_message_read(int fd, struct repo_message *out, struct err *err);
void repo_message_done(struct repo_message *m);

/* A failure as JSON, and back; the latter is always -1. */
cJSON *repo_message_failure(const struct err *err);
int repo_message_failed(const cJSON *failure, struct err *err);

#endif
