#include "cmd/help.h"

#include <string.h>

#include "cmd/table.h"
#include "plan/settings.h"

enum { WIDTH = 78 };

static const struct {
	int status;
	const char *text;
} statuses[] = {
	{CMD_OK, "passed, or skipped: nothing to patrol today"},
	{CMD_FAILED, "the patrol found something that the plan fails on"},
	{CMD_USAGE, "the command line, the plan, the artifact or the APK is "
		    "wrong"},
	{CMD_INFRA, "could not run: farm, adb, GitHub or network"},
	{CMD_TIMEOUT, "out of time; what was measured is kept"},
	{CMD_CANCELLED, "stopped by a signal, and everything given back"},
	{CMD_LEFT, "something was left behind, named on stderr; wins over the "
		   "others"},
};
enum { STATUSES = sizeof(statuses) / sizeof(statuses[0]) };

struct options {
	bool man, list, settings;
};

/* --- text --------------------------------------------------------------- */

/* Paragraphs, filled to the width; a line that begins with a blank stays. */
static void
put_filled(const char *text, FILE *to)
{
	size_t col = 0;

	while (*text) {
		size_t word = strcspn(text, " \n");

		if (col == 0 && (*text == ' ' || *text == '\n')) {
			size_t line = strcspn(text, "\n");

			fprintf(to, "%.*s\n", (int)line, text);
			text += line + (text[line] == '\n');
			continue;
		}
		if (col > 0 && col + 1 + word > WIDTH) {
			fputc('\n', to);
			col = 0;
		}
		fprintf(to, "%s%.*s", col ? " " : "", (int)word, text);
		col += word + (col > 0);
		text += word;
		/* One end of line is a blank, two end a paragraph. */
		if (text[0] == '\n' && (text[1] == '\n' || text[1] == ' ')) {
			fputc('\n', to);
			col = 0;
			text++;
		} else if (*text) {
			text++;
		}
	}
	if (col)
		fputc('\n', to);
}

void
help_page(const struct command *c, FILE *to)
{
	fprintf(to, "Usage: patrol %s%s%s\n", c->name,
		c->usage && *c->usage ? " " : "", c->usage ? c->usage : "");
	if (c->summary)
		fprintf(to, "%s.\n", c->summary);
	if (c->details) {
		fputc('\n', to);
		put_filled(c->details, to);
	}
	fprintf(to, "\nOptions:\n");
	if (c->options)
		opt_help(c->options, to);
	fprintf(to, "  %-28s %s\n", "-h, --help", "print this");
}

/* Beside short names, and below long ones. */
static void
put_command(const struct command *c, FILE *to)
{
	fprintf(to, "  %-14s", c->name);
	if (strlen(c->name) > 14)
		fprintf(to, "\n  %14s", "");
	fprintf(to, " %s\n", c->summary);
}

static void
put_sections(FILE *to)
{
	size_t at = 0;

	for (size_t i = 0; i < table_section_count; i++) {
		size_t end = at + table_sections[i].count;

		fprintf(to, "\n%s:\n", table_sections[i].title);
		for (; at < end; at++) {
			const struct command *c = table_commands[at];

			if (c->summary)
				put_command(c, to);
		}
	}
}

void
help_overview(FILE *to)
{
	fputs("Usage: patrol COMMAND [OPTION]...\n"
	      "The daily performance patrol of a game on a real phone.\n",
	      to);
	put_sections(to);
	fputs("\nExamples:\n"
	      "  patrol try --apk game.apk              no plan yet: start it, "
	      "watch it, report\n"
	      "  patrol plan check daily.yaml           is the plan good?\n"
	      "  patrol doctor --plan daily.yaml        is everything set "
	      "up?\n"
	      "  patrol run --plan daily.yaml --apk game.apk --device adb\n"
	      "  patrol run --plan daily.yaml --run-id 123456789\n"
	      "\nExit status:\n",
	      to);
	for (size_t i = 0; i < STATUSES; i++)
		fprintf(to, "  %d  %s\n", statuses[i].status, statuses[i].text);
	fputs("\nSettings come from the plan, the environment and the options; "
	      "secrets never from\noptions. `patrol doctor` prints each with "
	      "its value and where it came from;\ndocs/settings.md describes "
	      "them. `patrol COMMAND --help` tells more of a\ncommand.\n",
	      to);
}

/* --- the manual page ---------------------------------------------------- */

/* Text in roff: dashes as they are typed, no line that is a request. */
static void
put_roff(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\')
			fputs("\\e", stdout);
		else if (s[i] == '-')
			fputs("\\-", stdout);
		else if ((s[i] == '.' || s[i] == '\'') &&
			 (i == 0 || s[i - 1] == '\n'))
			printf("\\&%c", s[i]);
		else
			putchar(s[i]);
	}
}

static void
put_roff_str(const char *s)
{
	put_roff(s, strlen(s));
}

/* Paragraphs; lines that begin with a blank are shown as they are. */
static void
man_details(const char *text)
{
	bool verbatim = false;

	puts(".PP");
	while (*text) {
		size_t len = strcspn(text, "\n");

		if ((*text == ' ') != verbatim && len > 0) {
			verbatim = !verbatim;
			puts(verbatim ? ".nf" : ".fi");
		}
		if (len == 0)
			puts(verbatim ? "" : ".PP");
		put_roff(text, len);
		if (len)
			putchar('\n');
		text += len + (text[len] == '\n');
	}
	if (verbatim)
		puts(".fi");
}

