#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "history/clickhouse_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
see(void *arg, const char *id, const char *text, size_t len, struct err *err)
{
	(void)err;
	buf_str(arg, id);
	buf_add(arg, text, len);
	return 0;
}

static int
read_rows(struct buf *got, const char *data, size_t size, size_t step)
{
	struct clickhouse_rows r;
	struct err err = ERR_INIT;
	int rc = 0;

	clickhouse_rows_init(&r, 4096, see, got);
	for (size_t i = 0; rc == 0 && i < size; i += step)
		rc = clickhouse_rows_feed(
			&r, data + i, size - i < step ? size - i : step, &err);
	if (rc == 0)
		rc = clickhouse_rows_finish(&r, &err);
	clickhouse_rows_done(&r);
	return rc;
}

/* A server's rows: at once and in single bytes they are the same. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUF struct buf whole = BUF_INIT;
	AUTO_BUF struct buf bytes = BUF_INIT;
	const char *text = (const char *)data;

	if (read_rows(&whole, text, size, size + 1) !=
		    read_rows(&bytes, text, size, 1) ||
	    whole.len != bytes.len ||
	    memcmp(whole.data, bytes.data, whole.len) != 0)
		__builtin_trap();
	return 0;
}
