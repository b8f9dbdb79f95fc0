#ifndef PROC_H
#define PROC_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Children.  argv arrays only, never a shell.  A child has its own process
 * group, dies with us (parent-death signal), and inherits no descriptor but
 * those named.
 */
struct proc_spec {
	const char *const *argv;  /* argv[0] is looked up in PATH */
	const char *const *env;	  /* "NAME=value": set on top of ours */
	const char *const *unset; /* names to remove */
	const int *keep_fd;	  /* descriptors to hand on, same number */
	size_t keep_count;
	int out_fd; /* stdout and stderr; -1: /dev/null */
	int in_fd;  /* standard input; 0: /dev/null */
	int err_fd; /* stderr; 0: where stdout goes */
};

struct proc {
	pid_t pid;	  /* 0: none */
	int pidfd;	  /* -1 where the system has none */
	const char *name; /* argv[0], borrowed */
};

/* A missing program is ERR_NOTFOUND, told apart from one that failed. */
int proc_start(struct proc *p, const struct proc_spec *spec, struct err *err);
/* Wait; `status` as from waitpid. */
int proc_wait(struct proc *p, int *status, struct deadline dl, struct err *err);
/* TERM to the group, KILL after `grace_ms`, reaped.  Nothing to do is fine. */
void proc_stop(struct proc *p, int grace_ms);

/* Run to the end and capture stdout and stderr together into `out`. */
int proc_capture(const struct proc_spec *spec, struct buf *out,
		 int *exit_status, struct deadline dl, struct err *err);

/* Full path of a program in PATH, NULL when there is none; free() it. */
char *proc_find(const char *name);

#endif
