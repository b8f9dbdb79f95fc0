#ifndef RAW_TREND_H
#define RAW_TREND_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * All frames of a recording in little memory: how long they took, to about
 * 1 %, and the worst ones over time in columns that double their width when
 * they no longer suffice.
 */
enum { RAW_TREND_COLUMNS = 600, RAW_TREND_BINS = 64 * 48 };

struct raw_trend_column {
	uint64_t start_ns; /* of its first frame */
	uint32_t index;	   /* and that one's index */
	uint32_t frames;
	uint64_t ns, gc; /* of the worst one each */
};

struct raw_trend {
	struct raw_trend_column column[RAW_TREND_COLUMNS];
	size_t columns;
	uint64_t wide; /* frames in each column */
	uint64_t frames;
	uint64_t bin[RAW_TREND_BINS];
	uint64_t below[4];	    /* 16.67, 33.3 and 50 ms, and the rest */
	uint64_t total_ns, over_ns; /* over: in frames past 25 ms */
	uint64_t max_ns;
};

/* `gc`: 0 when it is not known. */
void raw_trend_add(struct raw_trend *t, uint32_t index, uint64_t start_ns,
		   uint64_t ns, uint64_t gc);
/* The `share` (0 to 1) of frames that took at most so long; 0 when empty. */
uint64_t raw_trend_quantile(const struct raw_trend *t, double share);
/* "times" and "trend" of a summary, as JSON's members. */
void raw_trend_json(const struct raw_trend *t, struct buf *out);

#endif
