#ifndef HISTORY_BACKEND_H
#define HISTORY_BACKEND_H

#include "history/history.h"

/*
 * A kind of store.  history.c has checked ids and sizes and redacted texts
 * before it calls one, and settles the ids that list() pushed.  The contracts
 * are history.h's.
 */
struct history_backend {
	const char *scheme; /* "dir": of dir:PATH */
	/* `rest`: of the URL behind the colon.  ERR_USAGE: it is no such. */
	int (*check)(const char *rest, struct err *err);
	void *(*open)(const char *rest, const struct history_access *access);
	void (*close)(void *self);
	int (*list)(void *self, size_t most, struct history_ids *out,
		    struct deadline dl, struct err *err);
	int (*read)(void *self, char *const *id, size_t count, history_see *see,
		    void *arg, struct deadline dl, struct err *err);
	int (*add)(void *self, const struct history_entry *e, size_t count,
		   size_t *added, struct deadline dl, struct err *err);
	int (*remove)(void *self, char *const *id, size_t count,
		      struct deadline dl, struct err *err);
	/* NULL: a crash leaves nothing. */
	int (*tidy)(void *self, size_t *files, struct deadline dl,
		    struct err *err);
};

extern const struct history_backend history_dir_backend;
extern const struct history_backend history_git_backend;
extern const struct history_backend history_clickhouse_backend;

#endif
