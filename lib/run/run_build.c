#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "followup/github_open.h"
#include "github/github_artifact.h"
#include "github/github_run.h"
#include "repo/repo.h"
#include "run/run_stage.h"

enum { REPO_MS = 5000, SHORT = 7 };

static int
open_github(struct run *r, struct github *g, struct err *err)
{
	if (github_open(g, r->set, NULL, err) == 0)
		return 0;
	if (r->set->repository)
		return -1;
	return err_hint(err, "or give a local build with --apk");
}

/* What the checkout around us knows; there need not be one. */
static void
add_checkout_facts(struct run *r, cJSON *build)
{
	struct err err = ERR_INIT;
	struct repo_head head;

	if (repo_head(".", &head, run_dl(r, REPO_MS), &err))
		return;
	if (r->commit == NULL) {
		r->commit = mem_strdup(head.commit.sha);
		json_set_str(build, "commit", head.commit.sha);
		if (head.branch)
			json_set_str(build, "branch", head.branch);
	}
	if (strcmp(r->commit, head.commit.sha) == 0)
		json_set_str(build, "subject", head.commit.subject);
	repo_head_done(&head);
}

static int
judge(struct run *r, const struct github_run *run, struct err *err)
{
	switch (github_run_judge(run, r->set->own_run_id)) {
	case GITHUB_RUN_SUCCESS:
	case GITHUB_RUN_OWN:
		return 0;
	case GITHUB_RUN_FAILED:
		if (r->cfg->allow_failed)
			return 0;
		err_set(err, ERR_REMOTE, "build %s ended with '%s'", run->id,
			run->conclusion ? run->conclusion : "?");
		return run_skip(r, "build_failed", err);
	case GITHUB_RUN_OPEN:
		break;
	}
	err_set(err, ERR_TIMEOUT, "run %s is still %s", run->id, run->status);
	return err_reason(err, "run_not_completed");
}

int
run_build_resolve(struct run *r, struct buf *note, struct err *err)
{
	cJSON *build = result_object(&r->res, "build");
	struct github g;
	struct github_run run;
	int rc;

	if (open_github(r, &g, err))
		return -1;
	json_set_str(build, "run_id", r->cfg->run_id);
	rc = github_run_wait(&g, r->cfg->run_id, r->set->own_run_id, &run,
			     run_dl(r, r->set->budget.run_open_ms), err);
	github_done(&g);
	if (rc)
		return -1;
	r->commit = mem_strdup(run.head_sha);
	r->vars.commit = r->commit;
	json_set_str(build, "run_url", run.html_url);
	json_set_str(build, "conclusion", run.conclusion);
	json_set_str(build, "commit", run.head_sha);
	json_set_str(build, "branch", run.head_branch);
	buf_fmt(note, "%.*s %s", SHORT, run.head_sha,
		run.head_branch ? run.head_branch : "");
	rc = judge(r, &run, err);
	if (rc == 0)
		add_checkout_facts(r, build);
	github_run_done(&run);
	return rc;
}

static void
progress(void *arg, int64_t now, int64_t total)
{
	struct run *r = arg;

	progress_bytes(r->progress, "artifact", now, total);
}

static void
note_artifact(struct run *r, const struct github_artifact *a,
	      const struct github_artifact_file *f)
{
	cJSON *o = json_obj();
	AUTO_FREE char *digest =
		a->digest ? mem_fmt("sha256:%s", a->digest) : NULL;

	json_set_str(o, "id", a->id);
	json_set_str(o, "name", a->name);
	json_set_str(o, "digest", digest);
	json_set_int(o, "size_bytes", f->bytes);
	json_set_str(o, "created_at", a->created_at);
	json_set(result_object(&r->res, "build"), "artifact", o);
}

