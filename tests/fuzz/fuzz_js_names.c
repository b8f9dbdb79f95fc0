/*
 * Any bytes as JavaScript: each name that is told is a chain of names, and it
 * stands in the code.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/js_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *code = mem_strndup((const char *)data, size);
	struct js_names names = {0};

	js_names_scan(code, &names);
	for (size_t i = 0; i < names.count; i++) {
		const char *first = names.item[i];
		AUTO_FREE char *word = mem_strndup(first, strcspn(first, "."));

		if (*first == '\0' || isdigit((unsigned char)*first) ||
		    strstr(code, word) == NULL)
			abort();
		for (size_t k = 0; k < i; k++)
			if (strcmp(first, names.item[k]) == 0)
				abort(); /* each once */
	}
	js_names_done(&names);
	return 0;
}
