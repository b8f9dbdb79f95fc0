/*
 * Preloaded into adbd, which would listen on every address: its bind() to any
 * address becomes one to 127.0.0.1, on the port in LOOPBACK_PORT or one of the
 * kernel's choice, which is written to the file LOOPBACK_PORT_FILE.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static void
tell(int fd)
{
	const char *path = getenv("LOOPBACK_PORT_FILE");
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);
	char part[4096];
	FILE *f;

	if (!path || getsockname(fd, (struct sockaddr *)&at, &len) ||
	    snprintf(part, sizeof(part), "%s.part", path) >= (int)sizeof(part))
		return;
	f = fopen(part, "w");
	if (!f)
		return;
	fprintf(f, "%d\n", ntohs(at.sin6_port));
	if (fclose(f) == 0)
		(void)rename(part, path);
}

int
bind(int fd, const struct sockaddr *address, socklen_t len)
{
	static int (*next)(int, const struct sockaddr *, socklen_t);
	const char *port = getenv("LOOPBACK_PORT");
	struct sockaddr_in6 in = {.sin6_family = AF_INET6};

	if (!next)
		next = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(
			RTLD_NEXT, "bind");
	if (address->sa_family == AF_VSOCK) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	if (address->sa_family != AF_INET6 ||
	    !IN6_IS_ADDR_UNSPECIFIED(
		    &((const struct sockaddr_in6 *)address)->sin6_addr))
		return next(fd, address, len);
	/* ::ffff:127.0.0.1 */
	in.sin6_addr.s6_addr[10] = in.sin6_addr.s6_addr[11] = 0xff;
	in.sin6_addr.s6_addr[12] = 127;
	in.sin6_addr.s6_addr[15] = 1;
	in.sin6_port = htons((uint16_t)(port ? strtol(port, NULL, 10) : 0));
	if (next(fd, (struct sockaddr *)&in, sizeof(in)))
		return -1;
	tell(fd);
	return 0;
}
