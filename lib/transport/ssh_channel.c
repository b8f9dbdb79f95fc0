#include "transport/ssh_channel.h"

#include <errno.h>
#include <libssh2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/sock.h"

struct ssh_channel *
ssh_channel_new(int fd, const char *host, int port)
{
	struct ssh_channel *c = mem_alloc(sizeof(*c));

	c->fd = fd;
	c->host = host;
	c->port = port;
	c->writable = true;
	c->since_us = deadline_now_us();
	return c;
}

/* Our end of it, with a reset when the other side did not end it itself. */
static void
close_socket(struct ssh_channel *c, bool reset)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	if (c->fd < 0)
		return;
	if (reset)
		(void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now,
				 sizeof(now));
	close(c->fd);
	c->fd = -1;
}

void
ssh_channel_free(struct ssh_channel *c)
{
	if (c == NULL)
		return;
	close_socket(c, true);
	free(c);
}

static void
enter(struct ssh_channel *c, enum ssh_channel_state state)
{
	c->state = state;
	c->since_us = deadline_now_us();
}

int
ssh_channel_poll(const struct ssh_channel *c, short *events)
{
	*events = 0;
	if (c->fd < 0 || c->hung)
		return -1;
	if (!c->readable && !c->up.ended)
		*events |= POLLIN;
	if (!c->writable && c->state == SSH_CHANNEL_OPEN)
		*events |= POLLOUT;
	return c->fd;
}

void
ssh_channel_polled(struct ssh_channel *c, short revents)
{
	if (revents & POLLIN)
		c->readable = true;
	if (revents & POLLOUT)
		c->writable = true;
	if (revents & (POLLHUP | POLLERR)) {
		c->readable = c->writable = c->hung = true;
	}
}

