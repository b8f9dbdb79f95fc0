#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/snapshot_file.h"
#include "followup/unity_files.h"
#include "unity/snapshot.h"

static void
print_list(const cJSON *diff, const char *key, const char *head, int64_t top)
{
	const char *const words[] = {head,    "grown",	      "before",
				     "after", "count before", "count after",
				     NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *v;

	if (!json_count(diff, key))
		return;
	(void)columns_head(rows, words);
	cJSON_ArrayForEach(v, json_get(diff, key))
	{
		cJSON *row;

		if (top-- <= 0)
			break;
		row = json_arr();
		json_push_str(row, json_str(v, "name", ""));
		snapshot_file_grown(row, json_int(v, "bytes_grown", 0));
		snapshot_file_bytes(row, json_int(v, "bytes_before", 0));
		snapshot_file_bytes(row, json_int(v, "bytes_after", 0));
		columns_count(row, json_int(v, "count_before", 0));
		columns_count(row, json_int(v, "count_after", 0));
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

static void
push_grown_count(cJSON *row, int64_t n)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (n > 0)
		buf_chr(&b, '+');
	buf_fmt(&b, "%lld", (long long)n);
	json_push_str(row, b.data);
}

static void
print_totals(const cJSON *diff)
{
	static const char *const head[] = {"in all", "grown", "before", "after",
					   NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *v;

	(void)columns_head(rows, head);
	cJSON_ArrayForEach(v, json_get(diff, "totals"))
	{
		cJSON *row = json_arr();
		int64_t grown = json_int(v, "grown", 0);

		if (snapshot_file_total(row, json_str(v, "name", ""))) {
			snapshot_file_grown(row, grown);
			snapshot_file_bytes(row, json_int(v, "before", 0));
			snapshot_file_bytes(row, json_int(v, "after", 0));
		} else {
			push_grown_count(row, grown);
			columns_count(row, json_int(v, "before", 0));
			columns_count(row, json_int(v, "after", 0));
		}
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

static void
print_text(const cJSON *diff, int64_t top)
{
	printf("%s -> %s, %s session\n", json_str(diff, "before", ""),
	       json_str(diff, "after", ""),
	       json_bool(diff, "same_session", false) ? "one" : "not one");
	print_totals(diff);
	print_list(diff, "types", "native type", top);
	print_list(diff, "areas", "area", top);
	if (!json_count(diff, "types") && !json_count(diff, "areas"))
		printf("no type and no area differs\n");
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct columns_options *o = ctx->options;
	AUTO_JSON cJSON *a = NULL;
	AUTO_JSON cJSON *b = NULL;
	AUTO_JSON cJSON *diff = NULL;

	if (ctx->args.count != 2)
		return err_set(err, ERR_USAGE,
			       "snapshot compare: name two files, BEFORE and "
			       "AFTER");
	if (unity_files_summary(ctx->args.item[0], &a, err) ||
	    unity_files_summary(ctx->args.item[1], &b, err))
		return -1;
	diff = snapshot_compare(a, b);
	if (o->json) {
		AUTO_FREE char *text = json_pretty(diff);

		(void)fputs(text, stdout);
	} else {
		print_text(diff, columns_top(o));
	}
	return CMD_OK;
}

const struct command snapshot_compare_command = {
	.name = "snapshot compare",
	.summary = "Show what grew between two memory snapshots",
	.usage = "[OPTION]... BEFORE AFTER",
	.details = "The totals, then types and areas: the largest growth comes "
		   "first, what shrank last. The exit status is 0, different "
		   "or not.",
	.options = columns_options,
	.options_size = sizeof(struct columns_options),
	.run = run,
};
