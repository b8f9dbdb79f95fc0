#ifndef HISTORY_STORE_H
#define HISTORY_STORE_H

#include "base/deadline.h"
#include "followup/records.h"
#include "plan/settings.h"

/* What the commands of the history share: settings, an open store, a deadline. */
struct history_store {
	struct settings set;
	struct records records;
	struct deadline dl;
};

/* `store`: --history; NULL: PATROL_HISTORY. */
int history_store_open(struct history_store *s, const char *store,
		       const struct cancel *cancel, struct err *err);
void history_store_done(struct history_store *s);

/* The newest `most`, and a line on stderr for what was left out. */
int history_store_read(struct history_store *s, size_t most, struct err *err);

/*
 * A result of a run that has ended: `path` is its folder, or its result.json.
 * The caller deletes it.
 */
int history_store_result(const char *path, cJSON **out, struct err *err);

#define HISTORY_STORE_OPTION(options)                                          \
	{                                                                      \
		"history", 0, OPT_STRING, offsetof(options, history), "STORE", \
			"dir:PATH, git:BRANCH or clickhouse:URL "              \
			"(PATROL_HISTORY)",                                    \
			NULL                                                   \
	}

#endif
