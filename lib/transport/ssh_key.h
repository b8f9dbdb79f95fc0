#ifndef SSH_KEY_H
#define SSH_KEY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* A private key's text, as far as it explains what will go wrong with it. */
struct ssh_key_facts {
	char *type; /* "ssh-ed25519", "ssh-rsa", ...; NULL: not told */
	bool encrypted;
};

/*
 * A file or the text itself into `pem`, which ends with an end of line; it has
 * to be wiped, also after a failure.
 */
int ssh_key_read(const char *key, struct buf *pem, struct err *err);
/* In place of buf_done(), for __attribute__((cleanup())). */
void ssh_key_wipe(struct buf *pem);
/* ERR_INPUT: it is no private key. */
int ssh_key_look(const char *pem, struct ssh_key_facts *out, struct err *err);
void ssh_key_facts_done(struct ssh_key_facts *f);

#endif
