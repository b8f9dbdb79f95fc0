#ifndef PLAN_FILE_H
#define PLAN_FILE_H

#include "cmd/cmd.h"
#include "plan/plan.h"

/*
 * What the `plan` commands begin with: the one FILE that `ctx` names is read,
 * its faults are told on stderr (CMD_USAGE), and a good plan is handed to
 * `use`, whose answer is returned.  `command` is for the message.
 */
int plan_file_use(struct cmd_context *ctx, const char *command,
		  int (*use)(struct cmd_context *ctx, struct plan *plan,
			     struct err *err),
		  struct err *err);

/* For a command that a plan only helps: its first fault is the error. */
int plan_file_load(const char *path, struct plan **plan, struct err *err);

#endif
