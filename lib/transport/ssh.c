#include "transport/ssh.h"

#include <errno.h>
#include <libssh2.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/sock.h"
#include "transport/ssh_known.h"
#include "transport/ssh_login.h"

enum { UNANSWERED_MS = 30000, FREE_TRIES = 1000 };

/*
 * Libssh2 does AES and HMAC block by block, so the cheaper ones come first;
 * CBC and the old MACs are left out.
 */
static const struct {
	int kind;
	const char *methods;
} preferred[] = {
	{LIBSSH2_METHOD_CRYPT_CS, "aes128-ctr,aes192-ctr,aes256-ctr"},
	{LIBSSH2_METHOD_CRYPT_SC, "aes128-ctr,aes192-ctr,aes256-ctr"},
	{LIBSSH2_METHOD_MAC_CS, "hmac-sha2-256,hmac-sha2-512"},
	{LIBSSH2_METHOD_MAC_SC, "hmac-sha2-256,hmac-sha2-512"},
};

/* --- bytes ---------------------------------------------------------------- */

static void
forget_sent(struct ssh *s)
{
	buf_drop(&s->out, s->out_at);
	s->out_at = 0;
}

/* All or nothing, so that no packet is ever half taken. */
static ssize_t
on_send(libssh2_socket_t fd, const void *data, size_t len, int flags,
	void **abstract)
{
	struct ssh *s = *abstract;
	struct err err = ERR_INIT;

	(void)fd;
	(void)flags;
	if (s->dead)
		return -EPIPE;
	/* What was sent takes room, too. */
	if (s->out.len + len > SSH_OUT_MAX)
		forget_sent(s);
	if (s->out.len + len > SSH_OUT_MAX)
		return -EAGAIN;
	buf_add(&s->out, data, len);
	s->out_bytes += (int64_t)len;
	/* Early, for a caller that waits for something else next. */
	if (ssh_flush(s, &err))
		return -EPIPE;
	return (ssize_t)len;
}

/*
 * Libssh2 asks for 16 KiB at a time, and the kernel would tell the server of
 * the new room each time.  Its calls end in EAGAIN only when all of it is
 * used, so that nobody waits for what is here.
 */
static ssize_t
on_recv(libssh2_socket_t fd, void *data, size_t len, int flags, void **abstract)
{
	struct ssh *s = *abstract;
	size_t left = s->ahead_len - s->ahead_at;
	ssize_t n;

	(void)flags;
	if (left > 0) {
		len = len < left ? len : left;
		memcpy(data, s->ahead + s->ahead_at, len);
		s->ahead_at += len;
		return (ssize_t)len;
	}
	if (s->dead)
		return -ECONNRESET;
	n = sock_take(fd, s->ahead, SSH_AHEAD);
	if (n > 0) {
		s->heard_us = deadline_now_us();
		s->in_bytes += n;
		s->ahead_len = (size_t)n;
		s->ahead_at = len < (size_t)n ? len : (size_t)n;
		memcpy(data, s->ahead, s->ahead_at);
		return (ssize_t)s->ahead_at;
	}
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	s->dead = true;
	return n < 0 ? -errno : 0;
}

size_t
ssh_unsent(const struct ssh *s)
{
	return s->out.len - s->out_at;
}

int
ssh_flush(struct ssh *s, struct err *err)
{
	while (ssh_unsent(s) > 0) {
		ssize_t n = send(s->fd, s->out.data + s->out_at, ssh_unsent(s),
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			s->dead = true;
			return err_sys(err, "the connection was closed");
		}
		s->out_at += (size_t)n;
	}
	if (s->out_at == s->out.len || s->out_at > SSH_OUT_MAX / 2)
		forget_sent(s);
	return 0;
}

static int
wait_once(struct ssh *s, bool readable, struct deadline dl, struct err *err)
{
	short events = readable ? POLLIN : 0;

	if (ssh_flush(s, err))
		return -1;
	if (ssh_unsent(s))
		events |= POLLOUT;
	return deadline_wait(dl, s->fd, events, err);
}

int
ssh_wait(struct ssh *s, struct deadline dl, struct err *err)
{
	return wait_once(s, true, dl, err) || ssh_flush(s, err) ? -1 : 0;
}

