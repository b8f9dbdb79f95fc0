#ifndef WALK_H
#define WALK_H

#include "run/run.h"

/*
 * The walk through the screens: the one rule book is docs/plan.md.
 *
 * walk.c		visits in order, what ends a visit, restarts
 * walk_reach.c		from here to a screen: re-planning, broken transitions
 * walk_step.c		one transition: act, wait, settle, look before retrying
 * walk_look.c		which screen is this; interrupts; unknown screens
 * walk_stay.c		what happens on a screen: hold, evidence, snapshot
 * walk_again.c		after the tour: what is suspect, once more
 * walk_repeat.c	the tour itself again, each time in a new process
 */

/* How often a transition from a screen has failed. */
struct walk_broken {
	int transition, from;
	int64_t failures; /* in this process of the app */
	bool broken;	  /* for this process */
	int processes;	  /* in how many it was broken; 2: dead */
};

struct walk {
	struct run *r;
	struct route_map *map;
	struct deadline dl; /* the plan's deadline less the stop margin */
	int screen;	    /* where we are, ROUTE_UNKNOWN */
	struct walk_broken *broken;
	size_t broken_count, broken_room;
	int64_t *interrupts; /* handled, by interrupt */
	int64_t *snapshots;  /* taken, by screen */
	cJSON *visit;	     /* the current record of screens[], borrowed */
	int64_t repeat;	     /* after the tour, the n-th time; 0: the tour */
	int64_t round;	     /* which tour, from 1; walk_repeat.c */
	size_t visit_number; /* from 1 */
	int target;	     /* its screen */
	bool off_route;	     /* since the last visit */
	char *early;	     /* why, before there was a visit; NULL */
	/* Of the last transition, on the app's clock where it told. */
	int64_t reached_ms, settle_ms;
	double reached_t_ms; /* < 0: not told */
};

/*
 * Walk the whole route and fill screens[], transitions[], interrupts[],
 * crashes[].  0 also when the game failed or time ran out: that is a result.
 * -1: the phone, the farm or a signal ended it.
 */
int walk_route(struct run *r, struct err *err);

/* The current sample is not clean; the first reason is kept. */
void walk_off_route(struct walk *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *walk_screen_name(const struct walk *w, int screen);
/* Is the walk's own time over? */
bool walk_over(const struct walk *w);
/* Evidence, restart, first screen.  ERR_NOTFOUND "no_restarts": used up. */
int walk_restart(struct walk *w, const char *kind, const struct err *why,
		 struct err *err);

/* A time of the result; null for -1, which was not measured. */
void walk_set_ms(cJSON *o, const char *key, int64_t ms);
/* Forget what the last transition measured. */
void walk_forget_times(struct walk *w);
/*
 * Can what failed with `err` be tried again?  1: yes, 0: no, -1: the run is
 * over.  `losses` counts those of the way to the app.
 */
int walk_may_go_on(struct walk *w, int *losses, struct err *err);
/*
 * The app is gone: evidence, and another process.  0: the walk goes on with
 * what comes next, 1: the walk is over, -1: the run is over.
 */
int walk_app_ended(struct walk *w, struct err *err);

/* All visits from the app's start on.  As walk_app_ended(). */
int walk_tour(struct walk *w, struct err *err);

/* --- walk_repeat.c --- */
/* After the first tour: the rest of those of `patrol verify`. */
int walk_repeat(struct walk *w, struct err *err);

/* --- walk_again.c --- */
/*
 * What is suspect is walked limits.confirm times more, within the walk's time;
 * the median of all goes into the result.  -1: the run is over.
 */
int walk_again(struct walk *w, struct err *err);

/* --- walk_reach.c: 0 when `target` is reached and settled. --- */
/* ERR_NOTFOUND, reason "unreached": no way led there. */
int walk_reach(struct walk *w, size_t visit, struct err *err);
/* After the tour, where no way is a detour and none may restart the app. */
int walk_reach_screen(struct walk *w, int target, struct err *err);
/* Broken transitions are forgiven once, in a new process. */
void walk_reach_forgive(struct walk *w);
/* May it be done again when its source still stands after it? */
bool walk_reach_repeatable(const struct plan_transition *t);

/* --- walk_step.c --- */
enum walk_arrival {
	WALK_ARRIVED,	/* there and settled */
	WALK_ELSEWHERE, /* on another known screen: w->screen */
	WALK_FAILED,	/* it did not work; w->screen may be unknown */
};
int walk_step(struct walk *w, const struct route_step *step,
	      enum walk_arrival *arrival, bool detour, struct err *err);
/* What a transition does, as transitions[] has it. */
void walk_step_text(const struct plan_transition *t, struct buf *out);
/* Wait until the screen is settled; WALK_FAILED when it never is. */
int walk_step_settle(struct walk *w, int screen, enum walk_arrival *arrival,
		     struct err *err);
/* Wait until `screen` is seen, at most `ms`. */
int walk_step_see(struct walk *w, int screen, int from, int64_t ms,
		  enum walk_arrival *arrival, double *t_ms, struct err *err);

/* --- walk_look.c --- */
/* Which screen is this?  ROUTE_UNKNOWN in w->screen when none fits. */
int walk_look(struct walk *w, struct err *err);
/* The same, but never `not_these`. */
int walk_look_except(struct walk *w, int not_this, int nor_this, int *found,
		     struct err *err);
/*
 * After a stay on `screen`: what came over it, or instead of it, marks the
 * visit; nothing is answered.
 */
int walk_look_still(struct walk *w, int screen, struct err *err);
/* Handle those that hold now, also Android's dialogs. */
int walk_look_interrupts(struct walk *w, struct err *err);
/*
 * The interrupts that the app can watch for, as members of `any`; `index`
 * (plan.interrupt_count long) tells which is which.  Returns how many.
 */
int walk_look_conds(struct walk *w, cJSON *any, size_t *index, size_t *count,
		    struct err *err);
/* Android's own dialogs alone, for an app that does not answer. */
int walk_look_dialogs(struct walk *w, bool *handled, struct err *err);
int walk_look_handle(struct walk *w, size_t interrupt, struct err *err);
/* Settle, interrupts, BACK, escape: until a known screen is there or not. */
int walk_look_lost(struct walk *w, struct err *err);

/* --- walk_stay.c --- */
int walk_stay(struct walk *w, struct err *err);
/* A picture (and the tree) of what went wrong; failing is fine. */
void walk_stay_failure(struct walk *w, const char *what);

#endif
