/* A journal as a crash or a bad disk may leave it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "farm/lease_journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];

static void
clean_up(void)
{
	struct err err = ERR_INIT;

	(void)file_remove_tree(dir, &err); /* a few bytes that may stay */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lease_journal_list list;
	AUTO_FREE char *path = NULL;
	struct err err = ERR_INIT;

	if (dir[0] == '\0') {
		snprintf(dir, sizeof(dir), "%s/patrol-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		if (mkdtemp(dir) == NULL)
			abort();
		(void)atexit(clean_up);
	}
	path = file_join(dir, "run-1-a.ndjson");
	{
		FILE *f = fopen(path, "we");

		if (f == NULL || fwrite(data, 1, size, f) != size ||
		    fclose(f) != 0)
			abort();
	}
	if (lease_journal_find(dir, &list, &err))
		return 0;
	if (list.count != 1)
		abort();
	for (size_t i = 0; i < list.dead[0].count; i++) {
		if (!list.dead[0].item[i].what || !list.dead[0].item[i].id)
			abort();
	}
	lease_journal_list_done(&list);
	return 0;
}
