/*
 * Any bytes as a store's record and as numbers of another program: what is
 * taken is compared, drawn and told without harm, and is a record again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "history/compare.h"
#include "history/history_record.h"

enum { COPIES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
compare(const cJSON *record)
{
	struct compare_runs runs = {.record = NULL};
	AUTO_BUF struct buf text = BUF_INIT;
	AUTO_JSON cJSON *trends = NULL;
	AUTO_JSON cJSON *comparison = NULL;
	cJSON *copy[COPIES];
	struct err err = ERR_INIT;

	for (size_t i = 0; i < COPIES; i++)
		copy[i] = cJSON_Duplicate(record, true);
	runs.record = copy;
	runs.count = COPIES;
	if (compare_run(&runs, COPIES - 1, NULL, &comparison, &err))
		abort();
	compare_text(&text, comparison);
	compare_markdown(&text, comparison);
	trends = compare_trends(&runs, NULL, NULL);
	for (size_t i = 0; i < COPIES; i++)
		cJSON_Delete(copy[i]);
}

static void
import(const char *text, size_t len)
{
	struct history_entry e = {.id = NULL};
	struct err err = ERR_INIT;
	AUTO_JSON cJSON *in = NULL;
	AUTO_JSON cJSON *record = NULL;
	AUTO_JSON cJSON *again = NULL;

	if (json_parse(text, len, "fuzz", &in, &err) ||
	    history_record_import(in, "fuzz", &record, &err))
		return;
	history_record_entry(record, &e);
	if (history_record_parse(e.id, e.text, e.len, &again, &err))
		abort();
	history_entry_done(&e);
	compare(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char id[] = "20261130T104600Z-1-00000000";
	struct err err = ERR_INIT;
	AUTO_JSON cJSON *record = NULL;
	AUTO_JSON cJSON *result = NULL;

	if (history_record_parse(id, (const char *)data, size, &record, &err) ==
	    0)
		compare(record);
	err_clear(&err);
	import((const char *)data, size);
	if (json_parse((const char *)data, size, "fuzz", &result, &err) == 0) {
		AUTO_JSON cJSON *made = history_record_of(result);

		(void)history_record_at(made); /* any result makes one */
	}
	return 0;
}
