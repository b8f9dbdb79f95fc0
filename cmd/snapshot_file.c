#include "cmd/snapshot_file.h"

#include "base/buf.h"

void
snapshot_file_bytes(cJSON *row, int64_t bytes)
{
	AUTO_BUF struct buf text = BUF_INIT;

	buf_size(&text, bytes);
	json_push_str(row, text.data);
}

void
snapshot_file_grown(cJSON *row, int64_t bytes)
{
	AUTO_BUF struct buf text = BUF_INIT;

	buf_chr(&text, bytes < 0 ? '-' : '+');
	buf_size(&text, bytes < 0 ? -bytes : bytes);
	json_push_str(row, text.data);
}
