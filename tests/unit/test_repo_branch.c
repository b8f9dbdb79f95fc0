#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "repo/repo_branch.h"
#include "repo/repo_child.h"
#include "tests/unit/fake_http.h"
#include "tests/unit/git_remote.h"

/* The remote far.git, in a state folder of the test's own. */
static struct repo_place
place(void)
{
	static char remote[600], state[600];

	snprintf(remote, sizeof(remote), "file://%s/far.git", git_dir);
	snprintf(state, sizeof(state), "%s/state", git_dir);
	return (struct repo_place){
		.remote = remote,
		.state_dir = state,
		.login = {.token_name = "PATROL_HISTORY_TOKEN"},
	};
}

/* One file "PATH=TEXT", or to be removed as "PATH". */
static struct repo_file
file_of(const char *spec)
{
	const char *eq = strchr(spec, '=');

	return (struct repo_file){
		.path = eq ? strndup(spec, (size_t)(eq - spec)) : strdup(spec),
		.data = eq ? eq + 1 : NULL,
		.len = eq ? strlen(eq + 1) : 0,
	};
}

static int
change(const struct repo_place *p, const struct repo_change *how,
       struct repo_changed *out, struct err *err, const char *const *spec)
{
	struct repo_change c = *how;
	struct repo_file file[16];
	int rc;

	for (c.count = 0; spec[c.count]; c.count++)
		file[c.count] = file_of(spec[c.count]);
	c.file = file;
	c.message = "what it says";
	c.branch = c.branch ? c.branch : "data";
	rc = repo_branch_change(p, &c, out, git_in(30000), err);
	for (size_t i = 0; i < c.count; i++)
		free((char *)(uintptr_t)file[i].path);
	if (rc)
		printf("# (%s)\n", err->msg);
	return rc;
}

#define CHANGE(p, how, out, err, ...) \
	change(p, how, out, err, (const char *const[]){__VA_ARGS__, NULL})

#define FSCK                                                \
	"git -C far.git fsck --strict --no-dangling 2>&1 |" \
	"grep -v ^notice || :"

/* What was seen, as "path path" or "0=text 2=text". */
static void
see_path(void *arg, const char *path)
{
	buf_fmt(arg, "%s ", path);
}

static int
see_file(void *arg, size_t index, const char *data, size_t len, struct err *err)
{
	(void)err;
	buf_fmt(arg, "%zu=%.*s ", index, (int)len, data);
	return 0;
}

static int
see_length(void *arg, size_t index, const char *data, size_t len,
	   struct err *err)
{
	struct buf *out = arg;

	(void)err;
	if (index == 0)
		buf_clear(out);
	buf_fmt(out, "%zu=%zu %s", index, len, *data ? "" : "zeros ");
	return 0;
}

static int
read_files(const struct repo_place *p, const char *commit, struct repo_tip *tip,
	   struct buf *out, struct err *err, const char *const *path)
{
	struct repo_read what = {.branch = "data",
				 .commit = commit,
				 .path = path,
				 .file_max = 1000};

	while (path[what.count])
		what.count++;
	return repo_branch_read(p, &what, tip, see_file, out, git_in(30000),
				err);
}

#define READ(p, commit, tip, out, err, ...)  \
	read_files(p, commit, tip, out, err, \
		   (const char *const[]){__VA_ARGS__, NULL})

/* --- tests --------------------------------------------------------------- */

