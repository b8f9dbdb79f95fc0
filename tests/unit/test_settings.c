#include "plan/settings.h"

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

static struct settings s;
static struct err err;

static size_t
row(const char *name)
{
	for (size_t i = 0; i < settings_count; i++) {
		if (strcmp(settings_table[i].name, name) == 0)
			return i;
	}
	CHECK(false);
	return 0;
}

static int
load(void)
{
	err_clear(&err);
	return settings_load(&s, &err);
}

static void
clean(void)
{
	for (size_t i = 0; i < settings_count; i++)
		(void)unsetenv(settings_table[i].name);
	(void)unsetenv("STF_TOKEN_FILE");
	(void)unsetenv("XDG_STATE_HOME");
	(void)setenv("HOME", "/h/x", 1);
}

static void
defaults(void)
{
	clean();
	REQUIRE(load() == 0);
	CHECK(!s.stf_url && !s.stf_token.value);
	CHECK_STR(s.state_dir, "/h/x/.local/state/patrol");
	for (size_t i = 0; i < settings_count; i++) {
		const struct settings_row *r = &settings_table[i];
		char *shown = settings_shown(&s, i);

		CHECK(s.from[i] == SETTINGS_DEFAULT && r->help && *shown);
		if (r->kind == SETTINGS_DURATION)
			CHECK(r->default_ms > 0);
		free(shown);
	}
	settings_done(&s);
	(void)setenv("XDG_STATE_HOME", "/state", 1);
	REQUIRE(load() == 0);
	CHECK_STR(s.state_dir, "/state/patrol");
	settings_done(&s);
	(void)setenv("XDG_STATE_HOME", "relative", 1);
	(void)unsetenv("HOME");
	REQUIRE(load() == 0);
	CHECK(s.state_dir[0] == '/');
	settings_done(&s);
	settings_done(&s); /* twice is fine */
}

static void
environment_wins_over_plan(void)
{
	size_t i = row("STF_URL");

	clean();
	(void)setenv("STF_URL", "https://env", 1);
	(void)setenv("PATROL_BUDGET_SHELL", "1.5s", 1);
	(void)setenv("PATROL_STATE_DIR", "", 1); /* as good as not set */
	REQUIRE(load() == 0);
	CHECK(s.budget.shell_ms == 1500);
	CHECK(s.from[row("PATROL_BUDGET_SHELL")] == SETTINGS_ENVIRONMENT);
	CHECK_STR(s.state_dir, "/h/x/.local/state/patrol");
	settings_override(&s, "STF_URL", "https://plan", SETTINGS_PLAN);
	CHECK_STR(s.stf_url, "https://env");
	settings_override(&s, "STF_URL", NULL, SETTINGS_OPTION);
	CHECK_STR(s.stf_url, "https://env");
	settings_override(&s, "STF_URL", "https://option", SETTINGS_OPTION);
	CHECK_STR(s.stf_url, "https://option");
	CHECK_STR(settings_from_name(s.from[i]), "option");
	settings_override(&s, "GITHUB_REPOSITORY", "o/n", SETTINGS_PLAN);
	CHECK_STR(s.repository, "o/n");
	settings_done(&s);
}

static void
wrong_budgets_are_named(void)
{
	clean();
	(void)setenv("PATROL_BUDGET_INSTALL", "10", 1);
	CHECK(load() == -1 && err.code == ERR_USAGE);
	CHECK_HAS(err.msg, "PATROL_BUDGET_INSTALL: '10' has no unit");
	clean();
}

static void
secrets_are_not_shown(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "token");
	char *shown;

	clean();
	REQUIRE(file_write_raw(path, "stf-token-1\n", 12, &err) == 0);
	(void)setenv("STF_TOKEN_FILE", path, 1);
	(void)setenv("GITHUB_TOKEN", "gh-token-1", 1);
	REQUIRE(load() == 0);
	CHECK_STR(s.stf_token.value, "stf-token-1");
	CHECK(s.from[row("STF_TOKEN")] == SETTINGS_ENVIRONMENT);
	for (size_t i = 0; i < settings_count; i++) {
		shown = settings_shown(&s, i);
		CHECK(!strstr(shown, "token-1"));
		free(shown);
	}
	shown = settings_shown(&s, row("GITHUB_TOKEN"));
	CHECK_STR(shown, "***");
	free(shown);
	shown = secret_redacted("x stf-token-1 gh-token-1");
	CHECK_STR(shown, "x *** ***");
	free(shown);
	settings_done(&s);
	(void)setenv("STF_TOKEN_FILE", "/dev/null/none", 1);
	CHECK(load() == -1);
	CHECK_HAS(err.msg, "STF_TOKEN_FILE");
	clean();
}

CHECK_MAIN(CHECK_CASE("without an environment each setting has a default",
		      defaults),
	   CHECK_CASE("default, plan, environment, option: the later wins",
		      environment_wins_over_plan),
	   CHECK_CASE("a wrong budget is named", wrong_budgets_are_named),
	   CHECK_CASE("a secret is never shown", secrets_are_not_shown), )
