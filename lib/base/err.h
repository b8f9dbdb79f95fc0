#ifndef ERR_H
#define ERR_H

#include <stdbool.h>

/*
 * A failure, owned by the caller and passed by pointer.
 *
 * A function that can fail returns 0 or -1 and fills the struct exactly when
 * it returns -1.  The message is built outside-in: the one who sees the
 * failure sets it, a caller that knows more puts its words in front.
 */
enum err_code {
	ERR_NONE,
	ERR_USAGE,     /* the command line is wrong */
	ERR_INPUT,     /* a plan, an artifact, an APK or a setting is wrong */
	ERR_IO,	       /* the system refused: errno in `sys`, or a dead link */
	ERR_TIMEOUT,   /* a deadline passed */
	ERR_CANCELLED, /* a signal asked us to stop */
	ERR_PROTO,     /* a peer broke its protocol or sent too much */
	ERR_REMOTE,    /* a peer refused; its words are in the message */
	ERR_AUTH,      /* a peer does not know us or does not trust us */
	ERR_NOTFOUND,  /* the thing asked for does not exist */
	ERR_BUSY,      /* it exists and somebody else holds it */
};

struct err {
	enum err_code code;
	int sys;	    /* errno, 0 when there is none */
	const char *reason; /* stable word for machines, static, or NULL */
	const char *where;  /* "file.c:123", static */
	char msg[640];
};

#define ERR_INIT                 \
	{                        \
		.code = ERR_NONE \
	}

#define ERR_STR_(x) #x
#define ERR_STR(x)  ERR_STR_(x)
#define ERR_HERE    __FILE__ ":" ERR_STR(__LINE__)

/* All of these return -1, so that `return err_set(...)` reads well. */
#define err_set(err, code, ...) err_set_at(err, code, 0, ERR_HERE, __VA_ARGS__)
/* From errno; the system's text follows the message. */
#define err_sys(err, ...) err_sys_at(err, ERR_HERE, __VA_ARGS__)

int err_set_at(struct err *err, enum err_code code, int sys, const char *where,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int err_sys_at(struct err *err, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Put words before the message: "device 'X': " + what was there.  Words that
 * would take more than half of `msg`, as a long URL, are cut: not the cause.
 */
int err_wrap(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Put the cure behind the message: what was there + "; " + words. */
int err_hint(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Name the failure for machines; `reason` is a string literal. */
int err_reason(struct err *err, const char *reason);

/* Whether it carries this reason. */
bool err_is(const struct err *err, const char *reason);

/* Empty it, to try something else after an expected failure. */
void err_clear(struct err *err);

/* "timeout", "busy", ...: stable words, used in result.json. */
const char *err_code_name(enum err_code code);

#endif
