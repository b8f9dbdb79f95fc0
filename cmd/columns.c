#include "cmd/columns.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "base/secret.h"
#include "report/progress.h"

enum { COLUMNS_MAX = 12, TOP = 20 };

struct width {
	size_t most; /* of all rows; 0: nothing but a head */
	size_t head;
};

static char *
cell(const cJSON *row, int i)
{
	const cJSON *v = cJSON_GetArrayItem(row, i);
	AUTO_FREE char *clean = NULL;

	clean = present_line_dup(cJSON_IsString(v) ? v->valuestring : "", 0);
	return secret_redacted(clean);
}

static void
measure(const cJSON *rows, struct width *w, int count)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, rows)
	{
		for (int i = 0; i < count; i++) {
			AUTO_FREE char *text = cell(row, i);
			size_t n = progress_width(text);

			if (row == rows->child)
				w[i].head = n;
			else if (n > w[i].most)
				w[i].most = n;
		}
	}
}

cJSON *
columns_head(cJSON *rows, const char *const *word)
{
	cJSON *row = json_arr();

	for (; *word; word++)
		json_push_str(row, *word);
	json_push(rows, row);
	return row;
}

void
columns_count(cJSON *row, int64_t n)
{
	AUTO_FREE char *text = mem_fmt("%lld", (long long)n);

	json_push_str(row, text);
}

void
columns_print(const cJSON *rows, FILE *to)
{
	struct width w[COLUMNS_MAX] = {0};
	int count = rows->child ? cJSON_GetArraySize(rows->child) : 0;
	const cJSON *row;

	if (count > COLUMNS_MAX)
		count = COLUMNS_MAX;
	measure(rows, w, count);
	cJSON_ArrayForEach(row, rows)
	{
		size_t owed = 0;
		bool first = true;

		for (int i = 0; i < count; i++) {
			size_t most =
				w[i].most > w[i].head ? w[i].most : w[i].head;
			AUTO_FREE char *text = NULL;

			if (w[i].most == 0)
				continue;
			text = cell(row, i);
			/* Blanks are owed, so that no line ends in them. */
			if (*text) {
				fprintf(to, "%*s%s", (int)owed, "", text);
				owed = 0;
			}
			owed += most - progress_width(text) + 2;
			first = false;
		}
		if (!first)
			fputc('\n', to);
	}
}

const struct opt columns_options[] = {
	{"json", 0, OPT_FLAG, offsetof(struct columns_options, json), NULL,
	 "Print JSON for other programs", NULL},
	{"top", 0, OPT_COUNT, offsetof(struct columns_options, top), "N",
	 "Show so many rows of each table, 20 when not given", NULL},
	{0},
};

int64_t
columns_top(const struct columns_options *o)
{
	return o->top ? o->top : TOP;
}