static void
an_absent_branch_is_made(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	struct repo_place p;
	struct repo_changed c;
	struct repo_tip tip = {.commit = "?"};
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;

	git_make();
	p = place();
	/* Not even the repository has anything. */
	CHECK(repo_branch_list(&p, "data", 0, &tip, see_path, &seen,
			       git_in(30000), &err) == 0);
	CHECK_STR(tip.commit, "");
	REQUIRE(CHANGE(&p, &how, &c, &err, "2026-11/a=A", "2026-11/b=B") == 0);
	CHECK(c.files == 2 && c.tries == 1);
	GIT_SAYS(c.commit, "git -C far.git rev-parse data");
	GIT_SAYS("patrol patrol@localhost patrol patrol@localhost what it says",
		 "git -C far.git log --format='%%an %%ae %%cn %%ce %%s' data");
	GIT_SAYS("2026-11/a\n2026-11/b",
		 "git -C far.git ls-tree -r --name-only data");
	GIT_SAYS("", FSCK);
	git_unmake();
}

static void
files_are_kept_replaced_and_removed(void)
{
	const struct repo_change keep = {.there = REPO_KEEP};
	const struct repo_change replace = {.there = REPO_REPLACE};
	struct repo_place p;
	struct repo_changed c;
	struct err err = ERR_INIT;

	git_make();
	p = place();
	REQUIRE(CHANGE(&p, &keep, &c, &err, "m/a=A", "m/b=B", "n/c=C") == 0);
	REQUIRE(CHANGE(&p, &keep, &c, &err, "m/a=other", "m/d=D") == 0);
	CHECK(c.files == 1);
	GIT_SAYS("A", "git -C far.git show data:m/a");
	REQUIRE(CHANGE(&p, &replace, &c, &err, "m/a=new", "m/b=B", "n/c",
		       "n/none") == 0);
	CHECK(c.files == 2);
	GIT_SAYS("new", "git -C far.git show data:m/a");
	GIT_SAYS("m/a\nm/b\nm/d", "git -C far.git ls-tree -r --name-only data");
	/* Nothing to change is no commit. */
	REQUIRE(CHANGE(&p, &replace, &c, &err, "m/a=new", "n/c") == 0);
	CHECK(c.files == 0);
	CHECK_STR(c.commit, "");
	GIT_SAYS("3", "git -C far.git rev-list --count data");
	GIT_SAYS("", FSCK);
	git_unmake();
}

static void
lists_and_reads(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	struct repo_place p;
	struct repo_changed c;
	struct repo_tip tip;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;

	git_make();
	p = place();
	REQUIRE(CHANGE(&p, &how, &c, &err, "1/a=A", "1/b=B", "2/c=", "2/d=D",
		       "top=T") == 0);
	CHECK(repo_branch_list(&p, "data", 0, &tip, see_path, &seen,
			       git_in(30000), &err) == 0);
	CHECK_STR(seen.data, "top 2/d 2/c 1/b 1/a ");
	CHECK_STR(tip.commit, c.commit);
	CHECK_STR(tip.committer, "patrol@localhost");
	buf_clear(&seen);
	CHECK(repo_branch_list(&p, "data", 2, &tip, see_path, &seen,
			       git_in(30000), &err) == 0);
	CHECK_STR(seen.data, "top 2/d ");
	buf_clear(&seen);
	CHECK(READ(&p, NULL, &tip, &seen, &err, "2/d", "2/none", "1", "2/c",
		   "1/a") == 0);
	CHECK_STR(seen.data, "0=D 3= 4=A ");
	CHECK_STR(tip.commit, c.commit);
	git_unmake();
}

