/* Any bytes as an issue's body; what is read lies within it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "followup/issue_block.h"
#include "followup/issue_marker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_marker(const uint8_t *data, size_t size)
{
	AUTO_FREE char *body = mem_strndup((const char *)data, size);
	size_t offset, length;
	struct issue_marker m;

	if (issue_marker_read(body, &m, &offset, &length)) {
		if (m.series.count > ISSUE_MARKER_MOST ||
		    offset + length > strlen(body))
			abort();
		issue_marker_done(&m);
	}
	(void)issue_marker_has_run(body, "20261130T104600Z-4242-1f9a04c2");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct issue_block b;
	struct err err = ERR_INIT;

	read_marker(data, size);
	if (issue_block_parse((const char *)data, size, &b, &err) == 0) {
		AUTO_BUF struct buf again = BUF_INIT;
		struct issue_block same;

		if (b.count == 0 || b.size > size || b.offset > size - b.size)
			abort();
		/* What was read once is read again. */
		issue_block_write(&again, b.json);
		if (issue_block_parse(again.data, again.len, &same, &err) &&
		    again.len < ISSUE_BLOCK_SIZE_MAX)
			abort();
		issue_block_done(&same);
	}
	issue_block_done(&b);
	return 0;
}
