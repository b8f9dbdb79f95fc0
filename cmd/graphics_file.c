#include "cmd/graphics_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

int
graphics_file_read(const struct opt_list *files, struct graphics_states **g,
		   struct err *err)
{
	struct graphics_states *list;

	list = mem_array(files->count, sizeof(*list));
	for (size_t i = 0; i < files->count; i++)
		if (graphics_states_read(&list[i], files->item[i], err)) {
			graphics_file_free(list, i);
			return -1;
		}
	*g = list;
	return 0;
}

void
graphics_file_free(struct graphics_states *g, size_t count)
{
	for (size_t i = 0; i < count; i++)
		graphics_states_done(&g[i]);
	free(g);
}

int
graphics_file_write(const struct graphics_states *g, const char *path,
		    struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX((size_t)GRAPHICS_LIMIT * 4);

	graphics_states_write(g, &text);
	if (buf_check(&text, "the collection", err))
		return -1;
	if (!path || strcmp(path, "-") == 0)
		return file_write_all(STDOUT_FILENO, text.data, text.len,
				      "stdout", err);
	return file_write_raw(path, text.data, text.len, err);
}

void
graphics_file_json(const cJSON *o)
{
	AUTO_FREE char *text = json_pretty(o);

	(void)fputs(text, stdout);
}
