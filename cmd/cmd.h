#ifndef CMD_H
#define CMD_H

#include "base/deadline.h"
#include "base/opt.h"

/*
 * A command is one file with one of these, and one line in the table in
 * main.c.  From the options come the parser, --help, the manual page and the
 * shell completion.
 */
struct cmd_context {
	const struct cancel *cancel; /* raised by SIGINT and SIGTERM */
	struct opt_list args;	     /* what is no option */
	void *options;		     /* filled as the table says */
};

enum {
	CMD_OK = 0,	   /* passed or skipped */
	CMD_FAILED = 1,	   /* the patrol found something */
	CMD_USAGE = 2,	   /* usage, plan, artifact */
	CMD_INFRA = 3,	   /* could not run */
	CMD_TIMEOUT = 4,   /* out of time */
	CMD_CANCELLED = 5, /* cancelled and clean */
	CMD_LEFT = 6,	   /* something was left behind */
};

struct command {
	const char *name;    /* "run", or "plan check" */
	const char *summary; /* one line, no full stop */
	const char *usage;   /* what follows the name: "[OPTION]... FILE" */
	const char *details; /* paragraphs for --help and the manual */
	const struct opt *options; /* NULL: none */
	size_t options_size;	   /* of the struct the options fill, zeroed */
	/*
	 * Returns an exit status.  On failure without a result of its own it
	 * returns -1 with `err`, and main prints it and picks the status.
	 */
	int (*run)(struct cmd_context *ctx, struct err *err);
};

/* The exit status that belongs to an error. */
int cmd_status(const struct err *err);

#endif
