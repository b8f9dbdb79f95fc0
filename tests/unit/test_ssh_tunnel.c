#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "tests/unit/check.h"
#include "tests/unit/sshd.h"
#include "transport/ssh_tunnel.h"

/* The tunnel against a genuine sshd, and a server of ours behind it. */

enum { WAIT_MS = 60000, MIB = 1 << 20 };

static struct deadline
soon(void)
{
	return deadline_in(NULL, WAIT_MS);
}

/* --- a server that says again what it hears -------------------------------- */

struct echo {
	int listener, port;
	pthread_t thread;
	int stop[2];
	pthread_t conn[64];
	int fd[64];
	int count;
};

static void *
echo_one(void *arg)
{
	int fd = (int)(intptr_t)arg;
	static _Thread_local char data[64 << 10];
	struct err err = ERR_INIT;
	ssize_t n;

	while ((n = sock_recv(fd, data, sizeof(data), deadline_in(NULL, 60000),
			      &err)) > 0) {
		if (sock_write(fd, data, (size_t)n, deadline_in(NULL, 60000),
			       &err))
			break;
	}
	(void)shutdown(fd, SHUT_WR);
	return NULL;
}

static void *
echo_main(void *arg)
{
	struct echo *e = arg;

	for (;;) {
		struct pollfd p[2] = {{.fd = e->listener, .events = POLLIN},
				      {.fd = e->stop[0], .events = POLLIN}};
		int fd;

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return NULL;
		fd = accept4(e->listener, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 || e->count == 64)
			continue;
		e->fd[e->count] = fd;
		if (pthread_create(&e->conn[e->count], NULL, echo_one,
				   (void *)(intptr_t)fd) == 0)
			e->count++;
	}
}

static int
echo_start(struct echo *e)
{
	struct err err = ERR_INIT;

	*e = (struct echo){0};
	if (sock_listen(&e->listener, &e->port, &err) || pipe(e->stop))
		return -1;
	return pthread_create(&e->thread, NULL, echo_main, e);
}

static void
echo_stop(struct echo *e)
{
	if (write(e->stop[1], "", 1) != 1)
		return;
	(void)pthread_join(e->thread, NULL);
	for (int i = 0; i < e->count; i++) {
		(void)shutdown(e->fd[i], SHUT_RDWR);
		(void)pthread_join(e->conn[i], NULL);
		close(e->fd[i]);
	}
	close(e->listener);
	close(e->stop[0]);
	close(e->stop[1]);
}

/* --- a tunnel to it -------------------------------------------------------- */

struct bench {
	struct sshd d;
	struct echo e;
	struct ssh_tunnel *t;
	int port; /* here, to the echo */
	struct err err;
};

/* How long a tunnel that was cut tries to come back. */
static int64_t connect_ms = WAIT_MS;

static int
set_up(struct bench *b, const char *extra, int64_t keep_ms)
{
	struct ssh_config c;

	*b = (struct bench){0};
	if (sshd_start(&b->d, "ed25519", extra) || echo_start(&b->e))
		return -1;
	c = sshd_config(&b->d);
	if (ssh_tunnel_open(&b->t, &c, keep_ms, connect_ms, soon(), &b->err) ||
	    ssh_tunnel_forward(b->t, "127.0.0.1", b->e.port, &b->port,
			       &b->err)) {
		printf("# %s\n", b->err.msg);
		return -1;
	}
	return 0;
}

static void
tear_down(struct bench *b)
{
	ssh_tunnel_close(b->t);
	echo_stop(&b->e);
	sshd_stop(&b->d);
}

static int
dial(struct bench *b)
{
	int fd = -1;

	b->err = (struct err)ERR_INIT;
	if (sock_connect("127.0.0.1", b->port, &fd, soon(), &b->err))
		printf("# %s\n", b->err.msg);
	return fd;
}

/* A word there and back. */
static int
says(struct bench *b, int fd)
{
	char back[5] = "";

	b->err = (struct err)ERR_INIT;
	if (sock_write(fd, "hello", 5, soon(), &b->err) ||
	    sock_read(fd, back, 5, soon(), &b->err))
		return -1;
	return memcmp(back, "hello", 5);
}

static bool
is_up(struct bench *b, int reconnects)
{
	struct ssh_tunnel_state s;

	ssh_tunnel_state(b->t, &s);
	return s.up && s.reconnects >= reconnects;
}

static bool
comes_up(struct bench *b, int reconnects)
{
	struct err err = ERR_INIT;
	struct deadline dl = soon();

	while (!is_up(b, reconnects))
		if (deadline_pause(dl, 5, &err))
			return false;
	return true;
}

static bool
has_channels(struct bench *b, int count)
{
	struct err err = ERR_INIT;
	struct deadline dl = soon();
	struct ssh_tunnel_state s;

	for (;;) {
		ssh_tunnel_state(b->t, &s);
		if (s.channels == count)
			return true;
		if (deadline_pause(dl, 5, &err))
			return false;
	}
}

struct sender {
	int fd;
	size_t size;
	int rc;
};

static unsigned char
byte_at(size_t i)
{
	return (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 16));
}

