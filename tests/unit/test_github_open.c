#include "followup/github_open.h"

#include "check.h"

static struct settings
made(char *repository)
{
	return (struct settings){
		.repository = repository,
		.budget = {.download_stall_ms = 11,
			   .github_call_ms = 22,
			   .github_ms = 33},
	};
}

static void
all_budgets_are_of_the_settings(void)
{
	static char name[] = "o/n";
	struct settings set = made(name);
	struct secret own = {.value = NULL};
	struct err err = ERR_INIT;
	struct github g;

	REQUIRE(github_open(&g, &set, NULL, &err) == 0);
	CHECK(g.stall_ms == 11 && g.call_ms == 22 && g.ask_ms == 33);
	CHECK(g.token == &set.github_token);
	github_done(&g);
	REQUIRE(github_open(&g, &set, &own, &err) == 0);
	CHECK(g.token == &own && g.call_ms == 22);
	github_done(&g);
}

static void
no_repository_is_said(void)
{
	struct settings set = made(NULL);
	struct err err = ERR_INIT;
	struct github g;

	CHECK(github_open(&g, &set, NULL, &err) == -1);
	CHECK(err.code == ERR_USAGE);
	CHECK_HAS(err.msg, "GITHUB_REPOSITORY is not set");
	github_done(&g);
}

CHECK_MAIN(CHECK_CASE("all budgets are of the settings",
		      all_budgets_are_of_the_settings),
	   CHECK_CASE("no repository is said", no_repository_is_said))