/* 256 are one answer; a later file may be too large. */
static void
many_files_are_read(void)
{
	enum { MANY = 600 };
	struct repo_file file[MANY];
	struct repo_change c = {.branch = "data", .message = "m"};
	struct repo_read what = {.branch = "data", .file_max = 8};
	struct repo_changed done;
	struct repo_place p;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT, want = BUF_INIT;
	char *path[MANY];

	git_make();
	p = place();
	for (int i = 0; i < MANY; i++) {
		path[i] = mem_fmt("%d/%d", i / 100, i);
		file[i] = (struct repo_file){path[i], path[i], strlen(path[i])};
		buf_fmt(&want, "%d=%s ", i, path[i]);
	}
	c.file = file;
	c.count = MANY;
	CHECK(repo_branch_change(&p, &c, &done, git_in(60000), &err) == 0);
	CHECK(done.files == MANY);
	what.path = (const char *const *)path;
	what.count = MANY;
	CHECK(repo_branch_read(&p, &what, NULL, see_file, &seen, git_in(60000),
			       &err) == 0);
	CHECK_STR(seen.data, want.data);
	what.file_max = 4;
	CHECK(repo_branch_read(&p, &what, NULL, see_length, &seen,
			       git_in(60000), &err) == 0);
	CHECK(strncmp(seen.data, "0=3 ", 4) == 0);
	CHECK(strstr(seen.data, " 99=4 100=5 zeros 101=5 zeros ") != NULL);
	for (int i = 0; i < MANY; i++)
		free(path[i]);
	git_unmake();
}

/* Somebody pushes between our look and our push, three times. */
static void
a_lost_race_is_run_again(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	struct repo_place p;
	struct repo_changed c;
	struct err err = ERR_INIT;

	git_make();
	p = place();
	REQUIRE(CHANGE(&p, &how, &c, &err, "first=1") == 0);
	git_do("cat >far.git/hooks/pre-receive <<'END'\n"
	       "#!/bin/sh\n"
	       "unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY\n"
	       "unset GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
	       "n=$(cat n 2>/dev/null || echo 0)\n"
	       "[ $n -lt 3 ] || exit 0\n"
	       "echo $((n + 1)) >n\n"
	       "blob=$(echo $n | git hash-object -w --stdin)\n"
	       "tree=$({ git ls-tree data;\n"
	       "    printf '100644 blob %%s\\tother%%s\\n' $blob $n; } |\n"
	       "    git mktree)\n"
	       "git update-ref refs/heads/data \\\n"
	       "    $(git commit-tree -p data -m other $tree)\n"
	       "END\nchmod +x far.git/hooks/pre-receive");
	REQUIRE(CHANGE(&p, &how, &c, &err, "mine=1") == 0);
	CHECK(c.tries == 4);
	GIT_SAYS("first\nmine\nother0\nother1\nother2",
		 "git -C far.git ls-tree -r --name-only data");
	GIT_SAYS("5", "git -C far.git rev-list --count data");
	git_unmake();
}

