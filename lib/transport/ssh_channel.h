#ifndef SSH_CHANNEL_H
#define SSH_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "transport/ssh.h"

/*
 * One connection through a tunnel: a socket here, a channel of the session,
 * and in each direction a buffer that is filled only when it is empty, so
 * that whoever is slow is waited for by the other side.  Each direction ends
 * on its own (half-close).
 */
enum ssh_channel_state {
	SSH_CHANNEL_WAITING, /* for its turn: libssh2 opens one at a time */
	SSH_CHANNEL_OPENING,
	SSH_CHANNEL_OPEN,
	SSH_CHANNEL_CLOSING, /* the socket is closed, the channel not yet */
	SSH_CHANNEL_GONE,
};

enum { SSH_CHANNEL_BUFFER = 128 << 10 };

/* Bytes on their way in one direction. */
struct ssh_channel_way {
	char data[SSH_CHANNEL_BUFFER];
	size_t at, len; /* what is left is [at, len) */
	bool ended;	/* the source has no more */
	bool told;	/* and the other side knows */
};

struct ssh_channel {
	enum ssh_channel_state state;
	int fd;
	struct _LIBSSH2_CHANNEL *channel;
	const char *host; /* borrowed: where it leads */
	int port;
	int64_t since_us;		 /* in this state */
	bool readable;			 /* the socket, as far as we know */
	bool writable;			 /* too */
	bool hung;			 /* it will never say anything new */
	struct ssh_channel_way up, down; /* to the server; to the socket */
};

/* Takes `fd`. */
struct ssh_channel *ssh_channel_new(int fd, const char *host, int port);
/* The session is gone or goes: nothing is said to the server. */
void ssh_channel_free(struct ssh_channel *c);

/* What to poll the socket for; -1 for its descriptor: nothing. */
int ssh_channel_poll(const struct ssh_channel *c, short *events);
void ssh_channel_polled(struct ssh_channel *c, short revents);

/*
 * Do what can be done without waiting: 1 something was, 0 nothing, -1 the
 * session is over.  A refusal by the server is no error: `refused` gets its
 * words, and the connection ends.
 */
int ssh_channel_step(struct ssh_channel *c, struct ssh *s, struct err *refused,
		     struct err *err);

/* Has whoever connected here given up? */
bool ssh_channel_abandoned(const struct ssh_channel *c);

#endif
