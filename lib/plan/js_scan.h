#ifndef JS_SCAN_H
#define JS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds {name} and {name.part} in JavaScript and says what surrounds it; what
 * stands in comments is not looked at.
 *
 * It knows just enough of the language to tell code from strings, templates,
 * regular expressions and comments.  Whether a '/' after ')' or '}' divides
 * or begins a regular expression needs a parser: it is taken as a division.
 */
enum js_place {
	JS_CODE,
	JS_STRING,
	JS_TEMPLATE,
	JS_REGEX,
};

enum { JS_SCAN_MAX_DEPTH = 64 };

struct js_scan {
	const char *code;
	size_t len, pos;
	bool (*is_name)(const char *name,
			size_t len); /* ours, not JavaScript's */
	bool value_before; /* what stands before is a value: '/' divides */
	/* Open braces inside of each `${`, innermost last. */
	size_t braces[JS_SCAN_MAX_DEPTH];
	size_t depth;
};

struct js_hole {
	enum js_place place;
	size_t offset;	  /* of its '{' */
	const char *name; /* not terminated */
	size_t name_len;
};

void js_scan_init(struct js_scan *s, const char *code, size_t len,
		  bool (*is_name)(const char *name, size_t len));
/*
 * True and the next one, or false at the end.  The scan is over after one
 * that does not stand in code.
 */
bool js_scan_next(struct js_scan *s, struct js_hole *out);

/*
 * Does `{` at s[0] begin {word} or {word.word}?  Returns the length of all
 * with both braces, or 0.
 */
size_t js_scan_hole(const char *s, size_t len);

#endif
