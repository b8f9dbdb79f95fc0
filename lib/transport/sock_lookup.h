#ifndef SOCK_LOOKUP_H
#define SOCK_LOOKUP_H

#include <netdb.h>

#include "base/deadline.h"
#include "base/err.h"

/*
 * getaddrinfo(3) for a stream socket; freeaddrinfo(*list).  It waits for name
 * servers for as long as resolv.conf says, deaf to signals, so a thread does;
 * one that is not waited for any longer ends by itself.
 */
int sock_lookup(const char *host, int port, struct addrinfo **list,
		struct deadline dl, struct err *err);

#endif
