#include "cmd/stray.h"

#include <string.h>

/* What a file of that kind is given with. */
static const struct {
	const char *end, *option;
} kinds[] = {
	{".yaml", "plan"},
	{".yml", "plan"},
	{".apk", "apk"},
};

static const char *
option_for(const char *word, const struct opt *o)
{
	size_t len = strlen(word);

	for (; o && o->name; o++) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
			size_t end = strlen(kinds[i].end);

			if (strcmp(o->name, kinds[i].option) == 0 &&
			    len > end &&
			    strcmp(word + len - end, kinds[i].end) == 0)
				return o->name;
		}
	}
	return NULL;
}

int
stray_word(const struct opt_list *args, const struct command *command,
	   struct err *err)
{
	const char *word, *option;

	if (args->count == 0)
		return 0;
	word = args->item[0];
	option = option_for(word, command->options);
	err_set(err, ERR_USAGE, "'%s' is not expected", word);
	if (option)
		return err_hint(err, "did you mean '--%s %s'?", option, word);
	return err_hint(err, "`patrol %s --help` lists the options",
			command->name);
}
