#ifndef STRAY_H
#define STRAY_H

#include "cmd/cmd.h"

/*
 * 0 when there are no words beside the options.  ERR_USAGE names the first one
 * and says what to write instead.
 */
int stray_word(const struct opt_list *args, const struct command *command,
	       struct err *err);

#endif
