#ifndef SSH_TUNNEL_H
#define SSH_TUNNEL_H

#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "transport/ssh.h"

/*
 * Ports here that lead to hosts behind an SSH server, over one connection.
 *
 * The first connection is made by the caller's thread, so that its errors are
 * the caller's.  Then a thread of its own serves it, whatever the rest of the
 * program waits for, and whatever signals come: it ends with ssh_tunnel_close()
 * or with the process, and with nothing else.  A lost connection is made
 * again for as long as that takes; the ports stay the same, connections that
 * were open are reset.  Listeners are on 127.0.0.1 with ports of the kernel's
 * choice.
 */
struct ssh_tunnel;

enum {
	SSH_TUNNEL_FORWARDS = 16,
	SSH_TUNNEL_CHANNELS = 48,
	SSH_TUNNEL_KEEP_MS = 15000,
};

/*
 * Copies `c`.  After `keep_ms` of silence the server is asked for a sign of
 * life, and after as much again the connection is taken for dead; each attempt
 * to make it again may take `connect_ms`.
 */
int ssh_tunnel_open(struct ssh_tunnel **t, const struct ssh_config *c,
		    int64_t keep_ms, int64_t connect_ms, struct deadline dl,
		    struct err *err);
/* Connections through it are reset.  NULL is fine. */
void ssh_tunnel_close(struct ssh_tunnel *t);

/*
 * A port here that leads to host:port as the server sees it; the same again
 * for the same.  Nothing is connected until somebody connects.
 */
int ssh_tunnel_forward(struct ssh_tunnel *t, const char *host, int port,
		       int *local, struct err *err);

struct ssh_tunnel_state {
	char who[256];	    /* "USER@HOST:PORT" */
	bool up;	    /* now */
	int reconnects;	    /* that succeeded */
	int channels;	    /* now */
	struct err lost;    /* why it was lost last, or is not back yet */
	struct err refused; /* the server's last refusal to connect, or ours */
	int64_t refused_us; /* when; 0: never */
};

void ssh_tunnel_state(struct ssh_tunnel *t, struct ssh_tunnel_state *out);

#endif
