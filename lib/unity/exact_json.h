#ifndef EXACT_JSON_H
#define EXACT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * JSON whose scalars stay the bytes that were read: cJSON's doubles would
 * lose the last digits of a 64-bit key.  A tree is read-only and borrows the
 * text it came from.
 */
enum exact_json_type {
	EXACT_JSON_OBJECT,
	EXACT_JSON_ARRAY,
	EXACT_JSON_STRING, /* text is what stands between the quotes, raw */
	EXACT_JSON_NUMBER,
	EXACT_JSON_WORD, /* true, false, null */
};

struct exact_json {
	enum exact_json_type type;
	const char *key; /* in an object: raw, not terminated; else NULL */
	size_t key_len;
	const char *text; /* of a scalar; not terminated */
	size_t len;
	struct exact_json *first; /* of an object or array */
	struct exact_json *next;
	size_t count;
};

struct exact_json_doc {
	struct exact_json *root;
	struct exact_json_chunk *chunk; /* the nodes' memory */
	size_t used;			/* of the newest chunk */
	size_t count;			/* of all */
	const char *text;
	size_t len, at;
};

/* Levels, and values in all: what a file may make us hold. */
enum { EXACT_JSON_DEPTH = 64, EXACT_JSON_VALUES = 2 << 20 };

/*
 * Parse exactly one value.  `text` must outlive the doc.  ERR_INPUT says line
 * and column.
 */
int exact_json_parse(struct exact_json_doc *doc, const char *text, size_t len,
		     struct err *err);
void exact_json_done(struct exact_json_doc *doc);

/* A member of an object; NULL: none, or no object. */
const struct exact_json *exact_json_get(const struct exact_json *v,
					const char *key);
/* The same value, written the same way. */
bool exact_json_same(const struct exact_json *a, const struct exact_json *b);
uint64_t exact_json_hash(const struct exact_json *v);

/* A whole number that fits; nothing else, no sign for unsigned. */
bool exact_json_u64(const struct exact_json *v, uint64_t *out);
bool exact_json_i64(const struct exact_json *v, int64_t *out);
/* A string with its escapes undone, for people; free() it.  Never NULL. */
char *exact_json_string(const struct exact_json *v);

/*
 * As Unity writes it: four spaces a level, `"key": value`, `[]` and `{}` where
 * empty, no final newline.  Continues at `level`; the key is not written.
 */
void exact_json_write(const struct exact_json *v, int level, struct buf *out);
/* A new line, indented. */
void exact_json_line(struct buf *out, int level);

#endif
