#include "adb/adb_dialog.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "adb/adb_shell.h"
#include "base/mem.h"

static const char look_command[] = "dumpsys window | grep mCurrentFocus";

const char *
adb_dialog_name(enum adb_dialog kind)
{
	static const char *const names[] = {
		[ADB_DIALOG_NONE] = "none",
		[ADB_DIALOG_PERMISSION] = "permission",
		[ADB_DIALOG_ANR] = "anr",
		[ADB_DIALOG_CRASH] = "crash",
		[ADB_DIALOG_LOCK] = "lock",
		[ADB_DIALOG_OTHER] = "other",
	};

	return names[kind];
}

/*
 * "mCurrentFocus=Window{1a2b3c u0 com.example/com.example.Main}": what stands
 * behind the user.  Several displays give several lines, some say null.
 */
static void
focused(const char *text, char *out, size_t size)
{
	static const char key[] = "mCurrentFocus=Window{";
	const char *at = strstr(text, key);
	size_t len;

	out[0] = '\0';
	if (!at)
		return;
	at += sizeof(key) - 1;
	len = strcspn(at, "}\r\n");
	/* hash, user, name: the name may have blanks */
	for (int i = 0; i < 2; i++) {
		size_t skip = strcspn(at, " }\r\n");

		if (skip >= len)
			return;
		at += skip + 1;
		len -= skip + 1;
	}
	if (len >= size)
		len = size - 1;
	memcpy(out, at, len);
	out[len] = '\0';
}

static bool
has(const char *window, const char *const *parts)
{
	for (; *parts; parts++)
		if (strstr(window, *parts))
			return true;
	return false;
}

/* "com.example" or "com.example/..." */
static bool
belongs_to(const char *window, const char *package)
{
	size_t len = strlen(package);

	return strncmp(window, package, len) == 0 &&
	       (window[len] == '\0' || window[len] == '/');
}

void
adb_dialog_parse(const char *text, const char *package,
		 struct adb_dialog_seen *seen)
{
	static const char *const permission[] = {"GrantPermissionsActivity",
						 "permissioncontroller/", NULL};
	static const char *const anr[] = {"Application Not Responding", NULL};
	static const char *const crash[] = {"Application Error", NULL};
	static const char *const lock[] = {"Keyguard", "NotificationShade",
					   "StatusBar", NULL};
	const char *w = seen->window;

	focused(text, seen->window, sizeof(seen->window));
	if (!*w || belongs_to(w, package))
		seen->kind = ADB_DIALOG_NONE;
	else if (has(w, anr))
		seen->kind = ADB_DIALOG_ANR;
	else if (has(w, crash))
		seen->kind = ADB_DIALOG_CRASH;
	else if (has(w, permission))
		seen->kind = ADB_DIALOG_PERMISSION;
	else if (has(w, lock))
		seen->kind = ADB_DIALOG_LOCK;
	else
		seen->kind = ADB_DIALOG_OTHER;
}

int
adb_dialog_look(struct adb_device *dev, const char *package,
		struct adb_dialog_seen *seen, struct deadline dl,
		struct err *err)
{
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, 64 << 10);
	rc = adb_shell_run(dev, look_command, &r, dl, err);
	if (rc == 0)
		adb_dialog_parse(r.out.data, package, seen);
	adb_shell_result_done(&r);
	return rc ? err_wrap(err, "look for dialogs") : 0;
}

/*
 * Keys that move the focus to the right button and press it.  Layouts differ
 * between Android versions and makers, so several are tried, gentle first.
 */
static const char *
keys(enum adb_dialog kind, int attempt)
{
	/* DPAD_DOWN 20, DPAD_RIGHT 22, TAB 61, ENTER 66, BACK 4 */
	static const char *const permission[] = {
		"input keyevent 20; input keyevent 66",
		"input keyevent 22; input keyevent 22; input keyevent 66",
		"input keyevent 61; input keyevent 61; input keyevent 66",
	};
	/* "Close app" comes first, "Wait" second. */
	static const char *const anr[] = {
		"input keyevent 20; input keyevent 20; input keyevent 66",
		"input keyevent 22; input keyevent 22; input keyevent 66",
		"input keyevent 61; input keyevent 61; input keyevent 66",
	};
	static const char *const crash[] = {
		"input keyevent 4",
		"am broadcast -a android.intent.action.CLOSE_SYSTEM_DIALOGS",
		"input keyevent 66",
	};

	return kind == ADB_DIALOG_PERMISSION ? permission[attempt]
	       : kind == ADB_DIALOG_ANR	     ? anr[attempt]
					     : crash[attempt];
}

/* It goes with a short animation; look a few times. */
static int
gone(struct adb_device *dev, const char *package, enum adb_dialog kind,
     bool *is_gone, struct deadline dl, struct err *err)
{
	struct adb_dialog_seen now = {0};

	*is_gone = false;
	for (int i = 0; i < 4 && !*is_gone; i++) {
		if (i && deadline_pause(dl, 200, err))
			return -1;
		if (adb_dialog_look(dev, package, &now, dl, err))
			return -1;
		*is_gone = now.kind != kind;
	}
	return 0;
}

int
adb_dialog_answer(struct adb_device *dev, const char *package,
		  const struct adb_dialog_seen *seen, struct deadline dl,
		  struct err *err)
{
	struct adb_shell_result r;
	bool is_gone = false;
	int rc = 0;

	if (seen->kind != ADB_DIALOG_PERMISSION &&
	    seen->kind != ADB_DIALOG_ANR && seen->kind != ADB_DIALOG_CRASH)
		return err_set(err, ERR_INPUT, "'%s' is no dialog to answer",
			       seen->window);
	adb_shell_result_init(&r, 64 << 10);
	for (int i = 0; rc == 0 && i < 3 && !is_gone; i++) {
		rc = adb_shell_run(dev, keys(seen->kind, i), &r, dl, err);
		if (rc == 0)
			rc = gone(dev, package, seen->kind, &is_gone, dl, err);
	}
	adb_shell_result_done(&r);
	if (rc == 0 && !is_gone)
		rc = err_set(err, ERR_REMOTE, "it does not go away");
	if (rc)
		return err_wrap(err, "Android's %s dialog '%s'",
				adb_dialog_name(seen->kind), seen->window);
	return 0;
}
