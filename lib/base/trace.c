#include "base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/file.h"
#include "base/json.h"
#include "base/secret.h"

static struct {
	int fd;
	int64_t start_us;
	struct buf line;
	void (*tap)(void *arg, const char *line);
	void *tap_arg;
	bool open;
} trace = {.fd = -1, .line = BUF_INIT_MAX(256 << 10)};

int
trace_open(const char *path, struct err *err)
{
	trace_close();
	trace.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (trace.fd < 0)
		return err_sys(err, "open '%s'", path);
	trace.start_us = deadline_now_us();
	return 0;
}

void
trace_close(void)
{
	if (trace.fd >= 0)
		close(trace.fd);
	trace.fd = -1;
	buf_done(&trace.line);
	trace.open = false;
}

void
trace_begin(const char *event)
{
	if (trace.fd < 0 && trace.tap == NULL)
		return;
	trace.open = true;
	buf_clear(&trace.line);
	buf_fmt(&trace.line, "{\"t_us\":%lld,\"event\":",
		(long long)(deadline_now_us() - trace.start_us));
	json_quote(&trace.line, event);
}

static bool
put_key(const char *key)
{
	if (!trace.open)
		return false;
	buf_chr(&trace.line, ',');
	json_quote(&trace.line, key);
	buf_chr(&trace.line, ':');
	return true;
}

void
trace_str(const char *key, const char *value)
{
	if (!put_key(key))
		return;
	if (value)
		json_quote(&trace.line, value);
	else
		buf_str(&trace.line, "null");
}

void
trace_int(const char *key, int64_t value)
{
	if (put_key(key))
		buf_fmt(&trace.line, "%lld", (long long)value);
}

void
trace_bool(const char *key, bool value)
{
	if (put_key(key))
		buf_str(&trace.line, value ? "true" : "false");
}

void
trace_end(void)
{
	struct err err = ERR_INIT;

	if (!trace.open)
		return;
	trace.open = false;
	if (trace.line.over)
		return; /* half an object helps nobody */
	buf_chr(&trace.line, '}');
	secret_redact(&trace.line);
	if (trace.tap)
		trace.tap(trace.tap_arg, trace.line.data);
	buf_chr(&trace.line, '\n');
	/* A full disk is told once, by the result file. */
	if (trace.fd >= 0 && file_write_all(trace.fd, trace.line.data,
					    trace.line.len, "events", &err)) {
		close(trace.fd);
		trace.fd = -1;
	}
}

void
trace_tap(void (*fn)(void *arg, const char *line), void *arg)
{
	trace.tap = fn;
	trace.tap_arg = arg;
}
