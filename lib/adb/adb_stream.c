#include "adb/adb_stream.h"

#include <string.h>
#include <unistd.h>

#include "adb/adb_host.h"
#include "base/mem.h"

/*
 * The server refused the transport.  Its words differ between versions, so
 * the state decides what the failure is; the words stay as evidence.
 */
static int
no_transport(const struct adb_server *s, const char *serial, struct deadline dl,
	     struct err *err)
{
	enum adb_host_state state;
	struct err second = ERR_INIT;

	if (adb_host_state(s, serial, &state, deadline_cap(dl, 2000), &second))
		return -1;
	switch (state) {
	case ADB_HOST_UNAUTHORIZED:
		err->code = ERR_AUTH;
		(void)err_reason(err, "unauthorized");
		return err_wrap(err, "device '%s' does not trust our key",
				serial);
	case ADB_HOST_ABSENT:
		err->code = ERR_NOTFOUND;
		(void)err_reason(err, "absent");
		return err_wrap(err, "device '%s' is not connected", serial);
	case ADB_HOST_DEVICE:
		return err_wrap(err, "device '%s'", serial);
	default:
		err->code = ERR_IO;
		(void)err_reason(err, "offline");
		return err_wrap(err, "device '%s' is %s", serial,
				adb_host_state_name(state));
	}
}

static int
refused(const char *serial, const char *name, struct err *err)
{
	/* "closed" is the server's own word: the device said nothing. */
	if (err->code == ERR_REMOTE && strstr(err->msg, "'closed'")) {
		err->code = ERR_NOTFOUND;
		(void)err_reason(err, "refused");
	}
	return err_wrap(err, "device '%s', service '%s'", serial, name);
}

int
adb_stream_open_raw(const struct adb_server *s, const char *serial,
		    const void *service, size_t len, int *fd,
		    struct deadline dl, struct err *err)
{
	AUTO_FREE char *transport = mem_fmt("host:transport:%s", serial);
	AUTO_FREE char *name =
		mem_strndup(service, strnlen(service, len < 60 ? len : 60));
	AUTO_FD int sock = -1;

	if (adb_host_dial(s, &sock, dl, err))
		return -1;
	if (adb_host_send(sock, transport, strlen(transport), dl, err))
		return err_wrap(err, "device '%s'", serial);
	if (adb_host_okay(sock, dl, err)) {
		if (err->code == ERR_REMOTE)
			return no_transport(s, serial, dl, err);
		return err_wrap(err, "device '%s'", serial);
	}
	if (adb_host_send(sock, service, len, dl, err) ||
	    adb_host_okay(sock, dl, err))
		return refused(serial, name, err);
	*fd = sock;
	sock = -1;
	return 0;
}

int
adb_stream_open(const struct adb_server *s, const char *serial,
		const char *service, int *fd, struct deadline dl,
		struct err *err)
{
	return adb_stream_open_raw(s, serial, service, strlen(service), fd, dl,
				   err);
}
