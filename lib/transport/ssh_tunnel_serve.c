#include "transport/ssh_tunnel_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	PASSES = 16, /* over all channels, before new events are looked at */
	OPEN_MS = 10000,     /* a far host that does not answer */
	ABANDONED_MS = 1000, /* and nobody waits for it any more */
	LOOK_MS = 500,	     /* at how long an opening takes */
};

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
	ssh_tunnel_note_refused(t, &err);
	t->deaf_until_us = deadline_now_us() + LOOK_MS * 1000;
}

static void
accept_one(struct ssh_tunnel *t, size_t at)
{
	struct ssh_tunnel_port *f = &t->port[at];
	int fd = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		    errno == ENOMEM)
			rest(t);
		return; /* else it has gone again */
	}
	t->channel[t->channel_count++] = ssh_channel_new(fd, f->host, f->port);
}

void
ssh_tunnel_serve_remove(struct ssh_tunnel *t, size_t at)
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
		ssh_tunnel_note_refused(t, &refused);
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
			ssh_tunnel_serve_remove(t, i);
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
			.fd = full ? -1 : t->port[i].listener,
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

void
ssh_tunnel_serve(struct ssh_tunnel *t, struct err *err)
{
	enum { MOST = 3 + SSH_TUNNEL_FORWARDS + SSH_TUNNEL_CHANNELS };
	struct deadline dl = deadline_in(&t->stop, INT64_MAX);
	bool busy = false;

	for (;;) {
		struct pollfd p[MOST];
		size_t listeners = ssh_tunnel_forwards(t);
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
