#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

#include "cmd/cmd.h"

/*
 * Every command, in the order that help shows them; a new one is a file and a
 * line in one of the parts.  A command without a summary is not shown.
 */
#define TABLE_PATROL(X)             \
	X(run_command)              \
	X(try_command)              \
	X(store_command)            \
	X(notify_command)           \
	X(verify_command)           \
	X(reap_command)             \
	X(regressions_file_command) \
	X(watch_command)
#define TABLE_LOOK(X)         \
	X(why_command)        \
	X(doctor_command)     \
	X(devices_command)    \
	X(probe_command)      \
	X(plan_check_command) \
	X(plan_route_command) \
	X(plan_graph_command)
#define TABLE_HISTORY(X)          \
	X(compare_command)        \
	X(history_add_command)    \
	X(history_list_command)   \
	X(history_show_command)   \
	X(history_import_command) \
	X(history_prune_command)  \
	X(history_report_command) \
	X(detect_command)
#define TABLE_UNITY(X)              \
	X(filter_command)           \
	X(frames_command)           \
	X(snapshot_check_command)   \
	X(snapshot_summary_command) \
	X(snapshot_compare_command) \
	X(graphics_check_command)   \
	X(graphics_stats_command)   \
	X(graphics_diff_command)    \
	X(graphics_merge_command)   \
	X(graphics_prune_command)   \
	X(graphics_propose_command)
#define TABLE_REFERENCE(X) \
	X(schema_command)  \
	X(version_command) \
	X(help_command)    \
	X(completion_command)
#define TABLE_COMMANDS(X) \
	TABLE_PATROL(X)   \
	TABLE_LOOK(X)     \
	TABLE_HISTORY(X)  \
	TABLE_UNITY(X)    \
	TABLE_REFERENCE(X)

#define TABLE_DECLARE(name) extern const struct command name;
TABLE_COMMANDS(TABLE_DECLARE)

extern const struct command *const table_commands[];
extern const size_t table_command_count;

/* The parts of help, which follow one another in table_commands. */
struct table_section {
	const char *title;
	size_t count;
};
extern const struct table_section table_sections[];
extern const size_t table_section_count;

/*
 * The command that the words name, the longest first ("plan check" before
 * "plan"), and how many words that took; NULL: none.
 */
const struct command *table_find(const char *const *word, size_t count,
				 size_t *used);

/* ERR_USAGE: the words name no command; says what was meant, or there is. */
int table_unknown(const char *const *word, size_t count, struct err *err);

/* Whether `word` begins names of several words, as "plan" does. */
int table_is_group(const char *word);

#endif
