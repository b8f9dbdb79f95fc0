#ifndef SSH_SFTP_H
#define SSH_SFTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "transport/ssh.h"
#include "transport/ssh_sftp_wire.h"

/*
 * SFTP over a session of ssh.h.
 *
 * Not libssh2's own: that one has neither posix-rename nor the server's words.
 * Paths are bytes, relative ones begin in the user's home.  Errors: ERR_REMOTE
 * the server refused, ERR_NOTFOUND no such file, ERR_IO the connection is
 * over, ERR_PROTO; after the last two the struct is of no more use.
 */
struct ssh_sftp {
	struct ssh *ssh;
	struct _LIBSSH2_CHANNEL *channel; /* NULL: none */
	struct ssh_sftp_wire_caps caps;
	struct buf in, out; /* whole and half packets */
	size_t used;	    /* of `in`: the packet at hand */
	uint32_t next_id;
	int64_t stall_ms; /* silence that counts as a cut */
};

/*
 * `ssh` is borrowed and must outlive it.  A server that stays silent for
 * `stall_ms` when an answer is due is ERR_IO, as one that is gone.
 */
int ssh_sftp_open(struct ssh_sftp *s, struct ssh *ssh, int64_t stall_ms,
		  struct deadline dl, struct err *err);
void ssh_sftp_close(struct ssh_sftp *s); /* zeros are fine */

/* ERR_NOTFOUND: there is nothing of that name.  Links are followed. */
int ssh_sftp_is_folder(struct ssh_sftp *s, const char *path, bool *folder,
		       struct deadline dl, struct err *err);
/* mkdir -p; what is there already may be a link to a folder. */
int ssh_sftp_mkdirs(struct ssh_sftp *s, const char *path, struct deadline dl,
		    struct err *err);

struct ssh_sftp_sent {
	uint64_t bytes;	  /* sent now, on success */
	uint64_t resumed; /* that an earlier attempt had sent */
	bool there;	  /* nothing to do: it is there already */
};

enum ssh_sftp_again {
	SSH_SFTP_IF_CHANGED, /* the same size and time: it is there already */
	SSH_SFTP_ALWAYS,
};

/*
 * Put the regular file `fd` at `path`: into PATH.part first, going on where an
 * earlier attempt ended; flushed, its size looked at, renamed.
 */
int ssh_sftp_put(struct ssh_sftp *s, int fd, const char *path,
		 enum ssh_sftp_again again, struct ssh_sftp_sent *sent,
		 struct deadline dl, struct err *err);

/* The rest is for ssh_sftp_put.c. */

/* A request begun with ssh_sftp_begin(): sent, and its reply. */
size_t ssh_sftp_begin(struct ssh_sftp *s, enum ssh_sftp_wire_type type);
int ssh_sftp_call(struct ssh_sftp *s, size_t begun,
		  struct ssh_sftp_wire_reply *reply, struct deadline dl,
		  struct err *err);
/* The next packet of the server; valid until the next call. */
int ssh_sftp_next(struct ssh_sftp *s, struct ssh_sftp_wire_reply *reply,
		  struct deadline dl, struct err *err);
/*
 * Send what the channel takes and read what is there, without waiting.
 * 1: something moved, 0: nothing did.
 */
int ssh_sftp_pump(struct ssh_sftp *s, struct err *err);
/* After a pump that moved nothing: until the server says something. */
int ssh_sftp_wait(struct ssh_sftp *s, struct deadline dl, struct err *err);

/* 0 when `reply` is of type `want`, else the refusal's words. */
int ssh_sftp_expect(const struct ssh_sftp_wire_reply *reply,
		    enum ssh_sftp_wire_type want, struct err *err);

#endif
