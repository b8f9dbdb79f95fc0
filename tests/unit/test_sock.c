#include "transport/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"

enum { LONG_MS = 30000 };

struct pair {
	int listener, port;
	int ours, peer;
};

/* Two ends of a TCP connection on loopback. */
static bool
pair_open(struct pair *p)
{
	struct deadline dl = deadline_in(NULL, LONG_MS);
	struct err err = ERR_INIT;

	if (sock_listen(&p->listener, &p->port, &err) ||
	    sock_connect("127.0.0.1", p->port, &p->ours, dl, &err) ||
	    sock_accept(p->listener, &p->peer, dl, &err)) {
		printf("# %s\n", err.msg);
		return false;
	}
	return true;
}

static void
pair_close(struct pair *p)
{
	close(p->listener);
	close(p->ours);
	if (p->peer >= 0)
		close(p->peer);
}

static void
descriptors_are_safe(void)
{
	struct pair p;

	REQUIRE(pair_open(&p));
	CHECK(fcntl(p.ours, F_GETFD) & FD_CLOEXEC);
	CHECK(fcntl(p.peer, F_GETFD) & FD_CLOEXEC);
	CHECK(fcntl(p.listener, F_GETFD) & FD_CLOEXEC);
	CHECK(fcntl(p.ours, F_GETFL) & O_NONBLOCK);
	CHECK(fcntl(p.peer, F_GETFL) & O_NONBLOCK);
	pair_close(&p);
}

