#include "plan/js_scan.h"

#include <string.h>

void
js_scan_init(struct js_scan *s, const char *code, size_t len,
	     bool (*is_name)(const char *name, size_t len))
{
	*s = (struct js_scan){.code = code, .len = len, .is_name = is_name};
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t
word_len(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (is_letter(s[n]) || is_digit(s[n])))
		n++;
	return n;
}

size_t
js_scan_hole(const char *s, size_t len)
{
	size_t n = 1, part;

	if (len < 3 || s[0] != '{' || !is_letter(s[1]))
		return 0;
	n += word_len(s + n, len - n);
	if (n < len && s[n] == '.') {
		part = word_len(s + n + 1, len - n - 1);
		if (part == 0)
			return 0;
		n += 1 + part;
	}
	return n < len && s[n] == '}' ? n + 1 : 0;
}

/* A hole at the current place: filled in and stepped over. */
static bool
hole_here(struct js_scan *s, enum js_place place, struct js_hole *out)
{
	const char *at = s->code + s->pos;
	size_t n = js_scan_hole(at, s->len - s->pos);

	if (n == 0 || !s->is_name(at + 1, n - 2))
		return false;
	*out = (struct js_hole){.place = place,
				.offset = s->pos,
				.name = at + 1,
				.name_len = n - 2};
	s->pos += n;
	return true;
}

/* To the end of a literal that `end` closes, or to a hole in it. */
static bool
skip_string(struct js_scan *s, char end, struct js_hole *out)
{
	s->pos++;
	while (s->pos < s->len) {
		char c = s->code[s->pos];

		if (c == '{' && hole_here(s, JS_STRING, out))
			return true;
		s->pos++;
		if (c == '\\' && s->pos < s->len)
			s->pos++;
		else if (c == end || c == '\n')
			break;
	}
	s->value_before = true;
	return false;
}

/* The text of a template up to its end or to `${`. */
static bool
skip_template(struct js_scan *s, struct js_hole *out)
{
	while (s->pos < s->len) {
		char c = s->code[s->pos];

		if (c == '{' && hole_here(s, JS_TEMPLATE, out))
			return true;
		s->pos++;
		if (c == '\\' && s->pos < s->len) {
			s->pos++;
		} else if (c == '`') {
			s->value_before = true;
			return false;
		} else if (c == '$' && s->pos < s->len &&
			   s->code[s->pos] == '{' &&
			   s->depth < JS_SCAN_MAX_DEPTH) {
			s->pos++;
			s->braces[s->depth++] = 0;
			s->value_before = false;
			return false;
		}
	}
	return false;
}

static bool
skip_regex(struct js_scan *s, struct js_hole *out)
{
	bool in_class = false;

	s->pos++;
	while (s->pos < s->len) {
		char c = s->code[s->pos];

		if (c == '{' && hole_here(s, JS_REGEX, out))
			return true;
		s->pos++;
		if (c == '\\' && s->pos < s->len)
			s->pos++;
		else if (c == '[')
			in_class = true;
		else if (c == ']')
			in_class = false;
		else if ((c == '/' && !in_class) || c == '\n')
			break;
	}
	s->value_before = true;
	return false;
}

static void
skip_comment(struct js_scan *s)
{
	bool block = s->code[s->pos + 1] == '*';

	s->pos += 2;
	while (s->pos < s->len) {
		char c = s->code[s->pos++];

		if (!block && c == '\n')
			break;
		if (block && c == '*' && s->pos < s->len &&
		    s->code[s->pos] == '/') {
			s->pos++;
			break;
		}
	}
}

/* After these words an expression begins, so '/' is no division. */
static bool
wants_value(const char *word, size_t len)
{
	static const char *const words[] = {
		"return", "typeof",	"case",	 "in",	  "of",
		"delete", "void",	"throw", "new",	  "do",
		"else",	  "instanceof", "yield", "await",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
			return true;
	}
	return false;
}

static bool
slash(struct js_scan *s, struct js_hole *out)
{
	char next = s->pos + 1 < s->len ? s->code[s->pos + 1] : 0;

	if (next == '/' || next == '*') {
		skip_comment(s);
		return false;
	}
	if (!s->value_before)
		return skip_regex(s, out);
	s->pos++;
	s->value_before = false;
	return false;
}

static bool
open_brace(struct js_scan *s, struct js_hole *out)
{
	if (hole_here(s, JS_CODE, out)) {
		s->value_before = true;
		return true;
	}
	if (s->depth)
		s->braces[s->depth - 1]++;
	s->pos++;
	s->value_before = false;
	return false;
}

static bool
close_brace(struct js_scan *s, struct js_hole *out)
{
	s->pos++;
	s->value_before = true;
	if (s->depth == 0)
		return false;
	if (s->braces[s->depth - 1] > 0) {
		s->braces[s->depth - 1]--;
		return false;
	}
	s->depth--;
	return skip_template(s, out);
}

static bool
one_token(struct js_scan *s, struct js_hole *out)
{
	const char *at = s->code + s->pos;
	char c = *at;
	size_t n;

	if (is_letter(c) || is_digit(c)) {
		n = word_len(at, s->len - s->pos);
		s->pos += n;
		s->value_before = !wants_value(at, n);
		return false;
	}
	switch (c) {
	case '\'':
	case '"':
		return skip_string(s, c, out);
	case '`':
		s->pos++;
		return skip_template(s, out);
	case '/':
		return slash(s, out);
	case '{':
		return open_brace(s, out);
	case '}':
		return close_brace(s, out);
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		s->pos++;
		return false;
	case '+':
	case '-':
		/* `a++ / b`: the value still stands before. */
		if (s->pos + 1 < s->len && at[1] == c) {
			s->pos += 2;
			return false;
		}
		/* fall through */
	default:
		s->value_before = c == ')' || c == ']';
		s->pos++;
		return false;
	}
}

bool
js_scan_next(struct js_scan *s, struct js_hole *out)
{
	while (s->pos < s->len) {
		if (one_token(s, out))
			return true;
	}
	return false;
}
