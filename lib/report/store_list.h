#ifndef STORE_LIST_H
#define STORE_LIST_H

#include <stddef.h>

#include "base/err.h"

/*
 * The files of a run's folder, by their names relative to it, sorted.  Left
 * out: result.json, which goes last; hidden and half files; whatever is not a
 * regular file, links above all, since they may lead out of the folder.
 */
struct store_list {
	char **item;
	size_t count, room;
};

int store_list_read(const char *dir, struct store_list *l, struct err *err);
void store_list_done(struct store_list *l);

#endif
