#ifndef METRIC_PUT_H
#define METRIC_PUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* The metrics of a record (history_record.h), as they are put there. */
struct metric_put {
	cJSON *metrics; /* an array; the caller's */
	size_t count;	/* of values, HISTORY_RECORD_METRICS_MAX at most */
};

struct metric_put_kind {
	const char *name, *unit;
	bool deterministic, higher_is_better;
	double resolution; /* a smaller difference is none; 0: none is */
};

/* Of a subject, names of others too: longer ones are cut. */
enum { METRIC_PUT_NAME_MAX = 200 };

/* The metric of this name, made when it is new; borrowed. */
cJSON *metric_put_for(struct metric_put *t, const char *name, const char *unit,
		      bool lower_is_better, bool deterministic);

/*
 * A value of metric `m`.  `why` it does not count; NULL: it does.  What is put
 * there again gets a name of its own, "home (2)".  One that is not finite, or
 * too many, is left out.
 */
void metric_put_in(struct metric_put *t, cJSON *m, const char *subject,
		   double value, const char *why);
void metric_put(struct metric_put *t, const struct metric_put_kind *kind,
		const char *subject, double value, const char *why);
/* The number at `path` of `from`, when there is one. */
void metric_put_at(struct metric_put *t, const struct metric_put_kind *kind,
		   const char *subject, const cJSON *from, const char *path,
		   const char *why);

#endif
