#include "adb/adb_sync_wire.h"

#include <string.h>

#include "adb/adb_wire.h"
#include "base/buf.h"
#include "transport/sock.h"

int
adb_sync_wire_request(int fd, const char *id, const char *path,
		      struct deadline dl, struct err *err)
{
	char head[8];
	AUTO_BUF struct buf b = BUF_INIT;
	size_t len = strlen(path);

	if (len == 0 || len > ADB_SYNC_WIRE_PATH_MAX)
		return err_set(err, ERR_INPUT,
			       "a path on the phone has 1 to %d bytes, not %zu",
			       ADB_SYNC_WIRE_PATH_MAX, len);
	memcpy(head, id, 4);
	adb_wire_put32(head + 4, (uint32_t)len);
	buf_add(&b, head, sizeof(head));
	buf_add(&b, path, len);
	return sock_write(fd, b.data, b.len, dl, err);
}

int
adb_sync_wire_unexpected(const char *id, struct err *err)
{
	AUTO_BUF struct buf shown = BUF_INIT;

	buf_escaped(&shown, id, 4);
	return err_set(err, ERR_PROTO, "unexpected sync answer '%s'",
		       shown.data);
}

int
adb_sync_wire_fail(int fd, const char *have, size_t len, uint32_t size,
		   struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT;
	AUTO_BUF struct buf shown = BUF_INIT;
	char *rest;

	if (size > ADB_SYNC_WIRE_DATA_MAX)
		return err_set(err, ERR_PROTO,
			       "a sync failure tells %u bytes of text", size);
	if (len > size)
		len = size;
	buf_add(&text, have, len);
	rest = buf_reserve(&text, size - len);
	if (sock_read(fd, rest, size - len, dl, err))
		return err_wrap(err, "text of a sync failure");
	buf_added(&text, size - len);
	buf_escaped(&shown, text.data, text.len > 300 ? 300 : text.len);
	return err_set(err, ERR_REMOTE, "the phone says '%s'", shown.data);
}

int
adb_sync_wire_head(int fd, const char *id, char *b, struct deadline dl,
		   struct err *err)
{
	if (sock_read(fd, b, 8, dl, err))
		return err_wrap(err, "the phone's answer");
	if (memcmp(b, "FAIL", 4) == 0)
		return adb_sync_wire_fail(fd, "", 0, adb_wire_get32(b + 4), dl,
					  err);
	return memcmp(b, id, 4) ? adb_sync_wire_unexpected(b, err) : 0;
}