int
ssh_drain(struct ssh *s, size_t bytes, struct deadline dl, struct err *err)
{
	if (ssh_flush(s, err))
		return -1;
	while (ssh_unsent(s) > bytes) {
		if (wait_once(s, false, dl, err) || ssh_flush(s, err))
			return -1;
	}
	return 0;
}

static void *
on_alloc(size_t size, void **abstract)
{
	struct ssh *s = *abstract;

	return ssh_memory_alloc(&s->memory, size);
}

static void
on_free(void *p, void **abstract)
{
	struct ssh *s = *abstract;

	ssh_memory_free(&s->memory, p);
}

static void *
on_resize(void *p, size_t size, void **abstract)
{
	struct ssh *s = *abstract;

	return ssh_memory_resize(&s->memory, p, size);
}

/* --- the session ---------------------------------------------------------- */

int
ssh_failed(const struct ssh *s, int rc, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT_MAX(400);
	char *text = NULL;

	if (s->session)
		(void)libssh2_session_last_error(s->session, &text, NULL, 0);
	if (text && *text)
		buf_escaped(&words, text, strlen(text));
	else
		buf_fmt(&words, "libssh2's error %d", rc);
	if (s->dead)
		return err_set(err, ERR_IO, "the connection was closed (%s)",
			       words.data);
	return err_set(err, ERR_REMOTE, "%s", words.data);
}

