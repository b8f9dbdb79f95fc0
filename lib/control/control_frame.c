#include "control/control_frame.h"

#include <ctype.h>
#include <endian.h>
#include <string.h>

#include "control/control.h"

#define BINARY 0x80000000u

static uint32_t
le32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* Another protocol's first words say more than a length of 1.2 GB. */
static int
no_frame(const char *data, size_t len, uint32_t n, struct err *err)
{
	bool text = true;

	for (size_t i = 0; i < 4; i++)
		text = text && isprint((unsigned char)data[i]);
	if (text) {
		AUTO_BUF struct buf shown = BUF_INIT;

		buf_escaped(&shown, data, len < 40 ? len : 40);
		return err_set(err, ERR_PROTO,
			       "what answers is no PCP server; it sent '%s'",
			       shown.data);
	}
	return err_set(err, ERR_PROTO,
		       "the app sent a frame of %u bytes, over the limit",
		       n & ~BINARY);
}

int
control_frame_next(const char *data, size_t len, size_t max_json,
		   struct control_frame *f, struct err *err)
{
	uint32_t n;

	if (len < 4)
		return 0;
	n = le32(data);
	if (n & BINARY) {
		uint32_t size = n & ~BINARY;

		if (size < 8 || size > CONTROL_MAX_CHUNK)
			return no_frame(data, len, n, err);
		if (len < 4 + (size_t)size)
			return 0;
		*f = (struct control_frame){
			.binary = true,
			.data = data + 12,
			.len = size - 8,
			.stream = le32(data + 4),
			.flags = le32(data + 8),
			.used = 4 + (size_t)size,
		};
		return 1;
	}
	if (n > max_json)
		return no_frame(data, len, n, err);
	if (len < 4 + (size_t)n)
		return 0;
	*f = (struct control_frame){
		.data = data + 4,
		.len = n,
		.used = 4 + (size_t)n,
	};
	return 1;
}

void
control_frame_json(struct buf *out, const char *text, size_t len)
{
	uint32_t n = htole32((uint32_t)len);

	buf_add(out, &n, sizeof(n));
	buf_add(out, text, len);
}
