#include "base/err.h"

#include <errno.h>

#include "check.h"

static void
set_says_all(void)
{
	struct err err = ERR_INIT;

	err_reason(&err, "old");
	CHECK(err_set(&err, ERR_BUSY, "phone '%s' is %s", "X", "taken") == -1);
	CHECK_STR(err.msg, "phone 'X' is taken");
	CHECK(err.code == ERR_BUSY && err.sys == 0 && !err.reason);
	CHECK_HAS(err.where, "test_err.c:");
}

static void
sys_has_the_systems_words(void)
{
	struct err err = ERR_INIT;

	errno = EACCES;
	CHECK(err_sys(&err, "open '%s'", "a.yaml") == -1);
	CHECK_STR(err.msg, "open 'a.yaml': Permission denied");
	CHECK(err.code == ERR_IO && err.sys == EACCES);
	errno = ENOENT;
	err_sys(&err, "open 'b'");
	CHECK(err.code == ERR_NOTFOUND && err.sys == ENOENT);
}

static void
words_go_before_and_behind(void)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_AUTH, "refused");
	err_reason(&err, "token");
	CHECK(err_wrap(&err, "device '%s'", "X") == -1);
	CHECK(err_hint(&err, "make a %s one", "new") == -1);
	CHECK_STR(err.msg, "device 'X': refused; make a new one");
	CHECK(err.code == ERR_AUTH && err_is(&err, "token"));
	CHECK(!err_is(&err, "tok"));
}

static void
may_be_built_from_itself(void)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_IO, "inner");
	err_set(&err, ERR_PROTO, "outer of %s", err.msg);
	CHECK_STR(err.msg, "outer of inner");
	err_wrap(&err, "again %s", err.msg);
	CHECK_STR(err.msg, "again outer of inner: outer of inner");
}

static void
too_long_is_cut(void)
{
	struct err err = ERR_INIT;
	char long_text[2000];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	err_set(&err, ERR_IO, "%s", long_text);
	CHECK(strlen(err.msg) == sizeof(err.msg) - 1);
	err_hint(&err, "%s", long_text);
	err_wrap(&err, "%s", "device");
	CHECK(strlen(err.msg) == sizeof(err.msg) - 1);
	CHECK_HAS(err.msg, "device: xxx");
	err_wrap(&err, "%s", long_text);
	CHECK(strlen(err.msg) == sizeof(err.msg) - 1);
}

static void
long_words_hide_no_cause(void)
{
	struct err err = ERR_INIT;
	char url[2000];

	memset(url, 'u', sizeof(url) - 1);
	url[sizeof(url) - 1] = '\0';
	err_set(&err, ERR_IO, "connection refused");
	err_hint(&err, "is the server up?");
	err_wrap(&err, "GET %s", url);
	err_wrap(&err, "build");
	CHECK_HAS(err.msg, "build: GET uuu");
	CHECK_HAS(err.msg, "u...: connection refused; is the server up?");
	/* A character is kept whole or not at all. */
	for (int odd = 0; odd < 2; odd++) {
		err_set(&err, ERR_IO, "no");
		for (int i = 0; i < 1998; i++)
			url[i] = i % 2 == odd ? '\xC3' : '\xBB';
		err_wrap(&err, "%s", url + odd);
		CHECK_HAS(err.msg, "\xC3\xBB...: no");
		err_wrap(&err, "x%s", url + odd);
		CHECK_HAS(err.msg, "\xC3\xBB...: \xC3\xBB");
	}
}

static void
cleared_is_none(void)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_IO, "x");
	err_reason(&err, "y");
	err_clear(&err);
	CHECK(err.code == ERR_NONE && err.msg[0] == '\0' && !err.reason);
	CHECK(!err_is(&err, "y"));
}

static void
each_code_has_a_word(void)
{
	for (int c = ERR_NONE; c <= ERR_BUSY; c++) {
		const char *name = err_code_name((enum err_code)c);

		CHECK(name && *name);
		for (int o = ERR_NONE; o < c; o++)
			CHECK(strcmp(name, err_code_name((enum err_code)o)));
	}
}

CHECK_MAIN(
	CHECK_CASE("a failure carries code, words and place", set_says_all),
	CHECK_CASE("a system failure carries the system's words and errno",
		   sys_has_the_systems_words),
	CHECK_CASE("context goes before, the cure behind, code and reason stay",
		   words_go_before_and_behind),
	CHECK_CASE("a message may be built from itself",
		   may_be_built_from_itself),
	CHECK_CASE("a message that is too long is cut", too_long_is_cut),
	CHECK_CASE("a long URL before a cause does not hide it",
		   long_words_hide_no_cause),
	CHECK_CASE("a cleared error is none", cleared_is_none),
	CHECK_CASE("each code has a word of its own", each_code_has_a_word), )
