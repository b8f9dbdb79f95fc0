/* Any bytes as a series, and what is said of it lies within it. */
#include <stdint.h>
#include <stdlib.h>

#include "series/detect.h"
#include "series/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct series s;
	struct detect_rules rules = detect_rules();
	struct detect_list list = DETECT_LIST_INIT;
	struct err err = ERR_INIT;

	if (series_parse(&s, (const char *)data, size, "fuzz", &err))
		return 0;
	rules.deterministic = size & 1;
	detect_series(s.value, s.count, &rules, &list);
	for (size_t i = 0; i < list.count; i++) {
		if (list.change[i].seen >= s.count ||
		    list.change[i].index > list.change[i].seen)
			abort();
	}
	detect_list_done(&list);
	series_done(&s);
	return 0;
}
