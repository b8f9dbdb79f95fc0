#ifndef ADB_DIALOG_H
#define ADB_DIALOG_H

#include "adb/adb_device.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Android's own dialogs over the game, seen in the window that has the focus.
 */
enum adb_dialog {
	ADB_DIALOG_NONE,
	ADB_DIALOG_PERMISSION, /* a runtime permission is asked for */
	ADB_DIALOG_ANR,	       /* "isn't responding" */
	ADB_DIALOG_CRASH,      /* "has stopped" */
	ADB_DIALOG_LOCK,       /* the lock screen */
	ADB_DIALOG_OTHER,      /* another package is in front */
};

struct adb_dialog_seen {
	enum adb_dialog kind;
	char window[192]; /* the focused window's name, cut */
};

/* `package` is the game: its own windows are no dialog. */
int adb_dialog_look(struct adb_device *dev, const char *package,
		    struct adb_dialog_seen *seen, struct deadline dl,
		    struct err *err);
void adb_dialog_parse(const char *text, const char *package,
		      struct adb_dialog_seen *seen);
const char *adb_dialog_name(enum adb_dialog kind);

/*
 * Answer it with keys: allow the permission, wait for the hung app, close the
 * crash report.  Then look again: ERR_REMOTE when it is still there.  NONE,
 * LOCK and OTHER are not answered (ERR_INPUT).
 */
int adb_dialog_answer(struct adb_device *dev, const char *package,
		      const struct adb_dialog_seen *seen, struct deadline dl,
		      struct err *err);

#endif
