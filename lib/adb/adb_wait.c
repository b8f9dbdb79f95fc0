#include "adb/adb_wait.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb_host.h"
#include "base/mem.h"

enum {
	LOOK_MS = 250,		    /* between two looks when nothing is told */
	OFFLINE_PATIENCE_MS = 1500, /* a good connection is offline at first */
	BACKOFF_MIN_MS = 500,
	BACKOFF_MAX_MS = 8000,
	CONNECT_MS = 12000, /* the server itself gives up after 10 s */
};

struct wait {
	const struct adb_server *server;
	const struct adb_wait_spec *spec;
	const char *serial;
	enum adb_host_state state;
	bool known;	  /* `state` was read at least once */
	int64_t since_us; /* in this state */
	int64_t next_us;  /* no attempt before */
	int64_t backoff_ms;
	int track;	  /* host:track-devices, -1: polling has to do */
	struct buf words; /* what the server said to the last connect */
};

/* The verdict when time is over: the state says what was wrong. */
static int
give_up(const struct wait *w, struct err *err)
{
	const char *print = w->spec->fingerprint;

	switch (w->state) {
	case ADB_HOST_UNAUTHORIZED:
		(void)err_set(err, ERR_AUTH,
			      "device '%s' does not trust our adb key%s%s",
			      w->serial, print ? " " : "", print ? print : "");
		(void)err_reason(err, "unauthorized");
		return err_hint(err, "register the public key with the farm's "
				     "account that holds the device, or accept "
				     "the question on the phone's screen");
	case ADB_HOST_ABSENT:
		(void)err_set(err, ERR_NOTFOUND, "device '%s' is not there%s%s",
			      w->serial, w->words.len ? ": adb says " : "",
			      w->words.data);
		(void)err_reason(err, "absent");
		return err_hint(err,
				w->spec->address
					? "is that address reachable from here?"
					: "is the phone plugged in, with USB "
					  "debugging on?");
	case ADB_HOST_NO_PERMISSION:
		(void)err_set(err, ERR_IO,
			      "device '%s': no permission for the "
			      "USB device",
			      w->serial);
		(void)err_reason(err, "offline");
		return err_hint(err, "add a udev rule for the phone's vendor");
	default:
		(void)err_set(err, ERR_IO, "device '%s' stays %s", w->serial,
			      adb_host_state_name(w->state));
		(void)err_reason(err, "offline");
		return err_hint(err,
				"reconnecting did not help: the phone "
				"sleeps or hangs, or on a farm the key belongs "
				"to another account");
	}
}

/* Bytes of track-devices only say that it is time to look. */
static void
drop_track(struct wait *w)
{
	if (w->track >= 0)
		close(w->track);
	w->track = -1;
}

static void
open_track(struct wait *w, struct deadline dl)
{
	struct err ignored = ERR_INIT;

	if (adb_host_dial(w->server, &w->track, dl, &ignored))
		return;
	if (adb_host_send(w->track, "host:track-devices", 18, dl, &ignored) ||
	    adb_host_okay(w->track, dl, &ignored))
		drop_track(w);
}

static int
pause_or_change(struct wait *w, struct deadline dl, struct err *err)
{
	struct pollfd p[2] = {{.fd = w->track, .events = POLLIN}};
	AUTO_BUF struct buf list = BUF_INIT;
	struct err ignored = ERR_INIT;

	if (w->track < 0)
		return deadline_pause(dl, LOOK_MS, err);
	if (deadline_poll(dl, p, 1, LOOK_MS, err))
		return -1;
	if (p[0].revents &&
	    adb_host_text(w->track, &list, deadline_cap(dl, 1000), &ignored))
		drop_track(w);
	return 0;
}

static int
connect_again(struct wait *w, bool drop_first, struct deadline dl,
	      struct err *err)
{
	const char *address = w->spec->address;

