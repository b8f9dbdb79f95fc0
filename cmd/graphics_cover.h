#ifndef GRAPHICS_COVER_H
#define GRAPHICS_COVER_H

#include "base/json.h"
#include "unity/graphics.h"

/*
 * Several collections beside one another: how much of all of them together
 * each one has, of each shader, and what each screen adds where runs are
 * known that visited it and runs that did not.
 */
struct graphics_cover {
	const struct graphics_states *g; /* one of each file */
	const cJSON *const *screens;	 /* names that its run visited; NULL */
	size_t count;
};

/*
 * Adds coverage, coverage_by_shader and coverage_by_screen to `into`.
 * ERR_INPUT: they are no collections of one kind.
 */
int graphics_cover_json(const struct graphics_cover *c, cJSON *into,
			struct err *err);
void graphics_cover_print(const cJSON *from, int64_t top);

#endif
