#ifndef PLAN_VARS_H
#define PLAN_VARS_H

#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "plan/plan.h"

/*
 * What {name} stands for in a plan.  NULL (-1 for numbers): not known here,
 * and a text that needs it is ERR_INPUT.  {secret.X} comes from the
 * environment (PATROL_SECRET_X or PATROL_SECRET_X_FILE) when it is needed and
 * is registered, so that no sink shows it.
 */
struct plan_vars {
	const char *run_id, *commit, *device, *gpu, *build, *date, *files;
	const char *screen, *snapshot_name;
	int64_t n, frame_ms, gc_bytes, max_output_bytes;
	const struct plan_pair *var; /* --var X=... */
	size_t var_count;
};

#define PLAN_VARS_INIT                                   \
	{                                                \
		.n = -1, .frame_ms = -1, .gc_bytes = -1, \
		.max_output_bytes = -1                   \
	}

/* {name} in text becomes the bare value.  `out` is appended to. */
int plan_vars_text(const char *text, const struct plan_vars *vars,
		   struct buf *out, struct err *err);
/* {name} in JavaScript becomes a JSON literal, quotes included. */
int plan_vars_js(const char *code, const struct plan_vars *vars,
		 struct buf *out, struct err *err);
/* A copy of a JSON value with the text of its strings replaced. */
int plan_vars_args(const cJSON *args, const struct plan_vars *vars, cJSON **out,
		   struct err *err);

/*
 * At check time: 0, or -1 with what is wrong and `offset` of the place in
 * the text.  An unknown name in text is wrong; in JavaScript braces around
 * other words are JavaScript.
 */
int plan_vars_check_text(const char *text, size_t *offset, struct err *err);
int plan_vars_check_js(const char *code, size_t *offset, struct err *err);

/* Are all {var.X} and {secret.X} of this text or code given?  ERR_INPUT. */
int plan_vars_check_given(const char *text, const struct plan_vars *vars,
			  struct err *err);

/* "NAME=VALUE" of --var into a pair that borrows `arg`'s value; the name is
 * a copy in `name` (free() it). */
int plan_vars_parse(const char *arg, struct plan_pair *out, char **name,
		    struct err *err);

#endif