static void *
send_all(void *arg)
{
	struct sender *s = arg;
	unsigned char *data = mem_alloc(s->size);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < s->size; i++)
		data[i] = byte_at(i);
	s->rc = sock_write(s->fd, data, s->size, deadline_in(NULL, 60000),
			   &err);
	(void)shutdown(s->fd, SHUT_WR);
	free(data);
	return NULL;
}

/* `size` bytes there and back while both ways are busy, then the end. */
static bool
survives(int fd, size_t size)
{
	struct sender s = {.fd = fd, .size = size};
	struct buf back = BUF_INIT_MAX(size + 1);
	struct err err = ERR_INIT;
	pthread_t thread;
	bool same;

	if (pthread_create(&thread, NULL, send_all, &s))
		return false;
	if (sock_read_all(fd, &back, deadline_in(NULL, 60000), &err))
		printf("# %s\n", err.msg);
	(void)pthread_join(thread, NULL);
	same = back.len == size && s.rc == 0;
	for (size_t i = 0; same && i < size; i++)
		same = (unsigned char)back.data[i] == byte_at(i);
	if (!same)
		printf("# %zu of %zu bytes\n", back.len, size);
	buf_done(&back);
	return same;
}

static void
bytes_arrive_whole(void)
{
	struct bench b;
	int fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	fd = dial(&b);
	CHECK(survives(fd, (RUNNING_ON_VALGRIND ? 2 : 32) * MIB));
	close(fd);
	tear_down(&b);
}

static void
new_keys_in_mid_transfer(void)
{
	struct bench b;
	int fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, "RekeyLimit 1M", SSH_TUNNEL_KEEP_MS) == 0);
	fd = dial(&b);
	CHECK(survives(fd, (RUNNING_ON_VALGRIND ? 2 : 8) * MIB));
	CHECK(is_up(&b, 0) && !is_up(&b, 1));
	close(fd);
	tear_down(&b);
}

/* One that never reads fills its own buffers and nobody else's. */
static void
slow_one_holds_nobody(void)
{
	static const char lump[64 << 10];
	struct bench b;
	struct err err = ERR_INIT;
	int fd, other[20];

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	fd = dial(&b);
	while (sock_write(fd, lump, sizeof(lump), deadline_in(NULL, 300),
			  &err) == 0)
		;
	CHECK(err.code == ERR_TIMEOUT);
	for (int i = 0; i < 20; i++)
		other[i] = dial(&b);
	for (int i = 0; i < 20; i++)
		CHECK(says(&b, other[i]) == 0);
	CHECK(survives(other[0], 4 * MIB));
	for (int i = 0; i < 20; i++)
		close(other[i]);
	close(fd);
	tear_down(&b);
}

static void
cut_is_mended(void)
{
	struct bench b;
	struct ssh_tunnel_state s;
	char c;
	int fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	for (int i = 1; i <= 5; i++) {
		fd = dial(&b);
		CHECK(says(&b, fd) == 0);
		sshd_cut(&b.d);
		CHECK(sock_read(fd, &c, 1, soon(), &b.err) == -1);
		CHECK(b.err.code == ERR_IO);
		close(fd);
		/* The same port, perhaps before the session is there. */
		fd = dial(&b);
		CHECK(says(&b, fd) == 0);
		close(fd);
		CHECK(comes_up(&b, i));
	}
	ssh_tunnel_state(b.t, &s);
	CHECK_HAS(s.lost.msg, "closed");
	tear_down(&b);
}

static void
silent_server_is_left(void)
{
	struct bench b;
	int fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, 700) == 0);
	fd = dial(&b);
	CHECK(says(&b, fd) == 0);
	CHECK(sshd_hang(&b.d) == 0);
	CHECK(comes_up(&b, 1));
	close(fd);
	fd = dial(&b);
	CHECK(says(&b, fd) == 0);
	close(fd);
	tear_down(&b);
}

static void
idle_tunnel_stays(void)
{
	struct bench b;
	struct err err = ERR_INIT;
	int fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, "ClientAliveInterval 1\nClientAliveCountMax 1",
		       800) == 0);
	/* Long enough for three questions of the server's. */
	CHECK(deadline_pause(deadline_in(NULL, 60000), 3500, &err) == 0);
	CHECK(is_up(&b, 0) && !is_up(&b, 1));
	fd = dial(&b);
	CHECK(says(&b, fd) == 0);
	close(fd);
	tear_down(&b);
}

static void
no_session_channels_needed(void)
{
	struct bench b;
	int fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, "MaxSessions 0", SSH_TUNNEL_KEEP_MS) == 0);
	fd = dial(&b);
	CHECK(says(&b, fd) == 0);
	CHECK(survives(fd, MIB));
	close(fd);
	sshd_cut(&b.d);
	CHECK(comes_up(&b, 1));
	tear_down(&b);
}

