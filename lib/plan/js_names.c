#include "plan/js_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "plan/js_scan.h"

/* Words of the language and what every engine has. */
static const char *const known[] = {
	"Array",      "Boolean",    "Date",	  "Error",	"Infinity",
	"JSON",	      "Map",	    "Math",	  "NaN",	"Number",
	"Object",     "Promise",    "Proxy",	  "RangeError", "Reflect",
	"RegExp",     "Set",	    "String",	  "Symbol",	"SyntaxError",
	"TypeError",  "Uint8Array", "WeakMap",	  "arguments",	"args",
	"async",      "await",	    "break",	  "case",	"catch",
	"class",      "console",    "const",	  "continue",	"debugger",
	"default",    "delete",	    "do",	  "else",	"eval",
	"export",     "extends",    "false",	  "finally",	"for",
	"function",   "globalThis", "if",	  "import",	"in",
	"instanceof", "isFinite",   "isNaN",	  "let",	"new",
	"null",	      "of",	    "parseFloat", "parseInt",	"return",
	"static",     "super",	    "switch",	  "this",	"throw",
	"true",	      "try",	    "typeof",	  "undefined",	"var",
	"void",	      "while",	    "with",	  "yield",
};

struct scan {
	const char *at;
	char last;	/* the last character that is no blank */
	char word[32];	/* the last name, "" when something came after it */
	bool function;	/* the last name is a function's */
	bool declaring; /* in `var a = 1, b`, at this depth */
	int depth, declare_depth;
	struct js_names declared, *out;
};

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool
is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i], name) == 0)
			return true;
	}
	return false;
}

static bool
has(const struct js_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++) {
		if (strcmp(n->item[i], name) == 0)
			return true;
	}
	return false;
}

static void
add(struct js_names *n, const char *name, bool called)
{
	for (size_t i = 0; i < n->count; i++) {
		if (strcmp(n->item[i], name) == 0) {
			n->called[i] = n->called[i] || called;
			return;
		}
	}
	MEM_GROW(n->item, n->count, n->room);
	MEM_GROW(n->called, n->count, n->called_room);
	n->called[n->count] = called;
	n->item[n->count++] = mem_strdup(name);
}

static const char *
blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Past a string, a template or a regular expression that ends with `quote`. */
static const char *
quoted(const char *s, char quote)
{
	bool set = false; /* in [...] of a regular expression */

	for (s++; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (quote == '/' && *s == '[')
			set = true;
		else if (quote == '/' && *s == ']')
			set = false;
		else if (*s == quote && !set)
			return s + 1;
	}
	return s;
}

/* Does a '/' here begin a regular expression? */
static bool
may_be_regex(const struct scan *s)
{
	return s->last == '\0' || strchr("(,=:[!&|?{};+-*%<>~^", s->last) ||
	       strcmp(s->word, "return") == 0 || strcmp(s->word, "typeof") == 0;
}

/* Comments, strings, {name}: what holds no name.  False: nothing such. */
static bool
skipped(struct scan *s)
{
	const char *p = s->at;
	size_t hole;

	if (p[0] == '/' && p[1] == '/') {
		s->at = p + strcspn(p, "\n");
		return true;
	}
	if (p[0] == '/' && p[1] == '*') {
		const char *end = strstr(p + 2, "*/");

		s->at = end ? end + 2 : p + strlen(p);
		return true;
	}
	if (*p == '"' || *p == '\'' || *p == '`' ||
	    (*p == '/' && may_be_regex(s))) {
		s->at = quoted(p, *p);
		while (*p == '/' && is_word(*s->at)) /* its flags */
			s->at++;
		s->last = '"';
		s->word[0] = '\0';
		return true;
	}
	hole = *p == '{' ? js_scan_hole(p, strlen(p)) : 0;
	if (hole == 0)
		return false;
	s->at = p + hole;
	s->last = '"';
	s->word[0] = '\0';
	return true;
}

/* The names in (a, b) of a function, or the one of `a => ...`. */
static void
declare_list(struct scan *s, const char *p)
{
	for (p = blanks(p); *p && *p != ')'; p++) {
		const char *from = p;
		AUTO_FREE char *name = NULL;

		while (is_word(*p))
			p++;
		if (p > from) {
			name = mem_strndup(from, (size_t)(p - from));
			add(&s->declared, name, false);
		}
		if (*p == ')' || *p == '\0')
			return;
	}
}

