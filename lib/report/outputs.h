#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "base/err.h"
#include "report/result.h"

/*
 * `res` is redacted first, and outputs_tell_ci() takes it as it is then.
 *
 * Everything that a run leaves behind besides its evidence: result.json, then
 * from the same JSON slack.json, junit.xml, summary.md, report.html.  Every file is tried; the first failure is returned,
 * so that a full disk is told once and what fits is there.
 */
int outputs_write(struct result *res, const char *dir, struct err *err);
/* The same without result.json, which has been written. */
int outputs_rewrite(const struct result *res, const char *dir, struct err *err);
/* Those of an earlier run: what is killed must not leave its verdict there. */
int outputs_forget(const char *dir, struct err *err);
/* Annotations, outputs and summary, when this is a step of GitHub Actions. */
int outputs_tell_ci(const struct result *res, const char *dir, struct err *err);

#endif