static void *
drip(void *arg)
{
	static const char text[] = "in single bytes";
	const struct pair *p = arg;

	for (size_t i = 0; i < sizeof(text); i++) {
		if (send(p->peer, text + i, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return NULL;
}

static void
single_bytes_are_put_together(void)
{
	struct err err = ERR_INIT;
	char text[16];
	struct pair p;
	pthread_t t;

	REQUIRE(pair_open(&p));
	REQUIRE(pthread_create(&t, NULL, drip, &p) == 0);
	CHECK(sock_read(p.ours, text, sizeof(text), deadline_in(NULL, LONG_MS),
			&err) == 0);
	CHECK_STR(text, "in single bytes");
	pthread_join(t, NULL);
	pair_close(&p);
}

static void
stalled_is_a_timeout(void)
{
	struct err err = ERR_INIT;
	struct pair p;
	char text[8];

	REQUIRE(pair_open(&p));
	CHECK(send(p.peer, "half", 4, 0) == 4);
	CHECK(sock_read(p.ours, text, 8, deadline_in(NULL, 20), &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	pair_close(&p);
}

static void
closed_is_told(void)
{
	struct deadline dl = deadline_in(NULL, LONG_MS);
	struct err err = ERR_INIT;
	AUTO_BUF struct buf b = BUF_INIT;
	struct pair p;
	char text[8];

	REQUIRE(pair_open(&p));
	CHECK(send(p.peer, "half", 4, 0) == 4);
	(void)shutdown(p.peer, SHUT_WR);
	CHECK(sock_read(p.ours, text, 8, dl, &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK_STR(err.msg, "connection closed");
	CHECK(sock_recv(p.ours, text, 8, dl, &err) == 0);
	CHECK(sock_read_all(p.ours, &b, dl, &err) == 0 && b.len == 0);
	pair_close(&p);
}

static void
reset_is_told(void)
{
	struct deadline dl = deadline_in(NULL, LONG_MS);
	struct linger hard = {1, 0};
	struct err err = ERR_INIT;
	struct pair p;
	char text[8];

	REQUIRE(pair_open(&p));
	CHECK(setsockopt(p.peer, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard)) ==
	      0);
	close(p.peer);
	p.peer = -1;
	CHECK(sock_read(p.ours, text, 8, dl, &err) == -1);
	CHECK(err.code == ERR_IO && err.sys == ECONNRESET);
	/* No SIGPIPE either. */
	CHECK(sock_write(p.ours, "x", 1, dl, &err) == -1);
	CHECK(err.sys == EPIPE);
	pair_close(&p);
}

static void
unread_writes_end_in_time(void)
{
	struct err err = ERR_INIT;
	size_t size = 64 << 20;
	char *data = mem_alloc(size);
	struct pair p;

	REQUIRE(pair_open(&p));
	CHECK(sock_write(p.ours, data, size, deadline_in(NULL, 50), &err) ==
	      -1);
	CHECK(err.code == ERR_TIMEOUT);
	pair_close(&p);
	free(data);
}

static void *
flood(void *arg)
{
	const struct pair *p = arg;
	static char data[64 << 10];
	struct err err = ERR_INIT;

	while (sock_write(p->peer, data, sizeof(data),
			  deadline_in(NULL, LONG_MS), &err) == 0)
		;
	return NULL;
}

static void
flood_ends(void)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(1 << 20);
	struct err err = ERR_INIT;
	struct cancel c;
	struct pair p;
	pthread_t t;
	char data[4096];

	REQUIRE(pair_open(&p));
	REQUIRE(deadline_cancel_init(&c, &err) == 0);
	REQUIRE(pthread_create(&t, NULL, flood, &p) == 0);
	CHECK(sock_read_all(p.ours, &b, deadline_in(NULL, LONG_MS), &err) ==
	      -1);
	CHECK(err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "larger than 1048576 bytes");
	/* There is always more, and yet a signal is heard. */
	deadline_cancel_raise(&c, 1);
	err_clear(&err);
	CHECK(sock_recv(p.ours, data, sizeof(data), deadline_in(&c, LONG_MS),
			&err) == -1);
	CHECK(err.code == ERR_CANCELLED);
	(void)shutdown(p.ours, SHUT_RDWR);
	close(p.ours);
	p.ours = -1;
	pthread_join(t, NULL);
	deadline_cancel_done(&c);
	close(p.listener);
	close(p.peer);
}

static void
refused_is_told(void)
{
	struct err err = ERR_INIT;
	int listener, port, fd = -1;

	REQUIRE(sock_listen(&listener, &port, &err) == 0);
	close(listener); /* now nobody listens there */
	CHECK(sock_connect("127.0.0.1", port, &fd, deadline_in(NULL, LONG_MS),
			   &err) == -1);
	CHECK(fd == -1 && err.code == ERR_IO && err.sys == ECONNREFUSED);
	CHECK_HAS(err.msg, "connect to 127.0.0.1:");
	err_clear(&err);
	CHECK(sock_connect("127.0.0.1", port, &fd, deadline_in(NULL, 0),
			   &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
}

static void
accept_waits_only_so_long(void)
{
	struct err err = ERR_INIT;
	int listener, port, fd = -1;

	REQUIRE(sock_listen(&listener, &port, &err) == 0);
	CHECK(sock_accept(listener, &fd, deadline_in(NULL, 1), &err) == -1);
	CHECK(err.code == ERR_TIMEOUT && fd == -1);
	close(listener);
}

static void
addresses_are_split(void)
{
	static const struct {
		const char *text, *host;
		int port;
	} rows[] = {
		{"host:1", "host", 1},
		{"10.0.0.1:65535", "10.0.0.1", 65535},
		{"[::1]:5037", "::1", 5037},
		{"::1:5037", "::1", 5037},
	};
	static const char *const bad[] = {
		"",	      "host",	"host:",   "host:0",
		"host:65536", "host:x", "host:1x", ":5037"};
	struct err err = ERR_INIT;
	char *host = NULL;
	int port = -1;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(sock_split(bad[i], &host, &port, &err) == -1);
		CHECK(err.code == ERR_INPUT && !host && port == -1);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(sock_split(rows[i].text, &host, &port, &err) == 0);
		CHECK_STR(host, rows[i].host);
		CHECK(port == rows[i].port);
		free(host);
	}
}

static void
a_name_becomes_an_address(void)
{
	char *host = strdup("localhost"), *fixed = strdup("127.0.0.1");
	struct err err = ERR_INIT;

	CHECK(sock_resolve(&host, deadline_in(NULL, LONG_MS), &err) == 0);
	CHECK(strspn(host, "0123456789.:abcdef") == strlen(host));
	CHECK(sock_resolve(&fixed, deadline_in(NULL, LONG_MS), &err) == 0);
	CHECK_STR(fixed, "127.0.0.1");
	free(host);
	free(fixed);
}

CHECK_MAIN(
	CHECK_CASE("a name becomes an address once", a_name_becomes_an_address),
	CHECK_CASE("descriptors do not block and end at exec",
		   descriptors_are_safe),
	CHECK_CASE("single bytes are put together",
		   single_bytes_are_put_together),
	CHECK_CASE("a peer that stalls is a timeout", stalled_is_a_timeout),
	CHECK_CASE("a peer that closes early is told", closed_is_told),
	CHECK_CASE("a reset is told and raises no signal", reset_is_told),
	CHECK_CASE("a peer that does not read is a timeout",
		   unread_writes_end_in_time),
	CHECK_CASE("a peer that never pauses is bounded and interrupted",
		   flood_ends),
	CHECK_CASE("a refused connection names the address", refused_is_told),
	CHECK_CASE("an accept waits only so long", accept_waits_only_so_long),
	CHECK_CASE("an address is split at its last colon",
		   addresses_are_split), )
