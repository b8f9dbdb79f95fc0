#ifndef VERDICT_H
#define VERDICT_H

#include "base/err.h"
#include "base/json.h"

/*
 * What a result says, in one sentence: is the game worse, and was it
 * measured?  Report, Slack, summary, annotations and terminal say this one.
 */
enum verdict_tone {
	VERDICT_GOOD, /* fine, and measured */
	VERDICT_NONE, /* nothing is known: skipped, not measured, stopped */
	VERDICT_BAD,  /* the patrol found something, or could not run */
};

struct verdict {
	enum verdict_tone tone;
	const char *word;  /* "PASSED", "NOTHING MEASURED", ...; static */
	const char *state; /* of the outcome alone: "SKIPPED", ... */
	char *sentence;	   /* clean UTF-8, one line, no markup */
	char *why;	   /* NULL when the sentence says it all */
	char *todo;	   /* what to do about it; NULL: nothing */
	size_t visited, planned, off_route;
	bool measured;
	bool wanted;		 /* measurement data */
	int64_t unmeasured_days; /* in a row, this one included; 0: measured */
};

/* `result` is a parsed result.json; anything in it may be missing. */
void verdict_init(struct verdict *v, const cJSON *result);
void verdict_done(struct verdict *v);

/*
 * One of result.regressions: "shop uses 18 % more memory (412→486 MiB), 2nd
 * day", and the commits between which it began, "a0f9e8d..a1b2c3d".
 */
void verdict_change(struct buf *out, const cJSON *regression);
void verdict_commits(struct buf *out, const cJSON *regression);

/* What a stable reason code means and what to do about it. */
struct verdict_reason {
	const char *code;
	const char *words; /* a clause: no capital, no full stop */
	const char *cure;  /* a sentence; NULL: none is known */
};

/*
 * The stable code that a result says for an error: its own reason, or one that
 * stands for the words of the phone's installer and of the app's server, or
 * the kind of failure.  Static; it is in the table.
 */
const char *verdict_code(const struct err *err);

/* NULL for a code that is not in the table. */
const struct verdict_reason *verdict_reason(const char *code);
/* The table, ended by a NULL code. */
extern const struct verdict_reason verdict_reason_table[];

#endif
