#include "followup/propose.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "followup/github_open.h"
#include "followup/past.h"
#include "followup/propose_merge.h"
#include "followup/propose_text.h"
#include "github/github_pull.h"
#include "repo/repo_branch.h"
#include "unity/graphics.h"

enum { MAX_TRIES = 3 };

static const char ours[] = "patrol@localhost";

/* What is at hand while a proposal is made. */
struct making {
	const struct propose *p;
	const struct settings *set;
	cJSON *result, *answer;
	struct github github;
	struct repo_place place;
	char *remote;
	struct repo_tip base, tip; /* of the base branch; of the request's */
	struct github_pull pull;   /* number 0: none is open */
	struct buf base_text, open_text;
	bool has_base, has_open; /* the asset is there */
	struct deadline dl;
};

/* --- the run ------------------------------------------------------------- */

/* NULL: it may be proposed. */
static char *
why_not(const cJSON *result)
{
	const char *outcome = json_str(result, "outcome", "?");
	const char *status =
		json_str(result, "captures.graphics_states.status", "none");
	const char *file =
		json_str(result, "captures.graphics_states.file", NULL);

	if (strcmp(outcome, "passed") != 0)
		return mem_fmt("the run is %s: only what a passed run traced "
			       "is proposed",
			       outcome);
	if (json_count(result, "errors"))
		return mem_strdup("the run ended with an error");
	if (strcmp(status, "pulled") != 0 || file == NULL)
		return mem_fmt("the run has no graphics states (%s)", status);
	if (present_file(file) == NULL)
		return mem_strdup("the run's collection lies elsewhere");
	return NULL;
}

static int
read_run(struct making *m, struct err *err)
{
	AUTO_FREE char *path = file_join(m->p->out, "result.json");

	if (json_read_file(path, PAST_RESULT_MAX, &m->result, err))
		return err_hint(err, "only a run that has ended can be "
				     "proposed");
	if (strcmp(json_str(m->result, "kind", ""), "run") != 0)
		return err_set(err, ERR_INPUT, "'%s' is no result of a run",
			       path);
	return 0;
}

/* --- the repository ------------------------------------------------------ */

static int
keep(void *arg, size_t index, const char *data, size_t len, struct err *err)
{
	struct buf *to = arg;

	(void)index;
	buf_clear(to);
	buf_add(to, data, len);
	return buf_check(to, "the asset", err);
}

/* The asset at the newest commit of `branch`; *there: it has it. */
static int
read_asset(struct making *m, const char *branch, struct repo_tip *tip,
	   struct buf *text, bool *there, struct err *err)
{
	const struct repo_read what = {
		.branch = branch,
		.path = &m->p->asset,
		.count = 1,
		.file_max = GRAPHICS_LIMIT,
	};

	buf_clear(text);
	if (repo_branch_read(&m->place, &what, tip, keep, text, m->dl, err))
		return -1;
	*there = text->len > 0;
	return 0;
}

static int
read_base(struct making *m, struct err *err)
{
	const struct propose *p = m->p;

	if (read_asset(m, p->base, &m->base, &m->base_text, &m->has_base, err))
		return -1;
	if (*m->base.commit == '\0') {
		err_set(err, ERR_NOTFOUND, "there is no branch '%s'", p->base);
		return err_hint(err, "name the one to merge to with --base");
	}
	if (!m->has_base) {
		err_set(err, ERR_NOTFOUND, "branch '%s' has no '%s'", p->base,
			p->asset);
		return err_hint(err, "commit it once, with its .meta file; an "
				     "empty collection is {}");
	}
	return 0;
}

/* Commits of others are built upon while a request of them is open. */
static bool
is_others(const struct making *m)
{
	return *m->tip.commit && strcmp(m->tip.committer, ours) != 0;
}

static int
look(struct making *m, struct err *err)
{
	const struct propose *p = m->p;

	if (read_base(m, err))
		return -1;
	github_pull_done(&m->pull);
	if (github_pull_find(&m->github, p->branch, p->base, &m->pull, m->dl,
			     err) ||
	    read_asset(m, p->branch, &m->tip, &m->open_text, &m->has_open, err))
		return -1;
	if (is_others(m) && m->pull.number == 0) {
		err_set(err, ERR_INPUT,
			"branch '%s' has a commit of '%s' and no open pull "
			"request",
			p->branch, m->tip.committer);
		return err_hint(err, "it would be lost: remove the branch, or "
				     "name another with --branch");
	}
	return 0;
}

/* --- the answer ---------------------------------------------------------- */

