#ifndef RAW_IMAGE_H
#define RAW_IMAGE_H

#include "unity/raw_scan.h"

/*
 * Pictures that an SDK put into a recording as frame metadata: samples of the
 * marker "Profiler.FrameMetadata" whose last blob is a JPEG or a PNG.  Each
 * is written to a folder as soon as it is whole: frame_INDEX_TAG_NUMBER.jpg,
 * NUMBER counts them all.
 */
enum { RAW_IMAGE_MAX = 16 << 20 }; /* bytes; larger ones are left out */

struct raw_image {
	const char *dir;
	struct raw_scan *scan;
	uint32_t marker;
	bool has_marker;
	uint64_t thread; /* whose picture is being put together ... */
	uint32_t frame, tag;
	uint32_t want; /* ... bytes still missing */
	struct buf data;
	uint64_t written;
	uint64_t other; /* neither JPEG nor PNG */
	uint64_t too_large;
	uint64_t cut; /* not whole, or divided before its blob */
	int rc;	      /* of the first write that failed, told in `err` */
	struct err err;
};

void raw_image_init(struct raw_image *im, const char *dir);
void raw_image_done(struct raw_image *im);
void raw_image_marker(struct raw_image *im, const struct raw_msg *m);
void raw_image_message(struct raw_image *im, const struct raw_thread *t,
		       const struct raw_msg *m);
/* At the end: one that is still put together is cut. */
void raw_image_end(struct raw_image *im);
void raw_image_rest(struct raw_image *im, const struct raw_thread *t,
		    const uint8_t *p, size_t len);

#endif
