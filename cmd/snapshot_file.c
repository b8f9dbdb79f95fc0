#include "cmd/snapshot_file.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

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

/* What would not say of itself whether it is a size or a number. */
static const char *
plain_total(const char *key)
{
	static const struct {
		const char *key, *words;
	} words[] = {
		{"native_object_bytes", "native objects, size"},
		{"native_objects", "native objects, count"},
		{"native_allocation_bytes", "native allocations, size"},
		{"native_allocations", "native allocations, count"},
		{"root_bytes", "root references, size"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(key, words[i].key) == 0)
			return words[i].words;
	}
	return NULL;
}

bool
snapshot_file_total(cJSON *row, const char *key)
{
	AUTO_FREE char *name = mem_strdup(key);
	size_t len = strlen(name);
	bool bytes = len > 6 && strcmp(name + len - 6, "_bytes") == 0;

	if (bytes)
		name[len - 6] = '\0';
	for (char *c = name; *c; c++)
		if (*c == '_')
			*c = ' ';
	json_push_str(row, plain_total(key) ? plain_total(key) : name);
	return bytes;
}
