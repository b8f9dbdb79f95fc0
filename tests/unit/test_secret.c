#include "base/secret.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

/* What `text` becomes, in a static buffer. */
static const char *
shown(const char *text)
{
	static char out[8192];
	char *s = secret_redacted(text);

	snprintf(out, sizeof(out), "%s", s);
	free(s);
	return out;
}

static void
value_is_replaced(void)
{
	struct secret s = SECRET_INIT;

	secret_set(&s, "tok-0123456789");
	CHECK_STR(s.value, "tok-0123456789");
	CHECK_STR(shown("a tok-0123456789, b tok-0123456789"), "a ***, b ***");
	CHECK_STR(shown("tok-012345678"), "tok-012345678");
	CHECK_STR(shown(""), "");
	secret_done(&s);
	CHECK(!s.value);
	CHECK_STR(shown("still tok-0123456789"), "still ***");
	secret_done(&s);
	secret_set(&s, NULL);
	CHECK(!s.value);
}

static void
short_ones_stay(void)
{
	secret_register("abc");
	secret_register("");
	CHECK_STR(shown("abc abcd"), "abc abcd");
}

static void
forms_of_text(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	secret_register("p@ss/\"w\\o<r>d&1'");
	CHECK_STR(shown("x p@ss/\"w\\o<r>d&1' y"), "x *** y");
	buf_url(&b, "p@ss/\"w\\o<r>d&1'");
	CHECK_STR(shown(b.data), "***");
	CHECK_STR(shown("{\"a\":\"p@ss/\\\"w\\\\o<r>d&1'\"}"),
		  "{\"a\":\"***\"}");
	buf_clear(&b);
	buf_html(&b, "<b>p@ss/\"w\\o<r>d&1'</b>");
	CHECK_STR(shown(b.data), "&lt;b&gt;***&lt;/b&gt;");
}

static void
base64_at_each_phase(void)
{
	static const char value[] = "Zk3-secret-Value_98217";

	secret_register(value);
	for (size_t phase = 0; phase < 6; phase++) {
		for (size_t tail = 0; tail < 4; tail++) {
			AUTO_BUF struct buf plain = BUF_INIT;
			AUTO_BUF struct buf coded = BUF_INIT;
			const char *text;

			buf_add(&plain, "user:", phase > 5 ? 5 : phase);
			buf_str(&plain, value);
			buf_add(&plain, "more", tail);
			buf_base64(&coded, plain.data, plain.len);
			text = shown(coded.data);
			CHECK_HAS(text, "***");
			/* At most what its neighbours share is left. */
			CHECK(strlen(text) < 3 + 4 * (phase / 3 + 1) + 8);
		}
	}
}

static void
overlapping_ones(void)
{
	secret_register("OVERlap-1-end");
	secret_register("1-end-of-SECond");
	CHECK_STR(shown("<OVERlap-1-end-of-SECond>"), "<***>");
	CHECK_STR(shown("<1-end-of-SECond OVERlap-1-end>"), "<*** ***>");
	/* A part never hides the whole. */
	secret_register("inner-part");
	secret_register("the-inner-part-whole");
	CHECK_STR(shown("[the-inner-part-whole] [inner-part]"), "[***] [***]");
	/* Nor does a secret overlap itself out of sight. */
	secret_register("QrQrQ");
	CHECK_STR(shown("-QrQrQrQ-"), "-***-");
}

static void
bytes_behind_a_zero(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	secret_register("behind-the-zero");
	buf_add(&b, "a\0behind-the-zero\0z", 19);
	secret_redact(&b);
	CHECK(b.len == 7 && memcmp(b.data, "a\0***\0z", 8) == 0);
}

