#include "adb/adb_shell_v2.h"

#include "adb/adb_wire.h"

void
adb_shell_v2_head(unsigned char out[5], enum adb_shell_v2_id id, uint32_t len)
{
	out[0] = (unsigned char)id;
	adb_wire_put32(out + 1, len);
}

/* A whole head is there: is it one? */
static int
begin(struct adb_shell_v2 *p, struct err *err)
{
	unsigned id = p->head[0];

	p->left = adb_wire_get32(p->head + 1);
	if (id > ADB_SHELL_V2_WINDOW)
		return err_set(err, ERR_PROTO,
			       "no shell packet: it has the id %u", id);
	if (p->left > ADB_SHELL_V2_MAX)
		return err_set(err, ERR_PROTO,
			       "no shell packet: it tells %u bytes", p->left);
	if (id == ADB_SHELL_V2_EXIT && p->left != 1)
		return err_set(err, ERR_PROTO, "the exit packet has %u bytes",
			       p->left);
	return 0;
}

static int
pass_on(struct adb_shell_v2 *p, const unsigned char *data, size_t len,
	adb_shell_v2_sink sink, void *arg, struct err *err)
{
	unsigned id = p->head[0];

	if (id == ADB_SHELL_V2_EXIT) {
		p->exited = true;
		p->status = data[0];
		return 0;
	}
	if (id != ADB_SHELL_V2_STDOUT && id != ADB_SHELL_V2_STDERR)
		return 0;
	return sink(arg, (enum adb_shell_v2_id)id, (const char *)data, len,
		    err);
}

int
adb_shell_v2_feed(struct adb_shell_v2 *p, const void *data, size_t len,
		  adb_shell_v2_sink sink, void *arg, struct err *err)
{
	const unsigned char *at = data;
	const unsigned char *end = at + len;

	while (at < end && !p->exited) {
		size_t n;

		if (p->head_len < sizeof(p->head)) {
			p->head[p->head_len++] = *at++;
			if (p->head_len == sizeof(p->head) && begin(p, err))
				return -1;
		} else {
			n = (size_t)(end - at);
			if (n > p->left)
				n = p->left;
			if (n && pass_on(p, at, n, sink, arg, err))
				return -1;
			at += n;
			p->left -= (uint32_t)n;
		}
		if (p->head_len == sizeof(p->head) && p->left == 0)
			p->head_len = 0;
	}
	return 0;
}
