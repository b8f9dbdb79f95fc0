/*
 * Any bytes as what a server in an app answers: the probe takes frames until
 * they end, and never more than one of them at once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/deadline.h"
#include "run/probe_check.h"
#include "run/probe_wire.h"

enum { MOST = 60 << 10 }; /* what a socket takes without a reader */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
judge(const cJSON *answer)
{
	AUTO_BUF struct buf got = BUF_INIT;

	probe_check_describe(answer, &got);
	(void)probe_check_error(answer, -32601, "NotSupported", &got);
	(void)probe_check_fields(json_get(answer, "result"),
				 "t:n app.package:s objects:a x:?", &got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_wire w = {.fd = -1, .stream_id = -1};
	int pair[2];

	if (size > MOST ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		return 0;
	if (size > 0 && send(pair[1], data, size, 0) != (ssize_t)size) {
		close(pair[0]);
		close(pair[1]);
		return 0;
	}
	close(pair[1]);
	w.fd = pair[0];
	buf_init(&w.in, 8 << 20);
	buf_init(&w.stream, 8 << 20);
	for (;;) {
		struct deadline dl = deadline_in(NULL, 1000);
		AUTO_JSON cJSON *answer = NULL;
		struct err err = ERR_INIT;

		if (probe_wire_next(&w, &answer, dl, &err))
			break;
		judge(answer);
	}
	probe_wire_done(&w);
	return 0;
}
