#ifndef DETECT_H
#define DETECT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Which runs of a series began a new level: read day by day, as it is used,
 * so that nothing is said of a run with the help of runs after `seen`.
 *
 * docs/decisions-method.md has the method, its source and its error rates.
 * Same values, same answer.  Values are of valid runs, in order, not NaN; the
 * caller knows which way is worse.
 */
enum detect_kind {
	DETECT_SUSPECT, /* this run alone is beyond its baseline */
	DETECT_STEP,	/* a new level, confirmed by further runs */
	DETECT_CREEP,	/* slow: no run began a new level; seen over weeks */
};

struct detect_change {
	enum detect_kind kind;
	size_t index;	      /* the first run of the new level */
	size_t base;	      /* the first run of those compared with */
	size_t seen;	      /* the run at which it was said first, >= index */
	double before, after; /* medians */
	size_t runs_before, runs_after; /* which they are of */
	double noise; /* sigma of one run before, in the unit of the values */
};

enum detect_limits { DETECT_TAIL_LEAST = 4, DETECT_TAIL_MOST = 8 };

/* detect_rules() has the setting that is used; others are for measuring. */
struct detect_rules {
	double floor;	      /* share of the level that is worth a word */
	double least;	      /* so much is, at least; in the values' unit */
	size_t base;	      /* runs before that are compared with, <= 60 */
	size_t base_least;    /* with fewer nothing is said */
	double strict;	      /* factor of all demands for evidence; 1 */
	bool deterministic;   /* a value that differs is a change, at once */
	size_t suspect_base;  /* runs of which a suspect's median is */
	double suspect_mads;  /* and how far it must be from that */
	double suspect_floor; /* at least, as a share of the median */
	double huge_sigmas;   /* what three runs confirm; 0: nothing */
	double huge_floor;    /* and at least, as a share of the median */
	size_t creep_every;   /* runs between two looks; 0: never */
	size_t creep_span;    /* runs that are looked at, <= 60 */
};

struct detect_rules detect_rules(void);

/* In the order of `seen`; one index is said once, suspects apart. */
struct detect_list {
	struct detect_change *change;
	size_t count, room;
};

#define DETECT_LIST_INIT   \
	{                  \
		NULL, 0, 0 \
	}
void detect_list_done(struct detect_list *list);

/* Appends what there is to say of `n` values. */
void detect_series(const double *value, size_t n,
		   const struct detect_rules *rules, struct detect_list *list);

#endif
