#ifndef RAW_DECIDE_H
#define RAW_DECIDE_H

#include "unity/raw_counter.h"
#include "unity/raw_scan.h"
#include "unity/raw_trend.h"

/*
 * Which frames are kept.  A frame is decided once it has ended, once its
 * allocations are all known when they matter, and once its neighbours are
 * when those matter; always in their order.
 */
struct raw_rules {
	bool by_time, by_gc;
	uint64_t time_ns;    /* kept from here on; 0 keeps everything */
	uint64_t gc_bytes;   /* likewise */
	bool busy;	     /* time without waits for the display */
	uint32_t around;     /* neighbours on each side */
	bool keep_indices;   /* else they are made contiguous */
	const char *gc_file; /* raw_counter.h, or NULL */
	const char *gc_name; /* as messages call it; NULL: as it is */
};

enum { RAW_AROUND_MAX = 1000 };

/* Where a frame's allocations are known from, the first that has them. */
enum raw_gc_source {
	RAW_GC_NOWHERE,
	RAW_GC_FILE,
	RAW_GC_COUNTER,
	RAW_GC_SAMPLES,
	RAW_GC_SOURCES,
};

struct raw_decide {
	struct raw_rules rules;
	struct raw_scan *scan;
	struct raw_counter counter;
	uint64_t looked; /* ordinals before it are judged by themselves */
	uint64_t final;	 /* ordinals before it have their fate */
	uint32_t after;	 /* neighbours still to keep */
	uint32_t next_index;
	bool has_index;
	/* Asked before one is kept: false keeps none from here on. */
	bool (*may_keep)(void *arg, const struct raw_frame *f);
	/* Told of each that is. */
	int (*kept)(void *arg, const struct raw_frame *f, struct err *err);
	void *arg;
	bool full; /* may_keep said no */

	uint64_t frames, keep_count;  /* that have an end */
	uint64_t why[4];	      /* by bit of enum raw_why */
	uint64_t gc[RAW_GC_SOURCES];  /* frames by source */
	uint64_t unknown;	      /* without an end, in the midst */
	uint64_t longest_ns, most_gc; /* of all ended frames */
	bool last_kept;		      /* the open frame at the end */
	struct raw_trend trend;
};

int raw_decide_open(struct raw_decide *d, const struct raw_rules *rules,
		    struct raw_scan *scan, struct err *err);
void raw_decide_done(struct raw_decide *d);

/* Decide what can be decided now; at the end everything. */
int raw_decide_go(struct raw_decide *d, bool at_end, struct err *err);

bool raw_decide_all(const struct raw_rules *r); /* keeps everything */
/* Its time as the rules count it. */
uint64_t raw_decide_ns(const struct raw_decide *d, const struct raw_frame *f);
/* Its allocations; RAW_GC_NOWHERE, which is 0: not known. */
enum raw_gc_source raw_decide_gc(const struct raw_decide *d,
				 const struct raw_frame *f, uint64_t *bytes);
/* Where they come from: "file", "counter", "samples", NULL: nowhere. */
const char *raw_decide_source(const struct raw_decide *d);

#endif
