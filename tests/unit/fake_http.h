#ifndef FAKE_HTTP_H
#define FAKE_HTTP_H

/*
 * An HTTP server on loopback in a thread of the test: one request a
 * connection, answered by a function of the test, which may also misbehave.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FAKE_MAX_LOG = 256, FAKE_MAX_HELD = 32, FAKE_MAX_REQUEST = 65536 };

struct fake_request {
	char method[16];
	char path[2048];  /* with the query */
	char head[16384]; /* all header lines */
	char body[16384];
};

struct fake_reply {
	int status;	     /* 0: 200; -1: no answer, connection held */
	const char *type;    /* NULL: application/json */
	const char *headers; /* more lines, each with \r\n; or NULL */
	char text[8192];     /* the body, when `body` is NULL */
	const void *body;
	size_t body_len;
	long cut_at;   /* > 0: close after so many bytes of the body */
	long stall_at; /* > 0: go silent after so many */
};

struct fake_http {
	int listener, port;
	pthread_t thread;
	void (*handle)(void *arg, const struct fake_request *q,
		       struct fake_reply *r);
	void *arg;
	pthread_mutex_t lock;	 /* of the log */
	char *log[FAKE_MAX_LOG]; /* "METHOD /path", "... +auth" with a token */
	int log_count;
	int held[FAKE_MAX_HELD];
	int held_count;
	char url[64];
};

static inline bool
fake_send(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* Head and body of one request; false when the client went away. */
static inline bool
fake_receive(int fd, struct fake_request *q)
{
	char *buf = calloc(1, FAKE_MAX_REQUEST + 1), *end = NULL, *p;
	size_t len = 0, need = 0;
	bool ok = false;

	while (len < FAKE_MAX_REQUEST) {
		ssize_t n = recv(fd, buf + len, FAKE_MAX_REQUEST - len, 0);

		if (n <= 0)
			break;
		len += (size_t)n;
		if (!end && (end = strstr(buf, "\r\n\r\n"))) {
			p = strcasestr(buf, "\r\ncontent-length:");
			need = (size_t)(end + 4 - buf);
			if (p && p < end)
				need += (size_t)strtol(p + 17, NULL, 10);
		}
		if (end && len >= need) {
			ok = true;
			break;
		}
	}
	memset(q, 0, sizeof(*q));
	if (ok) {
		sscanf(buf, "%15s %2047s", q->method, q->path);
		snprintf(q->head, sizeof(q->head), "%.*s", (int)(end - buf),
			 buf);
		snprintf(q->body, sizeof(q->body), "%s", end + 4);
	}
	free(buf);
	return ok;
}

static inline void
fake_answer(struct fake_http *f, int fd, const struct fake_reply *r)
{
	const char *body = r->body ? r->body : r->text;
	size_t len = r->body ? r->body_len : strlen(r->text), part = len;
	char head[1024];

	snprintf(head, sizeof(head),
		 "HTTP/1.1 %d X\r\nContent-Type: %s\r\n"
		 "Content-Length: %zu\r\nConnection: close\r\n%s\r\n",
		 r->status ? r->status : 200,
		 r->type ? r->type : "application/json", len,
		 r->headers ? r->headers : "");
	if (r->status >= 0) {
		if (r->cut_at > 0)
			part = (size_t)r->cut_at;
		if (r->stall_at > 0)
			part = (size_t)r->stall_at;
		if (fake_send(fd, head, strlen(head)))
			fake_send(fd, body, part < len ? part : len);
	}
	if ((r->status < 0 || r->stall_at > 0) &&
	    f->held_count < FAKE_MAX_HELD) {
		f->held[f->held_count++] = fd;
		return;
	}
	shutdown(fd, SHUT_WR);
	close(fd);
}

static inline void *
fake_main(void *arg)
{
	struct fake_http *f = arg;
	struct fake_request *q = calloc(1, sizeof(*q));
	struct fake_reply *r = calloc(1, sizeof(*r));
	int fd;

	while ((fd = accept(f->listener, NULL, NULL)) >= 0) {
		if (!fake_receive(fd, q)) {
			close(fd);
			continue;
		}
		pthread_mutex_lock(&f->lock);
		if (f->log_count < FAKE_MAX_LOG) {
			char line[2200];

			snprintf(line, sizeof(line), "%s %s%s", q->method,
				 q->path,
				 strcasestr(q->head, "\r\nauthorization:")
					 ? " +auth"
					 : "");
			f->log[f->log_count++] = strdup(line);
		}
		memset(r, 0, sizeof(*r));
		f->handle(f->arg, q, r);
		pthread_mutex_unlock(&f->lock);
		fake_answer(f, fd, r);
	}
	free(q);
	free(r);
	return NULL;
}

/* A port of the kernel's choice, and nobody who answers. */
static inline void
fake_listen(struct fake_http *f)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);

	memset(f, 0, sizeof(*f));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(f->listener, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(f->listener, 16) ||
	    getsockname(f->listener, (struct sockaddr *)&a, &len))
		abort();
	f->port = ntohs(a.sin_port);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d", f->port);
}

static inline void
fake_start(struct fake_http *f,
	   void (*handle)(void *, const struct fake_request *,
			  struct fake_reply *),
	   void *arg)
{
	fake_listen(f);
	pthread_mutex_init(&f->lock, NULL);
	f->handle = handle;
	f->arg = arg;
	pthread_create(&f->thread, NULL, fake_main, f);
}

static inline void
fake_stop(struct fake_http *f)
{
	shutdown(f->listener, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->listener);
	for (int i = 0; i < f->held_count; i++)
		close(f->held[i]);
	for (int i = 0; i < f->log_count; i++)
		free(f->log[i]);
	pthread_mutex_destroy(&f->lock);
}

/* How many requests began with `prefix`. */
static inline int
fake_count(struct fake_http *f, const char *prefix)
{
	int n = 0;

	pthread_mutex_lock(&f->lock);
	for (int i = 0; i < f->log_count; i++)
		n += strncmp(f->log[i], prefix, strlen(prefix)) == 0;
	pthread_mutex_unlock(&f->lock);
	return n;
}

static inline void
fake_text(struct fake_reply *r, int status, const char *fmt, ...)
{
	va_list ap;

	r->status = status;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

#endif
