#ifndef REAP_ADB_H
#define REAP_ADB_H

#include "base/deadline.h"
#include "base/err.h"
#include "farm/lease_journal.h"
#include "plan/settings.h"

/*
 * What a dead run left at an adb server and on the phone, by the journal's
 * lines.  A server or a phone that is gone has nothing of ours: success.
 *
 *	adb_connect	id: the address; detail: "HOST:PORT" of the server
 *			that ran already (one of ours died with its run)
 *	stay_awake	id: the phone at its server; detail: the setting
 *			before, and "at HOST:PORT" of such a server or "of
 *			SERIAL" of a farm, where it must still be ours
 *	capture		id: the same; detail: "PACKAGE", or "PACKAGE FOLDER"
 *			where segments are pulled from, and "at" or "of" as
 *			above.  The app is ended, since it still records.
 *	gc_counter	id: the same; detail: "PACKAGE PATH" of the file in
 *			which the app counts, and "at" or "of" as above.  The
 *			app is ended, since it still writes.
 *
 * `note`: why something stays on the phone; empty: nothing does.
 */
int reap_adb_disconnect(const struct settings *set,
			const struct lease_journal_item *item, struct buf *note,
			struct deadline dl, struct err *err);
int reap_adb_awake(const struct settings *set,
		   const struct lease_journal_item *item, struct buf *note,
		   struct deadline dl, struct err *err);
int reap_adb_capture(const struct settings *set,
		     const struct lease_journal_item *item, struct buf *note,
		     struct deadline dl, struct err *err);
int reap_adb_counter(const struct settings *set,
		     const struct lease_journal_item *item, struct buf *note,
		     struct deadline dl, struct err *err);

/*
 * The command that removes what a capture has on the phone: segments in
 * `folder`, or, where that is NULL, program and segments in the app's own.
 */
void reap_adb_uncapture(struct buf *command, const char *package,
			const char *folder);
/* The one that removes the file in which the app counts. */
void reap_adb_uncount(struct buf *command, const char *package,
		      const char *path);

#endif
