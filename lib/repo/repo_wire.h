#ifndef REPO_WIRE_H
#define REPO_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/secret.h"
#include "repo/repo_pkt.h"
#include "repo/repo_remote.h"

/*
 * One service of a git server, git-upload-pack or git-receive-pack: of a
 * process here, of one behind SSH, or over HTTP.
 *
 * Not libgit2's own transports: 1.5 fetches whole histories only, has no
 * limits of time, looks for host keys in one file, and takes no key from
 * memory.
 */
struct repo_wire;

/* How remotes are logged in to; everything may be NULL. */
struct repo_login {
	const struct secret *token; /* https */
	const char *token_name;	    /* the setting that holds it, for words */
	const char *ssh_key;	    /* path or PEM; NULL: the agent */
	const char *ssh_passphrase;
	const char *ssh_known_hosts; /* path or lines; NULL: as ssh does */
};

/*
 * Sees what the server says as it comes; answers REPO_PKT_MORE or
 * REPO_PKT_ENOUGH (repo_pkt.h), or -1 with `err`.
 */
typedef int repo_wire_hear(void *arg, const void *data, size_t len,
			   struct err *err);

/*
 * ERR_AUTH with a reason: the server does not know us, or we not its key.
 * `remote` and `login` are borrowed.
 */
int repo_wire_open(struct repo_wire **out, const struct repo_remote *remote,
		   const struct repo_login *login, const char *service,
		   struct deadline dl, struct err *err);
/* Without waiting. */
void repo_wire_close(struct repo_wire *w);

/* What it says by itself, into `refs`.  Once, and first. */
int repo_wire_refs(struct repo_wire *w, struct repo_pkt_refs *refs,
		   struct deadline dl, struct err *err);
/* One request and its answer.  Once, and last. */
int repo_wire_ask(struct repo_wire *w, const void *request, size_t len,
		  repo_wire_hear *hear, void *arg, struct deadline dl,
		  struct err *err);

#endif