static void
warn(struct making *m, const char *fmt, const char *what)
{
	AUTO_FREE char *text = mem_fmt("%s%s", fmt, what);

	json_push_str(cJSON_GetObjectItemCaseSensitive(m->answer, "warnings"),
		      text);
}

static void
tell_state(struct making *m, const char *state, const char *message)
{
	json_set_str(m->answer, "state", state);
	json_set_str(m->answer, "message", message);
}

static void
tell_pull(struct making *m, const char *state)
{
	cJSON *o = json_obj();

	json_set_int(o, "number", m->pull.number);
	json_set_str(o, "url", m->pull.url);
	json_set_str(o, "state", state);
	json_set(m->answer, "pull_request", o);
}

static void
tell_merging(struct making *m, const char *state, const char *message)
{
	cJSON *o = json_obj();

	json_set_str(o, "state", state);
	json_set_str(o, "message", message);
	json_set(m->answer, "auto_merge", o);
}

static void
begin_answer(struct making *m)
{
	const struct propose *p = m->p;

	m->answer = json_obj();
	json_set_int(m->answer, "schema_version", 1);
	tell_state(m, "skipped", NULL);
	json_set_str(m->answer, "asset", p->asset);
	json_set_str(m->answer, "base", p->base);
	json_set_str(m->answer, "branch", p->branch);
	json_set_str(m->answer, "base_commit", NULL);
	json_set_str(m->answer, "commit", NULL);
	json_set(m->answer, "merged", cJSON_CreateNull());
	json_set(m->answer, "pull_request", cJSON_CreateNull());
	json_set(m->answer, "auto_merge", cJSON_CreateNull());
	json_set(m->answer, "warnings", json_arr());
}

/* --- the request --------------------------------------------------------- */

static int
commit(struct making *m, const struct buf *text, struct err *err)
{
	const struct repo_file file = {m->p->asset, text->data, text->len};
	bool on_top = is_others(m);
	AUTO_BUF struct buf title = BUF_INIT;
	struct repo_change c = {
		.branch = m->p->branch,
		.file = &file,
		.count = 1,
		.there = REPO_REPLACE,
		.parent = on_top ? m->tip.commit : m->base.commit,
		.of = on_top ? m->p->branch : m->p->base,
		.expect = m->tip.commit,
	};
	struct repo_changed done;

	propose_text_title(&title, m->answer);
	c.message = title.data;
	if (repo_branch_change(&m->place, &c, &done, m->dl, err))
		return -1;
	if (*done.commit)
		memcpy(m->tip.commit, done.commit, sizeof(m->tip.commit));
	return 0;
}

static int
open_or_update(struct making *m, const char **state, struct err *err)
{
	const struct propose *p = m->p;
	AUTO_BUF struct buf title = BUF_INIT;
	AUTO_BUF struct buf body = BUF_INIT;
	struct github_pull_text text;

	propose_text_title(&title, m->answer);
	propose_text_body(&body, m->answer, m->result);
	text = (struct github_pull_text){title.data, body.data};
	if (m->pull.number) {
		*state = "updated";
		return github_pull_update(&m->github, m->pull.number, &text,
					  m->dl, err);
	}
	*state = "opened";
	return github_pull_open(&m->github, p->branch, p->base, &text, &m->pull,
				m->dl, err);
}

static int
ask_for_merge(struct making *m, struct err *err)
{
	enum github_pull_merging how;
	AUTO_FREE char *why = NULL;

	if (m->p->leave_open) {
		tell_merging(m, "not_asked", NULL);
		return 0;
	}
	if (github_pull_auto_merge(&m->github, &m->pull, m->tip.commit, &how,
				   &why, m->dl, err))
		return -1;
	switch (how) {
	case GITHUB_PULL_WAITS:
		tell_merging(m, "enabled", NULL);
		if (m->set->pr_token.value == NULL)
			warn(m,
			     "auto-merge waits for checks, and a request of "
			     "GITHUB_TOKEN starts none",
			     "");
		break;
	case GITHUB_PULL_MERGED:
		tell_merging(m, "merged", NULL);
		break;
	case GITHUB_PULL_LEFT:
		tell_merging(m, "refused", why);
		break;
	}
	return 0;
}

/* Everything is looked at and merged: do it. */
static int
put_request(struct making *m, const struct propose_merged *merged,
	    struct err *err)
{
	/* The same again, on a base that it still fits: no new checks. */
	bool there = m->pull.number && merged->is_open && !m->pull.conflicts;
	const char *state = "unchanged";

