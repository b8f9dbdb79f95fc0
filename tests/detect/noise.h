#ifndef NOISE_H
#define NOISE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Made series for measuring decisions, all from one seed: noise that is
 * simulated, or cut from real histories, with a step or creep of known place
 * and size planted on it.
 */
struct noise {
	uint64_t state; /* splitmix64 */
	double spare;	/* of the pairs of Box and Muller */
	int has_spare;
};

void noise_seed(struct noise *r, uint64_t seed);
double noise_unit(struct noise *r);	       /* [0, 1) */
size_t noise_below(struct noise *r, size_t n); /* 0 .. n - 1 */
double noise_normal(struct noise *r);

enum noise_kind {
	NOISE_PLAIN,
	NOISE_AR,      /* each run remembers half of the one before */
	NOISE_HOT,     /* one day in ten is 6 % slower */
	NOISE_WEEKDAY, /* Mondays are 4 % slower */
	NOISE_BIMODAL, /* two humps, one sigma from the middle each */
	NOISE_MISSING, /* one day in five has no run */
	NOISE_KINDS,
};

extern const char *const noise_names[NOISE_KINDS];

/*
 * `n` days around 100 with deviations of `cv`, as a share; from day `at` on
 * the level is 1 + `size` times that.  Days without a run are left out;
 * `*step` is where the first run of day `at` is.  The number of runs.
 */
size_t noise_make(struct noise *r, enum noise_kind kind, double cv, size_t n,
		  size_t at, double size, double *out, size_t *step);

#endif
