#include "unity/raw_frames.h"

#include <stdlib.h>

#include "base/mem.h"

/* Doubled up to RAW_FRAMES: what a short recording does not have costs none. */
enum { FIRST_ROOM = 32 };

void
raw_frames_done(struct raw_frames *f)
{
	free(f->ring);
	*f = (struct raw_frames){0};
}

/* What was taken for the twin's belongs to the frame itself. */
static void
inherit(struct raw_frame *twin, struct raw_frame *to)
{
	to->bytes = twin->bytes;
	to->allocated = twin->allocated;
	to->counted = twin->counted;
	to->has_counted = twin->has_counted;
	to->waited = twin->waited;
	to->threads = twin->threads ? twin->threads - 1 : 0; /* main */
	twin->bytes = 0;
}

/* Before the first one is overwritten, each stands at its ordinal. */
static void
grow(struct raw_frames *f)
{
	f->room = f->room ? f->room * 2 : FIRST_ROOM;
	f->ring = mem_resize(f->ring, f->room, sizeof(*f->ring));
}

struct raw_frame *
raw_frames_begin(struct raw_frames *f, uint32_t index, uint64_t time)
{
	struct raw_frame *before, *now;

	if (f->count == f->room && f->room < RAW_FRAMES)
		grow(f);
	before = f->count ? raw_frames_at(f, f->count - 1) : NULL;
	now = &f->ring[f->count++ % f->room];
	*now = (struct raw_frame){.index = index, .start = time};
	if (!before)
		return now;
	before->closed = true;
	before->end = time;
	before->ended = index == before->index + 1;
	before->twin = index == before->index;
	if (before->twin)
		inherit(before, now);
	return now;
}

enum raw_found
raw_frames_find(const struct raw_frames *f, uint32_t index, uint64_t *ordinal)
{
	const struct raw_frame *newest;
	uint32_t back;

	if (f->count == 0)
		return RAW_FOUND_NOT_YET;
	newest = raw_frames_at(f, f->count - 1);
	back = newest->index - index;
	/* Without gaps it is just so many begins ago. */
	if (back < RAW_FRAMES && back < f->count &&
	    raw_frames_at(f, f->count - 1 - back)->index == index) {
		*ordinal = f->count - 1 - back;
		return RAW_FOUND;
	}
	if (index - newest->index < 1U << 31 && index != newest->index)
		return RAW_FOUND_NOT_YET;
	for (uint64_t i = 1; i <= RAW_FRAMES && i <= f->count; i++) {
		if (raw_frames_at(f, f->count - i)->index == index) {
			*ordinal = f->count - i;
			return RAW_FOUND;
		}
	}
	return RAW_FOUND_NEVER;
}
