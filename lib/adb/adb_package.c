#include "adb/adb_package.h"

#include <stdlib.h>
#include <string.h>

#include "adb/adb_install.h"
#include "adb/adb_shell.h"
#include "base/mem.h"

/* Run "HEAD 'package' TAIL"; every status is fine. */
static int
run(struct adb_device *dev, const char *head, const char *package,
    const char *tail, struct adb_shell_result *r, struct deadline dl,
    struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, head);
	buf_chr(&b, ' ');
	adb_shell_quote(&b, package);
	if (tail) {
		buf_chr(&b, ' ');
		adb_shell_quote(&b, tail);
	}
	return adb_shell_run(dev, b.data, r, dl, err);
}

int
adb_package_path(struct adb_device *dev, const char *package, char **path,
		 struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	const char *at;
	int rc;

	adb_shell_result_init(&r, 64 << 10);
	rc = run(dev, "pm path", package, NULL, &r, dl, err);
	if (rc == 0) {
		/* The base comes first, its splits behind it. */
		at = strstr(r.out.data, "package:");
		if (at)
			*path = mem_strndup(at + 8, strcspn(at + 8, "\r\n"));
		else
			rc = err_set(err, ERR_NOTFOUND,
				     "package '%s' is not installed", package);
	}
	adb_shell_result_done(&r);
	return rc;
}

static void
parse_version(const char *text, struct adb_package_version *v)
{
	const char *name = strstr(text, "versionName=");
	const char *code = strstr(text, "versionCode=");
	const char *flags = strstr(text, "flags=[");
	const char *debuggable;

	if (!flags)
		flags = strstr(text, "Flags=[");
	debuggable = flags ? strstr(flags, "DEBUGGABLE") : NULL;
	v->name = name ? mem_strndup(name + 12, strcspn(name + 12, "\r\n"))
		       : mem_strdup("");
	v->code = code ? strtoll(code + 12, NULL, 10) : -1;
	v->debuggable = -1;
	if (flags)
		v->debuggable =
			debuggable && debuggable < flags + strcspn(flags, "]");
}

int
adb_package_version(struct adb_device *dev, const char *package,
		    struct adb_package_version *v, struct deadline dl,
		    struct err *err)
{
	struct adb_shell_result r;
	AUTO_FREE char *path = NULL;
	int rc;

	if (adb_package_path(dev, package, &path, dl, err))
		return -1;
	adb_shell_result_init(&r, 4 << 20);
	rc = run(dev, "dumpsys package", package, NULL, &r, dl, err);
	if (rc == 0)
		parse_version(r.out.data, v);
	adb_shell_result_done(&r);
	return rc;
}

void
adb_package_version_done(struct adb_package_version *v)
{
	free(v->name);
	*v = (struct adb_package_version){0};
}

int
adb_package_uninstall(struct adb_device *dev, const char *package,
		      struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	AUTO_FREE char *path = NULL;
	int rc;

	if (adb_package_path(dev, package, &path, dl, err)) {
		if (err->code != ERR_NOTFOUND || err->reason)
			return -1;
		err_clear(err);
		return 0;
	}
	adb_shell_result_init(&r, 64 << 10);
	rc = run(dev, "pm uninstall", package, NULL, &r, dl, err);
	if (rc == 0) {
		buf_add(&r.out, r.err.data, r.err.len);
		rc = adb_install_verdict(r.out.data, r.out.len, err);
	}
	adb_shell_result_done(&r);
	return rc ? err_wrap(err, "uninstall '%s'", package) : 0;
}

int
adb_package_grant(struct adb_device *dev, const char *package,
		  const char *permission, int *granted, struct deadline dl,
		  struct err *err)
{
	struct adb_shell_result r;
	int rc;

	if (dev->sdk > 0 && dev->sdk < 23) {
		if (granted)
			*granted = 1; /* granted by the install itself */
		return 0;
	}
	adb_shell_result_init(&r, 64 << 10);
	rc = run(dev, "pm grant", package, permission, &r, dl, err);
	if (rc == 0 && granted)
		*granted = r.status == 0 && r.out.len == 0 && r.err.len == 0;
	adb_shell_result_done(&r);
	return rc ? err_wrap(err, "grant '%s'", permission) : 0;
}