static void
refusal_is_told(void)
{
	struct bench b;
	struct ssh_tunnel_state s;
	int listener, port, local, fd;
	char c;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	/* A port that nobody listens on. */
	CHECK(sock_listen(&listener, &port, &b.err) == 0);
	close(listener);
	CHECK(ssh_tunnel_forward(b.t, "127.0.0.1", port, &local, &b.err) == 0);
	CHECK(sock_connect("127.0.0.1", local, &fd, soon(), &b.err) == 0);
	CHECK(sock_read(fd, &c, 1, soon(), &b.err) == -1);
	close(fd);
	ssh_tunnel_state(b.t, &s);
	CHECK(s.up && s.refused_us > 0);
	CHECK_HAS(s.refused.msg, "connect to 127.0.0.1:");
	fd = dial(&b);
	CHECK(says(&b, fd) == 0);
	close(fd);
	tear_down(&b);
}

/* A host that drops our packets: a listener whose queue is full. */
static void
unanswered_opening_is_left(void)
{
	struct bench b;
	int listener, port, local, fd, stuck, filler[4];
	struct sockaddr_in a = {.sin_family = AF_INET};

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	CHECK(sock_listen(&listener, &port, &b.err) == 0);
	CHECK(listen(listener, 0) == 0);
	a.sin_port = htons((uint16_t)port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 4; i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(filler[i], (struct sockaddr *)&a, sizeof(a));
	}
	CHECK(ssh_tunnel_forward(b.t, "127.0.0.1", port, &local, &b.err) == 0);
	CHECK(sock_connect("127.0.0.1", local, &stuck, soon(), &b.err) == 0);
	CHECK(has_channels(&b, 1));
	fd = dial(&b);
	CHECK(has_channels(&b, 2));
	close(stuck);
	CHECK(says(&b, fd) == 0);
	CHECK(is_up(&b, 1));
	close(fd);
	for (int i = 0; i < 4; i++)
		close(filler[i]);
	close(listener);
	tear_down(&b);
}

static void
no_descriptor_is_told(void)
{
	struct bench b;
	struct ssh_tunnel_state s;
	struct sockaddr_in a = {.sin_family = AF_INET};
	struct deadline dl = soon();
	struct rlimit before, low;
	int held[64], count = 0, fd;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	low = before;
	low.rlim_cur = 64;
	CHECK(setrlimit(RLIMIT_NOFILE, &low) == 0);
	while (count < 64 && (held[count] = dup(fd)) >= 0)
		count++;
	a.sin_port = htons((uint16_t)b.port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	(void)connect(fd, (struct sockaddr *)&a, sizeof(a));
	do
		ssh_tunnel_state(b.t, &s);
	while (s.refused_us == 0 && deadline_pause(dl, 5, &b.err) == 0);
	CHECK_HAS(s.refused.msg, "Too many open files");
	while (count > 0)
		close(held[--count]);
	/* Valgrind's limit is its own: it takes the call and drops it. */
	CHECK(RUNNING_ON_VALGRIND || says(&b, fd) == 0);
	close(fd);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
	tear_down(&b);
}

static void
same_place_same_port(void)
{
	struct bench b;
	int again = 0, other = 0;

	SSHD_NEEDED();
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	CHECK(ssh_tunnel_forward(b.t, "127.0.0.1", b.e.port, &again, &b.err) ==
	      0);
	CHECK(again == b.port);
	CHECK(ssh_tunnel_forward(b.t, "localhost", b.e.port, &other, &b.err) ==
	      0);
	CHECK(other != b.port);
	tear_down(&b);
}

static void
closes_at_once(void)
{
	struct bench b;
	struct err err = ERR_INIT;
	int fd;

	SSHD_NEEDED();
	/* Were it to wait for that, the test would not end. */
	connect_ms = (int64_t)24 * 3600 * 1000;
	REQUIRE(set_up(&b, NULL, SSH_TUNNEL_KEEP_MS) == 0);
	connect_ms = WAIT_MS;
	fd = dial(&b);
	CHECK(says(&b, fd) == 0);
	/* Also while it can't be reached. */
	b.d.refuse = true;
	sshd_cut(&b.d);
	CHECK(sock_read(fd, &(char){0}, 1, soon(), &err) == -1);
	tear_down(&b);
	close(fd);
}

CHECK_MAIN(
	CHECK_CASE("bytes arrive whole, both ways at once, and so does the end",
		   bytes_arrive_whole),
	CHECK_CASE("new keys in mid-transfer lose nothing",
		   new_keys_in_mid_transfer),
	CHECK_CASE("one that does not read holds nobody up",
		   slow_one_holds_nobody),
	CHECK_CASE("a cut is mended and the port stays", cut_is_mended),
	CHECK_CASE("a server that fell silent is left", silent_server_is_left),
	CHECK_CASE("an idle tunnel answers the server", idle_tunnel_stays),
	CHECK_CASE("a server without session channels will do",
		   no_session_channels_needed),
	CHECK_CASE("a refusal to connect is told", refusal_is_told),
	CHECK_CASE("an opening without answer holds nobody for long",
		   unanswered_opening_is_left),
	CHECK_CASE("no descriptor for a caller is told, and it is let in later",
		   no_descriptor_is_told),
	CHECK_CASE("the same place has the same port", same_place_same_port),
	CHECK_CASE("it closes at once, also without its server",
		   closes_at_once))
