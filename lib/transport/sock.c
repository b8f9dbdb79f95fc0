#include "transport/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/sock_lookup.h"

enum { FEW_BYTES = 16 << 10 };

int
sock_split(const char *text, char **host, int *port, struct err *err)
{
	const char *colon = strrchr(text, ':');
	char *end = NULL;
	long n;

	if (colon == NULL || colon == text)
		return err_set(err, ERR_INPUT, "'%s' is not HOST:PORT", text);
	errno = 0;
	n = strtol(colon + 1, &end, 10);
	if (errno || *end || end == colon + 1 || n < 1 || n > 65535)
		return err_set(err, ERR_INPUT,
			       "'%s': the port is not a number from 1 to 65535",
			       text);
	if (text[0] == '[' && colon[-1] == ']')
		*host = mem_strndup(text + 1, (size_t)(colon - text) - 2);
	else
		*host = mem_strndup(text, (size_t)(colon - text));
	*port = (int)n;
	return 0;
}

static int
connect_one(const struct addrinfo *ai, int *fd, struct deadline dl,
	    struct err *err)
{
	int s = socket(ai->ai_family,
		       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, failed = 0;
	socklen_t len = sizeof(failed);

	if (s < 0)
		return err_sys(err, "socket");
	if (connect(s, ai->ai_addr, ai->ai_addrlen) && errno != EINPROGRESS) {
		err_sys(err, "connect");
		goto fail;
	}
	if (deadline_wait(dl, s, POLLOUT, err))
		goto fail;
	if (getsockopt(s, SOL_SOCKET, SO_ERROR, &failed, &len) == 0 && failed) {
		errno = failed;
		err_sys(err, "connect");
		goto fail;
	}
	/* Only hints: a system that refuses them still works. */
	(void)setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	*fd = s;
	return 0;
fail:
	close(s);
	return -1;
}

int
sock_resolve(char **host, struct deadline dl, struct err *err)
{
	struct addrinfo *list;
	char text[NI_MAXHOST];
	int rc;

	if (sock_lookup(*host, 1, &list, dl, err))
		return -1;
	rc = getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof(text),
			 NULL, 0, NI_NUMERICHOST);
	freeaddrinfo(list);
	if (rc)
		return err_set(err, ERR_IO, "look up '%s': %s", *host,
			       gai_strerror(rc));
	free(*host);
	*host = mem_strdup(text);
	return 0;
}

int
sock_connect(const char *host, int port, int *fd, struct deadline dl,
	     struct err *err)
{
	struct addrinfo *list;
	struct err last = ERR_INIT;
	int rc = -1, left = 0;

	if (deadline_check(dl, err))
		return err_wrap(err, "connect to %s:%d", host, port);
	if (sock_lookup(host, port, &list, dl, err))
		return -1;
	/* getaddrinfo() gives one at least. */
	for (const struct addrinfo *ai = list; ai; ai = ai->ai_next)
		left++;
	/* One that is silent leaves the others their share of the time. */
	for (const struct addrinfo *ai = list; ai && rc; ai = ai->ai_next)
		rc = connect_one(
			ai, fd, deadline_cap(dl, deadline_left_ms(dl) / left--),
			&last);
	freeaddrinfo(list);
	if (rc == 0)
		return 0;
	*err = last;
	return err_wrap(err, "connect to %s:%d", host, port);
}

int
sock_listen(int *fd, int *port, struct err *err)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(a);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (s < 0)
		return err_sys(err, "socket");
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, 16) ||
	    getsockname(s, (struct sockaddr *)&a, &len)) {
		err_sys(err, "listen on loopback");
		close(s);
		return -1;
	}
	*fd = s;
	*port = ntohs(a.sin_port);
	return 0;
}

int
sock_accept(int listener, int *fd, struct deadline dl, struct err *err)
{
	for (;;) {
		int s;

		if (deadline_wait(dl, listener, POLLIN, err))
			return -1;
		s = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (s >= 0) {
			*fd = s;
			return 0;
		}
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			return err_sys(err, "accept");
	}
}

ssize_t
sock_take(int fd, void *buf, size_t size)
{
	ssize_t n;
	int on = 1;

	do
		n = recv(fd, buf, size, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n > 0 && n < FEW_BYTES) /* no TCP: nothing to acknowledge */
		(void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on,
				 sizeof(on));
	return n;
}

ssize_t
sock_recv(int fd, void *buf, size_t size, struct deadline dl, struct err *err)
{
	/* Else a peer that never pauses would never let us look. */
	if (deadline_check(dl, err))
		return -1;
	for (;;) {
		ssize_t n = sock_take(fd, buf, size);

		if (n >= 0)
			return n;
		if (errno != EAGAIN)
			return err_sys(err, "read");
		if (deadline_wait(dl, fd, POLLIN, err))
			return -1;
	}
}

int
sock_read(int fd, void *buf, size_t size, struct deadline dl, struct err *err)
{
	char *p = buf;

	while (size > 0) {
		ssize_t n = sock_recv(fd, p, size, dl, err);

		if (n < 0)
			return -1;
		if (n == 0)
			return err_set(err, ERR_IO, "connection closed");
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int
sock_write(int fd, const void *buf, size_t size, struct deadline dl,
	   struct err *err)
{
	const char *p = buf;

	while (size > 0) {
		ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			if (deadline_wait(dl, fd, POLLOUT, err))
				return -1;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "write");
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int
sock_read_all(int fd, struct buf *b, struct deadline dl, struct err *err)
{
	for (;;) {
		char chunk[16 << 10];
		ssize_t n = sock_recv(fd, chunk, sizeof(chunk), dl, err);

		if (n <= 0)
			return (int)n;
		buf_add(b, chunk, (size_t)n);
		if (buf_check(b, "what the peer sent", err))
			return -1;
	}
}
