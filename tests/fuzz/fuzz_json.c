/* What any peer may send as JSON, read, asked and written again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	AUTO_JSON cJSON *v = NULL;
	AUTO_JSON cJSON *again = NULL;
	char *text, *id;

	if (json_parse((const char *)data, size, "input", &v, &err))
		return 0;
	(void)json_str(v, "a.b", "");
	(void)json_int(v, "id", -1);
	(void)json_num(v, "a.c", 0);
	(void)json_count(v, "list");
	id = json_id(v, "id");
	free(id);
	text = json_text(v);
	/* What we write must be what we read. */
	if (json_parse(text, strlen(text), "own text", &again, &err))
		abort();
	free(text);
	return 0;
}
