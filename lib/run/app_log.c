#include "run/app_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/mem.h"

enum { DOUBT_MS = 1000 }; /* the lines of one report come together */

void
app_log_forget(struct run *r)
{
	free(r->seen.line);
	free(r->seen.doubt);
	r->seen = (struct run_log_watch){0};
}

static bool
names_us(const struct run *r, const char *line)
{
	size_t len = r->package ? strlen(r->package) : 0;
	const char *at = line;

	/* "com.x" is no word of "com.x.helper" or "com.xy". */
	while (len > 0 && (at = strstr(at, r->package))) {
		at += len;
		if (!isalnum((unsigned char)*at) && *at != '.' && *at != '_')
			return true;
	}
	return false;
}

/* The number behind `words`; 0: none. */
static int
number_after(const char *line, const char *words)
{
	const char *at = strstr(line, words);

	return at ? (int)strtol(at + strlen(words), NULL, 10) : 0;
}

/* Which process a line about a crash or an ANR means; 0: it does not say. */
static int
pid_in(const char *line)
{
	static const char *const before[] = {", pid ", "PID: ", "am_crash: [",
					     "am_anr: [0,"};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		int pid = number_after(line, before[i]);

		if (pid > 0)
			return pid;
	}
	return 0;
}

static bool
is_old(const struct run *r, int pid)
{
	return pid > 0 && pid == r->old_pid && pid != r->pid;
}

/* "ANR in PKG" is followed by "PID: N". */
static void
resolve(struct run *r, const char *line)
{
	int pid = number_after(line, "PID: ");

	if (pid == 0)
		return;
	if (is_old(r, pid)) {
		mem_auto_free(&r->seen.doubt);
		r->seen.doubt = NULL;
		return;
	}
	r->seen.anr = true;
	r->seen.line = r->seen.doubt;
	r->seen.doubt = NULL;
}

static bool
is_crash(const char *line)
{
	static const char *const words[] = {"am_crash", "Fatal signal",
					    "FATAL EXCEPTION"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strstr(line, words[i]))
			return true;
	}
	return false;
}

void
app_log_read(void *arg, const char *line, size_t len)
{
	struct run *r = arg;
	AUTO_FREE char *pid = mem_fmt(" %d ", r->pid);
	bool named = names_us(r, line);

	(void)len;
	if (r->seen.line)
		return;
	if (r->seen.doubt)
		resolve(r, line);
	if (r->seen.line || is_old(r, pid_in(line)))
		return;
	if (is_crash(line) && (named || (r->pid > 0 && strstr(line, pid)))) {
		r->seen.crash = true;
	} else if (named && strstr(line, "am_anr")) {
		r->seen.anr = true;
	} else if (named && strstr(line, "ANR in ") && !r->seen.doubt) {
		r->seen.doubt = mem_strdup(line);
		r->seen.doubt_us = deadline_now_us();
		return;
	} else {
		return;
	}
	r->seen.line = mem_strdup(line);
}

bool
app_log_tells(struct run *r)
{
	struct run_log_watch *s = &r->seen;

	/* It never says which process: then it is the one that runs. */
	if (s->doubt && s->line == NULL &&
	    deadline_now_us() - s->doubt_us > 1000LL * DOUBT_MS) {
		s->anr = true;
		s->line = s->doubt;
		s->doubt = NULL;
	}
	return s->crash || s->anr;
}
