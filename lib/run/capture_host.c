#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb_sync.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/capture.h"
#include "run/measure.h"

/*
 * The filter runs here, in a thread of its own, over a folder to which the
 * finished segments are pulled between two stays: adb is silent while a screen
 * is measured.
 */
enum { END_MS = 60000 };

char *
capture_host_folder(const struct run *r)
{
	return mem_fmt("%s/patrol-raw", r->vars.files);
}

static char *
segment_name(int n)
{
	return mem_fmt("s_%04d.raw", n);
}

int
capture_host_ready(struct run *r, bool *touched, struct deadline dl,
		   struct err *err)
{
	AUTO_FREE char *folder = capture_host_folder(r);
	AUTO_FREE char *capture = file_join(r->cfg->out, "capture");
	AUTO_BUF struct buf b = BUF_INIT;

	if (file_mkdirs(capture, err))
		return -1;
	*touched = true;
	buf_str(&b, "rm -rf ");
	adb_shell_quote(&b, folder);
	return adb_shell_text(&r->dev, b.data, NULL,
			      deadline_cap(dl, r->set->budget.shell_ms), err);
}

static void *
filter(void *arg)
{
	struct capture_recording *c = arg;
	struct raw_filter_result result;
	ssize_t n;

	c->rc = raw_filter_run(&c->spec, &c->stop, NULL, &result, &c->err);
	n = write(c->ended[1], "", 1);
	(void)n; /* one byte fits into an empty pipe */
	return NULL;
}

static void
set_spec(struct run *r, struct capture_recording *c, const char *summary)
{
	const struct plan_measure *pm = &r->plan->measure;
	size_t n = pm->profiler.exclude.count;

	for (size_t i = 0; i < n; i++)
		c->omit[i] = pm->profiler.exclude.item[i];
	c->spec = (struct raw_filter_spec){
		.src = {.paths = (const char *const *)&c->incoming,
			.count = 1,
			.follow = true,
			.consume = true},
		.rules = {.by_time = true,
			  .by_gc = true,
			  .time_ns = (uint64_t)pm->profiler.frame_time_ms *
				     1000000,
			  .gc_bytes = (uint64_t)pm->profiler.gc_alloc_bytes,
			  .busy = pm->profiler.busy,
			  .around = (uint32_t)pm->profiler.around,
			  .gc_file = c->counter,
			  .gc_name = r->measure->capture->counter},
		.out = c->out,
		.summary = summary,
		.max_output = (uint64_t)pm->profiler.max_output_bytes,
		.omit = n ? c->omit : NULL,
		.omits = n,
	};
}

int
capture_host_begin(struct run *r, struct capture_recording *c,
		   struct deadline dl, struct err *err)
{
	AUTO_FREE char *folder = capture_host_folder(r);

	(void)dl;
	c->folder = mem_fmt("%s/%d", folder, c->number);
	c->incoming = mem_fmt("%s/.work-raw/%d", r->cfg->out, c->number);
	if (capture_counter_used(r->measure->capture)) {
		c->counter = mem_fmt("%s.gc", c->incoming);
		(void)unlink(c->counter); /* of a run that was killed */
	}
	c->out = file_join(r->cfg->out, c->file);
	c->summary = mem_fmt("%s.json", c->out);
	if (file_mkdirs(c->incoming, err) ||
	    deadline_cancel_init(&c->stop, err))
		return -1;
	if (pipe2(c->ended, O_CLOEXEC)) {
		deadline_cancel_done(&c->stop);
		return err_sys(err, "make a pipe");
	}
	set_spec(r, c, c->summary);
	errno = pthread_create(&c->thread, NULL, filter, c);
	if (errno)
		return err_sys(err, "start a thread");
	c->has_thread = true;
	return 0;
}

bool
capture_host_over(const struct capture_recording *c)
{
	struct pollfd p = {.fd = c->ended[0], .events = POLLIN};

	return c->has_thread && poll(&p, 1, 0) > 0;
}

static int
fetch_one(struct run *r, struct capture_recording *c, struct adb_sync *sync,
	  struct deadline dl, struct err *err)
{
	AUTO_FREE char *name = segment_name(c->pulled + 1);
	AUTO_FREE char *from = file_join(c->folder, name);
	AUTO_FREE char *to = file_join(c->incoming, name);
	AUTO_BUF struct buf b = BUF_INIT;

	if (adb_sync_pull(sync, from, to, NULL, NULL, NULL,
			  deadline_cap(dl, r->set->budget.pull_ms), err) &&
	    err->code != ERR_NOTFOUND)
		return err_wrap(err, "pull '%s'", from);
	err_clear(err); /* absent: the app ended before it began it */
	c->pulled++;
	buf_str(&b, "rm -f ");
	adb_shell_quote(&b, from);
	return adb_shell_text(&r->dev, b.data, NULL,
			      deadline_cap(dl, r->set->budget.shell_ms), err);
}

int
capture_host_fetch(struct run *r, struct capture_recording *c, int last,
		   struct deadline dl, struct err *err)
{
	struct adb_sync sync;
	int rc = 0;

	if (c->pulled >= last)
		return 0;
	/* First what tells of its frames. */
	if (capture_counter_fetch(r, c, dl, err))
		return -1;
	if (adb_sync_open(&r->dev, &sync, dl, err))
		return -1;
	while (rc == 0 && c->pulled < last)
		rc = fetch_one(r, c, &sync, dl, err);
	adb_sync_close(&sync);
	return rc;
}

static void
join(struct capture_recording *c)
{
	if (c->has_thread)
		(void)pthread_join(c->thread, NULL); /* can't fail: ours */
	c->has_thread = false;
}

int
capture_host_end(struct run *r, struct capture_recording *c, struct deadline dl,
		 struct err *err)
{
	int rc;

	/* The last values come behind the last frames. */
	if (capture_host_fetch(r, c, c->segment, dl, err) ||
	    capture_counter_fetch(r, c, dl, err))
		return -1;
	deadline_cancel_raise(&c->stop, 1);
	rc = deadline_wait(deadline_cap(dl, END_MS), c->ended[0], POLLIN, err);
	if (rc)
		deadline_cancel_raise(&c->stop, 2);
	join(c);
	if (rc == 0 && c->rc) {
		*err = c->err;
		rc = -1;
	}
	return rc ? err_wrap(err, "filter the log") : 0;
}

void
capture_host_done(struct capture_recording *c)
{
	struct err err = ERR_INIT;

	if (c->has_thread) {
		deadline_cancel_raise(&c->stop, 1);
		deadline_cancel_raise(&c->stop, 2);
		join(c);
	}
	if (c->ended[0] > 0) {
		(void)close(c->ended[0]); /* a pipe */
		(void)close(c->ended[1]); /* a pipe */
		deadline_cancel_done(&c->stop);
	}
	if (c->incoming) {
		/* What stays here the next run removes. */
		(void)file_remove_tree(c->incoming, &err);
		if (c->counter)
			(void)unlink(c->counter);
		*strrchr(c->incoming, '/') = '\0';
		(void)rmdir(c->incoming);
	}
	free(c->counter);
	free(c->incoming);
	free(c->out);
	free(c->summary);
}
