#include "transport/ssh_tunnel.h"

#include <errno.h>
#include <libssh2.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/sock.h"
#include "transport/ssh_channel.h"

enum {
	PASSES = 16, /* over all channels, before new events are looked at */
	PAUSE_MIN_MS = 250,
	PAUSE_MAX_MS = 5000,
	PAUSE_REFUSED_MS = 30000, /* a login is not tried often */
	OPEN_MS = 10000,	  /* a far host that does not answer */
	ABANDONED_MS = 1000,	  /* and nobody waits for it any more */
	LOOK_MS = 500,		  /* at how long an opening takes */
};

struct forward {
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
	struct forward forward[SSH_TUNNEL_FORWARDS]; /* only ever added */
	size_t forward_count;
	struct ssh_tunnel_state state;

	/* Of the tunnel's own. */
	struct ssh ssh;
	LIBSSH2_CHANNEL *idle; /* see open_session(); NULL: refused */
	struct ssh_channel *channel[SSH_TUNNEL_CHANNELS];
	size_t channel_count;
	struct ssh_channel *opening; /* libssh2 opens one at a time */
	int64_t asked_us;	     /* for a sign of life; 0: not */
	int64_t deaf_until_us;	     /* no descriptor was left for a caller */
};

/* --- what both threads see ------------------------------------------------ */

static size_t
forwards(struct ssh_tunnel *t)
{
	size_t n;

	pthread_mutex_lock(&t->lock);
	n = t->forward_count;
	t->state.channels = (int)t->channel_count;
	pthread_mutex_unlock(&t->lock);
	return n;
}

static void
note_refused(struct ssh_tunnel *t, const struct err *why)
{
	pthread_mutex_lock(&t->lock);
	t->state.refused = *why;
	t->state.refused_us = deadline_now_us();
	pthread_mutex_unlock(&t->lock);
}

static void
note_up(struct ssh_tunnel *t)
{
	pthread_mutex_lock(&t->lock);
	t->state.up = true;
	t->state.reconnects++;
	pthread_mutex_unlock(&t->lock);
}

static void
note_down(struct ssh_tunnel *t, const struct err *why)
{
	pthread_mutex_lock(&t->lock);
	t->state.up = false;
	t->state.lost = *why;
	pthread_mutex_unlock(&t->lock);
}

void
ssh_tunnel_state(struct ssh_tunnel *t, struct ssh_tunnel_state *out)
{
	pthread_mutex_lock(&t->lock);
	*out = t->state;
	pthread_mutex_unlock(&t->lock);
}

static int
add_forward(struct ssh_tunnel *t, const char *host, int port, int *local,
	    struct err *err)
{
	struct forward *f = &t->forward[t->forward_count];

	for (size_t i = 0; i < t->forward_count; i++) {
		if (t->forward[i].port == port &&
		    strcmp(t->forward[i].host, host) == 0) {
			*local = t->forward[i].local;
			return 0;
		}
	}
	if (t->forward_count == SSH_TUNNEL_FORWARDS)
		return err_set(err, ERR_USAGE, "more than %d ports through it",
			       SSH_TUNNEL_FORWARDS);
	if (sock_listen(&f->listener, &f->local, err))
		return -1;
	f->host = mem_strdup(host);
	f->port = port;
	t->forward_count++;
	*local = f->local;
	return 0;
}

int
ssh_tunnel_forward(struct ssh_tunnel *t, const char *host, int port, int *local,
		   struct err *err)
{
	const uint64_t one = 1;
	int rc;

	pthread_mutex_lock(&t->lock);
	rc = add_forward(t, host, port, local, err);
	pthread_mutex_unlock(&t->lock);
	if (rc)
		return err_wrap(err, "tunnel to %s:%d", host, port);
	if (write(t->wake, &one, sizeof(one)) < 0)
		return err_sys(err, "tunnel"); /* full would be fine too */
	return 0;
}

/* --- the tunnel's own thread ---------------------------------------------- */

static bool
deaf(const struct ssh_tunnel *t)
{
	return deadline_now_us() < t->deaf_until_us;
}

