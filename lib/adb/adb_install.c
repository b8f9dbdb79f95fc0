#include "adb/adb_install.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adb/adb_install_call.h"
#include "adb/adb_install_cure.h"
#include "adb/adb_shell.h"
#include "adb/adb_sync.h"
#include "base/log.h"
#include "base/mem.h"

enum method { METHOD_ABB, METHOD_EXEC, METHOD_SHELL, METHOD_PUSH, METHODS };
static const char *const method_name[] = {"abb_exec", "exec", "shell", "push"};

struct job {
	struct adb_device *dev;
	const struct adb_install_spec *spec;
	enum method method;
	int64_t sent, total; /* over all APKs */
	int64_t began_us, sent_us;
};

static void
tell(const struct job *j, enum adb_install_phase phase)
{
	if (j->spec->progress)
		j->spec->progress(j->spec->arg, phase, j->sent, j->total);
}

static void
on_sent(void *arg, size_t more)
{
	struct job *j = arg;

	j->sent += (int64_t)more;
	tell(j, ADB_INSTALL_SENDING);
}

static void
on_all_sent(void *arg)
{
	struct job *j = arg;

	if (j->sent < j->total)
		return; /* more of the set is to come */
	if (j->sent_us == 0)
		j->sent_us = deadline_now_us();
	tell(j, ADB_INSTALL_WAITING);
}

static struct adb_install_call
call_for(struct job *j, const char *verb)
{
	struct adb_install_call c = {
		.dev = j->dev,
		.way = (enum adb_install_call_way)j->method,
		.file = -1,
		.sent = on_sent,
		.all_sent = on_all_sent,
		.arg = j,
	};

	adb_install_call_add(&c, verb);
	return c;
}

static void
add_flags(struct adb_install_call *c, const struct adb_install_spec *spec)
{
	if (spec->reinstall)
		adb_install_call_add(c, "-r");
	if (spec->test_only)
		adb_install_call_add(c, "-t");
	if (spec->grant)
		adb_install_call_add(c, "-g");
	if (spec->downgrade)
		adb_install_call_add(c, "-d");
}

/* "Failure [CODE: words]" and what else is said instead of a success. */
static int
failure(const char *line, size_t len, struct err *err)
{
	const char *open = memchr(line, '[', len);
	const char *end = line + len;
	AUTO_BUF struct buf code = BUF_INIT;
	AUTO_BUF struct buf shown = BUF_INIT;
	const struct adb_install_cure *row;
	const char *p;

	if (open) {
		for (p = open + 1; p < end && *p != ':' && *p != ']'; p++)
			buf_chr(&code, *p == ' ' ? '_' : *p);
	}
	row = adb_install_cure_row(code.data);
	buf_escaped(&shown, line, len > 400 ? 400 : len);
	(void)err_set(err, ERR_REMOTE, "%s", shown.data);
	(void)err_reason(err, row ? row->code : "install_failed");
	return err_hint(err, "%s", adb_install_cure(code.data));
}

static bool
begins(const char *line, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && memcmp(line, with, n) == 0;
}

int
adb_install_verdict(const char *text, size_t len, struct err *err)
{
	const char *end = text + len, *at = text;
	AUTO_BUF struct buf shown = BUF_INIT;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t n = nl ? (size_t)(nl - at) : (size_t)(end - at);

		if (begins(at, n, "Success"))
			return 0;
		if (begins(at, n, "Failure") || begins(at, n, "Error") ||
		    begins(at, n, "Exception") || begins(at, n, "java.lang."))
			return failure(at, n, err);
		at += n + (nl != NULL);
	}
	buf_escaped(&shown, text, len > 300 ? 300 : len);
	return err_set(err, ERR_PROTO,
		       "the package manager gave no verdict: '%s'", shown.data);
}

/* The number in "Success: created install session [123]". */
static int
session_id(const char *text, long *id, struct err *err)
{
	const char *at = strchr(text, '[');
	char *end;

	*id = at ? strtol(at + 1, &end, 10) : 0;
	if (!at || *end != ']' || *id <= 0)
		return err_set(err, ERR_PROTO,
			       "the package manager told no install session");
	return 0;
}

static int
open_apk(const char *path, int *fd, int64_t *size, struct err *err)
{
	struct stat st;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0 || fstat(file, &st)) {
		(void)err_sys(err, "open '%s'", path);
		err->code = ERR_INPUT;
	} else if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		(void)err_set(err, ERR_INPUT,
			      "'%s' is no regular file with something in it",
			      path);
	} else {
		*fd = file;
		*size = st.st_size;
		return 0;
	}
	if (file >= 0)
		close(file);
	return -1;
}

