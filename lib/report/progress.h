#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

/*
 * What a person watches while patrol runs, on stderr.
 *
 *	patrol · run 4242 a1b2c3d main · stop by 10:45
 *	  ok    artifact 212 MiB, sha256 ok   6.1 s
 *	  >     [5/11] shop   waiting: nav idle   2.1 of 30 s   38 min left
 *
 * A terminal gets one line that is redrawn in place, at most ten times a
 * second; anything else one line an event and no cursor moves; GitHub Actions
 * a ::group:: for each stage, with its line below it.  NO_COLOR is obeyed.
 * Texts are redacted and escaped here; a text is one line.
 */
enum progress_mode {
	PROGRESS_PLAIN,
	PROGRESS_TERMINAL,
	PROGRESS_ACTIONS,
	PROGRESS_QUIET, /* only what is wrong, and the end */
};

enum progress_mark {
	PROGRESS_OK,
	PROGRESS_WARN,
	PROGRESS_FAIL,
	PROGRESS_SKIP,
};

struct progress {
	int fd;
	enum progress_mode mode;
	bool color;
	bool live;	     /* a line to be redrawn stands there */
	bool group;	     /* a ::group:: is open */
	int64_t drawn_at_us; /* when anything was written last */
	bool unread;	     /* the last was not taken in time */
};

/* Looks at `fd`, NO_COLOR, TERM and GITHUB_ACTIONS. */
enum progress_quiet { PROGRESS_TALK, PROGRESS_HUSH };
void progress_init(struct progress *p, int fd, enum progress_quiet quiet);
/* Ends an open line and group; the struct may be used again. */
void progress_done(struct progress *p);

/* The first line: "run 4242 a1b2c3d main · stop by 10:45". */
void progress_begin(struct progress *p, const char *title);

void progress_stage_begin(struct progress *p, const char *name);
/* `text` may be NULL; `ms` < 0: no time is shown. */
void progress_stage_end(struct progress *p, const char *name,
			enum progress_mark mark, const char *text, int64_t ms);
/* A line within a stage: "[4/11] party", "snapshot 431 MiB   33 °C". */
void progress_item(struct progress *p, enum progress_mark mark,
		   const char *what, const char *text, int64_t ms);

/*
 * Something is being waited for.  Call it as often as you like.  `limit_ms`
 * and `left_ms` (until the patrol must end) < 0: unknown.  Where no line can
 * be redrawn this says something once in 30 s.
 */
void progress_waiting(struct progress *p, const char *text, int64_t elapsed_ms,
		      int64_t limit_ms, int64_t left_ms);
/* The same for bytes: "artifact 96 of 212 MiB". */
void progress_bytes(struct progress *p, const char *what, int64_t now,
		    int64_t total);
/* Take the redrawn line away, before something else writes to `fd`. */
void progress_clear(struct progress *p);

/* The verdict of a result, and where its report is (NULL: nowhere). */
void progress_end(struct progress *p, const cJSON *result,
		  const char *report_path);

/* Columns that UTF-8 text takes on a terminal. */
size_t progress_width(const char *s);

#endif
