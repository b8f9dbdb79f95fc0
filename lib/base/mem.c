#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *
must(void *p)
{
	static const char msg[] = "patrol: out of memory; "
				  "'patrol reap' gives back what is held\n";

	if (p == NULL) {
		ssize_t n = write(STDERR_FILENO, msg, sizeof(msg) - 1);

		(void)n; /* nothing else can be done about it */
		abort();
	}
	return p;
}

void *
mem_alloc(size_t size)
{
	return must(calloc(1, size ? size : 1));
}

void *
mem_array(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *
mem_resize(void *p, size_t count, size_t size)
{
	return must(reallocarray(p, count ? count : 1, size ? size : 1));
}

char *
mem_strdup(const char *s)
{
	return s ? must(strdup(s)) : NULL;
}

char *
mem_strndup(const char *s, size_t n)
{
	return must(strndup(s, n));
}

void *
mem_dup(const void *p, size_t size)
{
	void *copy = mem_alloc(size);

	if (size > 0)
		memcpy(copy, p, size);
	return copy;
}

char *
mem_vfmt(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return must(s);
}

char *
mem_fmt(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vfmt(fmt, ap);
	va_end(ap);
	return s;
}

void
mem_auto_free(void *pp)
{
	free(*(void **)pp);
}

void
mem_auto_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
