#ifndef MEM_H
#define MEM_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Allocation that never returns NULL: on exhaustion the program ends with a
 * line on stderr, and the lease journal lets `patrol reap` clean up.  So no
 * peer may decide a size: bound it before it comes here.
 * Everything returned is released with free() or mem_free().
 */
void *mem_alloc(size_t size);		    /* zeroed */
void *mem_array(size_t count, size_t size); /* zeroed, overflow checked */
void *mem_resize(void *p, size_t count, size_t size);
char *mem_strdup(const char *s); /* NULL gives NULL */
char *mem_strndup(const char *s, size_t n);
void *mem_dup(const void *p, size_t size);
char *mem_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vfmt(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/*
 * Make room for one more element of an array that grows by doubling:
 *	MEM_GROW(list->item, list->count, list->room);
 *	list->item[list->count++] = ...;
 */
#define MEM_GROW(ptr, count, room)                                         \
	do {                                                               \
		if ((count) >= (room)) {                                   \
			(room) = (room) ? (room)*2 : 8;                    \
			(ptr) = mem_resize((ptr), (room), sizeof(*(ptr))); \
		}                                                          \
	} while (0)

/* Free a local at the end of its scope. */
void mem_auto_free(void *pp);
#define AUTO_FREE __attribute__((cleanup(mem_auto_free)))

/* Close a descriptor at the end of its scope; -1 is none. */
void mem_auto_close(const int *fd);
#define AUTO_FD __attribute__((cleanup(mem_auto_close)))

#endif