	if (!there &&
	    (commit(m, &merged->text, err) || open_or_update(m, &state, err)))
		return -1;
	json_set_str(m->answer, "commit", m->tip.commit);
	tell_state(m, "proposed", NULL);
	tell_pull(m, state);
	if (m->set->pr_token.value == NULL)
		warn(m,
		     "made with GITHUB_TOKEN: no checks start for it; set "
		     "PATROL_PR_TOKEN for that",
		     "");
	return ask_for_merge(m, err);
}

static int
merge(struct making *m, struct propose_merged *merged, struct err *err)
{
	const struct propose_merge what = {
		.out = m->p->out,
		.pulled = json_str(m->result, "captures.graphics_states.file",
				   ""),
		.asset = m->p->asset,
		.base = &m->base_text,
		.open = m->pull.number && m->has_open ? &m->open_text : NULL,
	};

	if (propose_merge(&what, merged, err))
		return -1;
	json_set_str(m->answer, "base_commit", m->base.commit);
	json_set(m->answer, "merged", cJSON_Duplicate(merged->counts, 1));
	json_set(m->answer, "warnings", json_arr());
	if (merged->not_open)
		warn(m, "what the open request has was left out: ",
		     merged->not_open);
	return 0;
}

static int
once(struct making *m, struct err *err)
{
	struct propose_merged merged;
	int rc = 0;

	if (look(m, err) || merge(m, &merged, err))
		return -1;
	if (merged.is_base)
		tell_state(m, "nothing", "the asset has all of it");
	else if (m->p->dry_run)
		tell_state(m, "dry_run", "nothing was changed");
	else
		rc = put_request(m, &merged, err);
	if (m->pull.number && !json_get(m->answer, "pull_request.number"))
		tell_pull(m, "unchanged");
	propose_merge_done(&merged);
	return rc;
}

/* --- all of it ----------------------------------------------------------- */

static int
check(const struct propose *p, struct err *err)
{
	if (repo_branch_check(p->base, err) ||
	    repo_branch_check(p->branch, err))
		return -1;
	if (strcmp(p->base, p->branch) == 0)
		return err_set(err, ERR_USAGE,
			       "--branch and --base are the same, '%s'",
			       p->base);
	if (present_file(p->asset) == NULL)
		return err_set(err, ERR_USAGE,
			       "'%s' is no path within the repository",
			       p->asset);
	return 0;
}

/* On GitHub's runners the address is known without a checkout. */
static void
find_place(struct making *m)
{
	const char *server = getenv("GITHUB_SERVER_URL");
	const struct settings *set = m->set;

	if (m->p->remote)
		m->remote = mem_strdup(m->p->remote);
	else if (server && *server && set->repository)
		m->remote = mem_fmt("%s/%s", server, set->repository);
	m->place = (struct repo_place){
		.remote = m->remote,
		.remote_name = "--remote",
		.state_dir = set->state_dir,
		.login =
			{
				.token = set->pr_token.value
						 ? &set->pr_token
						 : &set->github_token,
				.token_name =
					"PATROL_PR_TOKEN (or GITHUB_TOKEN)",
				.ssh_key = set->ssh_key,
				.ssh_passphrase = set->ssh_passphrase.value,
				.ssh_known_hosts = set->ssh_known_hosts,
			},
	};
}

static int
make(struct making *m, struct err *err)
{
	for (int i = 1;; i++) {
		if (once(m, err) == 0)
			return 0;
		/* Another patrol pushed in between: look again. */
		if (err->code != ERR_BUSY || i == MAX_TRIES)
			return -1;
		err_clear(err);
	}
}

static int
run(struct making *m, struct err *err)
{
	AUTO_FREE char *why = NULL;
	int rc;

	if (read_run(m, err))
		return -1;
	begin_answer(m);
	why = why_not(m->result);
	if (why) {
		tell_state(m, "skipped", why);
		return 0;
	}
	find_place(m);
	if (github_open(&m->github, m->set, m->place.login.token, err))
		return -1;
	rc = make(m, err);
	github_done(&m->github);
	return rc;
}

int
propose_states(const struct propose *p, const struct settings *set,
	       cJSON **answer, struct deadline dl, struct err *err)
{
	struct making m = {.p = p, .set = set, .dl = dl};
	int rc;

	if (check(p, err))
		return -1;
	buf_init(&m.base_text, GRAPHICS_LIMIT);
	buf_init(&m.open_text, GRAPHICS_LIMIT);
	rc = run(&m, err);
	if (rc == 0)
		*answer = m.answer;
	else
		cJSON_Delete(m.answer);
	cJSON_Delete(m.result);
	github_pull_done(&m.pull);
	buf_done(&m.base_text);
	buf_done(&m.open_text);
	free(m.remote);
	return rc;
}
