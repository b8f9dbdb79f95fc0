#ifndef HELP_H
#define HELP_H

#include <stdio.h>

#include "cmd/cmd.h"

/* What `patrol --help` prints. */
void help_overview(FILE *to);
/* What `patrol COMMAND --help` prints. */
void help_page(const struct command *c, FILE *to);
/* The commands of a group, such as "plan", on stdout. */
void help_group(const char *word);

#endif