	w->backoff_ms = w->backoff_ms ? 2 * w->backoff_ms : BACKOFF_MIN_MS;
	if (w->backoff_ms > BACKOFF_MAX_MS)
		w->backoff_ms = BACKOFF_MAX_MS;
	if (!address) {
		if (drop_first &&
		    adb_host_reconnect(w->server, w->serial, dl, err))
			return -1;
	} else {
		if (drop_first &&
		    adb_host_disconnect(w->server, address, dl, err))
			return -1;
		buf_clear(&w->words);
		if (adb_host_connect(w->server, address, &w->words,
				     deadline_cap(dl, CONNECT_MS), err))
			return -1;
	}
	w->next_us = deadline_now_us() + 1000 * w->backoff_ms;
	return 0;
}

static int
look(struct wait *w, struct deadline dl, struct err *err)
{
	enum adb_host_state state;

	if (adb_host_state(w->server, w->serial, &state, dl, err))
		return -1;
	if (!w->known || state != w->state) {
		w->since_us = deadline_now_us();
		if (w->spec->changed)
			w->spec->changed(w->spec->arg,
					 adb_host_state_name(state));
	}
	w->state = state;
	w->known = true;
	return 0;
}

static int
act(struct wait *w, struct deadline dl, struct err *err)
{
	int64_t now = deadline_now_us();

	if (now < w->next_us)
		return 0;
	if (w->state == ADB_HOST_ABSENT && w->spec->address)
		return connect_again(w, false, dl, err);
	if (w->state == ADB_HOST_OFFLINE &&
	    now - w->since_us > 1000 * OFFLINE_PATIENCE_MS)
		return connect_again(w, true, dl, err);
	return 0;
}

static int
step(struct wait *w, struct deadline dl, struct err *err)
{
	if (look(w, dl, err))
		return -1;
	if (w->state == ADB_HOST_DEVICE)
		return 0;
	if (w->state == ADB_HOST_OTHER) {
		(void)err_set(err, ERR_REMOTE,
			      "device '%s' has not booted Android (it is in "
			      "recovery or its bootloader)",
			      w->serial);
		return err_reason(err, "not_booted");
	}
	if (act(w, dl, err))
		return -1;
	return pause_or_change(w, dl, err);
}

int
adb_wait_device(const struct adb_server *s, const struct adb_wait_spec *spec,
		struct deadline dl, struct err *err)
{
	struct wait w = {
		.server = s,
		.spec = spec,
		.serial = spec->address ? spec->address : spec->serial,
		.track = -1,
		.words = BUF_INIT_MAX(400),
	};
	int rc;

	open_track(&w, deadline_cap(dl, 2000));
	do {
		rc = step(&w, dl, err);
	} while (rc == 0 && w.state != ADB_HOST_DEVICE);
	if (rc && err->code == ERR_TIMEOUT && w.known)
		(void)give_up(&w, err);
	drop_track(&w);
	buf_done(&w.words);
	return rc;
}

int
adb_wait_choose(const struct adb_server *s, char **serial, struct deadline dl,
		struct err *err)
{
	struct adb_host_list list = {0};
	AUTO_BUF struct buf names = BUF_INIT_MAX(400);
	int rc = -1;

	if (adb_host_devices(s, &list, dl, err))
		return -1;
	for (size_t i = 0; i < list.count; i++)
		buf_fmt(&names, "%s%s (%s)", i ? ", " : "", list.item[i].serial,
			list.item[i].state_text);
	if (list.count == 0) {
		(void)err_set(err, ERR_NOTFOUND,
			      "the adb server at %s:%d has no device", s->host,
			      s->port);
		(void)err_reason(err, "absent");
		(void)err_hint(err, "plug a phone in with USB debugging on, or "
				    "name one with --device adb:SERIAL");
	} else if (list.count > 1) {
		(void)err_set(err, ERR_INPUT, "several devices: %s",
			      names.data);
		(void)err_hint(err, "name one with --device adb:SERIAL (a "
				    "phone may be listed twice, by USB and by "
				    "address)");
	} else {
		*serial = mem_strdup(list.item[0].serial);
		rc = 0;
	}
	adb_host_list_done(&list);
	return rc;
}
