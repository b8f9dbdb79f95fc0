#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * One metric over runs, in their order, as a file holds it:
 *
 *	{"name": "...", "lower_is_better": true,
 *	 "points": [{"t": ..., "value": 12.5}, {"t": ..., "value": null}]}
 *
 * or lines "t,value" with an empty value where a run has none; a first line
 * whose value is a word is a heading.  `t` is anything and is not looked at:
 * the order is the file's.
 */
struct series {
	char *name;    /* of the JSON, or the file's without its folder */
	double *value; /* of valid runs, all finite */
	size_t *point; /* which point of the file each is, from 0 */
	size_t count;
	size_t points;	      /* in the file, also those without a value */
	bool lower_is_better; /* of the JSON; true */
};

enum { SERIES_FILE_MAX = 16 << 20 };

/* `path` "-" is stdin.  ERR_INPUT names the point or line that is wrong. */
int series_read(struct series *s, const char *path, struct err *err);
/* `text` of `len` bytes as from the file `path`. */
int series_parse(struct series *s, const char *text, size_t len,
		 const char *path, struct err *err);
void series_done(struct series *s);

#endif
