#ifndef BUILD_OPTION_H
#define BUILD_OPTION_H

#include "base/err.h"

/*
 * ERR_USAGE unless --run-id and --apk (NULL: not given) name one build: the id
 * of a run is a number, whatever a web address has around it.
 */
int build_option_check(const char *run_id, const char *apk, struct err *err);

#endif
