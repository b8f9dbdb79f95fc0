/*
 * Shell completion out of the table of commands and their options, so that it
 * cannot know less than the parser.
 */
#include <string.h>

#include "cmd/table.h"

/* Text within single quotes, with a backslash before each of `also`. */
static void
put_quoted(const char *s, const char *quote, const char *also)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs(quote, stdout);
		else if (strchr(also, *s))
			printf("\\%c", *s);
		else
			putchar(*s);
	}
}

static bool
is_words(const struct opt *o)
{
	return o->complete && strcmp(o->complete, "file") != 0 &&
	       strcmp(o->complete, "dir") != 0;
}

/* Whether what follows the options is a file. */
static bool
takes_file(const struct command *c)
{
	return c->usage &&
	       (strstr(c->usage, "FILE") || strstr(c->usage, "DIR"));
}

/* The words of a usage that is a mere choice, "bash|zsh|fish". */
static bool
is_choice(const struct command *c)
{
	return c->usage && strchr(c->usage, '|') && !strpbrk(c->usage, " [.");
}

static void
put_choice(const struct command *c)
{
	for (const char *s = c->usage; *s; s++)
		putchar(*s == '|' ? ' ' : *s);
}

/*
 * The next word of names that follows `prefix` ("" or "plan"); a word that
 * several names share is told once.
 */
static void
put_next_words(const char *prefix)
{
	size_t len = strlen(prefix);
	const char *last = NULL;
	size_t last_len = 0;

	for (size_t i = 0; i < table_command_count; i++) {
		const char *name = table_commands[i]->name;
		size_t word;

		if (!table_commands[i]->summary)
			continue;
		if (len &&
		    (strncmp(name, prefix, len) != 0 || name[len] != ' '))
			continue;
		name += len ? len + 1 : 0;
		word = strcspn(name, " ");
		if (last && word == last_len && memcmp(last, name, word) == 0)
			continue;
		printf("%s%.*s", last ? " " : "", (int)word, name);
		last = name;
		last_len = word;
	}
}

/* Call `fn` for each group once; names of a group stand together. */
static void
each_group(void (*fn)(const char *group))
{
	char last[32] = "";

	for (size_t i = 0; i < table_command_count; i++) {
		const char *name = table_commands[i]->name;
		size_t word = strcspn(name, " ");

		if (name[word] != ' ' || word >= sizeof(last))
			continue;
		if (strncmp(last, name, word) == 0 && last[word] == '\0')
			continue;
		memcpy(last, name, word);
		last[word] = '\0';
		fn(last);
	}
}

/* --- bash --------------------------------------------------------------- */

static void
bash_group(const char *group)
{
	printf("\t\"%s\") words=\"", group);
	put_next_words(group);
	puts("\" ;;");
}

/* What follows an option that takes a value. */
static void
bash_values(const struct command *c)
{
	for (const struct opt *o = c->options; o && o->name; o++) {
		if (!o->arg)
			continue;
		printf("\t\"%s --%s\"", c->name, o->name);
		if (o->letter)
			printf("|\"%s -%c\"", c->name, o->letter);
		fputs(") ", stdout);
		if (!o->complete)
			puts("return ;;");
		else if (is_words(o))
			printf("_patrol_reply -W '%s'; return ;;\n",
			       o->complete);
		else
			printf("compopt -o filenames; _patrol_reply -%c; "
			       "return ;;\n",
			       o->complete[0]);
	}
}

static void
bash_options(const struct command *c)
{
	printf("\t\"%s\") words=\"", c->name);
	for (const struct opt *o = c->options; o && o->name; o++)
		printf("--%s ", o->name);
	if (is_choice(c)) {
		put_choice(c);
		putchar(' ');
	}
	printf("--help\"%s ;;\n", takes_file(c) ? "; files=1" : "");
}

static void
bash_level(const char *group)
{
	printf("|\" %s\"", group);
}

