#include "cmd/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/yaml.h"

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

/*
 * The first words of all commands, or what follows `group` in those of it; how
 * many, at most `most`.
 */
static size_t
words_of(const char *group, char **out, size_t most)
{
	size_t n = 0, len = group ? strlen(group) : 0;

	for (size_t i = 0; i < table_command_count && n < most; i++) {
		const char *name = table_commands[i]->name;

		if (!table_commands[i]->summary)
			continue;
		if (!group)
			out[n++] = mem_strndup(name, strcspn(name, " "));
		else if (strncmp(name, group, len) == 0 && name[len] == ' ')
			out[n++] = mem_strdup(name + len + 1);
	}
	return n;
}

static int
unknown(const char *group, const char *word, char **words, size_t count,
	struct err *err)
{
	const char *near =
		word ? yaml_nearest(word, (const char *const *)words, count)
		     : NULL;
	AUTO_BUF struct buf list = BUF_INIT_MAX(1000);

	if (near) {
		err_set(err, ERR_USAGE, "no command '%.200s%s%.200s'",
			group ? group : "", group ? " " : "", word);
		return err_hint(err, "did you mean `patrol %s%s%s`?",
				group ? group : "", group ? " " : "", near);
	}
	if (!group) {
		err_set(err, ERR_USAGE, "no command '%.200s'", word);
		return err_hint(err, "`patrol help` lists them");
	}
	for (size_t i = 0; i < count; i++)
		buf_fmt(&list, "%s%s", i ? ", " : "", words[i]);
	return err_set(err, ERR_USAGE, "'%s' wants one more word: %s", group,
		       list.data);
}

int
table_unknown(const char *const *word, size_t count, struct err *err)
{
	enum { MOST = 64 };
	const char *group = table_is_group(word[0]) ? word[0] : NULL;
	const char *wrong = !group ? word[0] : count > 1 ? word[1] : NULL;
	char *words[MOST];
	size_t n = words_of(group, words, MOST);
	int rc = unknown(group, wrong, words, n, err);

	while (n > 0)
		free(words[--n]);
	return rc;
}
