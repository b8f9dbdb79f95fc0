#ifndef ISSUE_SETTLED_H
#define ISSUE_SETTLED_H

#include <stdbool.h>

#include "followup/issue_group.h"

/*
 * Somebody closed an issue as not planned: its levels are lived with.  Is the
 * group within them, by the limit of verify_rule()?  False also for a series that the
 * block does not have, and a text without a block.
 */
bool issue_settled(const char *body, const struct issue_group *g);

#endif
