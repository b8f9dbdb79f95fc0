#ifndef RAW_FILTER_H
#define RAW_FILTER_H

#include "base/deadline.h"
#include "unity/raw_decide.h"

/*
 * `patrol filter`: the frames of a recording that pass a threshold, as a
 * recording.  docs/raw-log.md tells what is written and why.
 */
struct raw_filter_spec {
	struct raw_src_spec src;
	struct raw_rules rules;
	const char *out;	 /* "-": standard output, NULL: none */
	const char *summary;	 /* NULL: none */
	uint64_t max_output;	 /* bytes, 0: no limit */
	const char *const *omit; /* names of threads; NULL: the usual ones */
	size_t omits;
};

struct raw_filter_result {
	uint64_t frames, kept;
	uint64_t bytes_in, bytes_out;
	bool full;    /* stopped at max_output */
	bool stopped; /* was told to, while following */
	size_t warnings;
};

/*
 * On failure neither file gets its name; but an output that is whole keeps it
 * when only the summary fails, for its input may be consumed.  A first signal ends a followed
 * input in order; else it is ERR_CANCELLED.  `warn` is told each warning of
 * the summary.
 */
int raw_filter_run(const struct raw_filter_spec *spec,
		   const struct cancel *cancel, void (*warn)(const char *text),
		   struct raw_filter_result *result, struct err *err);

#endif
