#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adb/adb_stream.h"
#include "adb/adb_sync.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/capture.h"
#include "run/measure.h"
#include "transport/sock.h"

/*
 * The program runs as the app (run-as), in a folder of the app's that Android
 * empties when the app is updated.  It is on a leash: when its standard input
 * ends it ends, so that it outlives neither the run nor the connection.
 */
#define FOLDER	"code_cache/patrol"
#define PROGRAM "patrol-filter"
#define PUSHED	"/data/local/tmp/" PROGRAM

enum { END_MS = 60000, LOOK_MS = 250, WORDS_MAX = 16 << 10, NICE = 10 };

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, R_OK) == 0;
}

static char *
beside(const char *dir, const char *name)
{
	char *path = file_join(dir, name);

	if (is_file(path))
		return path;
	free(path);
	return NULL;
}

char *
capture_device_program(const struct run *r)
{
	static const char *const names[] = {PROGRAM, "../device/" PROGRAM,
					    "../lib/patrol/" PROGRAM};
	char exe[4096], *slash, *found = NULL;
	ssize_t n;

	if (r->set->device_filter)
		return is_file(r->set->device_filter)
			       ? mem_strdup(r->set->device_filter)
			       : NULL;
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	for (size_t i = 0; !found && i < sizeof(names) / sizeof(*names); i++)
		found = beside(exe, names[i]);
	return found;
}

/* The ABI that a program is built for, as Android names it. */
static const char *
abi_of(const char *path)
{
	unsigned char head[20] = {0};
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, head, sizeof(head)) != sizeof(head) ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return NULL;
	switch (head[18] | head[19] << 8) {
	case EM_AARCH64:
		return "arm64-v8a";
	case EM_X86_64:
		return "x86_64";
	default:
		return NULL;
	}
}

static bool
has_abi(const char *abis, const char *abi)
{
	size_t n = strlen(abi);

	while (abis && *abis) {
		size_t len = strcspn(abis, ",");

		if (len == n && strncmp(abis, abi, n) == 0)
			return true;
		abis += len + (abis[len] == ',');
	}
	return false;
}

static int
check_abi(const struct run *r, const char *program, struct err *err)
{
	const char *abi = abi_of(program);

	if (abi && has_abi(r->facts.abis, abi))
		return 0;
	if (abi)
		err_set(err, ERR_INPUT,
			"'%s' is built for %s, and the phone runs %s", program,
			abi, r->facts.abis);
	else
		err_set(err, ERR_INPUT, "'%s' is no program for a phone",
			program);
	err_reason(err, "no_device_filter");
	return err_hint(err, "`make device-filter` builds it for arm64-v8a; "
			     "with `filter: host` none is needed");
}

char *
capture_device_as_app(const struct run *r, const char *command)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(&b, "run-as %s sh -c ", r->package);
	adb_shell_quote(&b, command);
	return buf_take(&b);
}

static int
do_as_app(struct run *r, const char *command, struct buf *out,
	  struct deadline dl, struct err *err)
{
	AUTO_FREE char *text = capture_device_as_app(r, command);

	return adb_shell_text(&r->dev, text, out,
			      deadline_cap(dl, r->set->budget.shell_ms), err);
}

int
capture_device_ready(struct run *r, bool *touched, struct deadline dl,
		     struct err *err)
{
	AUTO_FREE char *program = capture_device_program(r);
	AUTO_FREE char *capture = file_join(r->cfg->out, "capture");
	struct adb_sync sync;
	int rc;

	if (file_mkdirs(capture, err))
		return -1;
	if (capture_check(r, err) || check_abi(r, program, err))
		return -1;
	/* What a killed run may have left goes, too. */
	if (do_as_app(r, "rm -rf " FOLDER " && mkdir -p " FOLDER, NULL, dl,
		      err)) {
		err_wrap(err, "prepare a folder of the app's");
		return err_hint(err, "only a debuggable app, a Development "
				     "Build, can be entered; `filter: host` "
				     "does not need to");
	}
	*touched = true;
	if (adb_sync_open(&r->dev, &sync, dl, err))
		return -1;
	rc = adb_sync_push(&sync, program, PUSHED, 0755, NULL, NULL,
			   deadline_cap(dl, r->set->budget.pull_ms), err);
	adb_sync_close(&sync);
	if (rc)
		return err_wrap(err, "put the filter on the phone");
	return do_as_app(r,
			 "cp " PUSHED " " FOLDER "/" PROGRAM
			 " && chmod 700 " FOLDER "/" PROGRAM,
			 NULL, dl, err);
}

static void
add_options(const struct run *r, struct buf *b)
{
	const struct plan_measure *pm = &r->plan->measure;

	buf_fmt(b, " --frame-time %lldms --gc-alloc %lldB --max-output %lldB",
		(long long)pm->profiler.frame_time_ms,
		(long long)pm->profiler.gc_alloc_bytes,
		(long long)pm->profiler.max_output_bytes);
	if (pm->profiler.busy)
		buf_str(b, " --busy-time");
	if (pm->profiler.around)
		buf_fmt(b, " --around %lld", (long long)pm->profiler.around);
	if (capture_counter_used(r->measure->capture)) {
		buf_str(b, " --gc ");
		adb_shell_quote(b, r->measure->capture->counter);
	}
	for (size_t i = 0; i < pm->profiler.exclude.count; i++) {
		buf_str(b, " --exclude-thread ");
		adb_shell_quote(b, pm->profiler.exclude.item[i]);
	}
}

int
capture_device_begin(struct run *r, struct capture_recording *c,
		     struct deadline dl, struct err *err)
{
	AUTO_FREE char *make = mem_fmt("mkdir %s/%d", FOLDER, c->number);
	AUTO_FREE char *command = NULL;
	AUTO_BUF struct buf b = BUF_INIT;

