#ifndef CLICKHOUSE_H
#define CLICKHOUSE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/secret.h"
#include "history/history.h"

/*
 * ClickHouse's HTTP interface, as it is since 18.16: a statement is a POST's
 * body, and so is the data behind an INSERT's.  Nothing secret is in a URL.
 */
struct clickhouse {
	struct http *http;
	char *url; /* with no database, and no slash at its end */
	char *database;
	const char *user;	       /* borrowed; may be NULL */
	const struct secret *password; /* the same */
	int exception;		       /* the last call's number; 0: none */
};

/* Numbers of exceptions, which are the same in all versions. */
enum {
	CLICKHOUSE_SYNTAX = 62,
	CLICKHOUSE_NO_TABLE = 60,
	CLICKHOUSE_NO_DATABASE = 81,
};

/*
 * `url`: http(s)://HOST[:PORT][/PATH]/DATABASE.  The database's name is one of
 * letters, digits and underscores, which needs no escaping.  ERR_USAGE.
 */
int clickhouse_check(const char *url, struct err *err);
/* A URL that clickhouse_check() took. */
void clickhouse_init(struct clickhouse *c, const char *url, const char *user,
		     const struct secret *password);
void clickhouse_done(struct clickhouse *c);

/*
 * A statement that has no answer.  ERR_REMOTE, ERR_AUTH: an exception, whose
 * number is c->exception; ERR_IO: nobody is there, or a gateway says so;
 * ERR_PROTO: what answers is no ClickHouse.
 */
int clickhouse_do(struct clickhouse *c, const struct buf *statement,
		  struct deadline dl, struct err *err);

/*
 * The rows of `select`, which has the columns id and text, each shown once,
 * sorted by id, as they come.  In memory are two rows.
 */
int clickhouse_select(struct clickhouse *c, const char *select,
		      history_see *see, void *arg, struct deadline dl,
		      struct err *err);

/* Is it a table or a database that was missing, at the last call? */
bool clickhouse_missing(const struct clickhouse *c);

#endif
