#include "github/github_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* 1,000 requests an hour is all that a token has. */
enum { POLL_FIRST_MS = 1000, POLL_MAX_MS = 15000 };

static int
check_id(const char *id, struct err *err)
{
	if (!*id || strlen(id) > 20 || id[strspn(id, "0123456789")])
		return err_set(err, ERR_INPUT,
			       "run id '%.40s' is not a decimal number", id);
	return 0;
}

int
github_run_parse(const cJSON *json, struct github_run *out, struct err *err)
{
	static const char what[] = "GitHub's run";
	const char *sha, *status;
	struct github_run r = {.id = json_id(json, "id")};

	if (!r.id) {
		err_set(err, ERR_PROTO, "%s: 'id' is missing", what);
		return -1;
	}
	if (json_need_str(json, "head_sha", what, &sha, err) ||
	    json_need_str(json, "status", what, &status, err)) {
		free(r.id);
		return -1;
	}
	r.name = mem_strdup(json_str(json, "name", NULL));
	r.head_sha = mem_strdup(sha);
	r.head_branch = mem_strdup(json_str(json, "head_branch", NULL));
	r.status = mem_strdup(status);
	r.conclusion = mem_strdup(json_str(json, "conclusion", NULL));
	r.event = mem_strdup(json_str(json, "event", ""));
	r.html_url = mem_strdup(json_str(json, "html_url", ""));
	r.started_at = mem_strdup(json_str(json, "run_started_at", NULL));
	r.repository = mem_strdup(json_str(json, "repository.full_name", NULL));
	r.head_repository =
		mem_strdup(json_str(json, "head_repository.full_name", NULL));
	r.attempt = json_int(json, "run_attempt", 1);
	*out = r;
	return 0;
}

void
github_run_done(struct github_run *r)
{
	free(r->id);
	free(r->name);
	free(r->head_sha);
	free(r->head_branch);
	free(r->status);
	free(r->conclusion);
	free(r->event);
	free(r->html_url);
	free(r->started_at);
	free(r->repository);
	free(r->head_repository);
	memset(r, 0, sizeof(*r));
}

int
github_run_get(struct github *g, const char *id, struct github_run *out,
	       struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = NULL;
	AUTO_JSON cJSON *json = NULL;

	if (check_id(id, err))
		return -1;
	path = mem_fmt("/repos/%s/actions/runs/%s", g->repository, id);
	if (g->ask_ms)
		dl = deadline_cap(dl, g->ask_ms);
	if (github_get(g, path, &json, NULL, dl, err))
		return -1;
	return github_run_parse(json, out, err);
}

enum github_run_state
github_run_judge(const struct github_run *r, const char *own_id)
{
	if (strcmp(r->status, "completed") != 0 || !r->conclusion)
		return own_id && strcmp(r->id, own_id) == 0 ? GITHUB_RUN_OWN
							    : GITHUB_RUN_OPEN;
	return strcmp(r->conclusion, "success") == 0 ? GITHUB_RUN_SUCCESS
						     : GITHUB_RUN_FAILED;
}

int
github_run_wait(struct github *g, const char *id, const char *own_id,
		struct github_run *out, struct deadline dl, struct err *err)
{
	for (int64_t poll_ms = POLL_FIRST_MS;; poll_ms *= 2) {
		struct github_run r = {.id = NULL};

		if (poll_ms > POLL_MAX_MS)
			poll_ms = POLL_MAX_MS;
		if (github_run_get(g, id, &r, dl, err))
			return -1;
		if (github_run_judge(&r, own_id) != GITHUB_RUN_OPEN) {
			*out = r;
			return 0;
		}
		if (deadline_left_ms(dl) <= poll_ms ||
		    deadline_pause(dl, poll_ms, err)) {
			if (err->code == ERR_NONE)
				err_set(err, ERR_TIMEOUT,
					"run %s is still '%s'", id, r.status);
			if (err->code == ERR_TIMEOUT)
				(void)err_reason(err, "run_not_completed");
			github_run_done(&r);
			return -1;
		}
		github_run_done(&r);
	}
}
