#include "transport/ssh_tunnel.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/sock.h"
#include "transport/ssh_tunnel_parts.h"

size_t
ssh_tunnel_forwards(struct ssh_tunnel *t)
{
	size_t n;

	pthread_mutex_lock(&t->lock);
	n = t->forward_count;
	t->state.channels = (int)t->channel_count;
	pthread_mutex_unlock(&t->lock);
	return n;
}

void
ssh_tunnel_note_refused(struct ssh_tunnel *t, const struct err *why)
{
	pthread_mutex_lock(&t->lock);
	t->state.refused = *why;
	t->state.refused_us = deadline_now_us();
	pthread_mutex_unlock(&t->lock);
}

void
ssh_tunnel_note_up(struct ssh_tunnel *t)
{
	pthread_mutex_lock(&t->lock);
	t->state.up = true;
	t->state.reconnects++;
	pthread_mutex_unlock(&t->lock);
}

void
ssh_tunnel_note_down(struct ssh_tunnel *t, const struct err *why)
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
	struct ssh_tunnel_port *f = &t->port[t->forward_count];

	for (size_t i = 0; i < t->forward_count; i++) {
		if (t->port[i].port == port &&
		    strcmp(t->port[i].host, host) == 0) {
			*local = t->port[i].local;
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

static bool
stopped(const struct ssh_tunnel *t)
{
	return deadline_cancel_raised(&t->stop, 1);
}

static void *
work(void *arg)
{
	struct ssh_tunnel *t = arg;

	do {
		struct err err = ERR_INIT;

		ssh_tunnel_serve(t, &err);
		(void)err_wrap(&err, "SSH to '%s'", t->ssh.who);
		ssh_tunnel_note_down(t, &err);
		ssh_tunnel_session_end(t);
	} while (!stopped(t) && ssh_tunnel_session_again(t) == 0);
	return NULL;
}

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
	if (deadline_cancel_init(&t->stop, err) ||
	    ssh_tunnel_session_open(t, dl, err))
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
	ssh_tunnel_session_end(t);
	while (t->channel_count > 0)
		ssh_tunnel_serve_remove(t, t->channel_count - 1);
	for (size_t i = 0; i < t->forward_count; i++) {
		close(t->port[i].listener);
		free(t->port[i].host);
	}
	if (t->wake >= 0)
		close(t->wake);
	deadline_cancel_done(&t->stop);
	pthread_mutex_destroy(&t->lock);
	ssh_config_done(&t->config);
	free(t);
}
