#ifndef UNITY_FILES_H
#define UNITY_FILES_H

#include "base/json.h"

/*
 * What a run says of Unity's files once they are here.  A file that can't be
 * read says why in the record and is no error of the run.
 */

/*
 * A pulled snapshot: `record` gets "complete" and, when it is, its "totals".
 * Not complete: a message, to free(); else NULL.
 */
char *unity_files_snapshot(const char *path, cJSON *record);

/* A pulled collection: `capture` gets "variants", "states" and "api". */
void unity_files_graphics(const char *path, cJSON *capture);

#endif
