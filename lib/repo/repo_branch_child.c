#include "repo/repo_branch_child.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "repo/repo_job.h"

typedef int job_fn(struct repo_job *j, struct err *err);

static const struct {
	const char *what;
	job_fn *fn;
} jobs[] = {
	{"list", repo_job_list},
	{"read", repo_job_read},
	{"change", repo_job_change},
};

/* --- where --------------------------------------------------------------- */

static int
no_origin(const struct repo_job *j, const char *dir, struct err *err)
{
	const git_error *e = git_error_last();

	err_set(err, ERR_INPUT,
		"'%s' is no git checkout with a remote 'origin': %s", dir,
		e && e->message ? e->message : "it has no address");
	(void)err_reason(err, "bad_setting");
	return err_hint(err, "name the repository with %s",
			json_str(j->q.head, "remote_name", "an option"));
}

/* The checkout is only read. */
static int
take_origin(struct repo_job *j, const char *dir, struct err *err)
{
	git_repository *repo = NULL;
	git_remote *origin = NULL;
	const char *url = NULL, *base;
	int rc;

	if (git_repository_open_ext(&repo, dir, 0, NULL) == 0 &&
	    git_remote_lookup(&origin, repo, "origin") == 0)
		url = git_remote_url(origin);
	if (url == NULL) {
		rc = no_origin(j, dir, err);
	} else {
		base = git_repository_workdir(repo);
		rc = repo_remote_parse(url,
				       base ? base : git_repository_path(repo),
				       &j->remote, err);
	}
	git_remote_free(origin);
	git_repository_free(repo);
	return rc;
}

static int
find_remote(struct repo_job *j, struct err *err)
{
	const char *text = json_str(j->q.head, "remote", NULL);
	const char *dir = json_str(j->q.head, "dir", "/");

	if (text == NULL || *text == '\0')
		return take_origin(j, dir, err);
	return repo_remote_parse(text, dir, &j->remote, err);
}

/* --- the job ------------------------------------------------------------- */

static int
do_job(struct repo_job *j, job_fn *fn, struct err *err)
{
	int rc;

	j->far = (struct repo_far){
		.remote = &j->remote, .login = &j->login, .bare = &j->bare};
	if (repo_bare_is_long(&j->bare) && repo_bare_renew(&j->bare, err))
		return -1;
	rc = fn(j, err);
	if (rc == 0 || !err_is(err, REPO_BARE_DAMAGED))
		return rc;
	/* A cache that is damaged is made anew, once. */
	err_clear(err);
	cJSON_Delete(j->answer);
	j->answer = json_obj();
	buf_clear(&j->body);
	if (repo_bare_renew(&j->bare, err))
		return -1;
	return fn(j, err);
}

static int
work(struct repo_job *j, struct err *err)
{
	const char *what = json_str(j->q.head, "what", "");
	int rc = -1;

	if (find_remote(j, err))
		return -1;
	json_set_str(j->answer, "shown", j->remote.shown);
	if (repo_bare_open(&j->bare, json_str(j->q.head, "state_dir", "."),
			   j->remote.shown, j->dl, err))
		return err_wrap(err, "git cache");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		if (strcmp(what, jobs[i].what) == 0)
			rc = do_job(j, jobs[i].fn, err);
	}
	repo_bare_close(&j->bare);
	return rc ? err_wrap(err, "git remote '%s'", j->remote.shown) : 0;
}

static void
take_login(struct repo_job *j)
{
	const cJSON *q = j->q.head;
	const char *token = json_str(q, "token", NULL);

	if (token && *token)
		secret_set(&j->token, token);
	j->login = (struct repo_login){
		.token = &j->token,
		.token_name = json_str(q, "token_name", NULL),
		.ssh_key = json_str(q, "ssh_key", NULL),
		.ssh_passphrase = json_str(q, "ssh_passphrase", NULL),
		.ssh_known_hosts = json_str(q, "ssh_known_hosts", NULL),
	};
}

static int
run(struct repo_job *j, int from, struct err *err)
{
	if (repo_message_read(from, &j->q, err))
		return -1;
	take_login(j);
	j->dl = deadline_in(NULL, json_int(j->q.head, "within_ms", 0));
	buf_init(&j->body, REPO_JOB_BYTES +
				   (size_t)json_int(j->q.head, "file_max", 0) +
				   1);
	git_libgit2_init();
	/* A runner's checkout often belongs to another user. */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	return work(j, err);
}

void
repo_branch_child(int argc, char **argv)
{
	struct repo_job j = {.answer = json_obj()};
	struct err err = ERR_INIT;
	int to;

	if (argc != 4 || strcmp(argv[1], REPO_BRANCH_CHILD) != 0) {
		cJSON_Delete(j.answer);
		return;
	}
	to = (int)strtol(argv[3], NULL, 10);
	if (run(&j, (int)strtol(argv[2], NULL, 10), &err)) {
		j.answer = json_obj();
		json_set(j.answer, "failure", repo_message_failure(&err));
		buf_clear(&j.body);
	}
	err_clear(&err);
	/* Like repo_child(): nothing of it is freed, and nothing speaks. */
	_exit(repo_message_write(to, j.answer, &j.body, &err) ? 1 : 0);
}
