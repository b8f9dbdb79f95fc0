#include "check.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/deadline.h"
#include "transport/sock.h"

static void
pair(int *a, int *b)
{
	struct deadline dl = deadline_in(NULL, 5000);
	struct err err = ERR_INIT;
	int listener, port;

	REQUIRE(sock_listen(&listener, &port, &err) == 0);
	REQUIRE(sock_connect("127.0.0.1", port, a, dl, &err) == 0);
	REQUIRE(sock_accept(listener, b, dl, &err) == 0);
	close(listener);
}

/* The kernel has no reason to wait for company of an acknowledgement. */
static bool
acknowledges_at_once(int fd)
{
	int on = 0;
	socklen_t len = sizeof(on);

	return getsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, &len) == 0 && on;
}

static void
few_bytes_are_acknowledged(void)
{
	struct deadline dl = deadline_in(NULL, 5000);
	struct err err = ERR_INIT;
	char c = 'x';
	int a, b;

	pair(&a, &b);
	/* Question and answer, after which the kernel takes its time. */
	for (int i = 0; i < 8; i++) {
		CHECK(sock_write(a, &c, 1, dl, &err) == 0);
		CHECK(sock_recv(b, &c, 1, dl, &err) == 1);
		CHECK(sock_write(b, &c, 1, dl, &err) == 0);
		CHECK(sock_read(a, &c, 1, dl, &err) == 0);
		CHECK(acknowledges_at_once(a));
	}
	close(a);
	close(b);
}

static void
nothing_is_not_the_end(void)
{
	struct deadline dl = deadline_in(NULL, 5000);
	struct err err = ERR_INIT;
	char c = 'x';
	int a, b;

	pair(&a, &b);
	CHECK(sock_take(a, &c, 1) == -1 && errno == EAGAIN);
	CHECK(sock_write(b, "y", 1, dl, &err) == 0);
	CHECK(sock_recv(a, &c, 1, dl, &err) == 1 && c == 'y');
	close(b);
	CHECK(sock_recv(a, &c, 1, dl, &err) == 0);
	CHECK(sock_take(a, &c, 1) == 0);
	close(a);
}

CHECK_MAIN(CHECK_CASE("a few bytes are acknowledged at once",
		      few_bytes_are_acknowledged),
	   CHECK_CASE("nothing yet is not the end", nothing_is_not_the_end), )
