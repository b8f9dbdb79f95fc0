/* Any bytes as an issue's body; what is read lies within it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "domain/issue_block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct issue_block b;
	struct err err = ERR_INIT;

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
