#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apk/apk_artifact.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/secret.h"
#include "github/github_artifact.h"
#include "tests/bench/side.h"

/*
 * An artifact of 512 MiB: found, downloaded, its digest checked and the APK
 * extracted, against curl, sha256sum and unzip one after the other.  Ours
 * also asks the API and hashes the APK; theirs is told the signed address.
 */
static const char scenario[] = "artifact: {size: 512MiB}\n";

struct bench {
	char *dir, *work, *file, *theirs, *out, *url;
	struct github g;
	struct secret token;
	struct github_artifact artifact;
};

static void
setup(struct bench *b)
{
	struct err err = ERR_INIT;

	b->work = file_join(b->dir, "work");
	b->file = file_join(b->work, "artifact");
	b->theirs = file_join(b->work, "theirs");
	b->out = file_join(b->work, "theirs.out");
	if (file_mkdirs(b->work, &err) ||
	    secret_from_env(&b->token, "GITHUB_TOKEN", &err) ||
	    github_init(&b->g, getenv("GITHUB_API_URL"),
			getenv("GITHUB_REPOSITORY"), &b->token, &err) ||
	    github_artifact_find(&b->g, "4242", "android-patrol", &b->artifact,
				 side_soon(), &err))
		side_fail(&err);
}

/* Nothing of the round before, and a fresh signed address. */
static void
before(void *arg)
{
	struct bench *b = arg;
	AUTO_FREE char *apk = file_join(b->work, "game.apk");
	AUTO_FREE char *path = mem_fmt("/repos/%s/actions/artifacts/%s/zip",
				       b->g.repository, b->artifact.id);
	struct err err = ERR_INIT;

	(void)unlink(b->file); /* perhaps there is none */
	(void)unlink(apk);
	(void)unlink(b->theirs);
	(void)unlink(b->out);
	free(b->url);
	if (github_location(&b->g, path, &b->url, side_soon(), &err))
		side_fail(&err);
}

static void
ours(void *arg)
{
	struct bench *b = arg;
	struct github_artifact a;
	struct github_artifact_file f;
	struct apk_artifact apk;
	struct apk_artifact_ask ask = {
		.path = b->file, .glob = "*.apk", .work_dir = b->work};
	struct err err = ERR_INIT;

	if (github_artifact_find(&b->g, "4242", "android-patrol", &a,
				 side_soon(), &err) ||
	    github_artifact_download(&b->g, &a, b->file, NULL, NULL, &f,
				     side_soon(), &err))
		side_fail(&err);
	ask.sha256 = f.sha256;
	if (apk_artifact_open(&ask, &apk, side_soon(), &err))
		side_fail(&err);
	if (!f.verified || apk.file[0].size_bytes < 500 << 20) {
		fprintf(stderr, "that was not the artifact\n");
		exit(EXIT_FAILURE);
	}
	apk_artifact_done(&apk);
	github_artifact_file_done(&f);
	github_artifact_done(&a);
}

static void
theirs(void *arg)
{
	static const char script[] =
		"curl -sSf -o \"$2\" \"$1\" && sha256sum \"$2\" && "
		"unzip -p \"$2\" >\"$3\"";
	struct bench *b = arg;
	const char *argv[] = {"sh",   "-c",	 script, "sh",
			      b->url, b->theirs, b->out, NULL};

	side_spawn(argv, NULL);
}

int
main(int argc, char **argv)
{
	struct bench b = {.dir = side_farm(argv, scenario)};
	struct side s = {.ours = ours,
			 .theirs = theirs,
			 .before = before,
			 .arg = &b,
			 .repeat = 1};
	struct side_times t;

	(void)argc;
	setup(&b);
	t = side_compare(&s);
	printf("artifact.whole %.0f ms\n", t.ours_us / 1e3);
	printf("artifact.programs %.0f ms\n", t.theirs_us / 1e3);
	printf("artifact.ratio %.3f x\n", t.ours_us / t.theirs_us);
	printf("artifact.peak %.1f MiB\n", side_peak_mib());
	github_artifact_done(&b.artifact);
	github_done(&b.g);
	secret_done(&b.token);
	side_done(b.dir);
	free(b.work);
	free(b.file);
	free(b.theirs);
	free(b.out);
	free(b.url);
	return EXIT_SUCCESS;
}