static void
a_hook_that_refuses_is_told(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	struct repo_place p;
	struct repo_changed c;
	struct err err = ERR_INIT;

	git_make();
	p = place();
	git_do("printf '#!/bin/sh\\necho not on a Friday\\nexit 1\\n' "
	       ">far.git/hooks/pre-receive; chmod +x far.git/hooks/*");
	CHECK(CHANGE(&p, &how, &c, &err, "a=1") == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK(strstr(err.msg, "not on a Friday") != NULL);
	CHECK(strstr(err.msg, "protection") != NULL);
	git_unmake();
}

static void
a_forced_push_is_no_error(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	struct repo_place p;
	struct repo_changed c;
	struct repo_tip tip;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;
	char before[REPO_SHA_HEX];

	git_make();
	p = place();
	REQUIRE(CHANGE(&p, &how, &c, &err, "m/a=A", "m/b=B") == 0);
	snprintf(before, sizeof(before), "%s", c.commit);
	git_do("git clone -q far.git other 2>&1; cd other;"
	       "git checkout -q --orphan x; git rm -rfq . || :;"
	       "mkdir m; printf X >m/x; git add .; git commit -qm x;"
	       "git push -qf origin x:data; cd ../far.git;"
	       "git reflog expire --all --expire=now; git gc -q --prune=now");
	/* Read where it was: what is here is read, also without the server. */
	CHECK(READ(&p, before, &tip, &seen, &err, "m/a", "m/x") == 0);
	CHECK_STR(seen.data, "0=A ");
	buf_clear(&seen);
	/* Another machine does not have it, and reads what there is now. */
	p.state_dir = git_dir;
	CHECK(READ(&p, before, &tip, &seen, &err, "m/a", "m/x") == 0);
	CHECK_STR(seen.data, "1=X ");
	CHECK(strcmp(tip.commit, before) != 0);
	p = place();
	REQUIRE(CHANGE(&p, &how, &c, &err, "m/c=C") == 0);
	GIT_SAYS("m/c\nm/x", "git -C far.git ls-tree -r --name-only data");
	GIT_SAYS("", FSCK);
	/* And removed as a whole. */
	git_do("git -C far.git update-ref -d refs/heads/data");
	REQUIRE(CHANGE(&p, &how, &c, &err, "m/d=D") == 0);
	GIT_SAYS("m/d", "git -C far.git ls-tree -r --name-only data");
	git_unmake();
}

static void
a_pull_requests_branch(void)
{
	struct repo_change how = {.there = REPO_REPLACE};
	struct repo_place p;
	struct repo_changed c;
	struct repo_tip base;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;
	struct repo_read what = {.branch = "main", .file_max = 100};
	const char *const path[] = {"Assets/x"};

	git_make();
	p = place();
	git_do("git clone -q far.git w 2>&1; cd w; mkdir Assets;"
	       "echo base >Assets/x; chmod +x Assets/x; echo r >README;"
	       "git add .; git commit -qm 1; echo 2 >README;"
	       "git commit -qam 2; git push -q origin HEAD:main");
	what.path = path;
	what.count = 1;
	REQUIRE(repo_branch_read(&p, &what, &base, see_file, &seen,
				 git_in(30000), &err) == 0);
	CHECK_STR(seen.data, "0=base\n ");
	CHECK_STR(base.committer, "jane@example.com");
	how.branch = "patrol/x";
	how.parent = base.commit;
	how.of = "main";
	how.expect = "";
	REQUIRE(CHANGE(&p, &how, &c, &err, "Assets/x=new") == 0);
	GIT_SAYS("M\tAssets/x",
		 "git -C far.git diff --name-status main patrol/x");
	GIT_SAYS("100755",
		 "git -C far.git ls-tree patrol/x Assets/ | cut -c1-6");
	GIT_SAYS("1", "git -C far.git rev-list --count main..patrol/x");
	/* Somebody made it in between. */
	CHECK(CHANGE(&p, &how, &c, &err, "Assets/x=newer") == -1);
	CHECK(err.code == ERR_BUSY);
	err_clear(&err);
	/* Known to be there, it is forced. */
	how.expect = c.commit;
	REQUIRE(CHANGE(&p, &how, &c, &err, "Assets/x=newer") == 0);
	GIT_SAYS("newer", "git -C far.git show patrol/x:Assets/x");
	GIT_SAYS("1", "git -C far.git rev-list --count main..patrol/x");
	git_unmake();
}

static void
the_checkout_is_untouched(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	AUTO_FREE char *dir = NULL, *before = NULL;
	struct repo_place p;
	struct repo_changed c;
	struct repo_tip tip;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;
	static const char sums[] =
		"cd shallow; find . -type f | sort | xargs sha256sum;"
		"find . | sort | xargs stat -c '%%n %%Y %%i'";

	git_make();
	p = place();
	git_do("git clone -q far.git w 2>&1; cd w; echo 1 >f; git add .;"
	       "git commit -qm 1; echo 2 >f; git commit -qam 2;"
	       "git push -q origin HEAD:main; cd ..;"
	       "git clone -q --depth 1 file://$PWD/far.git shallow;"
	       "cd shallow; echo staged >s; git add s; echo changed >f");
	before = git_sh(sums);
	dir = mem_fmt("%s/shallow", git_dir);
	p.remote = NULL;
	p.dir = dir;
	REQUIRE(CHANGE(&p, &how, &c, &err, "a=A") == 0);
	CHECK(READ(&p, NULL, &tip, &seen, &err, "a") == 0);
	CHECK_STR(seen.data, "0=A ");
	GIT_SAYS("a", "git -C far.git ls-tree -r --name-only data");
	GIT_SAYS(before, sums);
	/* A folder that is no checkout names the setting. */
	p.dir = "/";
	p.remote_name = "PATROL_HISTORY_REMOTE";
	CHECK(CHANGE(&p, &how, &c, &err, "a=A") == -1);
	CHECK(err_is(&err, "bad_setting"));
	CHECK(strstr(err.msg, "PATROL_HISTORY_REMOTE") != NULL);
	git_unmake();
}

/* Only the files that are read are fetched, from a server that can do so. */
static void
files_are_fetched_when_they_are_read(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	struct repo_place p;
	struct repo_changed c;
	struct repo_tip tip;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;
	static const char files[] =
		"cd $(ls -d mine/git/*/ | head -n 1); git cat-file "
		"--batch-all-objects --batch-check='%%(objecttype)' |"
		"grep -c blob || :";

	git_make();
	p = place();
	git_do("cd far.git; git config uploadpack.allowFilter true;"
	       "git config uploadpack.allowAnySHA1InWant true");
	REQUIRE(CHANGE(&p, &how, &c, &err, "m/a=A", "m/b=B", "m/c=C") == 0);
	p.state_dir = mem_fmt("%s/mine", git_dir);
	CHECK(repo_branch_list(&p, "data", 0, &tip, see_path, &seen,
			       git_in(30000), &err) == 0);
	CHECK_STR(seen.data, "m/c m/b m/a ");
	GIT_SAYS("0", files);
	buf_clear(&seen);
	CHECK(READ(&p, tip.commit, &tip, &seen, &err, "m/b", "m/c") == 0);
	CHECK_STR(seen.data, "0=B 1=C ");
	GIT_SAYS("2", files);
	/* One that can't be left out comes with the others. */
	git_do("git -C far.git config uploadpack.allowFilter false;"
	       "git -C far.git config uploadpack.allowAnySHA1InWant false");
	buf_clear(&seen);
	CHECK(READ(&p, tip.commit, &tip, &seen, &err, "m/a") == 0);
	CHECK_STR(seen.data, "0=A ");
	REQUIRE(CHANGE(&p, &how, &c, &err, "m/d=D") == 0);
	GIT_SAYS("m/a\nm/b\nm/c\nm/d",
		 "git -C far.git ls-tree -r --name-only data");
	free((char *)(uintptr_t)p.state_dir);
	git_unmake();
}

static void
a_damaged_cache_is_made_anew(void)
{
	const struct repo_change how = {.there = REPO_KEEP};
	static const char *const damage[] = {
		"rm -rf state/git/*/objects/*",
		"for f in $(find state/git -type f); do "
		"chmod u+w $f; echo nonsense >$f; done",
		"rm -rf state/git/*/HEAD",
	};
	struct repo_place p;
	struct repo_changed c;
	struct err err = ERR_INIT;

	git_make();
	p = place();
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		AUTO_FREE char *spec = mem_fmt("m/%zu=x", i);

		CHECK(CHANGE(&p, &how, &c, &err, spec) == 0);
		git_do("%s", damage[i]);
	}
	CHECK(CHANGE(&p, &how, &c, &err, "m/z=Z") == 0);
	GIT_SAYS("m/0\nm/1\nm/2\nm/z",
		 "git -C far.git ls-tree -r --name-only data");
	git_unmake();
}

