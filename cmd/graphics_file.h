#ifndef GRAPHICS_FILE_H
#define GRAPHICS_FILE_H

#include "cmd/cmd.h"
#include "unity/graphics.h"

/* What the `graphics-states` commands share. */

/* The files that the command names, all read; `count` of them. */
int graphics_file_read(const struct opt_list *files, struct graphics_states **g,
		       struct err *err);
void graphics_file_free(struct graphics_states *g, size_t count);

/* To a file that replaces `path` when whole; NULL or "-": to stdout. */
int graphics_file_write(const struct graphics_states *g, const char *path,
			struct err *err);
/* JSON on stdout. */
void graphics_file_json(const cJSON *o);

#endif
