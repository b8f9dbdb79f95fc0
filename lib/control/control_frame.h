#ifndef CONTROL_FRAME_H
#define CONTROL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Frames: u32 little-endian n, then n bytes.  Bit 31 clear: JSON.  Bit 31
 * set: a chunk of n & 0x7fffffff bytes: u32 stream, u32 flags, data.
 * The same frame as Poco's and GAutomator's, without bit 31.
 */
enum {
	CONTROL_FRAME_LAST = 1, /* flags of a chunk */
	CONTROL_FRAME_ABORT = 2,
};

struct control_frame {
	bool binary;
	const char *data; /* into the buffer, valid until it changes */
	size_t len;	  /* JSON text, or the chunk's data */
	uint32_t stream, flags;
	size_t used; /* bytes to drop from the buffer after */
};

/*
 * Look at the front of `data`.  1: `f` is a whole frame.  0: more bytes are
 * needed.  -1: ERR_PROTO, these bytes can be no frame.
 */
int control_frame_next(const char *data, size_t len, size_t max_json,
		       struct control_frame *f, struct err *err);

/* Append a JSON frame. */
void control_frame_json(struct buf *out, const char *text, size_t len);

#endif
