#ifndef REPORT_H
#define REPORT_H

#include "base/json.h"

/*
 * report.html of a parsed result.json: one page that needs no network, with
 * the verdict first, for screens, phones and paper, in light and dark.
 *
 * Screenshots named by the result are read below `dir` (NULL: none) and
 * embedded; an image that is missing, too large or no PNG, JPEG or WebP is
 * said by name instead.
 */
enum {
	REPORT_MAX = 48 << 20,
	REPORT_IMAGE_MAX = 2 << 20,   /* one image */
	REPORT_IMAGES_MAX = 24 << 20, /* all of them */
	REPORT_ROWS_MAX = 500,	      /* of any list */
};

/* `out` should allow REPORT_MAX; ERR_PROTO when the page does not fit. */
int report_write(const cJSON *result, const char *dir, struct buf *out,
		 struct err *err);

#endif
