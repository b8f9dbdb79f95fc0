#ifndef SSH_SFTP_WIRE_H
#define SSH_SFTP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The packets of SFTP version 3 (draft-ietf-secsh-filexfer-02), which is what
 * OpenSSH and nearly everybody speaks.
 */
enum {
	SSH_SFTP_WIRE_VERSION = 3,
	/* What a reply may have at most: OpenSSH's own limit, and its head. */
	SSH_SFTP_WIRE_MAX = (256 << 10) + 1024,
	SSH_SFTP_WIRE_HANDLE_MAX = 256,
};

enum ssh_sftp_wire_type {
	SSH_SFTP_WIRE_INIT = 1,
	SSH_SFTP_WIRE_HELLO = 2, /* its answer, "VERSION" */
	SSH_SFTP_WIRE_OPEN = 3,
	SSH_SFTP_WIRE_CLOSE = 4,
	SSH_SFTP_WIRE_READ = 5,
	SSH_SFTP_WIRE_WRITE = 6,
	SSH_SFTP_WIRE_LSTAT = 7,
	SSH_SFTP_WIRE_FSTAT = 8,
	SSH_SFTP_WIRE_FSETSTAT = 10,
	SSH_SFTP_WIRE_REMOVE = 13,
	SSH_SFTP_WIRE_MKDIR = 14,
	SSH_SFTP_WIRE_STAT = 17,
	SSH_SFTP_WIRE_RENAME = 18,
	SSH_SFTP_WIRE_STATUS = 101,
	SSH_SFTP_WIRE_HANDLE = 102,
	SSH_SFTP_WIRE_DATA = 103,
	SSH_SFTP_WIRE_ATTRS = 105,
	SSH_SFTP_WIRE_EXTENDED = 200,
	SSH_SFTP_WIRE_EXTENDED_REPLY = 201,
};

enum ssh_sftp_wire_status {
	SSH_SFTP_WIRE_OK = 0,
	SSH_SFTP_WIRE_EOF = 1,
	SSH_SFTP_WIRE_NO_SUCH_FILE = 2,
	SSH_SFTP_WIRE_DENIED = 3,
	SSH_SFTP_WIRE_FAILURE = 4,
	SSH_SFTP_WIRE_UNSUPPORTED = 8,
};

enum ssh_sftp_wire_open { /* pflags of OPEN */
			  SSH_SFTP_WIRE_READABLE = 1,
			  SSH_SFTP_WIRE_WRITABLE = 2,
			  SSH_SFTP_WIRE_CREATE = 8,
			  SSH_SFTP_WIRE_TRUNCATE = 16,
};

/* What is not told is 0. */
struct ssh_sftp_wire_attrs {
	uint64_t size;
	uint32_t mode; /* as st_mode */
	uint32_t mtime;
};

struct ssh_sftp_wire_text {
	const char *data; /* borrowed from the packet, not terminated */
	size_t len;
};

/* The server's extensions that we know. */
struct ssh_sftp_wire_caps {
	bool posix_rename, fsync, statvfs;
};

/* One packet of a server; what its type does not have is 0. */
struct ssh_sftp_wire_reply {
	uint8_t type;
	uint32_t id;			/* the version, of a HELLO */
	uint32_t status;		/* STATUS */
	struct ssh_sftp_wire_text text; /* words, handle, data, or the rest */
	struct ssh_sftp_wire_attrs attrs;
	struct ssh_sftp_wire_caps caps; /* HELLO */
};

/*
 * One whole packet at the front of `len` bytes.  Returns its length with its
 * head, 0 when more must come, -1 with ERR_PROTO.
 */
long ssh_sftp_wire_next(const char *data, size_t len,
			struct ssh_sftp_wire_reply *reply, struct err *err);

/* Free bytes for us, from the answer to statvfs@openssh.com. */
int ssh_sftp_wire_free_bytes(const struct ssh_sftp_wire_reply *reply,
			     uint64_t *bytes, struct err *err);

/*
 * A request is begun, filled and ended; `b` may hold others before it.
 * Returns where it begins, for ssh_sftp_wire_end().
 */
size_t ssh_sftp_wire_begin(struct buf *b, enum ssh_sftp_wire_type type,
			   uint32_t id);
void ssh_sftp_wire_u32(struct buf *b, uint32_t v);
void ssh_sftp_wire_u64(struct buf *b, uint64_t v);
void ssh_sftp_wire_string(struct buf *b, const void *data, size_t len);
void ssh_sftp_wire_end(struct buf *b, size_t begin);

#endif
