#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/run.h"

enum { KEEP_MS = 5000 };

void
run_say(struct run *r, enum progress_mark mark, const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	progress_item(r->progress, mark, text, NULL, -1);
}

void
run_waiting(struct run *r, int64_t elapsed_ms, int64_t limit_ms,
	    const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vfmt(fmt, ap);
	va_end(ap);
	progress_waiting(r->progress, text, elapsed_ms, limit_ms,
			 r->dl_fixed ? deadline_left_ms(r->dl) : -1);
}

int
run_tend(struct run *r, struct err *err)
{
	if (r->logcat && adb_logcat_pump(r->logcat, err))
		return err_wrap(err, "logcat");
	if (!r->farm || !r->lease.ours ||
	    stf_lease_keep_due_ms(&r->lease) > 0 ||
	    deadline_cancel_raised(r->cancel, 1))
		return 0;
	if (stf_lease_keep(&r->lease, run_dl(r, KEEP_MS), err)) {
		if (err->code == ERR_CANCELLED || (err_is(err, "lease_lost")))
			return -1;
		/* Could not tell; it is due again at the next look. */
		run_say(r, PROGRESS_WARN, "keep-alive: %s", err->msg);
		err_clear(err);
	}
	return 0;
}

/* The next moment at which something has to be tended. */
static int64_t
tend_in_ms(const struct run *r, int64_t ms)
{
	if (r->logcat) {
		int64_t at = adb_logcat_wait_ms(r->logcat);

		if (at >= 0 && at < ms)
			ms = at;
	}
	if (r->farm && r->lease.ours) {
		int64_t due = stf_lease_keep_due_ms(&r->lease);

		/* After a failed one, not again at once. */
		if (due < 1000)
			due = 1000;
		if (due < ms)
			ms = due;
	}
	return ms;
}

int
run_wait(struct run *r, int fd, int64_t ms, struct deadline dl, struct err *err)
{
	int64_t end_us = deadline_now_us() + ms * 1000;

	for (;;) {
		struct pollfd p[3] = {{.fd = fd, .events = POLLIN}};
		nfds_t n = 1;
		int64_t left = (end_us - deadline_now_us()) / 1000;

		if (run_tend(r, err))
			return -1;
		if (r->logcat) {
			p[n].fd = adb_logcat_fd(r->logcat);
			p[n++].events = adb_logcat_events(r->logcat);
		}
		left = left > 0 ? left : 0;
		if (deadline_poll(dl, p, n, tend_in_ms(r, left), err))
			return -1;
		if (fd >= 0 && p[0].revents)
			return 1;
		if (deadline_now_us() >= end_us)
			return 0;
	}
}