static void
bash(void)
{
	puts("# bash completion for patrol\n"
	     "_patrol_reply()\n"
	     "{\n"
	     "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- "
	     "\"${COMP_WORDS[COMP_CWORD]}\")\n"
	     "}\n\n"
	     "_patrol()\n"
	     "{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} i word at='' words='' "
	     "files=''\n"
	     "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	     "\t\tword=${COMP_WORDS[i]}\n"
	     "\t\tcase \"$at $word\" in");
	fputs("\t\t\" -\"", stdout);
	each_group(bash_level);
	for (size_t i = 0; i < table_command_count; i++) {
		const char *name = table_commands[i]->name;

		if (table_commands[i]->summary)
			printf("|\"%s%s\"", strchr(name, ' ') ? "" : " ", name);
	}
	puts(") at=\"${at:+$at }$word\" ;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\tCOMPREPLY=()\n"
	     "\tcase \"$at $prev\" in");
	for (size_t i = 0; i < table_command_count; i++)
		bash_values(table_commands[i]);
	puts("\tesac\n"
	     "\tcase \"$at\" in");
	fputs("\t\"\") words=\"", stdout);
	put_next_words("");
	puts(" --help\" ;;");
	each_group(bash_group);
	for (size_t i = 0; i < table_command_count; i++) {
		if (table_commands[i]->summary)
			bash_options(table_commands[i]);
	}
	puts("\tesac\n"
	     "\tif [[ -n $files && $cur != -* ]]; then\n"
	     "\t\tcompopt -o filenames\n"
	     "\t\t_patrol_reply -f\n"
	     "\telse\n"
	     "\t\t_patrol_reply -W \"$words\"\n"
	     "\tfi\n"
	     "}\n"
	     "complete -F _patrol patrol");
}

/* --- zsh ---------------------------------------------------------------- */

static const char sh_quote[] = "'\\''";

static void
zsh_option(const struct opt *o)
{
	if (o->letter)
		printf(" \\\n\t\t\t'(-%c --%s)'{-%c,--%s}'[", o->letter,
		       o->name, o->letter, o->name);
	else
		printf(" \\\n\t\t\t'%s--%s[", o->type == OPT_LIST ? "*" : "",
		       o->name);
	put_quoted(o->help, sh_quote, "[]:\\");
	putchar(']');
	if (o->arg) {
		putchar(':');
		put_quoted(o->arg, sh_quote, "[]:\\");
		putchar(':');
		if (o->complete && strcmp(o->complete, "file") == 0)
			fputs("_files", stdout);
		else if (o->complete && strcmp(o->complete, "dir") == 0)
			fputs("_files -/", stdout);
		else if (o->complete)
			printf("(%s)", o->complete);
	}
	putchar('\'');
}

static void
zsh_command(const struct command *c)
{
	printf("\t(\"%s\")\n\t\t_arguments -S", c->name);
	for (const struct opt *o = c->options; o && o->name; o++)
		zsh_option(o);
	fputs(" \\\n\t\t\t'--help[print help]'", stdout);
	if (takes_file(c))
		fputs(" '*: :_files'", stdout);
	if (is_choice(c)) {
		fputs(" '*: :(", stdout);
		put_choice(c);
		fputs(")'", stdout);
	}
	puts(" ;;");
}

static void
zsh_group(const char *group)
{
	printf("\t(\"%s\") compadd ", group);
	put_next_words(group);
	puts(" ;;");
}

static void
zsh_level(const char *group)
{
	printf("|\" %s\"", group);
}

