#ifndef RAW_DATA_H
#define RAW_DATA_H

#include "unity/raw_list.h"

/*
 * The frames of the editor's .data: index, start and CPU time of each, which
 * is as far as their headers go.
 */
int raw_data_read(const char *path, struct raw_list *list, struct err *err);

#endif
