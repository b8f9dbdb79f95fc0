#ifndef FRAMES_SHOW_H
#define FRAMES_SHOW_H

#include <stdio.h>

#include "cmd/frames_marks.h"

/* The forms of `patrol frames`. */
struct frames_view {
	const struct raw_list *list;
	const struct frames_marks *marks;
	size_t *order; /* the worst rows first, without disturbed ones */
	size_t top;    /* how many of them are shown */
	size_t disturbed;
	bool by_gc;
	uint64_t origin_ns; /* when the recording began */
	const cJSON *kept;  /* the summary of the filter, NULL: no filter's */
	uint64_t target_ns;
	const char *title;
	const char *base; /* where screenshots lie, "" or "folder/" */
};

void frames_show_text(const struct frames_view *v, FILE *to);
void frames_show_csv(const struct frames_view *v, FILE *to);
void frames_show_json(const struct frames_view *v, FILE *to);
/* A page of its own. */
void frames_show_html(const struct frames_view *v, struct buf *out);

/* Paragraphs: how many frames, how long, what of them; one a line. */
void frames_show_sums(const struct frames_view *v, struct buf *b);
/* "Menu -> Battle", "Menu" or ""; free() it. */
char *frames_show_place(const struct frames_place *p);

#endif
