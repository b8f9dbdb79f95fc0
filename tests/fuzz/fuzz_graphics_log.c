/*
 * Any bytes as a player's log: what is understood is bounded, and pruning an
 * empty collection by it drops nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unity/graphics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graphics_log log = {0};
	struct graphics_states g;
	struct err err = ERR_INIT;
	struct buf text = BUF_INIT;
	const char *s = (const char *)data, *end = s + size;

	buf_str(&text, "{}");
	if (graphics_states_parse(&g, "fuzz", &text, &err))
		abort();
	while (s < end) {
		const char *eol = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((eol ? eol : end) - s);

		graphics_log_line(&log, s, len);
		s += len + 1;
	}
	if (log.count > log.lines ||
	    graphics_states_prune(&g, &log, GRAPHICS_DROP_SEVERAL) != 0)
		abort();
	graphics_log_done(&log);
	graphics_states_done(&g);
	return 0;
}
