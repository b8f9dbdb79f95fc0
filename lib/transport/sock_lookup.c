#include "transport/sock_lookup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

/* Of the thread and of the one who waits; the last one frees it. */
struct lookup {
	pthread_mutex_t lock;
	int users;
	int done; /* an eventfd */
	char *host, *service;
	struct addrinfo *list;
	int rc;
};

static void
leave(struct lookup *l)
{
	bool last;

	pthread_mutex_lock(&l->lock);
	last = --l->users == 0;
	pthread_mutex_unlock(&l->lock);
	if (!last)
		return;
	if (l->list)
		freeaddrinfo(l->list);
	close(l->done);
	pthread_mutex_destroy(&l->lock);
	free(l->host);
	free(l->service);
	free(l);
}

static void *
work(void *arg)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	const uint64_t one = 1;
	struct lookup *l = arg;
	struct addrinfo *list = NULL;
	int rc = getaddrinfo(l->host, l->service, &hints, &list);
	ssize_t n;

	pthread_mutex_lock(&l->lock);
	l->rc = rc;
	l->list = list;
	pthread_mutex_unlock(&l->lock);
	n = write(l->done, &one, sizeof(one));
	(void)n; /* it is empty, so there is room */
	leave(l);
	return NULL;
}

static int
start(struct lookup *l, struct err *err)
{
	sigset_t all, before;
	pthread_t thread;
	int rc;

	sigfillset(&all); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	l->users++;
	rc = pthread_create(&thread, NULL, work, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		l->users--;
		return err_set(err, ERR_IO, "start a thread: %s", strerror(rc));
	}
	(void)pthread_detach(thread); /* it is one of ours, and joinable */
	return 0;
}

static int
take(struct lookup *l, struct addrinfo **list, struct err *err)
{
	int rc;

	pthread_mutex_lock(&l->lock);
	rc = l->rc;
	if (rc == 0) {
		*list = l->list;
		l->list = NULL;
	}
	pthread_mutex_unlock(&l->lock);
	return rc ? err_set(err, ERR_IO, "%s", gai_strerror(rc)) : 0;
}

/* What needs no name server needs no thread. */
static bool
is_address(const char *host, const char *service, struct addrinfo **list)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICHOST};

	return getaddrinfo(host, service, &hints, list) == 0;
}

int
sock_lookup(const char *host, int port, struct addrinfo **list,
	    struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("%d", port);
	struct lookup *l;
	int rc = -1;

	if (is_address(host, service, list))
		return 0;
	l = mem_alloc(sizeof(*l));
	pthread_mutex_init(&l->lock, NULL);
	l->users = 1;
	l->host = mem_strdup(host);
	l->service = mem_strdup(service);
	l->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->done < 0)
		err_sys(err, "eventfd");
	else if (start(l, err) == 0)
		rc = deadline_wait(dl, l->done, POLLIN, err);
	if (rc == 0)
		rc = take(l, list, err);
	leave(l);
	return rc ? err_wrap(err, "look up '%s'", host) : 0;
}