static void
what_is_no_repository_is_told(void)
{
	static const struct {
		const char *remote, *says;
		enum err_code code;
	} bad[] = {
		{"/nowhere/at/all", "does not appear to be a git repository",
		 ERR_REMOTE},
		{"git://example.com/x", "scheme", ERR_INPUT},
		{"http://example.com/x.git", "in the clear", ERR_INPUT},
		{"https://jane:s3cret-pw@127.0.0.1:1/x", "127.0.0.1", ERR_IO},
		{"ssh://jane@127.0.0.1:1/x", "127.0.0.1", ERR_IO},
		{"jane@127.0.0.1", "not a git repository", ERR_REMOTE},
		{"file://relative", "absolute", ERR_INPUT},
		{"https://example.com/x?y", "?", ERR_INPUT},
	};
	struct repo_place p;
	struct repo_tip tip;

	git_make();
	p = place();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err err = ERR_INIT;
		AUTO_BUF struct buf seen = BUF_INIT;

		p.remote = bad[i].remote;
		p.login.ssh_known_hosts = "/dev/null";
		CHECK(repo_branch_list(&p, "data", 0, &tip, see_path, &seen,
				       git_in(30000), &err) == -1);
		if (strstr(err.msg, bad[i].says) == NULL &&
		    bad[i].code != ERR_REMOTE)
			printf("# %s: %s\n", bad[i].remote, err.msg);
		CHECK(err.code == bad[i].code);
		CHECK(strstr(err.msg, "s3cret") == NULL);
		CHECK(bad[i].code == ERR_REMOTE ||
		      strstr(err.msg, bad[i].says) != NULL);
	}
	git_unmake();
}

