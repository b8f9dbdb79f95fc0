/*
 * All that a control server may send, while the client asks.  The input is
 * sent whole behind an answer to hello, or in its place.
 */
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/control.h"
#include "control/control_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
dial(void *arg, int *fd, struct deadline dl, struct err *err)
{
	(void)dl;
	(void)err;
	*fd = *(int *)arg;
	return 0;
}

static void
event(void *arg, const char *name, const cJSON *params)
{
	(void)arg;
	(void)name;
	(void)json_int(params, "seq", 0);
}

static void
ask(struct control *c, struct deadline dl)
{
	static const char *const methods[] = {"ui.find", "screenshot", "wait"};
	AUTO_BUF struct buf stream = BUF_INIT_MAX(1 << 16);
	struct control_ping ping;
	struct err err = ERR_INIT;

	for (int i = 0; i < 3; i++) {
		cJSON *result = NULL;

		if (control_request(c, methods[i], NULL, -1, &result, &stream,
				    dl, &err) == 0)
			cJSON_Delete(result);
		err_clear(&err);
	}
	(void)control_ping(c, &ping, dl, &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char hello[] = "{\"id\":1,\"result\":{\"version\":1}}";
	AUTO_BUF struct buf b = BUF_INIT;
	struct control *c = NULL;
	struct err err = ERR_INIT;
	struct deadline dl = deadline_in(NULL, 5000);
	int pair[2];

	if (size == 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		return 0;
	if (data[0] & 1)
		control_frame_json(&b, hello, sizeof(hello) - 1);
	buf_add(&b, data + 1, size - 1);
	if (send(pair[1], b.data, b.len, MSG_NOSIGNAL) >= 0)
		(void)shutdown(pair[1], SHUT_WR);
	if (control_open(&c,
			 &(struct control_spec){
				 .dial = dial, .arg = pair, .event = event},
			 dl, &err) == 0)
		ask(c, dl);
	control_close(c);
	close(pair[1]);
	return 0;
}
