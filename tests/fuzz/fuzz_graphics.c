/*
 * Any bytes as a GraphicsStateCollection: what is read is written so that it
 * reads the same again, and merging it with itself adds nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "unity/graphics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
parse(struct graphics_states *g, const void *data, size_t size, struct err *err)
{
	struct buf text = BUF_INIT;

	buf_add(&text, data, size);
	return graphics_states_parse(g, "fuzz", &text, err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graphics_states a, b;
	struct graphics_added added;
	AUTO_BUF struct buf first = BUF_INIT;
	AUTO_BUF struct buf second = BUF_INIT;
	struct err err = ERR_INIT;

	if (parse(&a, data, size, &err))
		return 0;
	graphics_states_write(&a, &first);
	if (parse(&b, first.data, first.len, &err))
		abort();
	graphics_states_write(&b, &second);
	if (strcmp(first.data, second.data) != 0)
		abort();
	if (graphics_states_merge(&a, &b, &added, &err) == 0 &&
	    added.variants + added.entries != 0)
		abort();
	(void)graphics_states_sweep(&a);
	first.len = 0;
	graphics_states_write(&a, &first);
	graphics_states_done(&b);
	/* Without what nothing led to, it is still whole. */
	if (parse(&b, first.data, first.len, &err))
		abort();
	graphics_states_done(&b);
	graphics_states_done(&a);
	return 0;
}
