#ifndef HISTORY_TAG_H
#define HISTORY_TAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/*
 * Whose runs a record belongs to, as its id tells without its text:
 * "20261130T104600Z-4242-1f9a04c2.5b1ec07d19aa" ends with four digits of the
 * title's digest and eight of the key's.  So the runs of one key are chosen by
 * their names, and what others share the store costs no reading.
 */
enum { HISTORY_TAG_TITLE = 4, HISTORY_TAG_KEY = 8 };

struct history_tag {
	char title[HISTORY_TAG_TITLE + 1]; /* zeros: it tells none */
	char key[HISTORY_TAG_KEY + 1];	   /* zeros: no game was started */
};

void history_tag_of(const cJSON *record, struct history_tag *out);
/* Of a title alone; NULL or "": none. */
void history_tag_of_title(const char *title, struct history_tag *out);
/* false: the id has none.  Then only the record's text tells. */
bool history_tag_parse(const char *id, struct history_tag *out);

/* Has it been read?  Not when it is all zero bytes. */
bool history_tag_is_known(const struct history_tag *t);
bool history_tag_has_key(const struct history_tag *t);
bool history_tag_has_title(const struct history_tag *t);
/* Of one title, as far as both tell one? */
bool history_tag_same_title(const struct history_tag *a,
			    const struct history_tag *b);
/* Of one title and one key? */
bool history_tag_same(const struct history_tag *a, const struct history_tag *b);

/* The first `digits` hexadecimal ones of a text's digest, and a zero byte. */
void history_tag_digits(const char *text, size_t len, size_t digits, char *out);

#endif
