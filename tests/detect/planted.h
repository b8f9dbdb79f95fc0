#ifndef PLANTED_H
#define PLANTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/detect/labelled.h"

/*
 * Steps, creeps and controls planted on the noise of real histories, seeded.
 *
 * A source is a stretch of >= PLANTED_RUNS runs of a history between changes
 * that published detectors agree on, in which Pettitt's test (offline, p <
 * 0.01) finds none either.  Each series is PLANTED_RUNS of a source drawn at
 * random, scaled to a median of 1000.  One in four is a control, two have a
 * step of 5, 10 or 20 % at run 40 to 95, one has a creep of 0.2, 0.3 or 0.5 %
 * a run over 40 runs from run 30.
 */
enum { PLANTED_RUNS = 120, PLANTED_CREEP_AT = 30, PLANTED_CREEP_RUNS = 40 };

enum planted_kind { PLANTED_CONTROL, PLANTED_STEP, PLANTED_CREEP };

struct planted {
	enum planted_kind kind;
	size_t at;	 /* the first run of the change */
	double size;	 /* of the step, or of the whole creep, as a share */
	double to_noise; /* size / noise, 1.4826 MAD of the source's stretch */
	double value[PLANTED_RUNS];
};

struct planted_sources {
	struct planted_source {
		const char *name; /* of the history */
		const double *value;
		size_t count;
	} * item;
	size_t count, room;
};

/* Those among `all`, which must outlive them. */
void planted_find(const struct labelled *all, size_t count,
		  struct planted_sources *out);
void planted_done(struct planted_sources *s);
/* `count` of them from `seed`; free() it. */
struct planted *planted_make(const struct planted_sources *s, uint64_t seed,
			     size_t count);

#endif