static void
from_environment_or_file(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "token");
	struct secret s = SECRET_INIT;
	struct err err = ERR_INIT;

	(void)unsetenv("PT_TOKEN");
	(void)unsetenv("PT_TOKEN_FILE");
	CHECK(secret_from_env(&s, "PT_TOKEN", &err) == 0 && !s.value);
	REQUIRE(file_write_raw(path, "from-file-777\r\n\n", 16, &err) == 0);
	(void)setenv("PT_TOKEN_FILE", path, 1);
	CHECK(secret_from_env(&s, "PT_TOKEN", &err) == 0);
	CHECK_STR(s.value, "from-file-777");
	CHECK_STR(shown("from-file-777"), "***");
	CHECK(file_write_raw(path, "two\nlines", 9, &err) == 0);
	CHECK(secret_from_env(&s, "PT_TOKEN", &err) == -1 &&
	      err.code == ERR_USAGE);
	err_clear(&err);
	(void)setenv("PT_TOKEN", "from-env-777", 1);
	CHECK(secret_from_env(&s, "PT_TOKEN", &err) == 0);
	CHECK_STR(s.value, "from-env-777");
	(void)setenv("PT_TOKEN", "", 1);
	(void)setenv("PT_TOKEN_FILE", "/dev/null/none/token", 1);
	CHECK(secret_from_env(&s, "PT_TOKEN", &err) == -1);
	CHECK_HAS(err.msg, "PT_TOKEN_FILE: open '/dev/null/none/token'");
	(void)unsetenv("PT_TOKEN_FILE");
	(void)setenv("PT_TOKEN", "with\ttab", 1);
	err_clear(&err);
	CHECK(secret_from_env(&s, "PT_TOKEN", &err) == -1 &&
	      err.code == ERR_USAGE);
	CHECK(!strstr(err.msg, "with"));
	secret_done(&s);
}

static void
files_are_redacted(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "out");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	secret_register("file-secret-1");
	CHECK(file_write(path, "a file-secret-1", 15, &err) == 0);
	CHECK(file_append(path, "\nb file-secret-1", 16, &err) == 0);
	CHECK(file_read(path, &b, &err) == 0);
	CHECK_STR(b.data, "a ***\nb ***");
}

struct talker {
	atomic_bool end;
	size_t wrong;
};

static void *
talk(void *arg)
{
	struct talker *t = arg;

	while (!atomic_load(&t->end)) {
		struct err err = ERR_INIT;

		err_set(&err, ERR_IO, "of-all-threads was closed");
		t->wrong += strcmp(err.msg, "*** was closed") != 0;
	}
	return NULL;
}

/* A tunnel's thread has errors while a run makes its control token. */
static void
registered_while_others_redact(void)
{
	struct talker t = {.wrong = 0};
	pthread_t thread;

	secret_register("of-all-threads");
	CHECK(pthread_create(&thread, NULL, talk, &t) == 0);
	for (int i = 0; i < 200; i++) {
		AUTO_FREE char *one = mem_fmt("made-meanwhile-%d", i);

		secret_register(one);
	}
	atomic_store(&t.end, true);
	(void)pthread_join(thread, NULL);
	CHECK(t.wrong == 0);
	CHECK_STR(shown("made-meanwhile-199"), "***");
}

CHECK_MAIN(CHECK_CASE("every place of a secret is replaced, also after its end",
		      value_is_replaced),
	   CHECK_CASE("too short a secret is left, for it is everywhere",
		      short_ones_stay),
	   CHECK_CASE("a secret in a URL, in JSON and in HTML is replaced",
		      forms_of_text),
	   CHECK_CASE("a secret inside base64 is replaced at each phase",
		      base64_at_each_phase),
	   CHECK_CASE("secrets that overlap leave nothing of either",
		      overlapping_ones),
	   CHECK_CASE("a secret behind a zero byte is replaced",
		      bytes_behind_a_zero),
	   CHECK_CASE("a secret comes from the environment or from a file",
		      from_environment_or_file),
	   CHECK_CASE("files of text are redacted", files_are_redacted),
	   CHECK_CASE("a secret is registered while another thread redacts",
		      registered_while_others_redact), )
