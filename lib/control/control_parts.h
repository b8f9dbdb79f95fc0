#ifndef CONTROL_PARTS_H
#define CONTROL_PARTS_H

#include "base/buf.h"
#include "base/json.h"
#include "control/control.h"

/* The pieces of a connection; only control*.c include this. */
struct control {
	int fd;
	struct buf in;
	struct control_info info;
	struct control_spec spec;
	int64_t next_id;
	int64_t written_us;
	size_t max_message;
	struct control_call *call; /* in flight, not a ping */
	struct control_call *ping;
	cJSON *last_error;
};

enum { CONTROL_READ_STEP = 64 << 10 };

/* control_hello.c: who we are and who answers; fills c->info. */
int control_hello(struct control *c, struct deadline dl, struct err *err);

/* control_send.c: `message`, which is taken, as one frame. */
int control_send(struct control *c, cJSON *message, struct deadline dl,
		 struct err *err);
/* A message without an id; `params` is taken (NULL: {}). */
cJSON *control_send_message(const char *method, cJSON *params);

/* control_call.c: `call` is no longer in flight. */
void control_call_finish(struct control *c, struct control_call *call);

/* control_error.c: the error object of the server's answer to `method`. */
int control_error_fill(const char *method, const cJSON *error, struct err *err);
/* `err` of the stream, as ERR_IO "control_lost"; is -1. */
int control_error_lost(struct err *err);

#endif
