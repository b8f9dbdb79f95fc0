#ifndef STF_CALL_H
#define STF_CALL_H

#include "stf/stf.h"

/*
 * One request to the farm, and what its answer means; only stf*.c include
 * this.  `path` begins with a slash, below ".../api/v1".  `body`: NULL for
 * none.  `out`: the JSON of a success, the caller's; may be NULL.  Errors are
 * those of stf.h.
 */
int stf_call(struct stf *s, const char *method, const char *path,
	     const cJSON *body, cJSON **out, struct deadline dl,
	     struct err *err);
/* prefix, the serial as it stands in a URL, suffix; free() it. */
char *stf_call_path(const char *prefix, const char *serial, const char *suffix);
/* Without the blanks around it, which STF leaves in its values; free() it. */
char *stf_call_trimmed(const char *s);

#endif
