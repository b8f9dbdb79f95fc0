#include "transport/ssh_agent.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "transport/sock.h"
#include "transport/ssh_known.h"

enum {
	LIST = 11,
	LIST_ANSWER = 12,
	SIGN = 13,
	SIGN_ANSWER = 14,
};

/* What is left to be read of an answer. */
struct part {
	const unsigned char *at;
	size_t len;
};

static int
take_number(struct part *p, uint32_t *n)
{
	if (p->len < 4)
		return -1;
	*n = (uint32_t)p->at[0] << 24 | (uint32_t)p->at[1] << 16 |
	     (uint32_t)p->at[2] << 8 | p->at[3];
	p->at += 4;
	p->len -= 4;
	return 0;
}

static int
take_string(struct part *p, struct part *out)
{
	uint32_t n;

	if (take_number(p, &n) || n > p->len)
		return -1;
	*out = (struct part){p->at, n};
	p->at += n;
	p->len -= n;
	return 0;
}

static void
put_number(struct buf *b, size_t n)
{
	unsigned char c[4] = {(unsigned char)(n >> 24),
			      (unsigned char)(n >> 16), (unsigned char)(n >> 8),
			      (unsigned char)n};

	buf_add(b, c, sizeof(c));
}

static int
odd(struct err *err)
{
	return err_set(err, ERR_PROTO, "its answer can't be read");
}

int
ssh_agent_parse_keys(struct ssh_agent *a, const void *data, size_t len,
		     struct err *err)
{
	struct part p = {data, len};
	uint32_t count;

	if (len < 1 || *p.at != LIST_ANSWER)
		return err_set(err, ERR_REMOTE, "it does not tell its keys");
	p.at++;
	p.len--;
	if (take_number(&p, &count))
		return odd(err);
	for (uint32_t i = 0; i < count && a->count < SSH_AGENT_KEYS; i++) {
		struct part blob, comment;
		char *type;

		if (take_string(&p, &blob) || take_string(&p, &comment))
			return odd(err);
		type = ssh_known_type(blob.at, blob.len);
		if (type == NULL)
			continue;
		MEM_GROW(a->key, a->count, a->room);
		a->key[a->count++] = (struct ssh_agent_key){
			.blob = mem_dup(blob.at, blob.len),
			.len = blob.len,
			.type = type,
			.comment = mem_strndup((const char *)comment.at,
					       comment.len),
		};
	}
	return 0;
}

int
ssh_agent_parse_signature(const void *data, size_t len, struct buf *sig,
			  struct err *err)
{
	struct part p = {data, len}, whole, method, bare;

	if (len < 1 || *p.at != SIGN_ANSWER)
		return err_set(err, ERR_REMOTE, "it does not sign");
	p.at++;
	p.len--;
	if (take_string(&p, &whole) || take_string(&whole, &method) ||
	    take_string(&whole, &bare))
		return odd(err);
	buf_add(sig, bare.at, bare.len);
	return buf_check(sig, "its signature", err);
}

/* One question and its answer, both without their lengths. */
static int
ask(struct ssh_agent *a, const struct buf *question, struct buf *answer,
    struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf framed = BUF_INIT_MAX(SSH_AGENT_MAX);
	unsigned char head[4];
	struct part p = {head, sizeof(head)};
	uint32_t len;
	char *to;

	put_number(&framed, question->len);
	buf_add(&framed, question->data, question->len);
	if (buf_check(&framed, "the question", err) ||
	    sock_write(a->fd, framed.data, framed.len, dl, err) ||
	    sock_read(a->fd, head, sizeof(head), dl, err) ||
	    take_number(&p, &len))
		return -1;
	to = len ? buf_reserve(answer, len) : NULL;
	if (to == NULL)
		return odd(err);
	if (sock_read(a->fd, to, len, dl, err))
		return -1;
	buf_added(answer, len);
	return 0;
}

static int
reach(struct ssh_agent *a, const char *path, struct err *err)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	size_t len = strlen(path);

	if (len >= sizeof(un.sun_path))
		return err_set(err, ERR_INPUT, "its path is too long");
	memcpy(un.sun_path, path, len);
	a->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0)
		return err_sys(err, "socket");
	if (connect(a->fd, (struct sockaddr *)&un, sizeof(un)))
		return err_sys(err, "connect");
	return 0;
}

int
ssh_agent_open(struct ssh_agent *a, const char *path, struct deadline dl,
	       struct err *err)
{
	AUTO_BUF struct buf question = BUF_INIT,
			    answer = BUF_INIT_MAX(SSH_AGENT_MAX);

	*a = (struct ssh_agent){.fd = -1};
	if (path == NULL)
		path = getenv("SSH_AUTH_SOCK");
	if (path == NULL || *path == '\0')
		return err_set(err, ERR_NOTFOUND, "SSH_AUTH_SOCK is not set");
	buf_chr(&question, LIST);
	if (reach(a, path, err) || ask(a, &question, &answer, dl, err) ||
	    ssh_agent_parse_keys(a, answer.data, answer.len, err)) {
		ssh_agent_done(a);
		return err_wrap(err, "ssh-agent '%s'", path);
	}
	return 0;
}

void
ssh_agent_done(struct ssh_agent *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free(a->key[i].blob);
		free(a->key[i].type);
		free(a->key[i].comment);
	}
	free(a->key);
	if (a->fd >= 0)
		close(a->fd);
	*a = (struct ssh_agent){.fd = -1};
}

int
ssh_agent_sign(struct ssh_agent *a, const struct ssh_agent_key *key,
	       const void *data, size_t len, struct buf *sig,
	       struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf question = BUF_INIT_MAX(SSH_AGENT_MAX),
			    answer = BUF_INIT_MAX(SSH_AGENT_MAX);

	buf_chr(&question, SIGN);
	put_number(&question, key->len);
	buf_add(&question, key->blob, key->len);
	put_number(&question, len);
	buf_add(&question, data, len);
	put_number(&question, 0);
	if (ask(a, &question, &answer, dl, err) ||
	    ssh_agent_parse_signature(answer.data, answer.len, sig, err))
		return err_wrap(err, "ssh-agent, key '%s'", key->type);
	return 0;
}