/* The caller waits in the queue, and would wake us again at once. */
static void
rest(struct ssh_tunnel *t)
{
	struct err err = ERR_INIT;

	(void)err_sys(&err, "accept");
	note_refused(t, &err);
	t->deaf_until_us = deadline_now_us() + LOOK_MS * 1000;
}

static void
accept_one(struct ssh_tunnel *t, size_t at)
{
	struct forward *f = &t->forward[at];
	int fd = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		    errno == ENOMEM)
			rest(t);
		return; /* else it has gone again */
	}
	t->channel[t->channel_count++] = ssh_channel_new(fd, f->host, f->port);
}

static void
remove_channel(struct ssh_tunnel *t, size_t at)
{
	if (t->opening == t->channel[at])
		t->opening = NULL;
	ssh_channel_free(t->channel[at]);
	t->channel_count--;
	memmove(&t->channel[at], &t->channel[at + 1],
		(t->channel_count - at) * sizeof(t->channel[0]));
}

/* 1: something moved, 0: nothing can, -1: the session is over. */
static int
step_one(struct ssh_tunnel *t, struct ssh_channel *c, struct err *err)
{
	struct err refused = ERR_INIT;
	int rc;

	if (c->state == SSH_CHANNEL_WAITING) {
		if (t->opening)
			return 0;
		t->opening = c;
	}
	rc = ssh_channel_step(c, &t->ssh, &refused, err);
	if (refused.code)
		note_refused(t, &refused);
	if (t->opening == c && c->state != SSH_CHANNEL_OPENING)
		t->opening = NULL;
	return rc;
}

static int
step_all(struct ssh_tunnel *t, struct err *err)
{
	char none[64];
	int did = 0;

	if (t->idle)
		(void)libssh2_channel_read(t->idle, none, sizeof(none));
	if (t->ssh.dead)
		return ssh_failed(&t->ssh, 0, err);
	for (size_t i = 0; i < t->channel_count;) {
		struct ssh_channel *c = t->channel[i];
		int rc = step_one(t, c, err);

		if (rc < 0)
			return -1;
		did |= rc;
		if (c->state == SSH_CHANNEL_GONE)
			remove_channel(t, i);
		else
			i++;
	}
	return did;
}

/*
 * Libssh2 can't take back an opening.  One that a far host leaves without an
 * answer would keep all others from theirs, the call that gives the phone back
 * among them; so the whole session is made again then.
 */
static int
check_opening(const struct ssh_tunnel *t, struct err *err)
{
	const struct ssh_channel *c = t->opening;
	int64_t ms;
	bool waited_for = false;

	if (c == NULL)
		return 0;
	ms = (deadline_now_us() - c->since_us) / 1000;
	for (size_t i = 0; i < t->channel_count; i++)
		waited_for |= t->channel[i]->state == SSH_CHANNEL_WAITING;
	if (ms < OPEN_MS &&
	    !(ms >= ABANDONED_MS && waited_for && ssh_channel_abandoned(c)))
		return 0;
	return err_set(err, ERR_TIMEOUT, "%s:%d does not answer behind it",
		       c->host, c->port);
}

/* Does anything make libssh2 read?  Nothing but a channel does. */
static bool
reads(const struct ssh_tunnel *t)
{
	return t->idle || t->channel_count > 0;
}

/* The answer to it is a refusal, and a sign of life. */
static int
check_alive(struct ssh_tunnel *t, struct err *err)
{
	int64_t now = deadline_now_us(), sent = t->ssh.out_bytes;
	int next;

	if (t->asked_us && t->ssh.heard_us > t->asked_us)
		t->asked_us = 0;
	if (t->asked_us) {
		if (now - t->asked_us < t->keep_ms * 1000)
			return 0;
		return err_set(err, ERR_TIMEOUT, "silent for %lld ms",
			       (long long)(now - t->ssh.heard_us) / 1000);
	}
	if (now - t->ssh.heard_us < t->keep_ms * 1000 || !reads(t))
		return 0;
	if (libssh2_keepalive_send(t->ssh.session, &next))
		return ssh_failed(&t->ssh, 0, err);
	/* Libssh2 goes by the wall clock: perhaps it did not ask. */
	if (t->ssh.out_bytes > sent)
		t->asked_us = now;
	return 0;
}

