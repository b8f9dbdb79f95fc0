#include "base/log.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/secret.h"

enum { MAX_LINE = 64 << 10, WAIT_MS = 1000 };

static enum log_level shown = LOG_INFO;

void
log_set_level(enum log_level level)
{
	shown = level;
}

enum log_level
log_level(void)
{
	return shown;
}

void
log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const prefix[] = {"debug: ", "",
					     "warning: ", "error: "};
	AUTO_BUF struct buf text = BUF_INIT_MAX(MAX_LINE);
	AUTO_BUF struct buf line = BUF_INIT_MAX(5 * MAX_LINE);
	va_list ap;

	if (level < shown)
		return;
	va_start(ap, fmt);
	buf_vfmt(&text, fmt, ap);
	va_end(ap);
	if (text.over)
		buf_str(&text, "(a message too long to show)");
	secret_redact(&text);
	buf_fmt(&line, "patrol: %s", prefix[level]);
	buf_escaped(&line, text.data, text.len);
	buf_chr(&line, '\n');
	/* A stderr that is closed or not read must not stop a run. */
	(void)file_say(STDERR_FILENO, line.data, line.len, WAIT_MS);
}
