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
send(const char *key, const char *value, int status)
{
	const char *name = getenv("GITHUB_REPOSITORY");
	AUTO_JSON cJSON *body = json_obj();
	AUTO_FREE char *path = mem_fmt("/repos/%s/issues", name);
	struct err err = ERR_INIT;

	json_set_str(body, key, value);
	CHECK(github_send(&github, "POST", path, body, NULL, SOON, &err) == -1);
	CHECK(github.status == status);
}

/* The farm has no issues; what matters is who says no. */
static void
wrong_body_is_refused(void)
{
	send("titel", "x", 422);
	send("title", "x", 404);
}

CHECK_MAIN(CHECK_CASE("GitHub is reached", reaches),
	   CHECK_CASE("a comparison passes", compares),
	   CHECK_CASE("a wrong body is refused before GitHub sees it",
		      wrong_body_is_refused), )