/* Listeners and sockets into `p`; how many there are. */
static size_t
gather(const struct ssh_tunnel *t, struct pollfd *p, size_t listeners)
{
	bool full = t->channel_count == SSH_TUNNEL_CHANNELS || deaf(t);
	short in = reads(t) ? POLLIN : POLLRDHUP;
	size_t n = 0;

	p[n++] = (struct pollfd){
		.fd = t->ssh.fd,
		.events = (short)(in | (ssh_unsent(&t->ssh) ? POLLOUT : 0)),
	};
	p[n++] = (struct pollfd){.fd = t->wake, .events = POLLIN};
	for (size_t i = 0; i < listeners; i++)
		p[n++] = (struct pollfd){
			.fd = full ? -1 : t->forward[i].listener,
			.events = POLLIN,
		};
	for (size_t i = 0; i < t->channel_count; i++, n++) {
		p[n] = (struct pollfd){0};
		p[n].fd = ssh_channel_poll(t->channel[i], &p[n].events);
	}
	return n;
}

static void
polled(struct ssh_tunnel *t, const struct pollfd *p, size_t listeners)
{
	size_t sockets = t->channel_count;
	uint64_t count;

	if (p[1].revents && read(t->wake, &count, sizeof(count)) < 0)
		return; /* somebody was quicker: nobody is */
	for (size_t i = 0; i < sockets; i++)
		ssh_channel_polled(t->channel[i], p[2 + listeners + i].revents);
	for (size_t i = 0; i < listeners; i++) {
		if (p[2 + i].revents && t->channel_count < SSH_TUNNEL_CHANNELS)
			accept_one(t, i);
	}
}

static int64_t
look_again_ms(const struct ssh_tunnel *t, bool busy)
{
	int64_t from = t->asked_us ? t->asked_us : t->ssh.heard_us;
	int64_t ms = t->keep_ms - (deadline_now_us() - from) / 1000;

	if (busy)
		return 0;
	if ((t->opening || deaf(t)) && ms > LOOK_MS)
		return LOOK_MS;
	return ms > LOOK_MS ? ms : LOOK_MS;
}

/* Until the session is over (why is in `err`) or we are to stop. */
static void
serve(struct ssh_tunnel *t, struct err *err)
{
	enum { MOST = 3 + SSH_TUNNEL_FORWARDS + SSH_TUNNEL_CHANNELS };
	struct deadline dl = deadline_in(&t->stop, INT64_MAX);
	bool busy = false;

	for (;;) {
		struct pollfd p[MOST];
		size_t listeners = forwards(t);
		size_t n = gather(t, p, listeners);
		int did = 1;

		if (deadline_poll(dl, p, n, look_again_ms(t, busy), err))
			return;
		polled(t, p, listeners);
		if (p[0].revents & (POLLHUP | POLLERR | POLLRDHUP))
			t->ssh.dead |= !reads(t);
		if (ssh_flush(&t->ssh, err))
			return;
		for (int i = 0; i < PASSES && did > 0; i++)
			did = step_all(t, err);
		busy = did > 0;
		if (did < 0 || check_opening(t, err) || check_alive(t, err))
			return;
	}
}

/* Those whose turn had not come lose nothing by it: they wait on. */
static void
end_session(struct ssh_tunnel *t)
{
	for (size_t i = t->channel_count; i-- > 0;)
		if (t->channel[i]->state != SSH_CHANNEL_WAITING)
			remove_channel(t, i);
	ssh_close(&t->ssh);
	t->idle = NULL;
	t->asked_us = 0;
}

/*
 * Log in, and open a channel on which nothing ever happens: with no channel
 * libssh2 can't be made to read, so that the server's questions for a sign of
 * life would stay without an answer.  A server that lets us have none does not
 * get one.
 */
