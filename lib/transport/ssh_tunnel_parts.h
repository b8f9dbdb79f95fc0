#ifndef SSH_TUNNEL_PARTS_H
#define SSH_TUNNEL_PARTS_H

#include <libssh2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/ssh.h"
#include "transport/ssh_channel.h"
#include "transport/ssh_tunnel.h"

/* The pieces of a tunnel; only ssh_tunnel*.c include this. */
struct ssh_tunnel_port {
	char *host;
	int port;
	int listener, local;
};

struct ssh_tunnel {
	struct ssh_config config; /* its strings are ours */
	int64_t keep_ms, connect_ms;
	struct cancel stop;
	int wake; /* a forward was added */
	pthread_t thread;
	bool running;

	/* Of both threads, under the lock. */
	pthread_mutex_t lock;
	struct ssh_tunnel_port port[SSH_TUNNEL_FORWARDS]; /* only ever added */
	size_t forward_count;
	struct ssh_tunnel_state state;

	/* Of the tunnel's own. */
	struct ssh ssh;
	LIBSSH2_CHANNEL *idle; /* see session_open(); NULL: refused */
	struct ssh_channel *channel[SSH_TUNNEL_CHANNELS];
	size_t channel_count;
	struct ssh_channel *opening; /* libssh2 opens one at a time */
	int64_t asked_us;	     /* for a sign of life; 0: not */
	int64_t deaf_until_us;	     /* no descriptor was left for a caller */
};

/* How many ports there are; tells how many channels. */
size_t ssh_tunnel_forwards(struct ssh_tunnel *t);
void ssh_tunnel_note_refused(struct ssh_tunnel *t, const struct err *why);
void ssh_tunnel_note_up(struct ssh_tunnel *t);
void ssh_tunnel_note_down(struct ssh_tunnel *t, const struct err *why);

/* ssh_tunnel_serve.c: until the session is over (why) or we are to stop. */
void ssh_tunnel_serve(struct ssh_tunnel *t, struct err *err);
void ssh_tunnel_serve_remove(struct ssh_tunnel *t, size_t at);

/*
 * ssh_tunnel_session.c: log in, and open a channel on which nothing ever
 * happens: with no channel libssh2 can't be made to read, so that the server's
 * questions for a sign of life would stay without an answer.  A server that
 * lets us have none does not get one.
 */
int ssh_tunnel_session_open(struct ssh_tunnel *t, struct deadline dl,
			    struct err *err);
/* Those whose turn had not come lose nothing by it: they wait on. */
void ssh_tunnel_session_end(struct ssh_tunnel *t);
/* 0 when there is a session again, -1 when we are to stop. */
int ssh_tunnel_session_again(struct ssh_tunnel *t);

#endif
