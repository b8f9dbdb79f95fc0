#include "transport/ssh_tunnel_parts.h"

enum {
	PAUSE_MIN_MS = 250,
	PAUSE_MAX_MS = 5000,
	PAUSE_REFUSED_MS = 30000, /* a login is not tried often */
};

void
ssh_tunnel_session_end(struct ssh_tunnel *t)
{
	for (size_t i = t->channel_count; i-- > 0;)
		if (t->channel[i]->state != SSH_CHANNEL_WAITING)
			ssh_tunnel_serve_remove(t, i);
	ssh_close(&t->ssh);
	t->idle = NULL;
	t->asked_us = 0;
}

int
ssh_tunnel_session_open(struct ssh_tunnel *t, struct deadline dl,
			struct err *err)
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

int
ssh_tunnel_session_again(struct ssh_tunnel *t)
{
	int64_t pause_ms = PAUSE_MIN_MS;

	for (;;) {
		struct err err = ERR_INIT;

		if (ssh_tunnel_session_open(
			    t, deadline_in(&t->stop, t->connect_ms), &err) == 0)
			break;
		if (err.code == ERR_CANCELLED)
			return -1;
		ssh_tunnel_note_down(t, &err);
		if (err.code == ERR_AUTH)
			pause_ms = PAUSE_REFUSED_MS;
		if (deadline_pause(deadline_in(&t->stop, INT64_MAX), pause_ms,
				   &err))
			return -1;
		pause_ms = pause_ms * 2 < PAUSE_MAX_MS ? pause_ms * 2
						       : PAUSE_MAX_MS;
	}
	ssh_tunnel_note_up(t);
	return 0;
}
