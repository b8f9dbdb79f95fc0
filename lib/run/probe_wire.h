#ifndef PROBE_WIRE_H
#define PROBE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "run/run.h"

/*
 * One stream to the server in the app, frame by frame: it sends what control
 * would never send and hides nothing of the answers.
 */
struct probe_wire {
	int fd; /* -1: none */
	struct buf in;
	int64_t next_id;
	bool greeted; /* hello was answered with a result */
	bool ended;   /* the server closed it */
	cJSON *bye;   /* its params; NULL: none came */
	size_t events;
	/* Chunks since the last request. */
	struct buf stream;
	int64_t stream_id; /* -1: none came */
	size_t chunks, largest;
	bool last, mixed; /* the last came; two streams at once */
};

int probe_wire_open(struct probe_wire *w, struct run *r, struct deadline dl,
		    struct err *err);
void probe_wire_done(struct probe_wire *w);

/* A JSON frame of these very bytes. */
int probe_wire_raw(struct probe_wire *w, const char *text, size_t len,
		   struct deadline dl, struct err *err);
/* A request, or with `id` NULL a notification.  Takes `params`. */
int probe_wire_send(struct probe_wire *w, const char *method, cJSON *params,
		    int64_t *id, struct deadline dl, struct err *err);
/*
 * The next answer, whatever its id; chunks, events and bye are noted on the
 * way.  ERR_IO when the stream ends before.
 */
int probe_wire_next(struct probe_wire *w, cJSON **answer, struct deadline dl,
		    struct err *err);
/* Until the chunks of the announced stream are all there. */
int probe_wire_stream(struct probe_wire *w, struct deadline dl,
		      struct err *err);
/* Until the server has closed the stream. */
int probe_wire_end(struct probe_wire *w, struct deadline dl, struct err *err);
/* Send and take the answer with that id; others are dropped. */
int probe_wire_ask(struct probe_wire *w, const char *method, cJSON *params,
		   cJSON **answer, struct deadline dl, struct err *err);

/* hello with these versions (0-ended) and this token (NULL: none). */
int probe_wire_hello(struct probe_wire *w, const int *versions,
		     const char *token, cJSON **answer, struct deadline dl,
		     struct err *err);

#endif