static int
stream_one(struct job *j, struct buf *text, struct deadline dl, struct err *err)
{
	struct adb_install_call c = call_for(j, "install");
	AUTO_FREE char *size_text = NULL;
	AUTO_FD int file = -1;
	int64_t size;

	if (open_apk(j->spec->apk[0], &file, &size, err))
		return -1;
	size_text = mem_fmt("%lld", (long long)size);
	add_flags(&c, j->spec);
	adb_install_call_add(&c, "-S");
	adb_install_call_add(&c, size_text);
	c.file = file;
	return adb_install_call_do(&c, text, dl, err);
}

/* A call that has to succeed. */
static int
must(const struct adb_install_call *c, struct buf *text, struct deadline dl,
     struct err *err)
{
	buf_clear(text);
	if (adb_install_call_do(c, text, dl, err))
		return -1;
	return adb_install_verdict(text->data, text->len, err);
}

static int
write_split(struct job *j, const char *id, size_t i, struct buf *text,
	    struct deadline dl, struct err *err)
{
	struct adb_install_call c = call_for(j, "install-write");
	AUTO_FREE char *size_text = NULL, *name = mem_fmt("%zu.apk", i);
	AUTO_FD int file = -1;
	int64_t size;

	if (open_apk(j->spec->apk[i], &file, &size, err))
		return -1;
	size_text = mem_fmt("%lld", (long long)size);
	adb_install_call_add(&c, "-S");
	adb_install_call_add(&c, size_text);
	adb_install_call_add(&c, id);
	adb_install_call_add(&c, name);
	adb_install_call_add(&c, "-");
	c.file = file;
	if (must(&c, text, dl, err))
		return err_wrap(err, "'%s'", j->spec->apk[i]);
	return 0;
}

static int
end_session(struct job *j, const char *verb, const char *id, struct buf *text,
	    struct deadline dl, struct err *err)
{
	struct adb_install_call c = call_for(j, verb);

	adb_install_call_add(&c, id);
	return must(&c, text, dl, err);
}

static int
stream_set(struct job *j, struct buf *text, struct deadline dl, struct err *err)
{
	struct adb_install_call c = call_for(j, "install-create");
	AUTO_FREE char *total = mem_fmt("%lld", (long long)j->total);
	AUTO_FREE char *id = NULL;
	struct err second = ERR_INIT;
	long number;
	int rc = 0;

	add_flags(&c, j->spec);
	adb_install_call_add(&c, "-S");
	adb_install_call_add(&c, total);
	if (must(&c, text, dl, err) || session_id(text->data, &number, err))
		return -1;
	id = mem_fmt("%ld", number);
	for (size_t i = 0; rc == 0 && i < j->spec->apk_count; i++)
		rc = write_split(j, id, i, text, dl, err);
	if (rc == 0)
		rc = end_session(j, "install-commit", id, text, dl, err);
	/* Also when cancelled: the session would stay on the phone. */
	if (rc && end_session(j, "install-abandon", id, text,
			      deadline_grace(dl.cancel, 2000), &second))
		log_debug("install-abandon: %s", second.msg);
	return rc;
}

static void
pushed(void *arg, int64_t now, int64_t total)
{
	struct job *j = arg;

	(void)total;
	j->sent = now;
	tell(j, ADB_INSTALL_SENDING);
}

#define REMOTE_APK "/data/local/tmp/patrol-install.apk"
static const char remote_apk[] = REMOTE_APK;
static const char rm_remote_apk[] = "rm -f " REMOTE_APK;

static int
push_one(struct job *j, struct buf *text, struct deadline dl, struct err *err)
{
	struct adb_install_call c = call_for(j, "install");
	struct adb_shell_result r;
	struct adb_sync sync;
	AUTO_BUF struct buf b = BUF_INIT;
	struct err second = ERR_INIT;
	int rc;

	if (adb_sync_open(j->dev, &sync, dl, err))
		return -1;
	rc = adb_sync_push(&sync, j->spec->apk[0], remote_apk, 0644, pushed, j,
			   dl, err);
	adb_sync_close(&sync);
	adb_shell_result_init(&r, ADB_INSTALL_CALL_REPLY_MAX);
	if (rc == 0) {
		j->sent = j->total;
		on_all_sent(j);
		add_flags(&c, j->spec);
		adb_install_call_add(&c, remote_apk);
		adb_install_call_text(&c, "pm", &b);
		rc = adb_shell_run(j->dev, b.data, &r, dl, err);
	}
	if (rc == 0) {
		buf_add(text, r.out.data, r.out.len);
		buf_add(text, r.err.data, r.err.len);
	}
	/* Also when cancelled or late; a leftover is overwritten next time. */
	if (adb_shell_run(j->dev, rm_remote_apk, &r,
			  deadline_grace(dl.cancel, 2000), &second))
		log_debug("%s", second.msg);
	adb_shell_result_done(&r);
	return rc;
}