/* Is '(' at p the head of an arrow function? */
static bool
is_arrow(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += *p == '(';
		depth -= *p == ')';
		if (depth == 0)
			return strncmp(blanks(p + 1), "=>", 2) == 0;
	}
	return false;
}

static bool
declares(const struct scan *s)
{
	static const char *const words[] = {"var", "let", "const", "function",
					    "class"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(s->word, words[i]) == 0)
			return true;
	}
	return s->declaring && s->last == ',' && s->depth == s->declare_depth;
}

/* A chain of names from here; `end` gets what follows. */
static char *
chain(const char *p, const char **end)
{
	struct buf b = BUF_INIT_MAX(1000);
	const char *next;

	for (;;) {
		while (is_word(*p))
			buf_chr(&b, *p++);
		next = blanks(p);
		if (*next != '.' || !is_word(*blanks(next + 1)))
			break;
		buf_chr(&b, '.');
		p = blanks(next + 1);
	}
	*end = p;
	return buf_take(&b);
}

static bool
is_assignment(const char *p)
{
	return p[0] == '=' && p[1] != '=' && p[1] != '>';
}

/* `name:` in an object or a label; a case and ?: have ':' too. */
static bool
is_key(const struct scan *s, const char *next)
{
	return *next == ':' && (s->last == '{' || s->last == ',');
}

static void
one_name(struct scan *s)
{
	const char *end, *next;
	AUTO_FREE char *whole = chain(s->at, &end);
	size_t root_len = strcspn(whole, ".");
	AUTO_FREE char *root = mem_strndup(whole, root_len);
	bool plain = whole[root_len] == '\0';

	next = blanks(end);
	s->function = strcmp(s->word, "function") == 0;
	if (s->last == '.' || isdigit((unsigned char)*root) ||
	    is_key(s, next)) {
		; /* a member, a number or a key */
	} else if (declares(s) || (plain && strncmp(next, "=>", 2) == 0) ||
		   (plain && is_assignment(next))) {
		add(&s->declared, root, false);
	} else if (!is_known(root) && strcmp(s->word, "typeof") != 0) {
		/* The value of what is assigned to need not be there. */
		if (is_assignment(next) && strrchr(whole, '.'))
			*strrchr(whole, '.') = '\0';
		add(s->out, whole, *next == '(');
	}
	if (strcmp(root, "var") == 0 || strcmp(root, "let") == 0 ||
	    strcmp(root, "const") == 0) {
		s->declaring = true;
		s->declare_depth = s->depth;
	}
	s->word[0] = '\0';
	if (plain && root_len < sizeof(s->word))
		memcpy(s->word, root, root_len + 1);
	s->last = 'a';
	s->at = end;
}

static void
one_sign(struct scan *s)
{
	char c = *s->at;

	if (c == '(' && (s->function || strcmp(s->word, "function") == 0 ||
			 strcmp(s->word, "catch") == 0 || is_arrow(s->at)))
		declare_list(s, s->at + 1);
	s->function = false;
	s->depth += c == '(' || c == '[' || c == '{';
	s->depth -= c == ')' || c == ']' || c == '}';
	if (c == ';' || s->depth < s->declare_depth)
		s->declaring = false;
	s->last = c;
	s->word[0] = '\0';
	s->at++;
}

/* What was used before its declaration is declared all the same. */
static void
drop_declared(struct js_names *out, const struct js_names *declared)
{
	size_t kept = 0;

	for (size_t i = 0; i < out->count; i++) {
		AUTO_FREE char *root =
			mem_strndup(out->item[i], strcspn(out->item[i], "."));

		if (has(declared, root)) {
			free(out->item[i]);
			continue;
		}
		out->called[kept] = out->called[i];
		out->item[kept++] = out->item[i];
	}
	out->count = kept;
}

void
js_names_scan(const char *code, struct js_names *out)
{
	struct scan s = {.at = code, .out = out};

	*out = (struct js_names){0};
	while (*s.at) {
		if (isspace((unsigned char)*s.at))
			s.at++;
		else if (skipped(&s))
			continue;
		else if (is_word(*s.at))
			one_name(&s);
		else
			one_sign(&s);
	}
	drop_declared(out, &s.declared);
	js_names_done(&s.declared);
}

void
js_names_done(struct js_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->item[i]);
	free(n->item);
	free(n->called);
	*n = (struct js_names){0};
}
