#include <cjson/cJSON.h>
#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "repo/repo.h"
#include "repo/repo_child.h"
#include "tests/unit/check.h"

enum { COMMITS = 6 };

/* A checkout made here: commits c0..c5 on "main", c5 the head. */
static char dir[64];
static char sha[COMMITS][GIT_OID_HEXSZ + 1];

static git_oid
commit(git_repository *repo, const char *text, git_time_t when,
       const git_oid *parent, const git_oid *second)
{
	git_commit *p[2] = {NULL, NULL};
	git_treebuilder *builder;
	git_signature *who;
	git_oid tree_id, id;
	git_tree *tree;

	git_treebuilder_new(&builder, repo, NULL);
	git_treebuilder_write(&tree_id, builder);
	git_treebuilder_free(builder);
	git_tree_lookup(&tree, repo, &tree_id);
	git_signature_new(&who, "Jane", "jane@x", when, 0);
	if (parent)
		git_commit_lookup(&p[0], repo, parent);
	if (second)
		git_commit_lookup(&p[1], repo, second);
	CHECK(git_commit_create(&id, repo, NULL, who, who, NULL, text, tree,
				(size_t)(p[0] != NULL) + (p[1] != NULL),
				(const git_commit **)p) == 0);
	git_commit_free(p[0]);
	git_commit_free(p[1]);
	git_signature_free(who);
	git_tree_free(tree);
	return id;
}

static git_repository *
make(void)
{
	git_repository_init_options o;
	git_repository *repo;
	git_reference *ref;
	git_oid id;

	git_libgit2_init();
	snprintf(dir, sizeof(dir), "/tmp/test_repo.XXXXXX");
	CHECK(mkdtemp(dir) != NULL);
	git_repository_init_options_init(&o,
					 GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	o.flags = GIT_REPOSITORY_INIT_MKPATH;
	o.initial_head = "main";
	CHECK(git_repository_init_ext(&repo, dir, &o) == 0);
	for (int i = 0; i < COMMITS; i++) {
		char text[64];

		snprintf(text, sizeof(text), "\nsubject %d\n\nmore", i);
		id = commit(repo, text, 1700000000 + i, i ? &id : NULL, NULL);
		git_oid_tostr(sha[i], sizeof(sha[i]), &id);
	}
	CHECK(git_reference_create(&ref, repo, "refs/heads/main", &id, 1,
				   NULL) == 0);
	git_reference_free(ref);
	return repo;
}

static void
unmake(git_repository *repo)
{
	struct err err = ERR_INIT;

	git_repository_free(repo);
	git_libgit2_shutdown();
	CHECK(file_remove_tree(dir, &err) == 0);
}

static struct deadline
in(int64_t ms)
{
	return deadline_in(NULL, ms);
}

/* As after `fetch --depth`: c0..c(n-1) are gone, c(n) is the boundary. */
static void
make_shallow(int n)
{
	struct err err = ERR_INIT;
	char path[256];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/.git/objects/%.2s/%s", dir,
			 sha[i], sha[i] + 2);
		CHECK(unlink(path) == 0);
	}
	snprintf(path, sizeof(path), "%s/.git/shallow", dir);
	CHECK(file_write_raw(path, sha[n], strlen(sha[n]), &err) == 0);
}

static void
head_is_read(void)
{
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_head h;
	char sub[128];

	snprintf(sub, sizeof(sub), "%s/deep", dir);
	CHECK(mkdir(sub, 0755) == 0);
	REQUIRE(repo_head(sub, &h, in(5000), &err) == 0);
	CHECK_STR(h.commit.sha, sha[5]);
	CHECK_STR(h.commit.subject, "subject 5");
	CHECK_STR(h.commit.author, "Jane");
	CHECK(h.commit.time_s == 1700000005 && !h.shallow);
	CHECK_STR(h.branch, "main");
	repo_head_done(&h);
	unmake(repo);
}

