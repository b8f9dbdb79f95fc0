#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/adb_host.h"
#include "base/mem.h"

static void
answer(const uint8_t *data, size_t size)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct deadline dl = deadline_in(NULL, 5000);
	AUTO_FD int fd = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		return;
	fd = pair[0];
	/* What does not fit into the socket is not sent: cut is fine. */
	if (send(pair[1], data, size, MSG_NOSIGNAL) < 0)
		size = 0;
	close(pair[1]);
	if (adb_host_okay(fd, dl, &err) == 0)
		(void)adb_host_text(fd, &b, dl, &err);
}

static void
list(const uint8_t *data, size_t size)
{
	struct adb_host_list l = {0};
	struct err err = ERR_INIT;

	if (adb_host_parse_devices((const char *)data, size, &l, &err))
		return;
	for (size_t i = 0; i < l.count; i++)
		if (!l.item[i].serial || !l.item[i].state_text ||
		    !adb_host_list_find(&l, l.item[i].serial))
			__builtin_trap();
	adb_host_list_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An answer's frame and a list of devices, from the same bytes. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	answer(data, size);
	list(data, size);
	return 0;
}
