#include "base/opt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/yaml.h"

enum { MAX_OPTIONS = 64 };

void
opt_list_done(struct opt_list *l)
{
	free(l->item);
	*l = (struct opt_list){0};
}

void
opt_done(const struct opt *table, void *into)
{
	for (; table && table->name; table++) {
		if (table->type == OPT_LIST)
			opt_list_done(
				(struct opt_list *)(void *)((char *)into +
							    table->offset));
	}
}

static void
list_add(struct opt_list *l, const char *s)
{
	MEM_GROW(l->item, l->count, l->room);
	l->item[l->count++] = s;
}

struct unit {
	const char *name;
	double factor;
};

/* A decimal number followed by exactly one of the units. */
static int
number_with_unit(const char *text, const struct unit *units, const char *kind,
		 const char *like, int64_t *out, struct err *err)
{
	char *end = NULL;
	double v;

	if (!isdigit((unsigned char)text[0]))
		return err_set(err, ERR_INPUT,
			       "'%s' is no %s; write it like %s", text, kind,
			       like);
	/* strtod would also take hexadecimal and exponents. */
	if (strspn(text, "0123456789.") != strcspn(text, "kKMGTBimsh"))
		return err_set(err, ERR_INPUT,
			       "'%s' is no %s; write it like %s", text, kind,
			       like);
	v = strtod(text, &end);
	for (; units->name; units++) {
		if (strcmp(end, units->name) != 0)
			continue;
		v *= units->factor;
		if (v > 9e15)
			return err_set(err, ERR_INPUT, "'%s' is too large",
				       text);
		*out = (int64_t)(v + 0.5);
		return 0;
	}
	if (*end == '\0')
		return err_set(err, ERR_INPUT,
			       "'%s' has no unit; write it like %s", text,
			       like);
	return err_set(err, ERR_INPUT, "'%s' is no %s; write it like %s", text,
		       kind, like);
}

int
opt_duration(const char *text, int64_t *ms, struct err *err)
{
	static const struct unit units[] = {
		{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0},
	};

	return number_with_unit(text, units, "duration", "300ms, 5s, 50m or 1h",
				ms, err);
}

int
opt_size(const char *text, int64_t *bytes, struct err *err)
{
	static const struct unit units[] = {
		{"B", 1},	  {"kB", 1e3},
		{"KB", 1e3},	  {"MB", 1e6},
		{"GB", 1e9},	  {"TB", 1e12},
		{"KiB", 1 << 10}, {"MiB", 1 << 20},
		{"GiB", 1 << 30}, {"TiB", 1024.0 * (1 << 30)},
		{NULL, 0},
	};

	return number_with_unit(text, units, "size", "2MB, 2MiB or 1.5GB",
				bytes, err);
}

int
opt_count(const char *text, int64_t *n, struct err *err)
{
	long long v;
	char *end;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || end == text || v < 0 ||
	    !isdigit((unsigned char)text[0]))
		return err_set(err, ERR_USAGE, "'%s' is no number", text);
	*n = v;
	return 0;
}

static const struct opt *
find_long(const struct opt *table, const char *name, size_t len)
{
	for (; table && table->name; table++) {
		if (strlen(table->name) == len &&
		    memcmp(table->name, name, len) == 0)
			return table;
	}
	return NULL;
}

static const struct opt *
find_short(const struct opt *table, char letter)
{
	for (; table && table->name; table++) {
		if (table->letter == letter)
			return table;
	}
	return NULL;
}

static int
unknown(const struct opt *table, const char *word, struct err *err)
{
	const char *names[MAX_OPTIONS];
	size_t n = 0;
	const char *near;

	for (; table && table->name && n < MAX_OPTIONS; table++)
		names[n++] = table->name;
	near = yaml_nearest(word + strspn(word, "-"), names, n);
	err_set(err, ERR_USAGE, "unknown option '%s'", word);
	if (near)
		return err_hint(err, "did you mean '--%s'?", near);
	return -1;
}

static int
store(const struct opt *o, const char *value, void *into, struct err *err)
{
	void *field = (char *)into + o->offset;
	int64_t n = 0;
	int rc = 0;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_STRING:
		*(const char **)field = value;
		return 0;
	case OPT_LIST:
		list_add(field, value);
		return 0;
	case OPT_DURATION:
		rc = opt_duration(value, &n, err);
		break;
	case OPT_SIZE:
		rc = opt_size(value, &n, err);
		break;
	case OPT_COUNT:
		rc = opt_count(value, &n, err);
		break;
	}
	/* In the caller's struct 0 is what was not given. */
	if (!rc && !n)
		rc = err_set(err, ERR_USAGE,
			     "'%s' is nothing; give more than 0", value);
	if (!rc)
		*(int64_t *)field = n;
	return rc;
}

/* One option word; *i moves on when the value is the next word. */
static int
one(const struct opt *table, int argc, char **argv, int *i, void *into,
    struct err *err)
{
	const char *word = argv[*i];
	const char *value = NULL;
	const struct opt *o;

	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");

		o = find_long(table, word + 2, len);
		if (o && word[2 + len] == '=')
			value = word + 3 + len;
	} else {
		o = word[2] == '\0' ? find_short(table, word[1]) : NULL;
	}
	if (o == NULL)
		return unknown(table, word, err);
	if (o->type == OPT_FLAG && value)
		return err_set(err, ERR_USAGE, "'--%s' takes no value",
			       o->name);
	if (o->type != OPT_FLAG && value == NULL) {
		if (*i + 1 >= argc)
			return err_set(err, ERR_USAGE, "'%s' wants %s", word,
				       o->arg);
		value = argv[++*i];
	}
	if (store(o, value, into, err)) {
		err->code = ERR_USAGE;
		return err_wrap(err, "option '--%s'", o->name);
	}
	return 0;
}

int
opt_parse(const struct opt *table, int argc, char **argv, void *into,
	  struct opt_list *args, struct err *err)
{
	bool options = true;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (options && strcmp(word, "--") == 0) {
			options = false;
		} else if (options && word[0] == '-' && word[1] != '\0') {
			if (one(table, argc, argv, &i, into, err))
				return -1;
		} else {
			list_add(args, word);
		}
	}
	return 0;
}

enum { HELP_COLUMN = 31, HELP_WIDTH = 79 };

/* Words in the right-hand column. */
static void
put_help(const char *text, FILE *to)
{
	size_t col = HELP_COLUMN;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (col > HELP_COLUMN && col + 1 + len > HELP_WIDTH) {
			fprintf(to, "\n%*s", HELP_COLUMN, "");
			col = HELP_COLUMN;
		}
		fprintf(to, "%s%.*s", col > HELP_COLUMN ? " " : "", (int)len,
			text);
		col += len + (col > HELP_COLUMN);
		text += len;
		text += *text == ' ';
	}
	fputc('\n', to);
}

void
opt_help(const struct opt *table, FILE *to)
{
	for (; table && table->name; table++) {
		AUTO_FREE char *left = mem_fmt(
			"%c%c%s --%s%s%s", table->letter ? '-' : ' ',
			table->letter ? table->letter : ' ',
			table->letter ? "," : " ", table->name,
			table->arg ? " " : "", table->arg ? table->arg : "");

		fprintf(to, "  %-28s ", left);
		if (strlen(left) > HELP_COLUMN - 3)
			fprintf(to, "\n%*s", HELP_COLUMN, "");
		put_help(table->help, to);
	}
}