	c->folder =
		mem_fmt("/data/data/%s/%s/%d", r->package, FOLDER, c->number);
	if (do_as_app(r, make, NULL, dl, err))
		return -1;
	buf_fmt(&b,
		"cd " FOLDER " && export TMPDIR=. && exec nice -n %d "
		"./" PROGRAM " --leash %d -o %d.raw --follow --consume -q",
		NICE, c->number, c->number);
	add_options(r, &b);
	command = capture_device_as_app(r, b.data);
	buf_init(&c->words, WORDS_MAX);
	return adb_shell_open_leash(&r->dev, command, &c->shell,
				    deadline_cap(dl, r->set->budget.shell_ms),
				    err);
}

static int
keep_words(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
	   struct err *err)
{
	struct capture_recording *c = arg;

	(void)id;
	(void)err;
	if (len < c->words.limit - c->words.len)
		buf_add(&c->words, data, len);
	return 0;
}

void
capture_device_hear(struct capture_recording *c)
{
	struct err err = ERR_INIT;

	if (c->shell.fd < 0)
		return;
	if (adb_shell_pump(&c->shell, keep_words, c, &err) == 0 &&
	    !c->shell.ended)
		return;
	c->lost = !c->shell.ended || c->shell.status < 0;
	adb_shell_close(&c->shell);
}

int
capture_device_unread(struct run *r, struct capture_recording *c, int *count,
		      struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf out = BUF_INIT;
	AUTO_FREE char *list = mem_fmt("ls %s/%d", FOLDER, c->number);

	if (do_as_app(r, list, &out, dl, err))
		return -1;
	*count = 0;
	for (const char *p = out.data; (p = strstr(p, ".raw")); p += 4)
		++*count;
	return 0;
}

static int
copy_out(struct run *r, const char *name, const char *to, struct deadline dl,
	 struct err *err)
{
	AUTO_FREE char *service =
		mem_fmt("exec:run-as %s cat " FOLDER "/%s", r->package, name);
	AUTO_FREE char *piece = mem_alloc(1 << 16);
	AUTO_FD int fd = -1;
	struct file_part part;
	ssize_t n;
	int rc = 0;

	if (adb_stream_open(&r->adb, r->serial, service, &fd, dl, err) ||
	    file_part_open(&part, to, err))
		return -1;
	while (rc == 0 && (n = sock_recv(fd, piece, 1 << 16, dl, err)) != 0)
		rc = n < 0 ? -1 : file_part_write(&part, piece, (size_t)n, err);
	if (rc == 0)
		rc = file_part_commit(&part, err);
	file_part_done(&part);
	return rc;
}

/* Its last words, when it ended badly. */
static int
bad_end(const struct capture_recording *c, struct err *err)
{
	AUTO_BUF struct buf shown = BUF_INIT;
	const char *at = c->words.data;
	size_t len = strnlen(at, c->words.len);

	while (len && strchr("\r\n ", at[len - 1]))
		len--;
	if (len > 300) {
		at += len - 300;
		len = 300;
	}
	buf_escaped(&shown, at, len);
	err_set(err, ERR_REMOTE, "the filter on the phone ended with %d: %s",
		c->shell.status, len ? shown.data : "it said nothing");
	return err_reason(err, "filter_failed");
}

static int
await_end(struct capture_recording *c, struct deadline dl, struct err *err)
{
	capture_device_hear(c);
	if (c->shell.fd >= 0 && adb_shell_end_leash(&c->shell, dl, err)) {
		if (err->code == ERR_CANCELLED)
			return -1;
		/* The connection is gone, and so the leash ends, too. */
		err_clear(err);
		c->lost = true;
		adb_shell_close(&c->shell);
	}
	while (c->shell.fd >= 0) {
		if (deadline_wait(dl, c->shell.fd, POLLIN, err))
			return err_wrap(err, "the filter's end");
		capture_device_hear(c);
	}
	if (!c->lost && c->shell.status != 0)
		return bad_end(c, err);
	return 0;
}

/* The summary gets its name last: then all is there. */
static int
await_summary(struct run *r, struct capture_recording *c, const char *summary,
	      struct deadline dl, struct err *err)
{
	AUTO_FREE char *test = mem_fmt("test -f " FOLDER "/%s", summary);

	while (do_as_app(r, test, NULL, dl, err)) {
		if (err->code != ERR_REMOTE)
			return -1;
		err_clear(err);
		if (!c->lost)
			return bad_end(c, err);
		/* It ends by itself, and nobody tells us. */
		if (deadline_pause(dl, LOOK_MS, err))
			return err_wrap(err, "the filter's end");
	}
	return 0;
}

int
capture_device_end(struct run *r, struct capture_recording *c,
		   struct deadline dl, struct err *err)
{
	AUTO_FREE char *to = file_join(r->cfg->out, c->file);
	AUTO_FREE char *to_summary = mem_fmt("%s.json", to);
	AUTO_FREE char *name = mem_fmt("%d.raw", c->number);
	AUTO_FREE char *summary = mem_fmt("%d.raw.json", c->number);

	if (await_end(c, deadline_cap(dl, END_MS), err) ||
	    await_summary(r, c, summary, deadline_cap(dl, END_MS), err))
		return -1;
	dl = deadline_cap(dl, r->set->budget.pull_ms);
	if (copy_out(r, name, to, dl, err) ||
	    copy_out(r, summary, to_summary, dl, err))
		return err_wrap(err, "bring the filtered log");
	return 0;
}

void
capture_device_done(struct capture_recording *c)
{
	if (c->shell.fd >= 0)
		adb_shell_close(&c->shell);
	buf_done(&c->words);
}