bool
ssh_channel_abandoned(const struct ssh_channel *c)
{
	char one;

	if (c->fd < 0 || c->hung)
		return true;
	return c->readable &&
	       recv(c->fd, &one, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int
open_it(struct ssh_channel *c, struct ssh *s, struct err *refused,
	struct err *err)
{
	int rc;

	c->channel = libssh2_channel_direct_tcpip_ex(s->session, c->host,
						     c->port, "127.0.0.1", 0);
	if (c->channel) {
		enter(c, SSH_CHANNEL_OPEN);
		return 1;
	}
	rc = libssh2_session_last_errno(s->session);
	if (rc == LIBSSH2_ERROR_EAGAIN) {
		if (c->state != SSH_CHANNEL_OPENING)
			enter(c, SSH_CHANNEL_OPENING);
		return 0;
	}
	if (rc != LIBSSH2_ERROR_CHANNEL_FAILURE || s->dead)
		return ssh_failed(s, rc, err);
	(void)ssh_failed(s, rc, refused);
	(void)err_wrap(refused, "connect to %s:%d", c->host, c->port);
	/* The reason's number is nowhere but in libssh2's own words for it. */
	if (strstr(refused->msg, "(administratively prohibited)"))
		(void)err_hint(refused, "sshd_config there must allow it: "
					"AllowTcpForwarding, PermitOpen");
	/* The socket ends when the caller has heard it. */
	enter(c, SSH_CHANNEL_GONE);
	return 1;
}

/* Bytes of ours are lost with it. */
static int
give_up(struct ssh_channel *c)
{
	close_socket(c, true);
	enter(c, SSH_CHANNEL_CLOSING);
	return 1;
}

static bool
empty(const struct ssh_channel_way *w)
{
	return w->at == w->len;
}

static void
filled(struct ssh_channel_way *w, ssize_t n)
{
	w->at = 0;
	w->len = n > 0 ? (size_t)n : 0;
	w->ended = n == 0;
}

/* A return of libssh2 that is neither bytes nor EAGAIN. */
static int
broken(struct ssh_channel *c, struct ssh *s, int rc, struct err *err)
{
	switch (rc) {
	case LIBSSH2_ERROR_CHANNEL_CLOSED:
	case LIBSSH2_ERROR_CHANNEL_EOF_SENT:
	case LIBSSH2_ERROR_CHANNEL_UNKNOWN:
	case LIBSSH2_ERROR_CHANNEL_WINDOW_EXCEEDED:
	case LIBSSH2_ERROR_CHANNEL_PACKET_EXCEEDED:
		if (!s->dead)
			return give_up(c);
		break;
	default:
		break;
	}
	return ssh_failed(s, rc, err);
}

/* From the socket to the server. */
static int
step_up(struct ssh_channel *c, struct ssh *s, struct err *err)
{
	struct ssh_channel_way *w = &c->up;
	int did = 0;
	ssize_t n;

	if (ssh_unsent(s) > SSH_OUT_HIGH)
		return 0;
	if (empty(w) && !w->ended && c->readable) {
		n = sock_take(c->fd, w->data, sizeof(w->data));
		if (n < 0 && errno != EAGAIN)
			return give_up(c);
		c->readable = n > 0;
		if (n >= 0) {
			filled(w, n);
			did = 1;
		}
	}
	if (!empty(w)) {
		n = libssh2_channel_write(c->channel, w->data + w->at,
					  w->len - w->at);
		if (n < 0 && n != LIBSSH2_ERROR_EAGAIN)
			return broken(c, s, (int)n, err);
		if (n > 0) {
			w->at += (size_t)n;
			did = 1;
		}
	} else if (w->ended && !w->told) {
		int rc = libssh2_channel_send_eof(c->channel);

		if (rc && rc != LIBSSH2_ERROR_EAGAIN)
			return broken(c, s, rc, err);
		w->told = rc == 0;
		did = w->told;
	}
	return did;
}

/* From the server to the socket. */
static int
step_down(struct ssh_channel *c, struct ssh *s, struct err *err)
{
	struct ssh_channel_way *w = &c->down;
	int did = 0;
	ssize_t n;

	if (empty(w) && !w->ended) {
		n = libssh2_channel_read(c->channel, w->data, sizeof(w->data));
		if (n < 0 && n != LIBSSH2_ERROR_EAGAIN)
			return broken(c, s, (int)n, err);
		if (n > 0 || (n == 0 && libssh2_channel_eof(c->channel))) {
			filled(w, n);
			did = 1;
		}
	}
	if (!empty(w) && c->writable) {
		n = send(c->fd, w->data + w->at, w->len - w->at,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return give_up(c);
		c->writable = n > 0;
		if (n > 0) {
			w->at += (size_t)n;
			did = 1;
		}
	} else if (empty(w) && w->ended && !w->told) {
		(void)shutdown(c->fd, SHUT_WR); /* it may be gone: fine */
		w->told = true;
		did = 1;
	}
	return did;
}

/* Over when both ways are, or when the server closed it as a whole. */
static bool
is_over(struct ssh_channel *c)
{
	if (!c->down.told)
		return false;
	return c->up.told || libssh2_channel_wait_closed(c->channel) == 0;
}

static int
step_open(struct ssh_channel *c, struct ssh *s, struct err *err)
{
	int up, down;

	up = step_up(c, s, err);
	if (up < 0 || c->state != SSH_CHANNEL_OPEN)
		return up;
	down = step_down(c, s, err);
	if (down < 0 || c->state != SSH_CHANNEL_OPEN)
		return down;
	if (is_over(c)) {
		close_socket(c, !c->up.told);
		enter(c, SSH_CHANNEL_CLOSING);
		return 1;
	}
	return up || down;
}

int
ssh_channel_step(struct ssh_channel *c, struct ssh *s, struct err *refused,
		 struct err *err)
{
	switch (c->state) {
	case SSH_CHANNEL_WAITING:
	case SSH_CHANNEL_OPENING:
		return open_it(c, s, refused, err);
	case SSH_CHANNEL_OPEN:
		return step_open(c, s, err);
	case SSH_CHANNEL_CLOSING:
		if (libssh2_channel_free(c->channel) == LIBSSH2_ERROR_EAGAIN)
			return s->dead ? ssh_failed(s, 0, err) : 0;
		c->channel = NULL;
		enter(c, SSH_CHANNEL_GONE);
		return 1;
	case SSH_CHANNEL_GONE:
		break;
	}
	return 0;
}
