#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb_stream.h"
#include "base/file.h"
#include "base/mem.h"
#include "farm/reap_adb.h"
#include "run/capture.h"
#include "run/measure.h"
#include "transport/sock.h"

/*
 * The counter that the app itself writes on the phone (gc_counter).  With
 * filter: device the program there reads it; for filter: host what was added
 * since is brought here before the segments that it tells of.  It is a help
 * and no more: what goes wrong with it is told, and the recording goes on.
 */
enum { PIECE = 1 << 16, MOST = 256 << 20 };

/* A command on the file, as the one who may. */
static char *
command_on(struct run *r, const struct capture *all, const char *what)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(&b, "%s ", what);
	adb_shell_quote(&b, all->counter);
	if (strncmp(all->counter, "/data/", 6) == 0)
		return capture_device_as_app(r, b.data);
	return buf_take(&b);
}

int
capture_counter_find(struct run *r, struct capture *all, struct err *err)
{
	const char *text = r->plan->measure.profiler.gc_counter;
	AUTO_BUF struct buf b = BUF_INIT;

	if (all->counter || !text)
		return 0;
	if (plan_vars_text(text, &r->vars, &b, err))
		return err_wrap(err, "gc_counter");
	/* An app that goes on by itself is not reap's to end. */
	if (!r->cfg->attach) {
		if (capture_note(r, "gc_counter", b.data, err))
			return -1;
		all->counter_noted = true;
	}
	all->counter = buf_take(&b);
	return 0;
}

int
capture_counter_remove(struct run *r, struct capture *all, struct deadline dl,
		       struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (!all->counter)
		return 0;
	reap_adb_uncount(&b, r->package, all->counter);
	if (adb_shell_text(&r->dev, b.data, NULL, dl, err) == 0)
		return 0;
	return err_wrap(err, "remove the app's counter '%s'", all->counter);
}

int
capture_counter_fresh(struct run *r, struct capture *all, struct deadline dl,
		      struct err *err)
{
	if (capture_counter_remove(r, all,
				   deadline_cap(dl, r->set->budget.shell_ms),
				   err) == 0) {
		all->counter_stays = false;
		return 0;
	}
	if (err->code != ERR_REMOTE)
		return -1;
	all->counter_stays = true;
	run_say(r, PROGRESS_WARN, "capture: %s; it is not used", err->msg);
	result_error(&r->res, err, "gc counter");
	err_clear(err);
	return 0;
}

bool
capture_counter_used(const struct capture *all)
{
	return all->counter && !all->counter_stays;
}

/* Bytes of it on the phone; -1: none yet. */
static int
measure_it(struct run *r, const struct capture *all, long long *size,
	   struct deadline dl, struct err *err)
{
	AUTO_FREE char *command = command_on(r, all, "stat -c %s");
	AUTO_BUF struct buf out = BUF_INIT;

	*size = -1;
	if (adb_shell_text(&r->dev, command, &out,
			   deadline_cap(dl, r->set->budget.shell_ms), err)) {
		if (err->code != ERR_REMOTE)
			return -1;
		err_clear(err);
		return 0;
	}
	*size = strtoll(out.data, NULL, 10);
	return 0;
}

/* What follows the bytes that are here, as far as there is more. */
static int
add_rest(struct run *r, struct capture_recording *c, int to, struct deadline dl,
	 struct err *err)
{
	AUTO_FREE char *tail =
		mem_fmt("tail -c +%lld", (long long)c->counted + 1);
	AUTO_FREE char *command = command_on(r, r->measure->capture, tail);
	AUTO_FREE char *service = mem_fmt("exec:%s", command);
	AUTO_FREE char *piece = mem_alloc(PIECE);
	AUTO_FD int fd = -1;
	ssize_t n;

	dl = deadline_cap(dl, r->set->budget.pull_ms);
	if (adb_stream_open(&r->adb, r->serial, service, &fd, dl, err))
		return -1;
	while ((n = sock_recv(fd, piece, PIECE, dl, err)) > 0) {
		if (c->counted + n > MOST)
			return err_set(err, ERR_PROTO, "it is over 256 MiB");
		if (file_write_all(to, piece, (size_t)n, c->counter, err))
			return -1;
		c->counted += n;
	}
	return n < 0 ? -1 : 0;
}

static int
fetch(struct run *r, struct capture_recording *c, struct deadline dl,
      struct err *err)
{
	AUTO_FD int to = -1;
	long long size;

	if (measure_it(r, r->measure->capture, &size, dl, err))
		return -1;
	if (size < 0 && c->counted == 0)
		return 0;
	to = open(c->counter, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (to < 0)
		return err_sys(err, "create '%s'", c->counter);
	if (size >= c->counted)
		return size > c->counted ? add_rest(r, c, to, dl, err) : 0;
	/* The app began it anew: the filter sees that, and tells it. */
	c->counter_over = true;
	if (ftruncate(to, 0))
		return err_sys(err, "cut '%s'", c->counter);
	return 0;
}

int
capture_counter_fetch(struct run *r, struct capture_recording *c,
		      struct deadline dl, struct err *err)
{
	if (!c->counter || c->counter_over || fetch(r, c, dl, err) == 0)
		return 0;
	err_wrap(err, "bring the app's counter '%s'",
		 r->measure->capture->counter);
	if (measure_fatal(r, err))
		return -1;
	c->counter_over = true;
	run_say(r, PROGRESS_WARN, "capture: %s", err->msg);
	result_error(&r->res, err, "gc counter");
	err_clear(err);
	return 0;
}
