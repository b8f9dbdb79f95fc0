#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/*
 * Options of a command, from one table that parses, prints --help, the
 * manual and the shell completion.  Long options only as "--name VALUE" or
 * "--name=VALUE", short ones as "-n VALUE"; no abbreviations; "--" ends them.
 */
enum opt_type {
	OPT_FLAG,   /* bool at offset */
	OPT_STRING, /* const char *: borrowed from argv; the last one wins */
	OPT_LIST,   /* struct opt_list: each use adds one */
	/* These three are never 0 when they were given. */
	OPT_DURATION, /* int64_t milliseconds; "300ms 5s 50m 1h" */
	OPT_SIZE,     /* int64_t bytes; "2MB 2MiB" */
	OPT_COUNT,    /* int64_t, decimal */
};

struct opt {
	const char *name; /* long name without dashes; NULL ends a table */
	char letter;	  /* short form or 0 */
	enum opt_type type;
	size_t offset;	      /* into the caller's struct */
	const char *arg;      /* name of the value in help, NULL for a flag */
	const char *help;     /* one sentence, no full stop */
	const char *complete; /* "file", "dir" or "a b c", or NULL */
};

struct opt_list {
	const char **item; /* borrowed from argv */
	size_t count, room;
};

void opt_list_done(struct opt_list *l);
/* Frees the lists of a filled struct, also of a half-filled one. */
void opt_done(const struct opt *table, void *into);

/*
 * Parse argv[1..] into `into`.  `args` receives what is no option, in order.
 * ERR_USAGE names the word and the nearest option.
 */
int opt_parse(const struct opt *table, int argc, char **argv, void *into,
	      struct opt_list *args, struct err *err);

/* The options part of a command's help. */
void opt_help(const struct opt *table, FILE *to);

/* "300ms", "5s", "50m", "1h"; a bare number is refused.  In milliseconds. */
int opt_duration(const char *text, int64_t *ms, struct err *err);
/* "2MB" = 2*10^6, "2MiB" = 2*2^20, "1.5GB"; a bare number is refused. */
int opt_size(const char *text, int64_t *bytes, struct err *err);
/* A decimal number, 0 or more; for an option where 0 is not "not given". */
int opt_count(const char *text, int64_t *n, struct err *err);

#endif
