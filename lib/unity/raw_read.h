#ifndef RAW_READ_H
#define RAW_READ_H

#include "unity/raw_scan.h"

/* The payloads that a scan opens, in windows of RAW_WINDOW bytes. */

/* Take what a block of definitions says; tells in `again` if it is known. */
int raw_read_definitions(struct raw_scan *s, struct raw_item *item,
			 struct err *err);

/* Look for what the scan's user wants of a bound thread's block. */
int raw_read_content(struct raw_scan *s, struct raw_item *item,
		     struct err *err);

#endif
