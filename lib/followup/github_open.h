#ifndef GITHUB_OPEN_H
#define GITHUB_OPEN_H

#include "github/github.h"
#include "plan/settings.h"

/*
 * GitHub as the settings name it, within their budgets; github_done() also
 * after a failure.  `token`: borrowed; NULL: that of the settings.  ERR_USAGE:
 * GITHUB_REPOSITORY is not set.
 */
int github_open(struct github *g, const struct settings *set,
		const struct secret *token, struct err *err);

#endif
