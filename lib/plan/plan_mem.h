#ifndef PLAN_MEM_H
#define PLAN_MEM_H

#include <stddef.h>

#include <cjson/cJSON.h>

/*
 * What a plan owns: many small things that all end with it, and the table
 * from names to indexes.  Private to the plan's own files.
 */
struct plan_mem;

struct plan_mem *plan_mem_new(void);
void plan_mem_free(struct plan_mem *m);

void *plan_mem_alloc(struct plan_mem *m, size_t size); /* zeroed, aligned */
void *plan_mem_array(struct plan_mem *m, size_t count, size_t size);
char *plan_mem_dup(struct plan_mem *m, const char *s); /* NULL gives NULL */
char *plan_mem_fmt(struct plan_mem *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Takes `v`; returns it. */
const cJSON *plan_mem_json(struct plan_mem *m, cJSON *v);

/* Names to indexes, one table for each kind of thing.  Names are borrowed. */
enum plan_names { PLAN_NAMES_SCREEN, PLAN_NAMES_PROCEDURE, PLAN_NAMES_KINDS };

void plan_mem_names(struct plan_mem *m, enum plan_names kind, size_t count);
void plan_mem_name_add(struct plan_mem *m, enum plan_names kind,
		       const char *name, int index);
int plan_mem_name_find(const struct plan_mem *m, enum plan_names kind,
		       const char *name); /* -1: none */

#endif
