#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adb/adb_key.h"
#include "base/file.h"
#include "base/mem.h"

static char dir[] = "/tmp/patrol-key-XXXXXX";

static char *
path(const char *name)
{
	if (strstr(dir, "XXXXXX") && !mkdtemp(dir))
		exit(1);
	return file_join(dir, name);
}

static void
made_key_is_private(void)
{
	AUTO_FREE char *p = path("key");
	struct adb_key k = {0};
	struct err err = ERR_INIT;
	struct stat st;
	char print[ADB_KEY_FINGERPRINT];

	REQUIRE(adb_key_ensure(p, &k, &err) == 0);
	REQUIRE(stat(p, &st) == 0);
	CHECK((st.st_mode & 0777) == 0600);
	/* 524 bytes that begin with 64, the length in words */
	CHECK(strncmp(k.public_text, "QAAAA", 5) == 0);
	CHECK(strchr(k.public_text, ' ') == k.public_text + 700);
	CHECK(strlen(k.fingerprint) == 47);
	CHECK(adb_key_fingerprint(k.public_text, print, &err) == 0);
	CHECK_STR(print, k.fingerprint);
	CHECK(adb_key_make(p, &err) == -1);
	adb_key_done(&k);
	(void)unlink(p);
}

/* The system ends it at the first byte that it writes to a file. */
static void
a_killed_maker_leaves_no_key(void)
{
	AUTO_FREE char *p = path("half");
	struct rlimit none = {0, 0};
	struct err err = ERR_INIT;
	struct adb_key k = {0};
	int status = 0;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (pid == 0) {
		(void)signal(SIGXFSZ, SIG_DFL);
		(void)setrlimit(RLIMIT_FSIZE, &none);
		_exit(adb_key_make(p, &err) ? 1 : 0);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	CHECK(!file_exists(p));
	CHECK(adb_key_ensure(p, &k, &err) == 0);
	adb_key_done(&k);
	CHECK(file_remove_tree(dir, &err) == 0);
	CHECK(mkdir(dir, 0700) == 0);
}

static void
bad_keys_are_told(void)
{
	AUTO_FREE char *p = path("bad");
	struct adb_key k = {0};
	struct err err = ERR_INIT;

	CHECK(adb_key_read(p, &k, &err) == -1);
	CHECK_HAS(err.msg, "No such file");
	CHECK(file_write_raw(p, "garbage", 7, &err) == 0);
	CHECK(adb_key_read(p, &k, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "private half");
	(void)unlink(p);
	(void)rmdir(dir);
}

static void
bad_public_text(void)
{
	char print[ADB_KEY_FINGERPRINT];
	struct err err = ERR_INIT;

	CHECK(adb_key_fingerprint("", print, &err) == -1);
	CHECK(adb_key_fingerprint("QAAAA user@host", print, &err) == -1);
	CHECK(err.code == ERR_INPUT);
}

static void
prints_are_normalised(void)
{
	char out[ADB_KEY_FINGERPRINT];

	CHECK(adb_key_normalise("MD5:16:68:5B:ED:A0:69:2F:36:9B:51:C7:4B:38:"
				"AC:CC:19 ",
				out) == 0);
	CHECK_STR(out, "16:68:5b:ed:a0:69:2f:36:9b:51:c7:4b:38:ac:cc:19");
	CHECK(adb_key_normalise("16685beda0692f369b51c74b38accc19", out) == 0);
	CHECK_STR(out, "16:68:5b:ed:a0:69:2f:36:9b:51:c7:4b:38:ac:cc:19");
	CHECK(adb_key_normalise("16:68", out) == -1);
	CHECK(adb_key_normalise("16685beda0692f369b51c74b38accc1900", out) ==
	      -1);
	CHECK(adb_key_normalise("x", out) == -1);
}

CHECK_MAIN(CHECK_CASE("a made key is private and has its public half",
		      made_key_is_private),
	   CHECK_CASE("a maker that is killed leaves no key that is not whole",
		      a_killed_maker_leaves_no_key),
	   CHECK_CASE("a bad key is told with the cure", bad_keys_are_told),
	   CHECK_CASE("a bad public key has no fingerprint", bad_public_text),
	   CHECK_CASE("fingerprints are normalised", prints_are_normalised), )
