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
	uint64_t target_ns;
	const char *title;
	const char *base; /* where screenshots lie, "" or "folder/" */
};

void frames_show_text(const struct frames_view *v, FILE *to);
void frames_show_csv(const struct frames_view *v, FILE *to);
void frames_show_json(const struct frames_view *v, FILE *to);
/* A page of its own. */
void frames_show_html(const struct frames_view *v, struct buf *out);

/* "Menu -> Battle", "Menu" or ""; free() it. */
char *frames_show_place(const struct frames_place *p);

#endif