static void
remotes_are_understood(void)
{
	static const struct {
		const char *text, *shown, *path;
	} good[] = {
		{"git@github.com:o/r.git", "ssh://git@github.com:22/o/r.git",
		 "o/r.git"},
		{"ssh://git@h:2222/o/r.git", "ssh://git@h:2222/o/r.git",
		 "/o/r.git"},
		{"ssh://git@h/~/r%20x", "ssh://git@h:22/~/r x", "~/r x"},
		{"git+ssh://git@[::1]:9/r", "ssh://git@::1:9/r", "/r"},
		{"https://h/o/r.git/", "https://h/o/r.git", NULL},
		{"https://x:ghp_secret@h/o/r", "https://h/o/r", NULL},
		{"HTTPS://h/o/r", "https://h/o/r", NULL},
		{"file:///no/such%20r", "/no/such r", "/no/such r"},
		{"file://localhost/no/r", "/no/r", "/no/r"},
		{"../no:r", "/dir/../no:r", "/dir/../no:r"},
		{"/no/r", "/no/r", "/no/r"},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct err err = ERR_INIT;
		struct repo_remote r;

		if (repo_remote_parse(good[i].text, "/dir", &r, &err)) {
			printf("# %s: %s\n", good[i].text, err.msg);
			CHECK(!"parsed");
			continue;
		}
		CHECK_STR(r.shown, good[i].shown);
		if (good[i].path)
			CHECK_STR(r.path, good[i].path);
		repo_remote_done(&r);
	}
}

static void
branch_names_are_checked(void)
{
	static const char *const bad[] = {
		"",	"-x",  "/x",	 "x/",	     "a..b", ".x",  "a/.b",
		"a//b", "a b", "x.lock", "x.lock/y", "a~1",  "a:b", "x.",
	};
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(repo_branch_check(bad[i], &err) == -1);
		CHECK(err.code == ERR_USAGE);
		err_clear(&err);
	}
	CHECK(repo_branch_check("patrol-history", &err) == 0);
	CHECK(repo_branch_check("patrol/graphics-states", &err) == 0);
	CHECK(repo_branch_check("x.locked", &err) == 0);
}

/* --- HTTP ---------------------------------------------------------------- */

struct answers {
	int status;
	bool silent, page;
	char auth[256];
};

static void
answer(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	struct answers *a = arg;
	const char *auth = strcasestr(q->head, "authorization: ");

	if (auth)
		(void)sscanf(auth, "%255[^\r\n]", a->auth);
	r->status = a->silent ? -1 : a->status;
	r->type = "text/html";
	snprintf(r->text, sizeof(r->text), "<html>hello</html>");
}

