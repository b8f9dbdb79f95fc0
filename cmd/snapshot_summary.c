#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/columns.h"
#include "cmd/snapshot_file.h"
#include "followup/unity_files.h"
#include "unity/graphics.h"

static void
print_list(const cJSON *o, const char *key, const char *head, int64_t top)
{
	const char *const words[] = {head, "count", "size", NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *v;

	if (!json_count(o, key))
		return;
	(void)columns_head(rows, words);
	cJSON_ArrayForEach(v, json_get(o, key))
	{
		cJSON *row;

		if (top-- <= 0)
			break;
		row = json_arr();
		json_push_str(row, json_str(v, "name", ""));
		columns_count(row, json_int(v, "count", 0));
		snapshot_file_bytes(row, json_int(v, "bytes", 0));
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

static void
print_head(const cJSON *o)
{
	AUTO_BUF struct buf text = BUF_INIT;
	const char *product = json_str(o, "target.product", "unknown product");
	const char *unity = json_str(o, "target.unity_version", "unknown");

	buf_escaped(&text, product, strlen(product));
	buf_str(&text, ", Unity ");
	buf_escaped(&text, unity, strlen(unity));
	printf("%s: %s, captured %s, format %lld\n", json_str(o, "file", ""),
	       text.data, json_str(o, "captured_at", "at an unknown time"),
	       (long long)json_int(o, "version", 0));
}

static void
add_named(struct buf *b, const char *what, int64_t n,
	  const char *(*name)(int64_t n))
{
	if (name(n))
		buf_str(b, name(n));
	else
		buf_fmt(b, "%s %lld", what, (long long)n);
}

/* What it was captured on, as far as it says. */
static void
print_target(const cJSON *o)
{
	static const struct {
		const char *key, *what;
	} sizes[] = {{"target.physical_memory_bytes", "memory"},
		     {"target.graphics_memory_bytes", "graphics memory"}};
	AUTO_BUF struct buf b = BUF_INIT;

	if (!json_get(o, "target.platform"))
		return;
	buf_str(&b, "on ");
	add_named(&b, "platform", json_int(o, "target.platform", -1),
		  graphics_platform_name);
	buf_str(&b, ", ");
	add_named(&b, "graphics API", json_int(o, "target.graphics_device", -1),
		  graphics_device_name);
	for (size_t i = 0; i < 2; i++) {
		buf_str(&b, ", ");
		buf_size(&b, json_int(o, sizes[i].key, 0));
		buf_fmt(&b, " of %s", sizes[i].what);
	}
	printf("%s, session %lld\n", b.data,
	       (long long)json_int(o, "target.session", 0));
}

static void
print_regions(const cJSON *o)
{
	static const char *const head[] = {"region", "count", "committed",
					   "resident", NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *v;

	if (!json_count(o, "regions"))
		return;
	(void)columns_head(rows, head);
	cJSON_ArrayForEach(v, json_get(o, "regions"))
	{
		cJSON *row = json_arr();

		json_push_str(row, json_str(v, "name", ""));
		columns_count(row, json_int(v, "count", 0));
		snapshot_file_bytes(row, json_int(v, "committed_bytes", 0));
		snapshot_file_bytes(row, json_int(v, "resident_bytes", 0));
		json_push(rows, row);
	}
	printf("\n");
	columns_print(rows, stdout);
}

static void
print_totals(const cJSON *o)
{
	static const char *const head[] = {"in all", "", NULL};
	AUTO_JSON cJSON *rows = json_arr();
	const cJSON *v;

	(void)columns_head(rows, head);
	cJSON_ArrayForEach(v, json_get(o, "totals"))
	{
		cJSON *row;

		if (!cJSON_IsNumber(v))
			continue;
		row = json_arr();
		if (snapshot_file_total(row, v->string))
			snapshot_file_bytes(row, (int64_t)v->valuedouble);
		else
			columns_count(row, (int64_t)v->valuedouble);
		json_push(rows, row);
	}
	columns_print(rows, stdout);
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct columns_options *opt = ctx->options;
	int64_t top = columns_top(opt);
	AUTO_JSON cJSON *all = json_arr();

	if (!ctx->args.count)
		return err_set(err, ERR_USAGE, "snapshot summary: name a FILE");
	for (size_t i = 0; i < ctx->args.count; i++) {
		cJSON *o;

		if (unity_files_summary(ctx->args.item[i], &o, err))
			return -1;
		json_push(all, o);
		if (opt->json)
			continue;
		print_head(o);
		print_target(o);
		print_totals(o);
		print_regions(o);
		print_list(o, "types", "native type", top);
		print_list(o, "areas", "area", top);
		print_list(o, "allocators", "allocator", top);
		printf("\nWhose bytes are whose is decided otherwise than in "
		       "the editor's window: sums differ from it.\n");
	}
	if (opt->json) {
		AUTO_FREE char *text = json_pretty(all);

		(void)fputs(text, stdout);
	}
	return CMD_OK;
}

const struct command snapshot_summary_command = {
	.name = "snapshot summary",
	.summary = "Show what a memory snapshot holds, by type and by area",
	.usage = "[OPTION]... FILE...",
	.details = "Totals of memory committed and resident, also by kind of "
		   "region, native objects by type, root references by area, "
		   "the managed heap, graphics and allocators. Read in pieces: "
		   "a snapshot of gigabytes takes little memory. Exit status 2 "
		   "when one is not complete.",
	.options = columns_options,
	.options_size = sizeof(struct columns_options),
	.run = run,
};