/* Is this way worth a try, from what the phone announces and was seen? */
static bool
possible(const struct job *j, enum method m)
{
	switch (m) {
	case METHOD_ABB:
		return adb_device_has(j->dev, "abb_exec");
	case METHOD_EXEC:
		/* STF's bridge announces nothing at all; Android 7 has cmd. */
		return adb_device_has(j->dev, "cmd") || j->dev->sdk >= 24;
	case METHOD_SHELL:
		return j->dev->shell == ADB_DEVICE_SHELL_V2;
	case METHOD_PUSH:
		return j->spec->apk_count == 1;
	default:
		return false;
	}
}

/* 1: this way does not exist on this phone, take the next. */
static int
attempt(struct job *j, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(2 * ADB_INSTALL_CALL_REPLY_MAX);
	bool set = j->spec->apk_count > 1;
	int rc;

	j->sent = 0;
	j->began_us = deadline_now_us();
	j->sent_us = 0;
	if (j->method == METHOD_PUSH)
		rc = push_one(j, &text, dl, err);
	else if (set)
		rc = stream_set(j, &text, dl, err);
	else
		rc = stream_one(j, &text, dl, err);
	if (rc == 0)
		rc = adb_install_verdict(text.data, text.len, err);
	if (rc == 0 || j->method == METHOD_PUSH)
		return rc;
	if (err->reason && strcmp(err->reason, "refused") == 0)
		return 1;
	/* "cmd: not found" and the like: words, but no verdict. */
	if (err->code == ERR_PROTO && text.len)
		return 1;
	if (err->code == ERR_PROTO)
		err->code = ERR_IO; /* the stream just ended: it was cut */
	return -1;
}

static int
check_space(struct job *j, long long *free_bytes, struct deadline dl,
	    struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct err ignored = ERR_INIT;

	*free_bytes = -1;
	if (adb_device_free_space(j->dev, free_bytes, deadline_cap(dl, 10000),
				  &ignored))
		log_debug("free space: %s", ignored.msg);
	if (*free_bytes < 0 || *free_bytes >= j->total)
		return 0;
	buf_str(&b, "the phone has ");
	buf_size(&b, *free_bytes);
	buf_str(&b, " free on /data, the APK has ");
	buf_size(&b, j->total);
	(void)err_set(err, ERR_REMOTE, "%s", b.data);
	(void)err_reason(err, "INSTALL_FAILED_INSUFFICIENT_STORAGE");
	return err_hint(err, "%s", adb_install_cure(err->reason));
}

static int
prepare(struct job *j, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf sdk = BUF_INIT;

	for (size_t i = 0; i < j->spec->apk_count; i++) {
		AUTO_FD int fd = -1;
		int64_t size;

		if (open_apk(j->spec->apk[i], &fd, &size, err))
			return -1;
		j->total += size;
	}
	if (adb_shell_probe(j->dev, dl, err))
		return -1;
	if (j->dev->sdk == 0 &&
	    adb_shell_text(j->dev, "getprop ro.build.version.sdk", &sdk, dl,
			   err) == 0)
		j->dev->sdk = (int)strtol(sdk.data, NULL, 10);
	return 0;
}

static int
run(struct job *j, struct deadline dl, struct err *err)
{
	int rc = 1;

	(void)err_set(err, ERR_REMOTE,
		      "this phone can't take split APKs in a stream");
	(void)err_hint(err, "build one universal APK");
	for (int m = 0; m < METHODS && rc == 1; m++) {
		j->method = (enum method)m;
		if (!possible(j, j->method))
			continue;
		rc = attempt(j, dl, err);
		if (rc == 1)
			log_debug("install by %s: %s", method_name[m],
				  err->msg);
	}
	return rc ? -1 : 0;
}

int
adb_install_apk(struct adb_device *dev, const struct adb_install_spec *spec,
		struct adb_install_result *result, struct deadline dl,
		struct err *err)
{
	struct job j = {.dev = dev, .spec = spec};
	long long free_bytes = -1;
	int64_t end_us;

	if (prepare(&j, dl, err) || check_space(&j, &free_bytes, dl, err) ||
	    run(&j, dl, err))
		return err_wrap(err, "install '%s'", spec->apk[0]);
	err_clear(err); /* of ways that the phone did not know */
	end_us = deadline_now_us();
	if (j.sent_us == 0) /* a verdict before the last byte */
		j.sent_us = end_us;
	if (result)
		*result = (struct adb_install_result){
			.method = method_name[j.method],
			.send_ms = (j.sent_us - j.began_us) / 1000,
			.wait_ms = (end_us - j.sent_us) / 1000,
			.bytes = j.total,
			.free_bytes = free_bytes,
		};
	return 0;
}
