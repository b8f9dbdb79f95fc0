#ifndef SOCK_H
#define SOCK_H

#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Stream sockets.  Every descriptor is non-blocking and close-on-exec, and
 * waits only through its deadline.  A peer that ends the stream early is
 * ERR_IO "connection closed".  SIGPIPE is never raised.
 */

/*
 * TCP; `host` may be a name or an address.  The addresses of a name are tried
 * in order, each with its share of the time that is left.
 */
int sock_connect(const char *host, int port, int *fd, struct deadline dl,
		 struct err *err);
/*
 * Replace a name by the first address it has, so that no later connection
 * waits for a name server; an address stays as it is.
 */
int sock_resolve(char **host, struct deadline dl, struct err *err);
/* "host:port" split at the last colon, "[v6]:port" too; free(*host). */
int sock_split(const char *text, char **host, int *port, struct err *err);

/* A listener on 127.0.0.1 and a port of the kernel's choice. */
int sock_listen(int *fd, int *port, struct err *err);
int sock_accept(int listener, int *fd, struct deadline dl, struct err *err);

/*
 * What is there now, as recv(2) says it; never waits.  Little is acknowledged
 * at once: adb's server, as any peer with Nagle's algorithm, holds back its
 * next few bytes until then, and the kernel would take 40 ms.
 */
ssize_t sock_take(int fd, void *buf, size_t size);

/* Some bytes, at least one; 0 at the end of the stream. */
ssize_t sock_recv(int fd, void *buf, size_t size, struct deadline dl,
		  struct err *err);
/* Exactly `size` bytes. */
int sock_read(int fd, void *buf, size_t size, struct deadline dl,
	      struct err *err);
int sock_write(int fd, const void *buf, size_t size, struct deadline dl,
	       struct err *err);
/* Until the stream ends; bounded by the buf's limit. */
int sock_read_all(int fd, struct buf *b, struct deadline dl, struct err *err);

#endif
