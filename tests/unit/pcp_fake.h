#ifndef PCP_FAKE_H
#define PCP_FAKE_H

/*
 * A control server in a thread of the test, on a socket pair: a function of
 * the test says what it does after (or instead of) hello.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "control/control.h"
#include "control/control_frame.h"
#include "transport/sock.h"

#define PCP_HELLO                                                          \
	"{\"version\":1,\"server\":\"fake 1\",\"session\":\"s1\","         \
	"\"app\":{\"package\":\"com.example\",\"pid\":77,\"build\":5123}," \
	"\"capabilities\":[\"ui\",\"wait\",\"nav:usn\",\"later\"],"        \
	"\"actions\":[\"skip\",\"win\"]}"

struct pcp_fake {
	const char *hello; /* the result; NULL: PCP_HELLO; "": `play` does */
	void (*play)(struct pcp_fake *f);
	int fd;	 /* the server's end */
	int end; /* the client's, until it is dialled */
	bool single_bytes;
	pthread_t thread;
};

static inline struct deadline
pcp_dl(void)
{
	return deadline_in(NULL, 60000);
}

static inline void
pcp_raw(struct pcp_fake *f, const void *data, size_t len)
{
	const char *p = data;
	size_t step = f->single_bytes ? 1 : len;
	struct err err = ERR_INIT;

	for (; len >= step && len; p += step, len -= step)
		(void)sock_write(f->fd, p, step, pcp_dl(), &err);
}

static inline void
pcp_json(struct pcp_fake *f, const char *fmt, ...)
{
	AUTO_BUF struct buf out = BUF_INIT;
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	control_frame_json(&out, text, strlen(text));
	pcp_raw(f, out.data, out.len);
}

static inline void
pcp_chunk(struct pcp_fake *f, uint32_t stream, uint32_t flags, const char *text)
{
	AUTO_BUF struct buf out = BUF_INIT;
	uint32_t head[3] = {0x80000000u | (uint32_t)(8 + strlen(text)), stream,
			    flags};

	buf_add(&out, head, sizeof(head));
	buf_str(&out, text);
	pcp_raw(f, out.data, out.len);
}

/* The next message of the client; NULL at the end.  cJSON_Delete it. */
static inline cJSON *
pcp_next(struct pcp_fake *f)
{
	struct err err = ERR_INIT;
	cJSON *v = NULL;
	uint32_t n;
	char *text;

	if (sock_read(f->fd, &n, sizeof(n), pcp_dl(), &err))
		return NULL;
	text = mem_alloc(n + 1);
	if (sock_read(f->fd, text, n, pcp_dl(), &err) == 0)
		(void)json_parse(text, n, "request", &v, &err);
	free(text);
	return v;
}

/* Read until `method` comes; its id, -1 at the end. */
static inline long long
pcp_await(struct pcp_fake *f, const char *method)
{
	cJSON *v;

	while ((v = pcp_next(f))) {
		long long id = json_int(v, "id", 0);
		bool hit = strcmp(json_str(v, "method", ""), method) == 0;

		cJSON_Delete(v);
		if (hit)
			return id;
	}
	return -1;
}

static inline void
pcp_result(struct pcp_fake *f, long long id, const char *result)
{
	pcp_json(f, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":%s}", id,
		 result);
}

static inline void *
pcp_main(void *arg)
{
	struct pcp_fake *f = arg;
	const char *hello = f->hello ? f->hello : PCP_HELLO;

	if (*hello)
		pcp_result(f, pcp_await(f, "hello"), hello);
	if (f->play)
		f->play(f);
	while (pcp_await(f, "") >= 0)
		; /* the rest is read, so that nobody is blocked */
	(void)shutdown(f->fd, SHUT_RDWR);
	return NULL;
}

static inline int
pcp_dial(void *arg, int *fd, struct deadline dl, struct err *err)
{
	struct pcp_fake *f = arg;

	(void)dl;
	(void)err;
	*fd = f->end;
	f->end = -1;
	return 0;
}

static inline void
pcp_start(struct pcp_fake *f)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       fd))
		abort();
	f->fd = fd[0];
	f->end = fd[1];
	if (pthread_create(&f->thread, NULL, pcp_main, f))
		abort();
}

static inline void
pcp_stop(struct pcp_fake *f)
{
	(void)shutdown(f->fd, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->fd);
	if (f->end >= 0)
		close(f->end);
}

#endif
