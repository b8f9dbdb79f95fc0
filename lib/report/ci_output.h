#ifndef CI_OUTPUT_H
#define CI_OUTPUT_H

#include <stdbool.h>

#include "base/json.h"

/*
 * What GitHub Actions reads besides files: step outputs, the step summary and
 * annotations.  Text of a device, a server or a commit never stands at the
 * start of a line and cannot end one.
 */
enum { CI_ANNOTATIONS_MAX = 9 }; /* GitHub shows 10 a step */

/* Do we run in GitHub Actions? */
bool ci_output_active(void);
/* There: the runner masks this text in its log from here on. */
void ci_output_mask(const char *secret);

/*
 * `outcome`, `measured`, `reason`, `result` (a path), for GITHUB_OUTPUT.
 * `delimiter` must not occur in a value; ci_output_write() takes a random one.
 */
void ci_output_vars(const cJSON *result, const char *result_path,
		    const char *delimiter, struct buf *out);

/* Workflow commands, one a line, at most CI_ANNOTATIONS_MAX. */
void ci_output_annotations(const cJSON *result, struct buf *out);

/*
 * Append outputs and summary to the files that GITHUB_OUTPUT and
 * GITHUB_STEP_SUMMARY name; what is not set is left out.  `summary` as
 * summary_write() made it.
 */
int ci_output_write(const cJSON *result, const char *result_path,
		    const char *summary, struct err *err);

/* %, CR and LF for a command's text; `:` and `,` too for its properties. */
void ci_output_data(struct buf *out, const char *s);
void ci_output_property(struct buf *out, const char *s);

#endif