int
run_build_download(struct run *r, struct buf *note, struct err *err)
{
	struct github g;
	struct github_artifact a;
	struct github_artifact_file f;
	int rc;

	if (open_github(r, &g, err))
		return -1;
	rc = github_artifact_find(&g, r->cfg->run_id, r->plan->artifact.name,
				  &a, run_dl(r, r->set->budget.github_ms), err);
	if (rc)
		goto out;
	r->download = file_join(r->work_dir, "artifact");
	rc = github_artifact_download(&g, &a, r->download, progress, r, &f,
				      run_dl(r, r->set->budget.download_ms),
				      err);
	if (rc == 0) {
		r->download_sha256 = mem_strdup(f.sha256);
		r->download_type = mem_strdup(f.content_type);
		note_artifact(r, &a, &f);
		buf_size(note, f.bytes);
		buf_str(note, f.verified ? ", sha256 ok" : ", digest unknown");
		github_artifact_file_done(&f);
	}
	github_artifact_done(&a);
out:
	github_done(&g);
	return rc;
}

static int
check_manifest(struct run *r, struct err *err)
{
	const struct apk_manifest *m = &r->manifest;
	const char *want = r->plan ? r->plan->app.package : NULL;
	bool snapshots = r->plan && r->plan->measure.snapshot.used &&
			 (r->cfg->measure & RUN_SNAPSHOT);

	if (want && strcmp(want, m->package) != 0) {
		err_set(err, ERR_INPUT, "the APK is %s, the plan says %s",
			m->package, want);
		return err_reason(err, "wrong_package");
	}
	if (snapshots && !m->debuggable) {
		err_set(err, ERR_INPUT,
			"%s %s is no development build, and Unity takes "
			"memory snapshots in development builds only",
			m->package, m->version_name ? m->version_name : "");
		err_reason(err, "not_debuggable");
		return err_hint(err, "build it with Development Build on, or "
				     "leave snapshots out with "
				     "--measure profiler,graphics_states");
	}
	if (!m->signed_v1 && !m->signed_block) {
		err_set(err, ERR_INPUT, "the APK is not signed");
		err_reason(err, "not_signed");
		return err_hint(err, "sign it with apksigner; Android "
				     "installs nothing else");
	}
	return 0;
}

static void
note_apk(struct run *r)
{
	const struct apk_manifest *m = &r->manifest;
	AUTO_FREE char *code = mem_fmt("%lld", (long long)m->version_code);
	cJSON *o = json_obj();

	json_set_str(o, "file", r->apk.file[0].name);
	json_set_str(o, "package", m->package);
	json_set_str(o, "version_name", m->version_name);
	json_set_str(o, "version_code", m->version_code >= 0 ? code : NULL);
	json_set_bool(o, "debuggable", m->debuggable);
	json_set_int(o, "size_bytes", r->apk.file[0].size_bytes);
	json_set_str(o, "sha256", r->apk.file[0].sha256);
	json_set(result_object(&r->res, "build"), "apk", o);
}

static void
unpack_progress(void *arg, int64_t now, int64_t total)
{
	struct run *r = arg;

	progress_bytes(r->progress, "unpacking", now, total);
}

int
run_build_apk(struct run *r, struct buf *note, struct err *err)
{
	struct apk_artifact_ask ask = {
		.path = r->cfg->apk ? r->cfg->apk : r->download,
		.content_type = r->download_type,
		.sha256 = r->download_sha256,
		.glob = r->plan ? r->plan->artifact.apk : NULL,
		.work_dir = r->work_dir,
		.progress = unpack_progress,
		.arg = r,
	};
	struct deadline dl = run_dl(r, r->set->budget.unpack_ms);

	if (apk_artifact_open(&ask, &r->apk, dl, err))
		return -1;
	if (apk_manifest_read(r->apk.file[0].path, &r->manifest, dl, err))
		return -1;
	r->package = r->manifest.package;
	r->vars.build = r->manifest.version_name;
	note_apk(r);
	if (r->cfg->apk)
		add_checkout_facts(r, result_object(&r->res, "build"));
	r->vars.commit = r->commit;
	buf_fmt(note, "%s %s, ", r->package,
		r->manifest.version_name ? r->manifest.version_name : "");
	buf_size(note, r->apk.file[0].size_bytes);
	if (r->manifest.debuggable)
		buf_str(note, ", development build");
	return check_manifest(r, err);
}