static void
over_http(struct answers *a, enum err_code code, const char *says)
{
	struct secret token = SECRET_INIT;
	struct fake_http fake;
	struct repo_place p = place();
	struct repo_tip tip;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;
	AUTO_FREE char *url = NULL;

	fake_start(&fake, answer, a);
	url = mem_fmt("%s/x.git", fake.url);
	secret_set(&token, "ghs_secret");
	p.remote = url;
	p.login.token = &token;
	CHECK(repo_branch_list(&p, "data", 0, &tip, see_path, &seen,
			       git_in(a->silent ? 1500 : 30000), &err) == -1);
	CHECK(err.code == code);
	if (strstr(err.msg, says) == NULL)
		printf("# %s\n", err.msg);
	CHECK(strstr(err.msg, says) != NULL);
	CHECK(strstr(err.msg, "ghs_secret") == NULL);
	fake_stop(&fake); /* and with it who writes into `a` */
	/* x-access-token:ghs_secret */
	CHECK_STR(a->auth, "Authorization: Basic "
			   "eC1hY2Nlc3MtdG9rZW46Z2hzX3NlY3JldA==");
	secret_done(&token);
}

static void
http_refusals_have_a_cure(void)
{
	git_make();
	over_http(&(struct answers){.status = 401}, ERR_AUTH,
		  "PATROL_HISTORY_TOKEN has expired");
	over_http(&(struct answers){.status = 403}, ERR_AUTH,
		  "contents: write");
	over_http(&(struct answers){.status = 404}, ERR_NOTFOUND,
		  "may not see it");
	over_http(&(struct answers){.status = 301}, ERR_REMOTE, "renamed");
	over_http(&(struct answers){.status = 502}, ERR_REMOTE, "later");
	over_http(&(struct answers){.status = 200}, ERR_PROTO,
		  "no git server's answer: '<html>");
	git_unmake();
}

static void
a_silent_server_ends_with_the_deadline(void)
{
	git_make();
	over_http(&(struct answers){.silent = true}, ERR_TIMEOUT, "127.0.0.1");
	git_unmake();
}

static int cases(int argc, char **argv);

int
main(int argc, char **argv)
{
	repo_child(argc, argv);
	return cases(argc, argv);
}

static CHECK_CASES(
	cases,
	CHECK_CASE("an absent branch of an empty repository is made",
		   an_absent_branch_is_made),
	CHECK_CASE("files are kept, replaced and removed",
		   files_are_kept_replaced_and_removed),
	CHECK_CASE("lists from the last, reads what is there", lists_and_reads),
	CHECK_CASE("many files are read in parts", many_files_are_read),
	CHECK_CASE("a lost race is run again", a_lost_race_is_run_again),
	CHECK_CASE("a hook that refuses is told", a_hook_that_refuses_is_told),
	CHECK_CASE("a forced push is no error", a_forced_push_is_no_error),
	CHECK_CASE("a pull request's branch is made of its base, and forced",
		   a_pull_requests_branch),
	CHECK_CASE("a shallow checkout is asked for its origin, and untouched",
		   the_checkout_is_untouched),
	CHECK_CASE("files are fetched when they are read",
		   files_are_fetched_when_they_are_read),
	CHECK_CASE("a damaged cache is made anew",
		   a_damaged_cache_is_made_anew),
	CHECK_CASE("what is no repository is told, without its password",
		   what_is_no_repository_is_told),
	CHECK_CASE("remotes are written in several ways",
		   remotes_are_understood),
	CHECK_CASE("branches' names are checked", branch_names_are_checked),
	CHECK_CASE("refusals over HTTP have a cure, and no token in them",
		   http_refusals_have_a_cure),
	CHECK_CASE("a silent server ends with the deadline",
		   a_silent_server_ends_with_the_deadline), )