static void
range_is_walked(void)
{
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_range r;

	REQUIRE(repo_range(dir, sha[2], sha[5], &r, in(5000), &err) == 0);
	CHECK(r.complete && r.count == 3);
	CHECK_STR(r.item[0].sha, sha[5]);
	CHECK_STR(r.item[2].subject, "subject 3");
	repo_range_done(&r);
	REQUIRE(repo_range(dir, sha[5], sha[2], &r, in(5000), &err) == 0);
	CHECK(r.complete && r.count == 0);
	repo_range_done(&r);
	CHECK(repo_range(dir, sha[2],
			 "0123456789012345678901234567890123456789", &r,
			 in(5000), &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	unmake(repo);
}

static void
merges_are_walked(void)
{
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_range r;
	git_oid side, base, head, merge;
	char text[GIT_OID_HEXSZ + 1];

	git_oid_fromstr(&base, sha[1]);
	git_oid_fromstr(&head, sha[5]);
	/* A side branch whose clock is far behind. */
	side = commit(repo, "side", 1000, &base, NULL);
	merge = commit(repo, "merge", 1700000100, &head, &side);
	git_oid_tostr(text, sizeof(text), &merge);
	REQUIRE(repo_range(dir, sha[4], text, &r, in(5000), &err) == 0);
	CHECK(r.complete && r.count == 3);
	repo_range_done(&r);
	unmake(repo);
}

static void
shallow_is_not_an_error(void)
{
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_range r;
	struct repo_head h;

	make_shallow(3);
	REQUIRE(repo_range(dir, sha[3], sha[5], &r, in(5000), &err) == 0);
	CHECK(r.complete && r.count == 2); /* within the depth */
	repo_range_done(&r);
	REQUIRE(repo_range(dir, sha[1], sha[5], &r, in(5000), &err) == 0);
	CHECK(!r.complete && r.count == 3);
	CHECK_HAS(r.cause, "shallow");
	repo_range_done(&r);
	REQUIRE(repo_head(dir, &h, in(5000), &err) == 0);
	CHECK(h.shallow);
	repo_head_done(&h);
	unmake(repo);
}

static void
refused_checkouts_are_absent_ones(void)
{
	static const char config[] = "[core]\n\trepositoryformatversion = 1\n"
				     "[extensions]\n\tpartialclone = origin\n";
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_head h;
	char path[128];

	snprintf(path, sizeof(path), "%s/.git/config", dir);
	CHECK(file_write_raw(path, config, sizeof(config) - 1, &err) == 0);
	CHECK(repo_head(dir, &h, in(5000), &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_HAS(err.msg, "partialclone");
	err_clear(&err);
	CHECK(repo_head("/", &h, in(5000), &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	err_clear(&err);
	CHECK(repo_head("/nonexistent", &h, in(5000), &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	unmake(repo);
}

static void
deadline_holds(void)
{
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_head h;

	CHECK(repo_head(dir, &h, in(0), &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	unmake(repo);
}

static pid_t own;

/* As malloc is in a child, when a thread of the parent held its lock. */
static void *
locked_elsewhere(size_t size)
{
	if (getpid() != own)
		(void)pause();
	return malloc(size);
}

static void
locks_of_threads_are_not_inherited(void)
{
	cJSON_Hooks hooks = {.malloc_fn = locked_elsewhere, .free_fn = free};
	git_repository *repo = make();
	struct err err = ERR_INIT;
	struct repo_head h;

	own = getpid();
	cJSON_InitHooks(&hooks);
	CHECK(repo_head(dir, &h, in(5000), &err) == 0);
	cJSON_InitHooks(NULL);
	if (err.code == ERR_NONE)
		repo_head_done(&h);
	unmake(repo);
}

static int cases(int argc, char **argv);

int
main(int argc, char **argv)
{
	repo_child(argc, argv);
	return cases(argc, argv);
}

static CHECK_CASES(cases,
		   CHECK_CASE("the head is read, also from a folder within",
			      head_is_read),
		   CHECK_CASE("a range is walked by its parents",
			      range_is_walked),
		   CHECK_CASE("merges are walked, whatever their clocks",
			      merges_are_walked),
		   CHECK_CASE("a shallow history ends where it ends",
			      shallow_is_not_an_error),
		   CHECK_CASE("a refused checkout counts as none",
			      refused_checkouts_are_absent_ones),
		   CHECK_CASE("a lock that a thread holds stops no child",
			      locks_of_threads_are_not_inherited),
		   CHECK_CASE("the deadline holds", deadline_holds), )
