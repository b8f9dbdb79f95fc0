#ifndef SLACK_TEXT_H
#define SLACK_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

/* Text of Slack's messages, within limits; only slack*.c include this. */

/* Text of one block: `units` never passes `limit`. */
struct slack_text {
	struct buf b;
	size_t units, limit;
	bool full;
};

void slack_text_init(struct slack_text *t, size_t limit);
/* Markup of ours. */
void slack_text_mark(struct slack_text *t, const char *s);
/* Text of anybody, escaped as Slack wants it: & < > and nothing else. */
void slack_text_plain(struct slack_text *t, const char *s);
/* <url|label>, whole or not at all. */
void slack_text_link(struct slack_text *t, const char *url, const char *label);
/* " · " between two things on a line, which begins at `start`. */
void slack_text_dot(struct slack_text *t, size_t start);

/*
 * A list of lines: the first that does not fit is taken back, and the rest is
 * counted.
 */
struct slack_lines {
	struct slack_text t;
	size_t shown, more;
};

void slack_text_lines(struct slack_lines *l, size_t limit);
void slack_text_line(struct slack_lines *l,
		     void (*line)(struct slack_text *t, const cJSON *item),
		     const cJSON *item);
struct slack_text *slack_text_end(struct slack_lines *l);

/* Take `t` and put it behind as one block; empty text makes none. */
void slack_text_block(cJSON *blocks, struct slack_text *t, const char *type);

#endif
