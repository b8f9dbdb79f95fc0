#ifndef CAPTURE_PLACE_H
#define CAPTURE_PLACE_H

#include "base/json.h"

/*
 * Where the patrol was when a frame of a recording was: the log has a clock
 * of its own, and marks[] knows frames by their index.
 */
struct capture_place {
	const cJSON *result;
	double offset_ns; /* the log's clock when the run began */
	size_t mark;	  /* the first of marks[] within the recording */
	int64_t from_ms, to_ms;
};

/* `trend` of the filter's summary tells when a frame was. */
void capture_place_init(struct capture_place *p, const cJSON *result,
			size_t mark, int64_t from_ms, int64_t to_ms,
			const cJSON *trend);
/* Milliseconds of the run. */
int64_t capture_place_at_ms(const struct capture_place *p, double ns);
/*
 * Into `o`, which has its index as `frame`: from and to of the transition that
 * ran, or screen, its screenshot, and disturbed_by where patrol itself was at
 * work.
 */
void capture_place_frame(const struct capture_place *p, double start_ns,
			 double end_ns, cJSON *o);

#endif
