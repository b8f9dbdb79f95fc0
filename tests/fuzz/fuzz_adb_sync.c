#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adb/adb_sync.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte picks the call, the rest is what the phone says. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(1 << 16);
	struct adb_sync sync = {.fd = -1, .serial = "S"};
	struct adb_sync_list list = {0};
	struct adb_sync_stat st;
	struct err err = ERR_INIT;
	struct deadline dl = deadline_in(NULL, 5000);
	int pair[2];

	if (size == 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		return 0;
	sync.fd = pair[0];
	if (send(pair[1], data + 1, size - 1, MSG_NOSIGNAL) >= 0)
		(void)shutdown(pair[1], SHUT_WR);
	sync.stat_v2 = data[0] & 4;
	switch (data[0] & 3) {
	case 0:
		(void)adb_sync_stat(&sync, "/f", &st, dl, &err);
		break;
	case 1:
		if (adb_sync_list(&sync, "/d", &list, dl, &err) == 0)
			adb_sync_list_done(&list);
		break;
	case 2:
		(void)adb_sync_read(&sync, "/f", &b, dl, &err);
		break;
	default:
		(void)adb_sync_push(&sync, "/dev/null", "/f", 0644, NULL, NULL,
				    dl, &err);
		(void)adb_sync_push(&sync, "VERSION", "/f", 0644, NULL, NULL,
				    dl, &err);
		break;
	}
	close(pair[1]);
	adb_sync_close(&sync);
	return 0;
}
