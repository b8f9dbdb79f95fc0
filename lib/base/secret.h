#ifndef SECRET_H
#define SECRET_H

#include "base/buf.h"
#include "base/err.h"

/*
 * A token or key.  There is no printf form.  Once made it is registered for
 * the life of the process, and every sink (log, trace, file writers) replaces
 * it with ***, also as it stands in a URL, in base64, JSON, HTML or XML.
 * Threads may register and redact at once; a struct secret belongs to one.
 */
struct secret {
	char *value; /* NULL: not set.  Ends up in headers only. */
};

#define SECRET_INIT           \
	{                     \
		.value = NULL \
	}

/* Takes a copy.  Values under 4 characters are not redacted: too common. */
void secret_set(struct secret *s, const char *value);
/* From environment variable `name`, or from the file that `name`_FILE tells. */
int secret_from_env(struct secret *s, const char *name, struct err *err);
void secret_done(struct secret *s); /* wipes it; stays registered */

/* Register text that is secret without being a struct secret. */
void secret_register(const char *value);

/* Replace every registered form within the buffer, in place. */
void secret_redact(struct buf *b);
/* The same for a string on its own; free() it. */
char *secret_redacted(const char *s);

#endif
