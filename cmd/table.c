#include "cmd/table.h"

#include <string.h>

#define ADDRESS(name) &(name),

const struct command *const table_commands[] = {TABLE_COMMANDS(ADDRESS)};
const size_t table_command_count =
	sizeof(table_commands) / sizeof(table_commands[0]);

/* Added up, so no parentheses around it. */
#define ONE(name) +1 /* NOLINT(bugprone-macro-parentheses) */

const struct table_section table_sections[] = {
	{"Patrol", 0 TABLE_PATROL(ONE)},
	{"Look before you patrol", 0 TABLE_LOOK(ONE)},
	{"The days before", 0 TABLE_HISTORY(ONE)},
	{"Unity's files", 0 TABLE_UNITY(ONE)},
	{"Reference", 0 TABLE_REFERENCE(ONE)},
};
const size_t table_section_count =
	sizeof(table_sections) / sizeof(table_sections[0]);

/* How many of the words `name` is made of, 0 when it is another. */
static size_t
matches(const char *name, const char *const *word, size_t count)
{
	size_t used = 0;

	while (used < count) {
		size_t len = strlen(word[used]);

		if (len == 0 || strncmp(name, word[used], len) != 0)
			return 0;
		used++;
		if (name[len] == '\0')
			return used;
		if (name[len] != ' ')
			return 0;
		name += len + 1;
	}
	return 0;
}

const struct command *
table_find(const char *const *word, size_t count, size_t *used)
{
	const struct command *best = NULL;
	size_t best_used = 0;

	for (size_t i = 0; i < table_command_count; i++) {
		size_t n = matches(table_commands[i]->name, word, count);

		if (n > best_used) {
			best = table_commands[i];
			best_used = n;
		}
	}
	if (best)
		*used = best_used;
	return best;
}

int
table_is_group(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < table_command_count; i++) {
		const char *name = table_commands[i]->name;

		if (strncmp(name, word, len) == 0 && name[len] == ' ')
			return 1;
	}
	return 0;
}
