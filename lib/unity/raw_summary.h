#ifndef RAW_SUMMARY_H
#define RAW_SUMMARY_H

#include "base/file.h"
#include "unity/raw_decide.h"

/*
 * The summary beside a filtered recording, written while it is made: a line
 * a kept frame, then the totals (docs/schema/filter.schema.json).
 */
struct raw_counts {
	uint64_t blocks_out, blocks_dropped, blocks_omitted;
	uint64_t repeated; /* definitions that were written already */
	uint64_t unplaced; /* blocks of frames that the main thread lacks */
};

struct raw_summary {
	struct file_part file;
	bool open;
	struct buf text; /* not written yet */
	uint64_t frames;
	void (*warn)(const char *text); /* told each warning; may be NULL */
	size_t warnings;
};

int raw_summary_open(struct raw_summary *s, const char *path, struct err *err);
void raw_summary_done(struct raw_summary *s);

int raw_summary_frame(struct raw_summary *s, const struct raw_decide *d,
		      const struct raw_frame *f, struct err *err);
int raw_summary_end(struct raw_summary *s, const struct raw_decide *d,
		    const struct raw_counts *counts, uint64_t bytes_out,
		    struct err *err);

#endif
