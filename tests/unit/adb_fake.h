#ifndef ADB_FAKE_H
#define ADB_FAKE_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/adb_server.h"
#include "base/mem.h"
#include "transport/sock.h"

/*
 * An adb server that plays bytes.  Each connection has steps: read a request
 * (or raw bytes), send an answer.  The fault strikes the last answer of a
 * connection (single bytes: all of them).
 */
enum fake_fault {
	FAKE_PLAIN,
	FAKE_SINGLE_BYTES,
	FAKE_STALLED, /* half of it, then silence */
	FAKE_CUT,     /* half of it, then the end */
	FAKE_RESET,   /* half of it, then a reset */
};

struct fake_step {
	const char *request; /* what the request begins with; NULL: none */
	const char *answer;
	size_t len;
	size_t raw; /* bytes to read first that are no request */
};
#define FAKE_ANSWER(text) .answer = (text), .len = sizeof(text) - 1

enum { FAKE_STEPS = 8, FAKE_CONNS = 8 };
struct fake_conn {
	struct fake_step step[FAKE_STEPS];
	bool hold; /* stay open until the client closes */
};

struct fake {
	const struct fake_conn *conn;
	size_t count;
	enum fake_fault fault;
	int listener, stop[2];
	pthread_t thread;
	struct adb_server server;
	_Atomic bool unexpected; /* a request was not the expected one */
	_Atomic size_t played;	 /* connections */
};

static inline bool
fake_wait(struct fake *f, int fd, short events)
{
	struct pollfd p[2] = {{.fd = fd, .events = events},
			      {.fd = f->stop[0], .events = POLLIN}};

	return poll(p, 2, 10000) > 0 && !p[1].revents;
}

static inline bool
fake_read(struct fake *f, int fd, char *data, size_t len)
{
	while (len) {
		ssize_t n;

		if (!fake_wait(f, fd, POLLIN))
			return false;
		n = recv(fd, data, len, 0);
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

static inline bool
fake_request(struct fake *f, int fd, const char *wanted)
{
	char head[5] = "", text[8192] = "";
	size_t len;

	if (!fake_read(f, fd, head, 4))
		return false;
	len = strtoul(head, NULL, 16);
	if (len >= sizeof(text) || !fake_read(f, fd, text, len))
		return false;
	if (strncmp(text, wanted, strlen(wanted)) != 0) {
		printf("# fake adb: '%s' asked, '%s' expected\n", text, wanted);
		f->unexpected = true;
	}
	return true;
}

static inline void
fake_until_closed(struct fake *f, int fd)
{
	char data[4096];

	while (fake_wait(f, fd, POLLIN) && recv(fd, data, sizeof(data), 0) > 0)
		;
}

static inline void
fake_send(struct fake *f, int fd, const char *data, size_t len)
{
	size_t piece = f->fault == FAKE_SINGLE_BYTES ? 1 : len;

	while (len) {
		size_t n = len < piece ? len : piece;
		ssize_t done;

		if (!fake_wait(f, fd, POLLOUT))
			return;
		done = send(fd, data, n, MSG_NOSIGNAL);
		if (done <= 0)
			return;
		data += done;
		len -= (size_t)done;
	}
}

static inline bool
fake_last(const struct fake_conn *c, size_t i)
{
	for (i++; i < FAKE_STEPS; i++)
		if (c->step[i].answer)
			return false;
	return true;
}

static inline void
fake_play(struct fake *f, int fd, const struct fake_conn *c)
{
	struct linger hard = {1, 0};
	char skip[256];

	for (size_t i = 0; i < FAKE_STEPS; i++) {
		const struct fake_step *s = &c->step[i];
		size_t len = s->len;

		if (s->request && !fake_request(f, fd, s->request))
			return;
		for (size_t raw = s->raw; raw;) {
			size_t n = raw < sizeof(skip) ? raw : sizeof(skip);

			if (!fake_read(f, fd, skip, n))
				return;
			raw -= n;
		}
		if (!s->answer)
			continue;
		if (fake_last(c, i) && f->fault >= FAKE_STALLED)
			len /= 2;
		fake_send(f, fd, s->answer, len);
		if (len == s->len)
			continue;
		if (f->fault == FAKE_STALLED)
			fake_until_closed(f, fd);
		if (f->fault == FAKE_RESET)
			(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard,
					 sizeof(hard));
		return;
	}
	if (c->hold)
		fake_until_closed(f, fd);
	else
		(void)shutdown(fd, SHUT_WR);
}

static inline void *
fake_main(void *arg)
{
	struct fake *f = arg;

	while (fake_wait(f, f->listener, POLLIN)) {
		int fd = accept(f->listener, NULL, NULL);
		size_t i = f->played < f->count ? f->played : f->count - 1;

		if (fd < 0)
			break;
		f->played++;
		fake_play(f, fd, &f->conn[i]);
		close(fd);
	}
	return NULL;
}

static inline void
fake_start(struct fake *f, const struct fake_conn *conn, size_t count,
	   enum fake_fault fault)
{
	struct err err = ERR_INIT;

	*f = (struct fake){.conn = conn, .count = count, .fault = fault};
	if (sock_listen(&f->listener, &f->server.port, &err) || pipe(f->stop)) {
		printf("# fake adb: %s\n", err.msg);
		exit(1);
	}
	f->server.host = mem_strdup("127.0.0.1");
	f->server.proc.pidfd = -1;
	if (pthread_create(&f->thread, NULL, fake_main, f))
		exit(1);
}

static inline void
fake_stop(struct fake *f)
{
	close(f->stop[1]); /* readable for good: every wait ends */
	pthread_join(f->thread, NULL);
	close(f->stop[0]);
	close(f->listener);
	free(f->server.host);
}

#endif
