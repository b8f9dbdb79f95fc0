#include "base/file.h"
#include "base/mem.h"
#include "followup/unity_files.h"
#include "unity/graphics.h"

static int
prune(struct graphics_states *g, const struct unity_files_merge *m,
      cJSON *merged, struct err *err)
{
	struct graphics_log log = {0};
	size_t near = 0, nowhere = 0, dropped;
	int rc = 0;

	for (size_t i = 0; i < m->logs && rc == 0; i++)
		rc = graphics_log_read(&log, m->log[i], err);
	if (rc) {
		graphics_log_done(&log);
		return -1;
	}
	dropped = graphics_states_prune(g, &log, GRAPHICS_KEEP_SEVERAL);
	for (size_t i = 0; i < log.count; i++) {
		near += !log.missing[i].matches && log.missing[i].near;
		nowhere += !log.missing[i].matches && !log.missing[i].near;
	}
	json_set_int(merged, "not_found", (int64_t)log.count);
	json_set_int(merged, "pruned", (int64_t)dropped);
	json_set_int(merged, "near_misses", (int64_t)near);
	json_set_int(merged, "not_in_it", (int64_t)nowhere);
	json_set_int(merged, "lines_not_understood", (int64_t)log.unparsed);
	graphics_log_done(&log);
	return 0;
}

static int
put(const struct graphics_states *g, const char *path, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX((size_t)GRAPHICS_LIMIT * 4);

	graphics_states_write(g, &text);
	if (buf_check(&text, "the merged collection", err))
		return -1;
	return file_write_raw(path, text.data, text.len, err);
}

static int
merge(struct graphics_states *base, const struct graphics_states *pulled,
      const struct unity_files_merge *m, cJSON *merged, struct err *err)
{
	struct graphics_added added = {.variants = 0};

	json_set_int(merged, "base_variants", (int64_t)base->count);
	if (graphics_states_merge(base, pulled, &added, err) ||
	    prune(base, m, merged, err) || put(base, m->to, err))
		return -1;
	json_set_int(merged, "added_variants", (int64_t)added.variants);
	json_set_int(merged, "added_states", (int64_t)added.states);
	return 0;
}

int
unity_files_merge(const struct unity_files_merge *m, cJSON *merged,
		  struct err *err)
{
	struct graphics_states base, pulled;
	int rc;

	if (graphics_states_read(&base, m->base, err))
		return -1;
	if (graphics_states_read(&pulled, m->pulled, err)) {
		graphics_states_done(&base);
		return -1;
	}
	rc = merge(&base, &pulled, m, merged, err);
	if (rc == 0)
		unity_files_stats(&base, merged);
	/* What was merged in is borrowed from `pulled`. */
	graphics_states_done(&base);
	graphics_states_done(&pulled);
	return rc;
}
