#ifndef CAPTURE_H
#define CAPTURE_H

#include <pthread.h>

#include "adb/adb_shell.h"
#include "run/run.h"
#include "unity/raw_filter.h"

/*
 * measure.profiler with `filter`: the app's Profiler writes everything into
 * numbered segments on the phone, and while it does, the frames over a
 * threshold are kept and the segments deleted; on the phone by the program
 * that we put beside the app, or here, whereto each finished segment is
 * pulled between two stays.
 *
 * Each process of the app makes a recording of its own, since its clock and
 * its frames begin anew.  What goes wrong is a result: it ends the recording,
 * is told in captures.profiler and never ends the walk; errors are those of
 * watch.h only.
 */
enum capture_state {
	CAPTURE_RUNS,
	CAPTURE_ENDED, /* the app writes no more */
	CAPTURE_DONE,  /* its output is here, or never will be */
};

struct capture_recording {
	int number;
	enum capture_state state;
	char *folder; /* of the segments, as the app names it */
	int segment;  /* the one that is written, from 1 */
	int pulled;   /* segments that are here, with filter: host */
	int64_t segment_us;
	int64_t from_ms, to_ms; /* of the run */
	size_t mark;		/* the first of marks[] within it */
	char *why;		/* it ended before its time; NULL */
	bool failed;		/* and has no output */
	char *file;		/* of the output, below the run's folder */

	/* filter: device */
	struct adb_shell shell; /* what the program says; fd -1: it ended */
	struct buf words;
	bool lost; /* the connection ended, not the program */
	/* filter: host */
	char *counter;	   /* the app's own so far, here; NULL: none */
	int64_t counted;   /* bytes of it */
	bool counter_over; /* no more of it is brought */
	pthread_t thread;
	bool has_thread;
	struct cancel stop;
	int ended[2]; /* readable once the thread is over */
	char *incoming;
	char *out, *summary;
	struct raw_filter_spec spec;
	const char *omit[16];
	struct err err;
	int rc;
};

struct capture {
	enum plan_filter filter;
	bool noted;	    /* it is in the lease journal */
	bool touched;	    /* something of ours may be on the phone */
	bool ready;	    /* and all of it is */
	char *counter;	    /* gc_counter on the phone; NULL: none */
	bool counter_noted; /* in the lease journal, too */
	bool counter_stays; /* an old one could not be removed */
	struct capture_recording **list;
	size_t count, room;
	struct capture_recording *now; /* not done; NULL: none */
	bool over;		       /* no other one begins */
	bool owed;		       /* one has to, as soon as it can */
	bool told;		       /* in the result */
};

/* Does this run have one?  Else measure_profiler.c does what there is. */
bool capture_wanted(const struct run *r);
/* Before anything is taken: is there a program for the phone? */
int capture_check(const struct run *r, struct err *err);
void capture_free(struct capture *c);

/*
 * Before a process of the app begins: the recording of the one before is
 * ended, and the counter that it wrote is gone, as is one of an earlier run.
 */
int capture_app_begins(struct run *r, struct deadline dl, struct err *err);
/* For a process of the app that was just started, and told all the rest. */
int capture_start(struct run *r, struct deadline dl, struct err *err);
/*
 * Between two stays: look after the filter, and let the app go on in another
 * segment when this one is old enough.
 */
int capture_next(struct run *r, struct deadline dl, struct err *err);
/* The app writes no more; app or filter may be gone already. */
int capture_stop(struct run *r, struct deadline dl, struct err *err);
/*
 * Outputs and summaries, which are here, into the result, once.  `failed`:
 * that stands in it already.
 */
void capture_tell(struct run *r, bool failed);
/* A cancelled end: the app is told to stop. */
int capture_undo(struct run *r, struct deadline dl, struct err *err);
/* A teardown step: neither program nor segment stays on the phone. */
int capture_clean(void *arg, struct deadline dl, struct err *err);

/* capture_device.c, capture_host.c: the two places of the filter */
char *capture_device_program(const struct run *r); /* NULL: none; free() */
int capture_device_ready(struct run *r, bool *touched, struct deadline dl,
			 struct err *err);
int capture_device_begin(struct run *r, struct capture_recording *c,
			 struct deadline dl, struct err *err);
/* Take in what it says without waiting; shell.fd is -1 once it ended. */
void capture_device_hear(struct capture_recording *c);
/* Segments that it has not consumed, the one that is written included. */
int capture_device_unread(struct run *r, struct capture_recording *c,
			  int *count, struct deadline dl, struct err *err);
/* Let it end, and bring what it made to c->file. */
int capture_device_end(struct run *r, struct capture_recording *c,
		       struct deadline dl, struct err *err);
void capture_device_done(struct capture_recording *c);
/* A command as the app, in its own folder; free() it. */
char *capture_device_as_app(const struct run *r, const char *command);

/* Of the segments on the phone; free() it. */
char *capture_host_folder(const struct run *r);
int capture_host_ready(struct run *r, bool *touched, struct deadline dl,
		       struct err *err);
int capture_host_begin(struct run *r, struct capture_recording *c,
		       struct deadline dl, struct err *err);
/* Has it ended by itself? */
bool capture_host_over(const struct capture_recording *c);
/* Bring segments up to `last` here and delete them on the phone. */
int capture_host_fetch(struct run *r, struct capture_recording *c, int last,
		       struct deadline dl, struct err *err);
int capture_host_end(struct run *r, struct capture_recording *c,
		     struct deadline dl, struct err *err);
void capture_host_done(struct capture_recording *c);

/*
 * `what` of the lease journal, at `path` on the phone (NULL: none is needed):
 * reap finds it there when we are killed.
 */
int capture_note(struct run *r, const char *what, const char *path,
		 struct err *err);

/* capture_counter.c: what the app itself counts (gc_counter) */
/* Its path, once; in the lease journal before the app can write it. */
int capture_counter_find(struct run *r, struct capture *all, struct err *err);
int capture_counter_remove(struct run *r, struct capture *all,
			   struct deadline dl, struct err *err);
/* The same before the app begins; one that stays is told and not used. */
int capture_counter_fresh(struct run *r, struct capture *all,
			  struct deadline dl, struct err *err);
bool capture_counter_used(const struct capture *all);
/* filter: host: what was added to it to c->counter. */
int capture_counter_fetch(struct run *r, struct capture_recording *c,
			  struct deadline dl, struct err *err);

/* capture_result.c: what the outputs say, into captures.profiler */
void capture_result_fill(struct run *r, const struct capture *c, bool failed);

#endif
