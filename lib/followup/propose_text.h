#ifndef PROPOSE_TEXT_H
#define PROPOSE_TEXT_H

#include "base/buf.h"
#include "base/json.h"

/* Title and body of the pull request, from an answer of propose_states(). */
void propose_text_title(struct buf *out, const cJSON *answer);
void propose_text_body(struct buf *out, const cJSON *answer,
		       const cJSON *result);
/* The same for a terminal. */
void propose_text_say(struct buf *out, const cJSON *answer);

#endif