static void
zsh(void)
{
	puts("#compdef patrol\n"
	     "_patrol()\n"
	     "{\n"
	     "\tlocal at='' word n=1 i\n"
	     "\tfor ((i = 2; i < CURRENT; i++)); do\n"
	     "\t\tword=$words[i]\n"
	     "\t\tcase \"$at $word\" in");
	fputs("\t\t(\" -\"", stdout);
	each_group(zsh_level);
	for (size_t i = 0; i < table_command_count; i++) {
		const char *name = table_commands[i]->name;

		if (table_commands[i]->summary)
			printf("|\"%s%s\"", strchr(name, ' ') ? "" : " ", name);
	}
	puts(") at=\"${at:+$at }$word\"; n=$i ;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\twords=(\"${(@)words[n,-1]}\")\n"
	     "\t((CURRENT -= n - 1))\n"
	     "\tcase \"$at\" in");
	fputs("\t(\"\") compadd -- ", stdout);
	put_next_words("");
	puts(" --help ;;");
	each_group(zsh_group);
	for (size_t i = 0; i < table_command_count; i++) {
		if (table_commands[i]->summary)
			zsh_command(table_commands[i]);
	}
	puts("\tesac\n"
	     "}\n"
	     "if [ \"${funcstack[1]}\" = _patrol ]; then\n"
	     "\t_patrol \"$@\"\n"
	     "else\n"
	     "\tcompdef _patrol patrol\n"
	     "fi");
}

/* --- fish --------------------------------------------------------------- */

static void
fish_option(const struct command *c, const struct opt *o)
{
	printf("complete -c patrol -n '__patrol_at %s' -l %s", c->name,
	       o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg)
		fputs(o->complete && !is_words(o) ? " -rF" : " -x", stdout);
	if (is_words(o))
		printf(" -a '%s'", o->complete);
	fputs(" -d '", stdout);
	put_quoted(o->help, "\\'", "\\");
	puts("'");
}

static void
fish_command(const struct command *c)
{
	const char *last = strrchr(c->name, ' ');
	int head = last ? (int)(last - c->name) : 0;

	printf("complete -c patrol -n '__patrol_at %.*s' -a %s -d '", head,
	       c->name, last ? last + 1 : c->name);
	put_quoted(c->summary, "\\'", "\\");
	puts("'");
	if (takes_file(c))
		printf("complete -c patrol -n '__patrol_at %s' -F\n", c->name);
	if (is_choice(c)) {
		printf("complete -c patrol -n '__patrol_at %s' -a '", c->name);
		put_choice(c);
		puts("'");
	}
	for (const struct opt *o = c->options; o && o->name; o++)
		fish_option(c, o);
}

static void
fish_group(const char *group)
{
	printf("complete -c patrol -n '__patrol_at' -a %s\n", group);
}

static void
fish(void)
{
	puts("# fish completion for patrol\n"
	     "function __patrol_at\n"
	     "\tset -l words\n"
	     "\tfor word in (commandline -opc)[2..-1]\n"
	     "\t\tstring match -q -- '-*' $word; and break\n"
	     "\t\tset -a words $word\n"
	     "\tend\n"
	     "\ttest \"$words\" = \"$argv\"\n"
	     "end\n"
	     "complete -c patrol -f\n"
	     "complete -c patrol -l help -d 'print help'");
	each_group(fish_group);
	for (size_t i = 0; i < table_command_count; i++) {
		if (table_commands[i]->summary)
			fish_command(table_commands[i]);
	}
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const char *shell = ctx->args.count == 1 ? ctx->args.item[0] : "";

	if (strcmp(shell, "bash") == 0)
		bash();
	else if (strcmp(shell, "zsh") == 0)
		zsh();
	else if (strcmp(shell, "fish") == 0)
		fish();
	else
		return err_set(err, ERR_USAGE,
			       "which shell? name one of bash, zsh and fish");
	return CMD_OK;
}

const struct command completion_command = {
	.name = "completion",
	.summary = "Print the completion for a shell",
	.usage = "bash|zsh|fish",
	.details = "For bash, now and in new shells:\n"
		   "\n"
		   "  patrol completion bash | sudo tee \\\n"
		   "      /usr/share/bash-completion/completions/patrol",
	.run = run,
};