static int
handshake_failed(struct ssh *s, int rc, struct err *err)
{
	const char *banner = libssh2_session_banner_get(s->session);

	(void)ssh_failed(s, rc, err);
	if (rc == LIBSSH2_ERROR_KEX_FAILURE || rc == LIBSSH2_ERROR_METHOD_NONE)
		return err_hint(err, "it has no host key or method that "
				     "libssh2 knows; RSA alone is not enough, "
				     "it needs an ed25519 host key: "
				     "`ssh-keygen -A` there");
	if (banner == NULL || strncmp(banner, "SSH-", 4) != 0)
		return err_hint(err, "is what answers there an SSH server, "
				     "and does it let this machine in?");
	return -1;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Counts, and not for two threads at once; it is never undone. */
static void
init_library(void)
{
	if (libssh2_init(0))
		abort(); /* out of memory: as in mem.h */
}

static int
set_up(struct ssh *s, const struct ssh_known *known, struct err *err)
{
	AUTO_BUF struct buf keys = BUF_INIT_MAX(500);
	unsigned wait_ms = UNANSWERED_MS;

	(void)pthread_once(&once, init_library);
	s->session = libssh2_session_init_ex(on_alloc, on_free, on_resize, s);
	if (s->session == NULL)
		abort(); /* out of memory: as in mem.h */
	libssh2_session_set_blocking(s->session, 0);
	(void)libssh2_session_callback_set(s->session, LIBSSH2_CALLBACK_SEND,
					   __extension__(void *) on_send);
	(void)libssh2_session_callback_set(s->session, LIBSSH2_CALLBACK_RECV,
					   __extension__(void *) on_recv);
	ssh_known_prefer(known, &keys);
	if (libssh2_session_method_pref(s->session, LIBSSH2_METHOD_HOSTKEY,
					keys.data))
		return ssh_failed(s, 0, err);
	for (size_t i = 0; i < sizeof(preferred) / sizeof(*preferred); i++) {
		if (libssh2_session_method_pref(s->session, preferred[i].kind,
						preferred[i].methods))
			return ssh_failed(s, 0, err);
	}
	/* Only a hint: a peer that vanished is noticed sooner. */
	(void)setsockopt(s->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &wait_ms,
			 sizeof(wait_ms));
	return 0;
}

static int
handshake(struct ssh *s, struct deadline dl, struct err *err)
{
	int rc;

	while ((rc = libssh2_session_handshake(s->session, s->fd)) ==
	       LIBSSH2_ERROR_EAGAIN) {
		if (ssh_wait(s, dl, err))
			return -1;
	}
	return rc ? handshake_failed(s, rc, err) : 0;
}

static char *
peer_of(int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	char text[NI_MAXHOST];

	if (getpeername(fd, (struct sockaddr *)&a, &len) ||
	    getnameinfo((struct sockaddr *)&a, len, text, sizeof(text), NULL, 0,
			NI_NUMERICHOST))
		return NULL;
	return mem_strdup(text);
}

int
ssh_open(struct ssh *s, const struct ssh_config *c, struct deadline dl,
	 struct err *err)
{
	struct ssh_known known = {0};
	int rc = -1;

	*s = (struct ssh){.fd = -1};
	buf_init(&s->out, SSH_OUT_MAX);
	s->ahead = mem_alloc(SSH_AHEAD);
	s->who = mem_fmt("%s@%s:%d", c->user, c->host, c->port);
	if (ssh_known_read(c->known_hosts, c->host, c->port, &known, err) ||
	    sock_connect(c->address ? c->address : c->host, c->port, &s->fd, dl,
			 err))
		goto out;
	s->address = peer_of(s->fd);
	s->heard_us = deadline_now_us();
	if (set_up(s, &known, err) || handshake(s, dl, err))
		goto out;
	rc = ssh_login_check_host(s, c, &known, err) ||
			     ssh_login_user(s, c, dl, err)
		     ? -1
		     : 0;
out:
	ssh_known_done(&known);
	if (rc) {
		(void)err_wrap(err, "SSH to '%s'", s->who);
		ssh_close(s);
	}
	return rc;
}

void
ssh_close(struct ssh *s)
{
	struct err err = ERR_INIT;

	if (s->who == NULL)
		return;
	if (s->session) {
		(void)libssh2_session_disconnect(s->session, "done");
		(void)ssh_flush(s, &err); /* it may not hear our goodbye */
		/* From here nothing is sent or awaited, only freed. */
		s->dead = true;
		for (int i = 0; i < FREE_TRIES; i++) {
			if (libssh2_session_free(s->session) !=
			    LIBSSH2_ERROR_EAGAIN)
				break;
		}
	}
	ssh_memory_done(&s->memory);
	if (s->fd >= 0)
		close(s->fd);
	buf_done(&s->out);
	free(s->ahead);
	free(s->who);
	free(s->address);
	*s = (struct ssh){.fd = -1, .dead = true};
}

void
ssh_config_copy(struct ssh_config *to, const struct ssh_config *from)
{
	*to = (struct ssh_config){
		.host = mem_strdup(from->host),
		.port = from->port,
		.user = mem_strdup(from->user),
		.known_hosts = mem_strdup(from->known_hosts),
		.key = mem_strdup(from->key),
		.passphrase = mem_strdup(from->passphrase),
		.agent = mem_strdup(from->agent),
		.address = mem_strdup(from->address),
	};
}

static void
wipe(const char *text)
{
	char *p = (char *)(uintptr_t)text;

	if (p)
		explicit_bzero(p, strlen(p));
	free(p);
}

void
ssh_config_done(const struct ssh_config *c)
{
	wipe(c->host);
	wipe(c->user);
	wipe(c->known_hosts);
	wipe(c->key);
	wipe(c->passphrase);
	wipe(c->agent);
	wipe(c->address);
}

static char *
own_name(void)
{
	const struct passwd *pw;
	const char *name = getenv("USER");

	if (name && *name)
		return mem_strdup(name);
	pw = getpwuid(geteuid());
	return mem_strdup(pw ? pw->pw_name : "root");
}

int
ssh_split(const char *text, char **user, char **host, int *port,
	  struct err *err)
{
	const char *at = strrchr(text, '@');
	const char *rest = at ? at + 1 : text;
	const char *colon = strrchr(rest, ':'), *bracket = strchr(rest, ']');
	bool with_port = colon && (bracket ? colon > bracket
					   : strchr(rest, ':') == colon);

	/* It may be a password, so the text is not repeated. */
	if (at && memchr(text, ':', (size_t)(at - text)))
		return err_set(err, ERR_USAGE,
			       "the user before '@' has a ':'; no password "
			       "belongs there, use a key; it is "
			       "USER@HOST[:PORT]");
	if (*rest == '\0' || at == text || strpbrk(text, " \t\r\n/") ||
	    (*rest == '[' && !bracket))
		return err_set(err, ERR_USAGE, "'%s' is not USER@HOST[:PORT]",
			       text);
	if (with_port) {
		if (sock_split(rest, host, port, err)) {
			err->code = ERR_USAGE;
			return -1;
		}
	} else {
		*port = SSH_PORT;
		*host = *rest == '[' && bracket
				? mem_strndup(rest + 1,
					      (size_t)(bracket - rest) - 1)
				: mem_strdup(rest);
	}
	*user = at ? mem_strndup(text, (size_t)(at - text)) : own_name();
	return 0;
}
