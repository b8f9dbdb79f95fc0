#include "base/file.h"
#include "base/mem.h"
#include "followup/issue.h"
#include "run/run_after.h"

enum { COMPARISON_MAX = 64 << 20 };

/* A run that has compared itself has written how. */
static bool
wants_issues(const struct run *r)
{
	AUTO_FREE char *path = file_join(r->cfg->out, RUN_AFTER_COMPARISON);

	return r->cfg->file_issues && file_exists(path);
}

/* "2 created, 1 known: #318 #319" */
static void
tell(const cJSON *registered, struct buf *note)
{
	const cJSON *one;
	int64_t last = 0;

	cJSON_ArrayForEach(one, registered)
	{
		int64_t number = json_int(one, "number", 0);

		/* The series of an issue follow one another. */
		if (number == last)
			continue;
		last = number;
		buf_fmt(note, "%s#%lld %s", note->len ? ", " : "",
			(long long)number, json_str(one, "action", ""));
	}
	if (!note->len)
		buf_str(note, "nothing to register");
}

static bool
file_issues(struct run *r, struct buf *note)
{
	struct deadline dl = deadline_in(r->cancel, r->set->budget.history_ms);
	AUTO_FREE char *path = file_join(r->cfg->out, RUN_AFTER_COMPARISON);
	AUTO_JSON cJSON *comparison = NULL, *registered = NULL;
	struct issue_options o = {
		.plan_file = r->cfg->plan,
		.result = r->res.json,
	};
	struct err err = ERR_INIT;
	int rc;

	rc = json_read_file(path, COMPARISON_MAX, &comparison, &err);
	if (rc == 0)
		rc = issue_register(comparison, r->set, &o, &registered, dl,
				    &err);
	issue_link(cJSON_GetObjectItemCaseSensitive(r->res.json, "regressions"),
		   registered);
	if (rc == 0) {
		tell(registered, note);
		return false;
	}
	result_warning(&r->res, "issues_failed", err.msg);
	buf_str(note, err.msg);
	return true;
}

const struct run_after run_after_issues = {"issues", wants_issues, file_issues};
