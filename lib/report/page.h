#ifndef PAGE_H
#define PAGE_H

#include "base/buf.h"

/*
 * A page of HTML that needs no network: its head up to <main>, with the
 * report's style sheet and `css` (NULL: no more), and its end.
 *
 * `policy` is its Content-Security-Policy; NULL: nothing is fetched and no
 * script runs, whatever a name contains.  `title` is others' text.
 */
void page_begin(struct buf *out, const char *policy, const char *title,
		const char *css);
void page_end(struct buf *out);

#endif
