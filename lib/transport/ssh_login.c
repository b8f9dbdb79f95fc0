#include "transport/ssh_login.h"

#include <libssh2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "transport/ssh_agent.h"
#include "transport/ssh_key.h"
#include "transport/ssh_known.h"

enum { MAX_KEY = 64 << 10, MAX_SIGNATURE = 16 << 10 };

#define NEW_KEY_CURE "make an ed25519 key: ssh-keygen -t ed25519"

/* --- the server's key ----------------------------------------------------- */

static int
refuse_new(const struct ssh_config *c, const struct ssh_known *known,
	   const char *shown, struct err *err)
{
	const char *where = known->path ? known->path : "the known hosts";

	err_set(err, ERR_AUTH, "the host key is not known: %s", shown);
	(void)err_reason(err, "ssh_host_unknown");
	if (known->authority)
		return err_hint(err,
				"certificates (@cert-authority) can't be "
				"used: add the key itself with "
				"`ssh-keyscan -p %d %s`",
				c->port, c->host);
	return err_hint(err,
			"if whoever runs it says that this is its key, "
			"add what `ssh-keyscan -p %d %s` prints to %s",
			c->port, c->host, where);
}

static int
refuse_changed(const struct ssh_config *c, const struct ssh_known_key *was,
	       const char *type, const char *shown, struct err *err)
{
	AUTO_BUF struct buf before = BUF_INIT_MAX(200);

	if (strcmp(was->type, "ssh-rsa") == 0 && strcmp(type, "ssh-rsa") != 0) {
		err_set(err, ERR_AUTH,
			"the host key is not known: %s; %s has an RSA key of "
			"it only, which can't be used here",
			shown, was->at);
		(void)err_reason(err, "ssh_host_unknown");
		return err_hint(err,
				"add what `ssh-keyscan -t ed25519 -p %d "
				"%s` prints",
				c->port, c->host);
	}
	ssh_known_fingerprint(was->blob, was->len, &before);
	err_set(err, ERR_AUTH,
		"the host key has changed: it is %s, %s has %s %s", shown,
		was->at, was->type, before.data);
	(void)err_reason(err, "ssh_host_changed");
	return err_hint(err,
			"ask whoever runs it whether that is right; then "
			"replace the line by what `ssh-keyscan -p %d %s` "
			"prints",
			c->port, c->host);
}

int
ssh_login_check_host(struct ssh *s, const struct ssh_config *c,
		     const struct ssh_known *known, struct err *err)
{
	AUTO_BUF struct buf shown = BUF_INIT_MAX(300);
	AUTO_FREE char *type = NULL;
	const struct ssh_known_key *which;
	size_t len = 0;
	int number;
	const char *blob = libssh2_session_hostkey(s->session, &len, &number);

	type = blob ? ssh_known_type(blob, len) : NULL;
	if (type == NULL)
		return err_set(err, ERR_PROTO, "it shows no host key");
	buf_fmt(&shown, "%s ", type);
	ssh_known_fingerprint(blob, len, &shown);
	switch (ssh_known_check(known, blob, len, &which)) {
	case SSH_KNOWN_OK:
		return 0;
	case SSH_KNOWN_NEW:
		return refuse_new(c, known, shown.data, err);
	case SSH_KNOWN_CHANGED:
		return refuse_changed(c, which, type, shown.data, err);
	case SSH_KNOWN_REVOKED:
		break;
	}
	err_set(err, ERR_AUTH, "the host key is revoked by %s: %s", which->at,
		shown.data);
	(void)err_reason(err, "ssh_host_revoked");
	return err_hint(err, "do not use this host until whoever runs it has "
			     "given it a new key");
}

/* --- ourselves ------------------------------------------------------------ */

static int
refused(const char *methods, const char *key, struct err *err)
{
	AUTO_BUF struct buf shown = BUF_INIT_MAX(500);

	buf_escaped(&shown, methods, strlen(methods));
	err_set(err, ERR_AUTH,
		"the server does not let us in with %s; it "
		"offers %s",
		key, shown.data);
	return err_reason(err, "ssh_login");
}

/* The methods that the server offers; NULL when we are in already. */
static int
methods_of(struct ssh *s, const char *user, char **out, struct deadline dl,
	   struct err *err)
{
	const char *list;
	int rc;

	*out = NULL;
	for (;;) {
		list = libssh2_userauth_list(s->session, user,
					     (unsigned)strlen(user));
		if (list) {
			*out = mem_strdup(list);
			return 0;
		}
		if (libssh2_userauth_authenticated(s->session))
			return 0;
		rc = libssh2_session_last_errno(s->session);
		if (rc != LIBSSH2_ERROR_EAGAIN)
			return ssh_failed(s, rc, err);
		if (ssh_wait(s, dl, err))
			return -1;
	}
}

static int
key_failed(struct ssh *s, const struct ssh_config *c,
	   const struct ssh_key_facts *f, const char *methods, int rc,
	   struct err *err)
{
	const char *name = f->type ? f->type : "private";
	AUTO_FREE char *key = mem_fmt("this %s key", name);

	switch (rc) {
	case LIBSSH2_ERROR_AUTHENTICATION_FAILED:
	case LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED:
		break;
	case LIBSSH2_ERROR_FILE:
	case LIBSSH2_ERROR_KEYFILE_AUTH_FAILED:
	case LIBSSH2_ERROR_METHOD_NONE:
		err_set(err, ERR_INPUT, "the %s SSH key can't be read", name);
		if (f->encrypted)
			return err_hint(err, "is PATROL_SSH_KEY_PASSPHRASE "
					     "the right one?");
		return err_hint(err, NEW_KEY_CURE);
	default:
		return ssh_failed(s, rc, err);
	}
	(void)refused(methods, key, err);
	if (f->type && strcmp(f->type, "ssh-rsa") == 0)
		return err_hint(err, "today's servers do not take RSA keys "
				     "from libssh2; " NEW_KEY_CURE);
	return err_hint(err,
			"is its public half in ~/.ssh/authorized_keys of "
			"'%s' there?",
			c->user);
}

