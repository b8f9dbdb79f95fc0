#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/secret.h"

static const char *const code_names[] = {
	[ERR_NONE] = "none",	   [ERR_USAGE] = "usage",
	[ERR_INPUT] = "input",	   [ERR_IO] = "io",
	[ERR_TIMEOUT] = "timeout", [ERR_CANCELLED] = "cancelled",
	[ERR_PROTO] = "protocol",  [ERR_REMOTE] = "remote",
	[ERR_AUTH] = "auth",	   [ERR_NOTFOUND] = "not_found",
	[ERR_BUSY] = "busy",
};

/* Redacted before it is cut: nobody would know half a secret. */
static char *
clean_text(const char *fmt, va_list ap)
{
	AUTO_FREE char *text = mem_vfmt(fmt, ap);

	return secret_redacted(text);
}

static int
fill(struct err *err, enum err_code code, int sys, const char *where,
     const char *fmt, va_list ap)
{
	AUTO_FREE char *msg = clean_text(fmt, ap); /* `ap` may point into it */

	err->code = code;
	err->sys = sys;
	err->where = where;
	err->reason = NULL;
	(void)snprintf(err->msg, sizeof(err->msg), "%s", msg);
	return -1;
}

static void
append(struct err *err, const char *between, const char *text)
{
	size_t len = strlen(err->msg);

	(void)snprintf(err->msg + len, sizeof(err->msg) - len, "%s%s", between,
		       text); /* a message that is too long is cut */
}

int
err_set_at(struct err *err, enum err_code code, int sys, const char *where,
	   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, sys, where, fmt, ap);
	va_end(ap);
	return -1;
}

int
err_sys_at(struct err *err, const char *where, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;

	va_start(ap, fmt);
	fill(err, sys == ENOENT ? ERR_NOTFOUND : ERR_IO, sys, where, fmt, ap);
	va_end(ap);
	append(err, ": ", strerror(sys));
	return -1;
}

/* Words that would leave no room for the cause behind them. */
static void
shorten(char *outer)
{
	enum { MOST = sizeof(((struct err *)NULL)->msg) / 2 };
	static const char more[] = "...";
	size_t at = MOST - sizeof(more);

	if (strlen(outer) < MOST)
		return;
	/* Not within a character of UTF-8. */
	while (at > 0 && ((unsigned char)outer[at] & 0xC0) == 0x80)
		at--;
	memcpy(outer + at, more, sizeof(more));
}

int
err_wrap(struct err *err, const char *fmt, ...)
{
	AUTO_FREE char *outer = NULL;
	char inner[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	outer = clean_text(fmt, ap);
	va_end(ap);
	memcpy(inner, err->msg, sizeof(inner));
	shorten(outer);
	err->msg[0] = '\0';
	append(err, outer, ": ");
	append(err, "", inner);
	return -1;
}

int
err_hint(struct err *err, const char *fmt, ...)
{
	AUTO_FREE char *hint = NULL;
	va_list ap;

	va_start(ap, fmt);
	hint = clean_text(fmt, ap);
	va_end(ap);
	append(err, "; ", hint);
	return -1;
}

int
err_reason(struct err *err, const char *reason)
{
	err->reason = reason;
	return -1;
}

bool
err_is(const struct err *err, const char *reason)
{
	return err->reason && strcmp(err->reason, reason) == 0;
}

void
err_clear(struct err *err)
{
	*err = (struct err)ERR_INIT;
}

const char *
err_code_name(enum err_code code)
{
	return code_names[code];
}
