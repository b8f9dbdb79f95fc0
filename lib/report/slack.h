#ifndef SLACK_H
#define SLACK_H

#include "base/json.h"

/*
 * The one message of the day as Slack takes it: {"text", "blocks"}.
 *
 * `text` and the first block are the verdict.  All of Slack's limits are kept,
 * counted in UTF-16 units after escaping; text is cut between characters and
 * never within an entity or a link.  Only & < > are escaped.
 */
enum {
	SLACK_BLOCKS_MAX = 50,
	SLACK_HEADER_MAX = 150,
	SLACK_SECTION_MAX = 3000,
	SLACK_FIELD_MAX = 2000,
	SLACK_FIELDS_MAX = 10,
	SLACK_TOTAL_MAX = 10000, /* all text together; more is refused */
};

/* Of a parsed result.json; the caller deletes it. */
cJSON *slack_message(const cJSON *result);

/* When there is no result: the patrol did not even start. */
cJSON *slack_missing(const char *report_url);

/*
 * An alert of ours: `sentence` stands out, `why` and `todo` follow (each may
 * be NULL), `label` is the link's word.
 */
cJSON *slack_alert(const char *sentence, const char *why, const char *todo,
		   const char *url, const char *label);

/* Compact strict JSON with a final newline: slack.json. */
void slack_text(const cJSON *message, struct buf *out);

#endif
