#ifndef RESULTS_H
#define RESULTS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

/* The sample results in tests/data/results, for the tests of what is shown. */
static inline cJSON *
results_load(const char *name)
{
	AUTO_FREE char *path = mem_fmt("tests/data/results/%s.json", name);
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	if (json_read_file(path, 16 << 20, &v, &err)) {
		printf("# %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	return v;
}

/* Put `value` in place of what is there. */
static inline void
results_set(cJSON *result, const char *key, cJSON *value)
{
	json_set(result, key, value);
}

static inline void
results_set_str(cJSON *result, const char *key, const char *value)
{
	results_set(result, key, cJSON_CreateString(value));
}

static const char *const results_names[] = {
	"passed",	"failed_crash",	 "upload_failed",
	"skipped_busy", "invalid_input", "cancelled",
	"try",		"frames",	 NULL,
};

#endif
