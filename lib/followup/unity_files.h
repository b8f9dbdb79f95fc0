#ifndef UNITY_FILES_H
#define UNITY_FILES_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

/*
 * What a run says of Unity's files once they are here.  A file that can't be
 * read says why in the record and is no error of the run.
 */

/* Rows of each list that a result keeps; one more is the sum of the others. */
enum {
	UNITY_FILES_TYPES = 40,
	UNITY_FILES_AREAS = 20,
	UNITY_FILES_SHADERS = 20,
};
#define UNITY_FILES_OTHERS "(others)"

/*
 * A pulled snapshot: `record` gets "complete" and, when it is, "totals",
 * "types" and "areas".  Not complete: a "reason", and a message to free();
 * else NULL.
 */
char *unity_files_snapshot(const char *path, cJSON *record);

/* The whole summary of a snapshot; the caller owns it. */
int unity_files_summary(const char *path, cJSON **out, struct err *err);

/* A collection: "variants", "states", "api", "shader_count", "shaders". */
struct graphics_states;
void unity_files_stats(const struct graphics_states *g, cJSON *o);
/* The same of a pulled one. */
void unity_files_graphics(const char *path, cJSON *capture);

/*
 * Merge a pulled collection behind what the file `base` holds, drop what the
 * logs say was not found, and write it to the file `to`: neither of the two
 * changes.  `merged` gets counts and shaders.  ERR_INPUT: they are of another
 * platform, graphics API, quality level or version, or one is none.
 */
struct unity_files_merge {
	const char *base, *pulled, *to;
	const char *const *log;
	size_t logs;
};
int unity_files_merge(const struct unity_files_merge *m, cJSON *merged,
		      struct err *err);

#endif
