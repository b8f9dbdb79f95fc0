#ifndef RAW_PAGES_H
#define RAW_PAGES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Memory from a page's begin on.  Copies from pages to a few bytes behind a
 * page's begin, where malloc puts large blocks, were seen to take four times
 * as long.
 */
enum { RAW_PAGE = 4096 };

struct raw_pages {
	uint8_t *p;
	size_t room;
	uint8_t *memory; /* to free */
};

void raw_pages_grow(struct raw_pages *pages, size_t want, size_t keep);

/*
 * Room for `want` bytes; the first `keep` stay, others are undefined.  It
 * grows by doubling: what a short recording does not need costs none.
 */
static inline void
raw_pages_need(struct raw_pages *pages, size_t want, size_t keep)
{
	if (want > pages->room)
		raw_pages_grow(pages, want, keep);
}

void raw_pages_done(struct raw_pages *pages);

#endif
