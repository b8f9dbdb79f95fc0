#ifndef FRAMES_MARKS_H
#define FRAMES_MARKS_H

#include "base/json.h"
#include "unity/raw_list.h"

/*
 * What a patrol was doing at each frame, by its result.json: the screen or
 * transition, and its own disturbances.  The two clocks are brought together
 * by the marks, which carry both a frame and a time of the run.
 * A filtered recording has other indices than the app's, which its summary
 * knows: raw_list_take_summary() first.
 */
struct frames_marks {
	struct frames_place *place; /* one for each row of the list */
	cJSON *result;
	bool placed; /* the clocks could be brought together */
};

struct frames_place {
	uint32_t original;	/* the app's index */
	const char *from, *to;	/* a transition, or `to` is the screen */
	const char *screenshot; /* of that screen, relative to the result */
	const char *disturbed;	/* a mark's kind, or NULL */
};

int frames_marks_read(struct frames_marks *m, const struct raw_list *l,
		      const char *result, struct err *err);
void frames_marks_done(struct frames_marks *m);

#endif
