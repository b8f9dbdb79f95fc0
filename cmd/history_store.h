#ifndef HISTORY_STORE_H
#define HISTORY_STORE_H

#include "base/deadline.h"
#include "followup/records.h"
#include "followup/records_keys.h"
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

/* Whose runs there are, narrowed to those that are wanted. */
int history_store_keys(struct history_store *s, const struct records_want *want,
		       struct records_keys *out, struct err *err);
/* The line for what was left out, where records_keys.h was asked itself. */
void history_store_warn(const struct history_store *s);

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

/*
 * The same words wherever runs of several keys are chosen from; the struct has
 * a struct records_want `want`.
 */
#define HISTORY_KEY_OPTIONS(options)                                           \
	{"title",    0,                                                        \
	 OPT_STRING, offsetof(options, want.title),                            \
	 "TITLE",    "Runs of this title",                                     \
	 NULL},                                                                \
		{"device",   'd',                                              \
		 OPT_STRING, offsetof(options, want.device),                   \
		 "PHONE",    "Runs of this phone, a model or a serial",        \
		 NULL},                                                        \
		{"os",	     0,                                                \
		 OPT_STRING, offsetof(options, want.os),                       \
		 "BUILD",    "Runs with this OS build",                        \
		 NULL},                                                        \
		{"unity",    0,                                                \
		 OPT_STRING, offsetof(options, want.unity),                    \
		 "VERSION",  "Runs of this Unity version",                     \
		 NULL},                                                        \
	{                                                                      \
		"route", 0, OPT_STRING, offsetof(options, want.route), "HASH", \
			"Runs of the plan with this route: its first digits",  \
			NULL                                                   \
	}

#endif
