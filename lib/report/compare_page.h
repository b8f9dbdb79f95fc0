#ifndef COMPARE_PAGE_H
#define COMPARE_PAGE_H

#include "base/buf.h"
#include "base/json.h"

/* A comparison (history/compare.h) as a page of HTML that needs no network. */
void compare_page_write(struct buf *out, const cJSON *comparison);

#endif
