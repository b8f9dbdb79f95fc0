#ifndef SSH_AGENT_H
#define SSH_AGENT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * The ssh-agent behind a Unix socket (draft-ietf-sshm-ssh-agent): its keys
 * and its signatures.  Not libssh2's own, which waits in read(2) for as long
 * as the agent asks its user.
 */
struct ssh_agent_key {
	unsigned char *blob;
	size_t len;
	char *type;    /* "ssh-ed25519" */
	char *comment; /* as the agent tells it: not to be trusted */
};

struct ssh_agent {
	int fd;
	struct ssh_agent_key *key;
	size_t count, room;
};

enum { SSH_AGENT_MAX = 256 << 10, SSH_AGENT_KEYS = 64 };

/* Connect and ask for the keys.  `path` NULL: that of SSH_AUTH_SOCK. */
int ssh_agent_open(struct ssh_agent *a, const char *path, struct deadline dl,
		   struct err *err);
void ssh_agent_done(struct ssh_agent *a);

/* The bare signature of `data`, without the name of its method. */
int ssh_agent_sign(struct ssh_agent *a, const struct ssh_agent_key *key,
		   const void *data, size_t len, struct buf *sig,
		   struct deadline dl, struct err *err);

/* An answer with keys, without its length; for tests too. */
int ssh_agent_parse_keys(struct ssh_agent *a, const void *data, size_t len,
			 struct err *err);
int ssh_agent_parse_signature(const void *data, size_t len, struct buf *sig,
			      struct err *err);

#endif