static void
man_options(const struct opt *o)
{
	for (; o && o->name; o++) {
		puts(".TP");
		if (o->letter)
			printf("\\fB\\-%c\\fR, ", o->letter);
		fputs("\\fB\\-\\-", stdout);
		put_roff_str(o->name);
		fputs("\\fR", stdout);
		if (o->arg) {
			fputs(" \\fI", stdout);
			put_roff_str(o->arg);
			fputs("\\fR", stdout);
		}
		putchar('\n');
		put_roff_str(o->help);
		puts(".");
	}
}

static void
man_command(const struct command *c)
{
	fputs(".SS \"patrol ", stdout);
	put_roff_str(c->name);
	puts("\"");
	fputs("\\fBpatrol ", stdout);
	put_roff_str(c->name);
	fputs("\\fR ", stdout);
	put_roff_str(c->usage ? c->usage : "");
	puts("\n.PP");
	put_roff_str(c->summary);
	puts(".");
	if (c->details)
		man_details(c->details);
	man_options(c->options);
}

static void
man(void)
{
	/* No date: the page of one version is always the same. */
	puts(".TH PATROL 1 \"\" \"patrol " PATROL_VERSION "\"\n"
	     ".SH NAME\n"
	     "patrol \\- the daily performance patrol of a game on a real "
	     "phone\n"
	     ".SH SYNOPSIS\n"
	     "\\fBpatrol\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
	     ".SH DESCRIPTION\n"
	     "Takes the APK of a build, reserves a phone from a farm, installs "
	     "and starts the game, walks its screens as the plan says, "
	     "measures, gives the phone back and reports.\n"
	     ".PP\n"
	     "Results go to stdout and to the folder of the run, everything "
	     "else to stderr.  Every command has \\fB\\-\\-help\\fR.\n"
	     ".SH COMMANDS");
	for (size_t i = 0; i < table_command_count; i++) {
		if (table_commands[i]->summary)
			man_command(table_commands[i]);
	}
	puts(".SH \"EXIT STATUS\"");
	for (size_t i = 0; i < STATUSES; i++) {
		printf(".TP\n%d\n", statuses[i].status);
		put_roff_str(statuses[i].text);
		puts(".");
	}
	puts(".SH ENVIRONMENT\n"
	     "Settings come from the plan, then the environment, then the "
	     "options; secrets from the environment or a file only.  "
	     "\\fBpatrol doctor\\fR prints each setting and where its value "
	     "came from; docs/settings.md describes them.");
}

/* --- the table of docs/settings.md -------------------------------------- */

/* As one writes it: "30s", "20m". */
static void
put_duration(int64_t ms)
{
	if (ms % 60000 == 0)
		printf("`%lldm`", (long long)(ms / 60000));
	else if (ms % 1000 == 0)
		printf("`%llds`", (long long)(ms / 1000));
	else
		printf("`%lldms`", (long long)ms);
}

static void
settings_row(const struct settings_row *row)
{
	printf("| `%s` | ", row->name);
	if (row->kind == SETTINGS_DURATION)
		put_duration(row->default_ms);
	printf(" | %s%s |\n", row->help,
	       row->kind == SETTINGS_SECRET ? " (secret)" : "");
}

static void
settings(void)
{
	puts("| environment | default | what |\n"
	     "|---|---|---|");
	for (size_t i = 0; i < settings_count; i++)
		settings_row(&settings_table[i]);
}

/* --- the command -------------------------------------------------------- */

static void
list(void)
{
	for (size_t i = 0; i < table_command_count; i++) {
		if (table_commands[i]->summary)
			puts(table_commands[i]->name);
	}
}

void
help_group(const char *word)
{
	size_t len = strlen(word);

	printf("Usage: patrol %s COMMAND [OPTION]...\n\nCommands:\n", word);
	for (size_t i = 0; i < table_command_count; i++) {
		const struct command *c = table_commands[i];

		if (c->summary && strncmp(c->name, word, len) == 0 &&
		    c->name[len] == ' ')
			put_command(c, stdout);
	}
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	const struct command *c;
	size_t used;

	if (o->man) {
		man();
	} else if (o->list) {
		list();
	} else if (o->settings) {
		settings();
	} else if (ctx->args.count == 0) {
		help_overview(stdout);
	} else {
		c = table_find(ctx->args.item, ctx->args.count, &used);
		if (c && used == ctx->args.count) {
			help_page(c, stdout);
		} else if (ctx->args.count == 1 &&
			   table_is_group(ctx->args.item[0])) {
			help_group(ctx->args.item[0]);
		} else {
			return table_unknown(ctx->args.item, ctx->args.count,
					     err);
		}
	}
	return CMD_OK;
}

static const struct opt options[] = {
	{"man", 0, OPT_FLAG, offsetof(struct options, man), NULL,
	 "print the manual page in roff", NULL},
	{"list", 0, OPT_FLAG, offsetof(struct options, list), NULL,
	 "print only the names of the commands", NULL},
	{"settings", 0, OPT_FLAG, offsetof(struct options, settings), NULL,
	 "Print the settings as a table in Markdown", NULL},
	{.name = NULL},
};

const struct command help_command = {
	.name = "help",
	.summary = "Tell about a command, or about all",
	.usage = "[COMMAND]",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
