#ifndef RAW_LIST_H
#define RAW_LIST_H

#include "base/json.h"
#include "unity/raw_decide.h"
#include "unity/raw_image.h"
#include "unity/raw_self.h"

/* The frames of a recording, one after another: `patrol frames`. */
struct raw_row {
	uint32_t index;
	uint64_t ordinal;
	uint64_t start_ns, ns, busy_ns;
	uint64_t gc_bytes;
	bool has_gc;
	uint32_t threads;
	const cJSON *said; /* of raw_list_take_summary(); NULL: nothing */
};

struct raw_list {
	struct raw_row *row;
	size_t count, room;
	uint64_t open; /* frames without an end, which are not in it */
	struct raw_scan *scan;
	struct raw_decide decide;
	struct raw_self self;	/* filled if asked for */
	struct raw_image image; /* likewise */
	const char *gc_source;	/* as raw_filter's summary names it; NULL */
	bool data;		/* of the editor's .data: times only */
	bool cut;		/* that ended within a frame */
};

struct raw_list_spec {
	const char *const *paths;
	size_t count;
	const uint8_t *bytes; /* not NULL: one recording in memory instead */
	size_t size;
	const char *gc_file; /* raw_counter.h, or NULL */
	const char *images;  /* a folder, or NULL */
	bool markers;
};

/* raw_list_done() also after a failure. */
int raw_list_read(struct raw_list *l, const struct raw_list_spec *spec,
		  const struct cancel *cancel, struct err *err);
void raw_list_done(struct raw_list *l);

/*
 * What the summary beside a filtered recording knows of its frames: `said` of
 * each row, which lives as long as `summary`, and allocations that are not in
 * the recording itself (--gc).  Gaps that look like frames (--gaps keep) go.
 */
void raw_list_take_summary(struct raw_list *l, const cJSON *summary);

/* The `share` (0 to 1) of frames that took at most so long; 0 when empty. */
uint64_t raw_list_quantile(const struct raw_list *l, double share);
/* Frames from `from_ns` to before `to_ns`. */
size_t raw_list_between(const struct raw_list *l, uint64_t from_ns,
			uint64_t to_ns);
/* The part of all time that frames of more than `ns` took; 0 to 1. */
double raw_list_share_over(const struct raw_list *l, uint64_t ns);
/* Numbers of the rows, the slowest or the most allocating ones first. */
size_t *raw_list_order(const struct raw_list *l, bool by_gc);

#endif
