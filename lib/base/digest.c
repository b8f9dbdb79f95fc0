#include "base/digest.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"

enum {
	SLOTS = 4,
	SLOT_BYTES = 1 << 20,	     /* waking a thread for less costs more */
	THREAD_FROM_BYTES = 4 << 20, /* below, a thread costs more */
};

struct digest {
	EVP_MD_CTX *md;
	bool failed;
	size_t fed; /* capped at THREAD_FROM_BYTES */

	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned char *slot[SLOTS];
	size_t len[SLOTS];
	unsigned put, taken; /* slots filled and hashed, ever */
	size_t filling;	     /* bytes in the slot that is next to be put */
	bool end;
};

static void
update(struct digest *d, const void *data, size_t len)
{
	if (!EVP_DigestUpdate(d->md, data, len))
		d->failed = true;
}

static void *
work(void *arg)
{
	struct digest *d = arg;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		unsigned i = d->taken % SLOTS;

		if (d->taken == d->put) {
			if (d->end)
				break;
			pthread_cond_wait(&d->changed, &d->lock);
			continue;
		}
		pthread_mutex_unlock(&d->lock);
		update(d, d->slot[i], d->len[i]);
		pthread_mutex_lock(&d->lock);
		d->taken++;
		pthread_cond_signal(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Without a thread it goes on as it began. */
static void
start(struct digest *d)
{
	sigset_t all, before;

	d->put = d->taken = 0;
	d->filling = 0;
	d->end = false;
	for (int i = 0; i < SLOTS; i++)
		if (!d->slot[i])
			d->slot[i] = mem_alloc(SLOT_BYTES);
	sigfillset(&all); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	d->running = pthread_create(&d->thread, NULL, work, d) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The slot that was filled is the thread's. */
static void
hand_over(struct digest *d)
{
	d->len[d->put % SLOTS] = d->filling;
	d->filling = 0;
	pthread_mutex_lock(&d->lock);
	d->put++;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

static void
stop(struct digest *d)
{
	if (!d->running)
		return;
	if (d->filling)
		hand_over(d);
	pthread_mutex_lock(&d->lock);
	d->end = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	d->running = false;
}

struct digest *
digest_new(void)
{
	struct digest *d = mem_alloc(sizeof(*d));

	d->md = EVP_MD_CTX_new();
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	digest_reset(d);
	return d;
}

void
digest_free(struct digest *d)
{
	if (!d)
		return;
	stop(d);
	for (int i = 0; i < SLOTS; i++)
		free(d->slot[i]);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->changed);
	EVP_MD_CTX_free(d->md);
	free(d);
}

static void
await_slot(struct digest *d)
{
	pthread_mutex_lock(&d->lock);
	while (d->put - d->taken == SLOTS)
		pthread_cond_wait(&d->changed, &d->lock);
	pthread_mutex_unlock(&d->lock);
}

void
digest_feed(struct digest *d, const void *data, size_t len)
{
	const unsigned char *p = data;

	if (!d->running && d->fed >= THREAD_FROM_BYTES)
		start(d);
	if (!d->running) {
		d->fed += len < THREAD_FROM_BYTES ? len : THREAD_FROM_BYTES;
		update(d, data, len);
		return;
	}
	while (len) {
		size_t room = SLOT_BYTES - d->filling;
		size_t n = len < room ? len : room;

		if (!d->filling)
			await_slot(d);
		memcpy(d->slot[d->put % SLOTS] + d->filling, p, n);
		d->filling += n;
		if (d->filling == SLOT_BYTES)
			hand_over(d);
		p += n;
		len -= n;
	}
}

void
digest_reset(struct digest *d)
{
	stop(d);
	d->fed = 0;
	d->failed = !d->md || !EVP_DigestInit_ex(d->md, EVP_sha256(), NULL);
}

int
digest_finish(struct digest *d, char hex[DIGEST_HEX], struct err *err)
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned int len = 0;

	stop(d);
	if (d->failed || !EVP_DigestFinal_ex(d->md, md, &len) || len != 32)
		return err_set(err, ERR_IO, "OpenSSL cannot do SHA-256");
	for (size_t i = 0; i < 32; i++)
		(void)snprintf(hex + i * 2, 3, "%02x", md[i]); /* fixed form */
	digest_reset(d);
	return 0;
}
