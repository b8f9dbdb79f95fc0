#ifndef SSH_KNOWN_H
#define SSH_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The known hosts as OpenSSH writes them (sshd(8), SSH_KNOWN_HOSTS): names
 * with * and ?, negated ones, [host]:port, hashed names, @revoked.  Read here
 * and not by libssh2, which knows no patterns and no markers, and for which
 * one strange line spoils the file.
 *
 * A name without a port counts for every port, after one with it; so OpenSSH
 * does it.  Lines of @cert-authority are not used: libssh2 has no certificates.
 */
struct ssh_known_key {
	char *type;	     /* "ssh-ed25519" */
	unsigned char *blob; /* as the server shows it */
	size_t len;
	bool revoked;
	bool any_port; /* the line names the host without its port */
	char *at;      /* "FILE:LINE" */
};

struct ssh_known {
	struct ssh_known_key *item;
	size_t count, room;
	bool authority; /* there is a @cert-authority for this host */
	char *path;	/* where a new line belongs; NULL: nowhere */
};

enum { SSH_KNOWN_MAX = 4 << 20, SSH_KNOWN_KEYS = 256 };

/*
 * What is known of host:port.  `from` is a file, or the lines themselves, or
 * NULL for the user's and the system's, of which neither must exist.
 */
int ssh_known_read(const char *from, const char *host, int port,
		   struct ssh_known *out, struct err *err);
void ssh_known_done(struct ssh_known *k);

/* The lines of `text`, added; lines that are none are passed over. */
void ssh_known_parse(struct ssh_known *k, const char *text, const char *name,
		     const char *host, int port);

enum ssh_known_verdict {
	SSH_KNOWN_OK,
	SSH_KNOWN_NEW,	   /* nothing is known of this host */
	SSH_KNOWN_CHANGED, /* another key is */
	SSH_KNOWN_REVOKED,
};

/* `which`: the line that decided; NULL with SSH_KNOWN_NEW. */
enum ssh_known_verdict ssh_known_check(const struct ssh_known *k,
				       const void *blob, size_t len,
				       const struct ssh_known_key **which);

/*
 * Key types for the handshake, "a,b,c": those that are known before the
 * others, so that a server with several keys shows one that can be checked.
 */
void ssh_known_prefer(const struct ssh_known *k, struct buf *out);

/* "ssh-ed25519", the first string of a key; NULL: it has none.  free() it. */
char *ssh_known_type(const void *blob, size_t len);
/* "SHA256:...", as ssh-keygen -l prints it. */
void ssh_known_fingerprint(const void *blob, size_t len, struct buf *out);

#endif
