#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include <stdbool.h>

#include "base/json.h"
#include "report/verdict.h"

/*
 * The pieces of report.html; only report*.c include this.  Each part appends
 * to `out` and adds nothing when the result has nothing to say.
 */
struct report {
	const cJSON *result;
	const struct verdict *verdict;
	const char *dir;     /* of the images; NULL: none */
	size_t images_bytes; /* embedded so far */
	struct buf *out;
};

/* Shared pieces: report_parts.c */
void report_parts_text(struct report *r, const char *s); /* NULL: nothing */
void report_parts_text_max(struct report *r, const char *s, size_t units);
void report_parts_link(struct report *r, const char *url, const char *label);
void report_parts_image(struct report *r, const char *file, const char *alt);
void report_parts_open(struct report *r, const char *id, const char *title,
		       const char *note);
void report_parts_close(struct report *r);
/* A word with a tone: good, warn, bad, quiet. */
void report_parts_chip(struct report *r, const char *tone, const char *word);
/* "12 more" as the last row of a list. */
void report_parts_more(struct report *r, size_t left);
/* Tone and word of a screen's status. */
const char *report_parts_tone(const cJSON *screen);
const char *report_parts_status(const cJSON *screen);

void report_head_write(struct report *r);     /* verdict, numbers, days */
void report_findings_write(struct report *r); /* worse, crashes, errors */
void report_screens_write(struct report *r);
void report_repeats_write(struct report *r); /* within the screens */
void report_trends_write(struct report *r);  /* of earlier runs */
void report_route_write(struct report *r);   /* the graph */
void report_phone_write(struct report *r);   /* the timeline */
void report_frames_write(struct report *r);  /* the Profiler's */
void report_capture_write(struct report *r); /* captures, uploads, metrics */
void report_memory_write(struct report *r);  /* the snapshots' sums */
void report_states_write(struct report *r);  /* graphics states, merged */
void report_again_write(struct report *r);   /* stages, how to repeat it */

#endif
