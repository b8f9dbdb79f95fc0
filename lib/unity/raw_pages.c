#include "unity/raw_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
raw_pages_grow(struct raw_pages *pages, size_t want, size_t keep)
{
	struct raw_pages old = *pages;
	size_t room = old.room ? old.room : RAW_PAGE;
	uintptr_t within;

	while (room < want)
		room *= 2;
	pages->memory = mem_resize(NULL, room + RAW_PAGE, 1);
	within = (uintptr_t)pages->memory % RAW_PAGE;
	pages->p = pages->memory + (RAW_PAGE - within) % RAW_PAGE;
	pages->room = room;
	if (keep)
		memcpy(pages->p, old.p, keep);
	free(old.memory);
}

void
raw_pages_done(struct raw_pages *pages)
{
	free(pages->memory);
	*pages = (struct raw_pages){0};
}
