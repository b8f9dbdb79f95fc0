#include "run/measure_parts.h"

#include <stdlib.h>
#include <string.h>

#include "adb/adb_sync.h"
#include "base/file.h"
#include "base/mem.h"
#include "followup/unity_files.h"
#include "run/capture.h"

static int
pull_once(struct run *r, const char *from, const char *to, int64_t *bytes,
	  struct deadline dl, struct err *err)
{
	struct adb_sync sync;
	int rc;

	if (adb_sync_open(&r->dev, &sync, dl, err))
		return err_wrap(err, "pull '%s'", from);
	rc = adb_sync_pull(&sync, from, to, NULL, NULL, bytes, dl, err);
	adb_sync_close(&sync);
	return rc;
}

int
measure_pull_file(struct run *r, const char *from, const char *folder,
		  char **file, int64_t *bytes, struct deadline dl,
		  struct err *err)
{
	const char *base = strrchr(from, '/');
	AUTO_FREE char *name = file_safe_name(base ? base + 1 : from);
	AUTO_FREE char *dir = file_join(r->cfg->out, folder);
	AUTO_FREE char *to = file_join(dir, name);

	dl = deadline_cap(dl, r->set->budget.pull_ms);
	if (file_mkdirs(dir, err))
		return -1;
	if (pull_once(r, from, to, bytes, dl, err)) {
		if (err->code != ERR_PROTO)
			return -1;
		run_say(r, PROGRESS_WARN, "%s", err->msg);
		err_clear(err);
		if (pull_once(r, from, to, bytes, dl, err))
			return -1;
	}
	*file = mem_fmt("%s/%s", folder, name);
	return 0;
}

static int
pull_capture(struct run *r, enum measure_what what, const char *key,
	     const char *from, const char *folder, enum measure_state *state,
	     struct deadline dl, struct err *err)
{
	AUTO_FREE char *file = NULL;
	int64_t bytes = -1;
	cJSON *c = measure_result_capture(r, key);

	if (measure_pull_file(r, from, folder, &file, &bytes, dl, err)) {
		if (what == MEASURE_DATA && !measure_fatal(r, err))
			measure_arrived(r, what, key, NULL, -1, false,
					err->msg);
		return measure_result_failed(r, key, "pull", state, err);
	}
	json_set_str(c, "file", file);
	json_set_int(c, "size_bytes", bytes);
	measure_result_status(r, key, "pulled", NULL);
	measure_arrived(r, what, key, NULL, bytes, true, NULL);
	return 0;
}

static void
look_at_graphics(struct run *r)
{
	cJSON *c = measure_result_capture(r, "graphics_states");
	const char *file = json_str(c, "file", NULL);
	AUTO_FREE char *path = file ? file_join(r->cfg->out, file) : NULL;

	if (path)
		unity_files_graphics(path, c);
}

int
measure_pull(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct measure *m = r->measure;

	if (m == NULL)
		return 0;
	if (m->capture)
		capture_tell(r, m->profiler == MEASURE_FAILED);
	/* An uploaded capture is where it belongs already. */
	if (m->profiler == MEASURE_STOPPED && m->profiler_path &&
	    !json_bool(measure_result_capture(r, "profiler"), "uploaded",
		       false) &&
	    pull_capture(r, MEASURE_DATA, "profiler", m->profiler_path,
			 "capture", &m->profiler, dl, err))
		return -1;
	if (m->graphics == MEASURE_STOPPED && pm->graphics_states.pull) {
		struct buf path = BUF_INIT;
		int rc = plan_vars_text(pm->graphics_states.pull, &r->vars,
					&path, err);

		free(m->graphics_path);
		m->graphics_path = buf_take(&path);
		if (rc)
			return -1;
	}
	if (m->graphics != MEASURE_STOPPED || !m->graphics_path)
		return 0;
	if (pull_capture(r, MEASURE_EXTRA, "graphics_states", m->graphics_path,
			 "graphics-states", &m->graphics, dl, err))
		return -1;
	look_at_graphics(r);
	return 0;
}
