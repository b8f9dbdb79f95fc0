#ifndef SSH_H
#define SSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "transport/ssh_memory.h"

/*
 * One SSH session over libssh2, never blocking: the server is reached, its
 * key is one that is known, and it knows us.  What runs over it is the
 * caller's: ssh_tunnel.h, or libssh2's SFTP on `session`.
 *
 * Every call of libssh2 that answers LIBSSH2_ERROR_EAGAIN is made again, the
 * same one with the same arguments, after ssh_wait():
 *
 *	while ((rc = libssh2_...(s.session, ...)) == LIBSSH2_ERROR_EAGAIN)
 *		if (ssh_wait(&s, dl, err))
 *			return -1;
 *	if (rc < 0)
 *		return ssh_failed(&s, rc, err);
 *
 * What libssh2 sends goes to `out` and from there to the socket as it takes
 * it.  So EAGAIN only ever means that an answer is missing, and several
 * channels may be used in turn; libssh2 alone can't do that, since it refuses
 * any other call while a packet of one is half sent.
 *
 * Used by one thread.  The struct must stay where it is.
 */
struct ssh_config {
	const char *host;
	int port;
	const char *user;
	/* A file, or its lines; NULL: ~/.ssh and /etc/ssh as ssh does. */
	const char *known_hosts;
	const char *key; /* a file, or its text in PEM; NULL: the agent */
	const char *passphrase; /* of the key; NULL */
	const char *agent;	/* its socket; NULL: SSH_AUTH_SOCK */
	const char *address;	/* what `host` is; NULL: look it up */
};

enum {
	SSH_PORT = 22,
	SSH_OUT_MAX = 8 << 20,	  /* of `out`: past it nothing is accepted */
	SSH_AHEAD = 256 << 10,	  /* read from the socket at once */
	SSH_OUT_HIGH = 512 << 10, /* no more data should be given than this */
};

struct ssh {
	struct _LIBSSH2_SESSION *session; /* NULL: none */
	struct ssh_memory memory;	  /* what libssh2 allocates */
	int fd;				  /* of the connection; -1: none */
	struct buf out;			  /* accepted and not yet sent */
	char *ahead; /* read from the socket, and not yet by libssh2 */
	size_t ahead_at, ahead_len;
	size_t out_at;	  /* so much of it has been */
	int64_t heard_us; /* when bytes arrived last */
	int64_t in_bytes, out_bytes;
	char *who;     /* "USER@HOST:PORT", for messages */
	char *address; /* of the peer, for another ssh_open(); or NULL */
	bool dead;     /* the connection is over */
};

/*
 * Connect, check the server's key, log in.
 *
 * ERR_AUTH, reason ssh_host_unknown, ssh_host_changed or ssh_host_revoked:
 * the message has the key's SHA256 fingerprint and the cure.  ERR_AUTH, reason
 * ssh_login: the server does not take our key.  ERR_INPUT: the key or the
 * known hosts can't be read.
 */
int ssh_open(struct ssh *s, const struct ssh_config *c, struct deadline dl,
	     struct err *err);
/* Says goodbye without waiting; a struct of zeros or a failed one is fine. */
void ssh_close(struct ssh *s);

/* Send of `out` what the socket takes now. */
int ssh_flush(struct ssh *s, struct err *err);
size_t ssh_unsent(const struct ssh *s);
/* Until the server said something; sends meanwhile. */
int ssh_wait(struct ssh *s, struct deadline dl, struct err *err);
/* Until not more than `bytes` are unsent. */
int ssh_drain(struct ssh *s, size_t bytes, struct deadline dl, struct err *err);

/* libssh2's words for its error `rc`; is -1. */
int ssh_failed(const struct ssh *s, int rc, struct err *err);

void ssh_config_copy(struct ssh_config *to, const struct ssh_config *from);
/* Of a copy; wipes it. */
void ssh_config_done(const struct ssh_config *c);

/*
 * "[USER@]HOST[:PORT]", "[v6]:PORT" too.  Without a user it is that of the
 * process.  free() both.
 */
int ssh_split(const char *text, char **user, char **host, int *port,
	      struct err *err);

#endif
