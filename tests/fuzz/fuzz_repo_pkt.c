/* What a git server says: its refs, in pieces of one length. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "repo/repo_pkt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct repo_pkt_refs refs = {.wanted = "refs/heads/main"};
	struct err err = ERR_INIT;
	struct repo_pkt p;
	size_t piece = size ? data[0] % 7 + 1 : 1;

	repo_pkt_init(&p);
	for (size_t at = 1; at < size; at += piece) {
		size_t len = size - at < piece ? size - at : piece;

		if (repo_pkt_feed(&p, data + at, len, repo_pkt_see_ref, &refs,
				  &err))
			break;
	}
	if (*refs.oid && !repo_pkt_is_oid(refs.oid, strlen(refs.oid)))
		abort();
	(void)repo_pkt_can(&refs, "filter");
	repo_pkt_done(&p);
	free(refs.caps);
	return 0;
}