static int
with_key(struct ssh *s, const struct ssh_config *c, const char *methods,
	 struct deadline dl, struct err *err)
{
	__attribute__((cleanup(ssh_key_wipe))) struct buf pem =
		BUF_INIT_MAX(MAX_KEY);
	struct ssh_key_facts f;
	int rc;

	if (ssh_key_read(c->key, &pem, err))
		return -1;
	if (ssh_key_look(pem.data, &f, err)) {
		if (strncmp(c->key, "-----BEGIN", 10) == 0)
			return err_wrap(err, "SSH key");
		return err_wrap(err, "SSH key '%s'", c->key);
	}
	if (f.encrypted && (c->passphrase == NULL || *c->passphrase == '\0')) {
		ssh_key_facts_done(&f);
		err_set(err, ERR_INPUT, "the SSH key is encrypted");
		return err_hint(err, "set PATROL_SSH_KEY_PASSPHRASE, or use "
				     "an agent");
	}
	while ((rc = libssh2_userauth_publickey_frommemory(
			s->session, c->user, strlen(c->user), NULL, 0, pem.data,
			pem.len, c->passphrase)) == LIBSSH2_ERROR_EAGAIN) {
		if (ssh_wait(s, dl, err))
			break;
	}
	if (rc && rc != LIBSSH2_ERROR_EAGAIN)
		(void)key_failed(s, c, &f, methods, rc, err);
	ssh_key_facts_done(&f);
	return rc ? -1 : 0;
}

/* What the callback of libssh2 needs. */
struct signing {
	struct ssh_memory *memory;
	struct ssh_agent *agent;
	const struct ssh_agent_key *key;
	struct deadline dl;
	struct err err;
};

static int
sign(LIBSSH2_SESSION *session, unsigned char **sig, size_t *sig_len,
     const unsigned char *data, size_t data_len, void **abstract)
{
	struct signing *g = *abstract;
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_SIGNATURE);

	(void)session;
	if (ssh_agent_sign(g->agent, g->key, data, data_len, &b, g->dl,
			   &g->err))
		return -1;
	*sig = ssh_memory_alloc(g->memory, b.len); /* libssh2 frees it */
	memcpy(*sig, b.data, b.len);
	*sig_len = b.len;
	return 0;
}

/* 1: in, 0: not with this key. */
static int
try_agent_key(struct ssh *s, const struct ssh_config *c, struct signing *g,
	      struct err *err)
{
	void *arg = g;
	int rc;

	while ((rc = libssh2_userauth_publickey(
			s->session, c->user, g->key->blob, g->key->len, sign,
			&arg)) == LIBSSH2_ERROR_EAGAIN) {
		if (ssh_wait(s, g->dl, err))
			return -1;
	}
	if (rc == 0)
		return 1;
	if (g->err.code == ERR_TIMEOUT || g->err.code == ERR_CANCELLED) {
		*err = g->err;
		return -1;
	}
	return s->dead ? ssh_failed(s, rc, err) : 0;
}

static int
agent_failed(const struct ssh_agent *a, size_t tried, const char *methods,
	     const struct signing *g, struct err *err)
{
	if (a->count == 0) {
		err_set(err, ERR_AUTH, "the ssh-agent has no keys");
		(void)err_reason(err, "ssh_login");
		return err_hint(err, "ssh-add one, or set PATROL_SSH_KEY");
	}
	(void)refused(methods, "the ssh-agent's keys", err);
	if (tried == 0)
		return err_hint(err, "it has RSA keys only, which can't be "
				     "used here; " NEW_KEY_CURE);
	if (g->err.code)
		return err_hint(err, "%s", g->err.msg);
	return err_hint(err, "ssh-add the right one, or set PATROL_SSH_KEY");
}

static int
with_agent(struct ssh *s, const struct ssh_config *c, const char *methods,
	   struct deadline dl, struct err *err)
{
	struct ssh_agent a;
	struct signing g = {
		.memory = &s->memory, .agent = &a, .dl = dl, .err = ERR_INIT};
	size_t tried = 0;
	int rc = 0;

	if (ssh_agent_open(&a, c->agent, dl, err)) {
		if (err->code != ERR_NOTFOUND)
			return -1;
		err->code = ERR_INPUT;
		return err_hint(err, "set PATROL_SSH_KEY, or start an agent");
	}
	for (size_t i = 0; i < a.count && rc == 0; i++) {
		if (strcmp(a.key[i].type, "ssh-rsa") == 0)
			continue;
		tried++;
		g.key = &a.key[i];
		rc = try_agent_key(s, c, &g, err);
	}
	if (rc == 0)
		(void)agent_failed(&a, tried, methods, &g, err);
	ssh_agent_done(&a);
	return rc == 1 ? 0 : -1;
}

int
ssh_login_user(struct ssh *s, const struct ssh_config *c, struct deadline dl,
	       struct err *err)
{
	AUTO_FREE char *methods = NULL;

	if (methods_of(s, c->user, &methods, dl, err))
		return -1;
	if (methods == NULL)
		return 0;
	if (strstr(methods, "publickey") == NULL)
		return refused(methods, "a key", err);
	return c->key ? with_key(s, c, methods, dl, err)
		      : with_agent(s, c, methods, dl, err);
}
