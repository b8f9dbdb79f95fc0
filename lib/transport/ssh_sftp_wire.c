#include "transport/ssh_sftp_wire.h"

#include <string.h>

enum { ATTR_SIZE = 1, ATTR_IDS = 2, ATTR_MODE = 4, ATTR_TIMES = 8 };

/* What is left of a packet; `bad` when something did not fit into it. */
struct cursor {
	const unsigned char *p;
	size_t left;
	bool bad;
};

static uint32_t
take_u32(struct cursor *c)
{
	uint32_t v = 0;

	if (c->left < 4) {
		c->bad = true;
		c->left = 0;
		return 0;
	}
	for (int i = 0; i < 4; i++)
		v = v << 8 | *c->p++;
	c->left -= 4;
	return v;
}

static uint64_t
take_u64(struct cursor *c)
{
	uint64_t high = take_u32(c);

	return high << 32 | take_u32(c);
}

static struct ssh_sftp_wire_text
take_text(struct cursor *c)
{
	struct ssh_sftp_wire_text t = {"", 0};
	uint32_t len = take_u32(c);

	if (c->bad || len > c->left) {
		c->bad = true;
		return t;
	}
	t.data = (const char *)c->p;
	t.len = len;
	c->p += len;
	c->left -= len;
	return t;
}

static void
take_attrs(struct cursor *c, struct ssh_sftp_wire_attrs *a)
{
	uint32_t flags = take_u32(c);

	if (flags & ATTR_SIZE)
		a->size = take_u64(c);
	if (flags & ATTR_IDS)
		(void)take_u64(c);
	if (flags & ATTR_MODE)
		a->mode = take_u32(c);
	if (flags & ATTR_TIMES) {
		(void)take_u32(c);
		a->mtime = take_u32(c);
	}
}

static bool
is(struct ssh_sftp_wire_text t, const char *s)
{
	return t.len == strlen(s) && memcmp(t.data, s, t.len) == 0;
}

static void
take_caps(struct cursor *c, struct ssh_sftp_wire_caps *caps)
{
	while (c->left && !c->bad) {
		struct ssh_sftp_wire_text name = take_text(c);

		(void)take_text(c);
		if (is(name, "posix-rename@openssh.com"))
			caps->posix_rename = true;
		else if (is(name, "fsync@openssh.com"))
			caps->fsync = true;
		else if (is(name, "statvfs@openssh.com"))
			caps->statvfs = true;
	}
}

static void
take_body(struct cursor *c, struct ssh_sftp_wire_reply *r)
{
	switch (r->type) {
	case SSH_SFTP_WIRE_HELLO:
		take_caps(c, &r->caps);
		break;
	case SSH_SFTP_WIRE_STATUS:
		r->status = take_u32(c);
		/* Servers of before version 3 send no words. */
		if (c->left)
			r->text = take_text(c);
		break;
	case SSH_SFTP_WIRE_HANDLE:
		r->text = take_text(c);
		c->bad |= r->text.len > SSH_SFTP_WIRE_HANDLE_MAX;
		break;
	case SSH_SFTP_WIRE_DATA:
		r->text = take_text(c);
		break;
	case SSH_SFTP_WIRE_ATTRS:
		take_attrs(c, &r->attrs);
		break;
	case SSH_SFTP_WIRE_EXTENDED_REPLY:
		r->text.data = (const char *)c->p;
		r->text.len = c->left;
		break;
	default:
		c->bad = true;
	}
}

long
ssh_sftp_wire_next(const char *data, size_t len,
		   struct ssh_sftp_wire_reply *reply, struct err *err)
{
	struct cursor c = {(const unsigned char *)data, len, false};
	struct ssh_sftp_wire_reply r = {.text = {"", 0}};
	uint32_t size;

	if (len < 4)
		return 0;
	size = take_u32(&c);
	if (size < 5 || size > SSH_SFTP_WIRE_MAX)
		return err_set(err, ERR_PROTO,
			       "sftp: a packet of %u bytes is none", size);
	if (c.left < size)
		return 0;
	c.left = size - 1;
	r.type = *c.p++;
	r.id = take_u32(&c);
	take_body(&c, &r);
	if (c.bad)
		return err_set(err, ERR_PROTO,
			       "sftp: a packet of type %u does not parse",
			       (unsigned)r.type);
	*reply = r;
	return (long)size + 4;
}

int
ssh_sftp_wire_free_bytes(const struct ssh_sftp_wire_reply *reply,
			 uint64_t *bytes, struct err *err)
{
	struct cursor c = {(const unsigned char *)reply->text.data,
			   reply->text.len, false};
	uint64_t unit, blocks;

	(void)take_u64(&c); /* preferred block size */
	unit = take_u64(&c);
	(void)take_u64(&c); /* blocks in all */
	(void)take_u64(&c); /* free ones, for root */
	blocks = take_u64(&c);
	if (c.bad)
		return err_set(err, ERR_PROTO, "sftp: statvfs is too short");
	if (unit && blocks > UINT64_MAX / unit)
		*bytes = UINT64_MAX;
	else
		*bytes = unit * blocks;
	return 0;
}

static void
put_u32(unsigned char *p, uint32_t v)
{
	for (int i = 3; i >= 0; i--) {
		p[i] = (unsigned char)v;
		v >>= 8;
	}
}

size_t
ssh_sftp_wire_begin(struct buf *b, enum ssh_sftp_wire_type type, uint32_t id)
{
	size_t begin = b->len;

	ssh_sftp_wire_u32(b, 0);
	buf_chr(b, (char)type);
	ssh_sftp_wire_u32(b, id);
	return begin;
}

void
ssh_sftp_wire_u32(struct buf *b, uint32_t v)
{
	unsigned char raw[4];

	put_u32(raw, v);
	buf_add(b, raw, sizeof(raw));
}

void
ssh_sftp_wire_u64(struct buf *b, uint64_t v)
{
	ssh_sftp_wire_u32(b, (uint32_t)(v >> 32));
	ssh_sftp_wire_u32(b, (uint32_t)v);
}

void
ssh_sftp_wire_string(struct buf *b, const void *data, size_t len)
{
	ssh_sftp_wire_u32(b, (uint32_t)len);
	buf_add(b, data, len);
}

void
ssh_sftp_wire_end(struct buf *b, size_t begin)
{
	/* Past its limit the buf stays short, and buf_check() tells. */
	if (!b->over)
		put_u32((unsigned char *)b->data + begin,
			(uint32_t)(b->len - begin - 4));
}
