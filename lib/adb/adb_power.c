#include "adb/adb_power.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb_shell.h"
#include "base/mem.h"

static const char wake_command[] =
	"input keyevent 224; " /* KEYCODE_WAKEUP: never toggles */
	"wm dismiss-keyguard; "
	"dumpsys power | grep mWakefulness=; "
	"dumpsys window policy | "
	"grep -E 'showing=|secure=|isStatusBarKeyguard=|mShowingLockscreen='";

struct screen {
	bool asleep, locked, secure;
};

/* What a phone does not tell is taken as fine. */
static struct screen
read_screen(const char *text)
{
	return (struct screen){
		.asleep = strstr(text, "mWakefulness=") &&
			  !strstr(text, "mWakefulness=Awake"),
		.locked = strstr(text, " showing=true") ||
			  strstr(text, "\nshowing=true") ||
			  strstr(text, "isStatusBarKeyguard=true") ||
			  strstr(text, "mShowingLockscreen=true"),
		.secure = strstr(text, "secure=true") != NULL,
	};
}

static int
look(struct adb_device *dev, struct screen *s, struct deadline dl,
     struct err *err)
{
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, 256 << 10);
	rc = adb_shell_run(dev, wake_command, &r, dl, err);
	if (rc == 0)
		*s = read_screen(r.out.data);
	adb_shell_result_done(&r);
	return rc;
}

int
adb_power_wake(struct adb_device *dev, struct deadline dl, struct err *err)
{
	struct screen s = {0};

	dl = deadline_cap(dl, 15000);
	for (int turn = 0;; turn++) {
		if (look(dev, &s, dl, err))
			return err_wrap(err, "wake the phone");
		if (!s.asleep && !s.locked)
			return 0;
		/* The lock screen needs a moment to go. */
		if (s.locked && s.secure && turn >= 4) {
			(void)err_set(err, ERR_REMOTE,
				      "the phone's screen is locked with a "
				      "PIN, pattern or password");
			(void)err_reason(err, "secure_lock");
			return err_hint(err, "set its screen lock to None or "
					     "Swipe");
		}
		if (deadline_pause(dl, 250, err))
			return err_wrap(err, "the phone's screen stays %s",
					s.asleep ? "off" : "locked");
	}
}

int
adb_power_setting(struct adb_device *dev, int *before, struct deadline dl,
		  struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(4096);
	char *end;
	long n;

	if (adb_shell_text(dev, "settings get global stay_on_while_plugged_in",
			   &b, dl, err))
		return -1;
	n = strtol(b.data, &end, 10);
	*before = end == b.data || *end || n < 0 || n > 15 ? -1 : (int)n;
	return 0;
}

int
adb_power_stay_awake(struct adb_device *dev, struct deadline dl,
		     struct err *err)
{
	/* On the charger, on USB and on a wireless pad. */
	return adb_shell_text(dev,
			      "settings put global stay_on_while_plugged_in 7",
			      NULL, dl, err);
}

int
adb_power_restore(struct adb_device *dev, int before, struct deadline dl,
		  struct err *err)
{
	AUTO_FREE char *command =
		before < 0 ? mem_strdup("settings delete global "
					"stay_on_while_plugged_in")
			   : mem_fmt("settings put global "
				     "stay_on_while_plugged_in %d",
				     before);

	return adb_shell_text(dev, command, NULL, dl, err);
}
