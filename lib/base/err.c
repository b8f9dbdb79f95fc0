#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const code_names[] = {
	[ERR_NONE] = "none",	   [ERR_USAGE] = "usage",
	[ERR_INPUT] = "input",	   [ERR_IO] = "io",
	[ERR_TIMEOUT] = "timeout", [ERR_CANCELLED] = "cancelled",
	[ERR_PROTO] = "protocol",  [ERR_REMOTE] = "remote",
	[ERR_AUTH] = "auth",	   [ERR_NOTFOUND] = "not_found",
	[ERR_BUSY] = "busy",
};

static int
fill(struct err *err, enum err_code code, int sys, const char *where,
     const char *fmt, va_list ap)
{
	char msg[sizeof(err->msg)]; /* `ap` may point into err->msg */
	int n = vsnprintf(msg, sizeof(msg), fmt, ap);

	if (n < 0)
		msg[0] = '\0';
	err->code = code;
	err->sys = sys;
	err->where = where;
	err->reason = NULL;
	memcpy(err->msg, msg, sizeof(msg));
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

int
err_wrap(struct err *err, const char *fmt, ...)
{
	char outer[sizeof(err->msg)], inner[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(outer, sizeof(outer), fmt, ap) < 0)
		outer[0] = '\0';
	va_end(ap);
	memcpy(inner, err->msg, sizeof(inner));
	err->msg[0] = '\0';
	append(err, outer, ": ");
	append(err, "", inner);
	return -1;
}

int
err_hint(struct err *err, const char *fmt, ...)
{
	char hint[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(hint, sizeof(hint), fmt, ap) < 0)
		hint[0] = '\0';
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