static int
open_session(struct ssh_tunnel *t, struct deadline dl, struct err *err)
{
	if (ssh_open(&t->ssh, &t->config, dl, err))
		return -1;
	libssh2_keepalive_config(t->ssh.session, 1, 2);
	for (;;) {
		t->idle = libssh2_channel_open_session(t->ssh.session);
		if (t->idle)
			return 0;
		if (libssh2_session_last_errno(t->ssh.session) !=
		    LIBSSH2_ERROR_EAGAIN)
			break;
		if (ssh_wait(&t->ssh, dl, err)) {
			ssh_close(&t->ssh);
			return -1;
		}
	}
	if (!t->ssh.dead)
		return 0;
	(void)ssh_failed(&t->ssh, 0, err);
	ssh_close(&t->ssh);
	return -1;
}

static bool
stopped(const struct ssh_tunnel *t)
{
	return deadline_cancel_raised(&t->stop, 1);
}

/* 0 when there is a session again, -1 when we are to stop. */
static int
connect_again(struct ssh_tunnel *t)
{
	int64_t pause_ms = PAUSE_MIN_MS;

	for (;;) {
		struct err err = ERR_INIT;

		if (open_session(t, deadline_in(&t->stop, t->connect_ms),
				 &err) == 0)
			break;
		if (err.code == ERR_CANCELLED)
			return -1;
		note_down(t, &err);
		if (err.code == ERR_AUTH)
			pause_ms = PAUSE_REFUSED_MS;
		if (deadline_pause(deadline_in(&t->stop, INT64_MAX), pause_ms,
				   &err))
			return -1;
		pause_ms = pause_ms * 2 < PAUSE_MAX_MS ? pause_ms * 2
						       : PAUSE_MAX_MS;
	}
	note_up(t);
	return 0;
}

static void *
work(void *arg)
{
	struct ssh_tunnel *t = arg;

	do {
		struct err err = ERR_INIT;

		serve(t, &err);
		(void)err_wrap(&err, "SSH to '%s'", t->ssh.who);
		note_down(t, &err);
		end_session(t);
	} while (!stopped(t) && connect_again(t) == 0);
	return NULL;
}

/* --- opening and closing -------------------------------------------------- */

/* Signals are for the main thread. */
static int
start_thread(struct ssh_tunnel *t, struct err *err)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&t->thread, NULL, work, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		return err_set(err, ERR_IO, "start a thread: %s", strerror(rc));
	t->running = true;
	return 0;
}

int
ssh_tunnel_open(struct ssh_tunnel **out, const struct ssh_config *c,
		int64_t keep_ms, int64_t connect_ms, struct deadline dl,
		struct err *err)
{
	struct ssh_tunnel *t = mem_alloc(sizeof(*t));

	pthread_mutex_init(&t->lock, NULL);
	ssh_config_copy(&t->config, c);
	t->keep_ms = keep_ms;
	t->connect_ms = connect_ms;
	t->ssh.fd = -1;
	t->stop.fd[0] = t->stop.fd[1] = -1;
	t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->wake < 0) {
		err_sys(err, "eventfd");
		goto fail;
	}
	if (deadline_cancel_init(&t->stop, err) || open_session(t, dl, err))
		goto fail;
	/* So that no name server is waited for when it is made again. */
	if (t->config.address == NULL)
		t->config.address = mem_strdup(t->ssh.address);
	t->state.up = true;
	(void)snprintf(t->state.who, sizeof(t->state.who), "%s", t->ssh.who);
	if (start_thread(t, err))
		goto fail;
	*out = t;
	return 0;
fail:
	ssh_tunnel_close(t);
	return -1;
}

void
ssh_tunnel_close(struct ssh_tunnel *t)
{
	if (t == NULL)
		return;
	if (t->running) {
		deadline_cancel_raise(&t->stop, 1);
		(void)pthread_join(t->thread, NULL);
	}
	end_session(t);
	while (t->channel_count > 0)
		remove_channel(t, t->channel_count - 1);
	for (size_t i = 0; i < t->forward_count; i++) {
		close(t->forward[i].listener);
		free(t->forward[i].host);
	}
	if (t->wake >= 0)
		close(t->wake);
	deadline_cancel_done(&t->stop);
	pthread_mutex_destroy(&t->lock);
	ssh_config_done(&t->config);
	free(t);
}
