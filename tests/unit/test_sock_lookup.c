#include "transport/sock_lookup.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "transport/sock.h"

enum { SOON_MS = 200, LONG_MS = 30000 };

/*
 * Stands before libc's: a name server that is silent until `silence` is
 * closed, and a name with two addresses, of which the first is silent.
 */
static int silence[2];
static int ports[2];

static struct addrinfo *
one_address(int port, struct addrinfo *next)
{
	struct addrinfo *ai = calloc(1, sizeof(*ai));
	struct sockaddr_in *a = calloc(1, sizeof(*a));

	a->sin_family = AF_INET;
	a->sin_port = htons((uint16_t)port);
	a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ai->ai_family = AF_INET;
	ai->ai_socktype = SOCK_STREAM;
	ai->ai_addr = (struct sockaddr *)a;
	ai->ai_addrlen = sizeof(*a);
	ai->ai_next = next;
	return ai;
}

int
getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
	    struct addrinfo **list)
{
	char c;

	(void)service;
	if (hints->ai_flags & AI_NUMERICHOST)
		return EAI_NONAME;
	if (strcmp(host, "silent") == 0) {
		while (read(silence[0], &c, 1) > 0)
			;
		*list = one_address(1, NULL);
		return 0;
	}
	if (strcmp(host, "two") != 0)
		return EAI_NONAME;
	*list = one_address(ports[0], one_address(ports[1], NULL));
	return 0;
}

void
freeaddrinfo(struct addrinfo *list)
{
	while (list) {
		struct addrinfo *next = list->ai_next;

		free(list->ai_addr);
		free(list);
		list = next;
	}
}

static void
silent_name_server(void)
{
	struct cancel stop;
	struct err err = ERR_INIT;
	int fd = -1;

	REQUIRE(pipe(silence) == 0 && deadline_cancel_init(&stop, &err) == 0);
	CHECK(sock_connect("silent", 1, &fd, deadline_in(&stop, SOON_MS),
			   &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK_HAS(err.msg, "look up 'silent'");
	deadline_cancel_raise(&stop, 1);
	CHECK(sock_connect("silent", 1, &fd, deadline_in(&stop, LONG_MS),
			   &err) == -1);
	CHECK(err.code == ERR_CANCELLED && fd == -1);
	close(silence[1]); /* those who still wait get an answer */
	deadline_cancel_done(&stop);
}

static void
unknown_name(void)
{
	struct err err = ERR_INIT;
	int fd;

	CHECK(sock_connect("nobody", 1, &fd, deadline_in(NULL, LONG_MS),
			   &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK_HAS(err.msg, "look up 'nobody': ");
}

/* A queue that is full: the kernel leaves further callers without answer. */
static int
deaf_listener(int *port, int *fill, size_t count)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, 0) ||
	    getsockname(s, (struct sockaddr *)&a, &len))
		return -1;
	for (size_t i = 0; i < count; i++) {
		fill[i] = socket(AF_INET,
				 SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)connect(fill[i], (struct sockaddr *)&a, sizeof(a));
	}
	*port = ntohs(a.sin_port);
	return s;
}

static void
next_address(void)
{
	int deaf, fill[4], listener, fd = -1;
	struct err err = ERR_INIT;

	deaf = deaf_listener(&ports[0], fill, 4);
	REQUIRE(deaf >= 0 && sock_listen(&listener, &ports[1], &err) == 0);
	CHECK(sock_connect("two", 1, &fd, deadline_in(NULL, 2000), &err) == 0);
	CHECK(fd >= 0);
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < 4; i++)
		close(fill[i]);
	close(deaf);
	close(listener);
}

CHECK_MAIN(CHECK_CASE("a silent name server ends with the time or a signal",
		      silent_name_server),
	   CHECK_CASE("a name that nobody has is told", unknown_name),
	   CHECK_CASE("behind a silent address the next one is tried",
		      next_address), )
