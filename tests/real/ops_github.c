/*
 * What no command of patrol asks of GitHub yet, but lib/github can: through the
 * validating proxy that github.sh names in GITHUB_API_URL.
 */
#include "tests/unit/check.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/secret.h"
#include "github/github_compare.h"
#include "github/github_issue.h"

#define SOON deadline_in(NULL, 60000)

static struct github github;
static struct secret token;

static void
reaches(void)
{
	struct err err = ERR_INIT;

	REQUIRE(secret_from_env(&token, "GITHUB_TOKEN", &err) == 0);
	CHECK(github_init(&github, getenv("GITHUB_API_URL"),
			  getenv("GITHUB_REPOSITORY"), &token, &err) == 0);
}

static void
compares(void)
{
	struct github_compare c = {0};
	struct err err = ERR_INIT;

	if (github_compare(&github, "3f2e1d0c9b8a79685746352413021100ffeeddcc",
			   "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334", &c, SOON,
			   &err)) {
		printf("# %s\n", err.msg);
		CHECK(false);
		return;
	}
	CHECK(c.count == 2 && c.complete);
	CHECK_STR(c.item[1].author, "kana");
	github_compare_done(&c);
}

static void
wrong_body_is_refused(void)
{
	const char *name = getenv("GITHUB_REPOSITORY");
	AUTO_JSON cJSON *body = json_obj();
	AUTO_FREE char *path = mem_fmt("/repos/%s/issues", name);
	struct err err = ERR_INIT;

	json_set_str(body, "titel", "x");
	CHECK(github_send(&github, "POST", path, body, NULL, SOON, &err) == -1);
	CHECK(github.status == 422);
}

/* Does the call, which is given &err, pass? */
#define PASSES(call)                               \
	do {                                       \
		struct err err = ERR_INIT;         \
		if (call)                          \
			printf("# %s\n", err.msg); \
		CHECK(err.code == ERR_NONE);       \
	} while (0)

/* What a verification asks for. */
static void
labels_move(void)
{
	static const char *const labels[] = {"old", NULL};
	struct github_issue_text text = {.title = "slow", .label = labels};
	struct github_issue made = {.number = 0}, now = {.number = 0};

	PASSES(github_issue_create(&github, &text, &made, SOON, &err));
	PASSES(github_issue_label_add(&github, made.number, "new", SOON, &err));
	PASSES(github_issue_label_remove(&github, made.number, "old", SOON,
					 &err));
	PASSES(github_issue_label_remove(&github, made.number, "old", SOON,
					 &err));
	PASSES(github_issue_get(&github, made.number, &now, SOON, &err));
	CHECK(now.labels == 1 && github_issue_has_label(&now, "new"));
	github_issue_done(&made);
	github_issue_done(&now);
}

CHECK_MAIN(CHECK_CASE("GitHub is reached", reaches),
	   CHECK_CASE("a comparison passes", compares),
	   CHECK_CASE("a wrong body is refused before GitHub sees it",
		      wrong_body_is_refused),
	   CHECK_CASE("an issue's labels are moved", labels_move), )
