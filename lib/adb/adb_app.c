#include "adb/adb_app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb_dialog.h"
#include "adb/adb_shell.h"
#include "base/mem.h"

/* The number behind `key`; -1 when it is not told. */
static int64_t
number(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	char *end;
	long long n;

	if (!at)
		return -1;
	at += strlen(key);
	n = strtoll(at, &end, 10);
	return end == at || n < 0 ? -1 : n;
}

/* HEAD 'package' TAIL */
static char *
command_for(const char *head, const char *package, const char *tail)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, head);
	adb_shell_quote(&b, package);
	buf_str(&b, tail);
	return buf_take(&b);
}

int
adb_app_launcher(struct adb_device *dev, const char *package, char **component,
		 struct deadline dl, struct err *err)
{
	AUTO_FREE char *command =
		command_for("cmd package resolve-activity --brief "
			    "-a android.intent.action.MAIN "
			    "-c android.intent.category.LAUNCHER ",
			    package, "");
	struct adb_shell_result r;
	const char *at = NULL;
	int rc;

	adb_shell_result_init(&r, 64 << 10);
	rc = adb_shell_run(dev, command, &r, dl, err);
	/* "priority=0 ..." and then "package/activity" */
	for (const char *p = r.out.data; rc == 0 && *p;) {
		size_t n = strcspn(p, "\r\n");

		if (strncmp(p, package, strlen(package)) == 0 &&
		    p[strlen(package)] == '/' && !memchr(p, ' ', n))
			at = p;
		p += n;
		p += strspn(p, "\r\n");
	}
	if (at)
		*component = mem_strndup(at, strcspn(at, "\r\n"));
	else if (rc == 0)
		rc = err_set(err, ERR_NOTFOUND,
			     "package '%s' has no launcher activity, or is "
			     "not installed",
			     package);
	adb_shell_result_done(&r);
	return rc;
}

static int
start_verdict(const struct adb_shell_result *r, int64_t *total_ms,
	      struct err *err)
{
	AUTO_BUF struct buf all = BUF_INIT_MAX(256 << 10);
	AUTO_BUF struct buf shown = BUF_INIT;
	const char *at;

	buf_add(&all, r->out.data, r->out.len);
	buf_add(&all, r->err.data, r->err.len);
	at = strstr(all.data, "Error");
	if (!at && !strstr(all.data, "Exception") && r->status == 0) {
		if (total_ms)
			*total_ms = number(r->out.data, "TotalTime: ");
		return 0;
	}
	if (!at)
		at = all.data;
	buf_escaped(&shown, at, strlen(at) > 300 ? 300 : strlen(at));
	/* Type 3 is Android's "class not found". */
	return err_set(err,
		       strstr(at, "Error type 3") ? ERR_NOTFOUND : ERR_REMOTE,
		       "am start: %s", shown.data);
}

int
adb_app_start(struct adb_device *dev, const struct adb_app_start *spec,
	      int64_t *total_ms, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *component = NULL;
	struct adb_shell_result r;
	int rc;

	if (spec->activity && strchr(spec->activity, '/'))
		component = mem_strdup(spec->activity);
	else if (spec->activity)
		component = mem_fmt("%s/%s", spec->package, spec->activity);
	else if (adb_app_launcher(dev, spec->package, &component, dl, err))
		return -1;
	buf_str(&b, "am start -W -n ");
	adb_shell_quote(&b, component);
	for (size_t i = 0; i < spec->extra_count; i++) {
		buf_str(&b, " --es ");
		adb_shell_quote(&b, spec->extra[i].key);
		buf_chr(&b, ' ');
		adb_shell_quote(&b, spec->extra[i].value);
	}
	adb_shell_result_init(&r, 64 << 10);
	rc = adb_shell_run(dev, b.data, &r, dl, err);
	if (rc == 0)
		rc = start_verdict(&r, total_ms, err);
	adb_shell_result_done(&r);
	return rc ? err_wrap(err, "start '%s'", component) : 0;
}

int
adb_app_force_stop(struct adb_device *dev, const char *package,
		   struct deadline dl, struct err *err)
{
	AUTO_FREE char *command = command_for("am force-stop ", package, "");

	return adb_shell_text(dev, command, NULL, dl, err);
}

int
adb_app_pid(struct adb_device *dev, const char *package, int *pid,
	    struct deadline dl, struct err *err)
{
	AUTO_FREE char *command = command_for("pidof ", package, "");
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, 4096);
	rc = adb_shell_run(dev, command, &r, dl, err);
	if (rc == 0)
		*pid = (int)strtol(r.out.data, NULL, 10);
	adb_shell_result_done(&r);
	return rc;
}

int
adb_app_top(struct adb_device *dev, char **component, struct deadline dl,
	    struct err *err)
{
	struct adb_dialog_seen seen = {0};

	if (adb_dialog_look(dev, "", &seen, dl, err))
		return -1;
	*component = mem_strdup(strchr(seen.window, '/') ? seen.window : "");
	return 0;
}

/* "TOTAL PSS:   123456" (Android 11+), "TOTAL   123456" before; KiB. */
static int64_t
parse_pss(const char *text)
{
	int64_t kib = number(text, "TOTAL PSS:");

	if (kib < 0)
		kib = number(text, " TOTAL ");
	if (kib < 0)
		kib = number(text, "\nTOTAL ");
	return kib > 0 && kib < (1LL << 40) ? 1024 * kib : -1;
}

int
adb_app_health(struct adb_device *dev, const char *package,
	       struct adb_app_health *health, struct deadline dl,
	       struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct adb_dialog_seen seen = {0};
	struct adb_shell_result r;
	int rc;

	buf_str(&b, "pidof ");
	adb_shell_quote(&b, package);
	buf_str(&b, "; dumpsys window | grep mCurrentFocus; dumpsys meminfo ");
	adb_shell_quote(&b, package);
	adb_shell_result_init(&r, 1 << 20);
	rc = adb_shell_run(dev, b.data, &r, dl, err);
	if (rc == 0) {
		adb_dialog_parse(r.out.data, package, &seen);
		/* pidof prints nothing for the dead. */
		health->pid = (int)strtol(r.out.data, NULL, 10);
		health->in_front =
			seen.kind == ADB_DIALOG_NONE && seen.window[0] != '\0';
		health->pss_bytes = parse_pss(r.out.data);
	}
	adb_shell_result_done(&r);
	return rc;
}

int
adb_app_evidence(struct adb_device *dev, const char *package, struct buf *out,
		 struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct adb_shell_result r;
	int rc;

	buf_str(&b, "dumpsys activity exit-info ");
	adb_shell_quote(&b, package);
	buf_str(&b, "; echo; echo '=== crash log ==='; "
		    "logcat -d -b crash -v threadtime -t 400; "
		    "echo; echo '=== dropbox ==='; "
		    "dumpsys dropbox --print data_app_native_crash; "
		    "dumpsys dropbox --print data_app_crash; "
		    "dumpsys dropbox --print data_app_anr");
	adb_shell_result_init(&r, 4 << 20);
	rc = adb_shell_run(dev, b.data, &r, dl, err);
	if (rc == 0)
		buf_add(out, r.out.data, r.out.len);
	else if (err->code == ERR_PROTO && r.out.len) {
		/* More than we keep: the first part is the newest. */
		buf_add(out, r.out.data, r.out.len);
		err_clear(err);
		rc = 0;
	}
	adb_shell_result_done(&r);
	return rc;
}
