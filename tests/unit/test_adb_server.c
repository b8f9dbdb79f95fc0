#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adb_fake.h"

#include "adb/adb_host.h"
#include "adb/adb_key.h"
#include "adb/adb_server.h"
#include "base/deadline.h"
#include "base/file.h"

static char dir[] = "/tmp/patrol-server-XXXXXX";
static char *key, *state;

static void
setup(void)
{
	struct err err = ERR_INIT;
	struct adb_key k = {0};

	if (key)
		return;
	if (!mkdtemp(dir))
		exit(1);
	key = file_join(dir, "key");
	state = file_join(dir, "state");
	if (adb_key_ensure(key, &k, &err))
		exit(1);
	adb_key_done(&k);
}

static char *
script(const char *name, const char *text)
{
	char *p = file_join(dir, name);
	struct err err = ERR_INIT;

	if (file_write_raw(p, text, strlen(text), &err) || chmod(p, 0755))
		exit(1);
	return p;
}

static int
start(const char *program, const char *key_path, int64_t ms,
      struct adb_server *s, struct err *err)
{
	struct adb_server_spec spec = {
		.program = program, .state_dir = state, .key_path = key_path};

	*err = (struct err)ERR_INIT;
	return adb_server_start(s, &spec, deadline_in(NULL, ms), err);
}

static size_t
homes(void)
{
	AUTO_FREE char *command = NULL;
	size_t n = 0;
	AUTO_BUF struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	int status;
	const char *argv[] = {"ls", state, NULL};
	struct proc_spec spec = {.argv = argv, .out_fd = -1};

	if (proc_capture(&spec, &out, &status, deadline_in(NULL, 5000), &err))
		return 99;
	for (const char *p = out.data; (p = strstr(p, "adb-home-")); p++)
		n++;
	return n;
}

static void
genuine_server_starts(void)
{
	struct adb_server s = {0};
	struct err err;
	unsigned version;
	AUTO_FREE char *found = NULL;

	setup();
	if (adb_server_find(&found, &err))
		return; /* no adb here; the failures are tested anyway */
	CHECK(found[0] == '/');
	/* The user's own settings must not leak in. */
	(void)setenv("ADB_VENDOR_KEYS", "/nowhere", 1);
	(void)setenv("ADB_SERVER_SOCKET", "tcp:1", 1);
	REQUIRE(start(NULL, key, 10000, &s, &err) == 0);
	(void)unsetenv("ADB_VENDOR_KEYS");
	(void)unsetenv("ADB_SERVER_SOCKET");
	CHECK(s.version > 30);
	CHECK(adb_host_version(&s, &version, deadline_in(NULL, 3000), &err) ==
	      0);
	CHECK(homes() == 1);
	adb_server_stop(&s, deadline_in(NULL, 3000));
	CHECK(homes() == 0);
	adb_server_stop(&s, deadline_in(NULL, 3000));
}

static void
works_without_home(void)
{
	struct adb_server s = {0};
	struct err err;
	AUTO_FREE char *found = NULL;
	AUTO_FREE char *home = mem_strdup(getenv("HOME"));

	setup();
	if (adb_server_find(&found, &err))
		return;
	(void)unsetenv("HOME");
	CHECK(start(NULL, key, 10000, &s, &err) == 0);
	adb_server_stop(&s, deadline_in(NULL, 3000));
	if (home)
		(void)setenv("HOME", home, 1);
}

static void
missing_program_has_a_cure(void)
{
	struct err err = ERR_INIT;
	AUTO_FREE char *path = mem_strdup(getenv("PATH"));
	char *found = NULL;

	(void)setenv("PATH", "/nowhere", 1);
	(void)setenv("ANDROID_HOME", "/nowhere", 1);
	CHECK(adb_server_find(&found, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_HAS(err.msg, "apt-get install adb");
	(void)unsetenv("ANDROID_HOME");
	if (path)
		(void)setenv("PATH", path, 1);
}

static void
early_end_shows_output(void)
{
	struct adb_server s = {0};
	struct err err;
	AUTO_FREE char *p = NULL;

	setup();
	p = script("ends", "#!/bin/sh\necho cannot do this; exit 7\n");
	CHECK(start(p, key, 10000, &s, &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK_HAS(err.msg, "status 7");
	CHECK_HAS(err.msg, "cannot do this");
	CHECK(homes() == 0);
}

static void
silence_ends_in_time(void)
{
	struct adb_server s = {0};
	struct err err;
	AUTO_FREE char *p = NULL;

	setup();
	p = script("silent", "#!/bin/sh\necho waiting\nexec tail -f "
			     "/dev/null\n");
	CHECK(start(p, key, 400, &s, &err) == -1);
	/* On a busy machine it may be the connecting that takes so long. */
	CHECK(err.code == ERR_TIMEOUT);
	CHECK_HAS(err.msg, "start a private adb server");
	CHECK(homes() == 0);
}

static void
bad_key_is_told(void)
{
	struct adb_server s = {0};
	struct err err;

	setup();
	CHECK(start("/bin/true", "/nowhere/key", 5000, &s, &err) == -1);
	CHECK_HAS(err.msg, "/nowhere/key");
	CHECK(start("/nowhere/adb", key, 5000, &s, &err) == -1);
	CHECK_HAS(err.msg, "/nowhere/adb");
}

static void
stale_homes_are_swept(void)
{
	struct adb_server s = {0};
	struct err err = ERR_INIT;
	AUTO_FREE char *stale = NULL, *lock = NULL;

	setup();
	stale = file_join(state, "adb-home-stale1");
	lock = file_join(stale, "lock");
	CHECK(file_mkdirs(stale, &err) == 0);
	CHECK(file_write_raw(lock, "", 0, &err) == 0);
	CHECK(homes() == 1);
	CHECK(start("/bin/false", key, 5000, &s, &err) == -1);
	CHECK(homes() == 0);
}

static void
join_tells_apart(void)
{
	static const struct fake_conn ssh = {
		{{FAKE_ANSWER("SSH-2.0-OpenSSH\r\n")}}, false};
	static const struct fake_conn adb = {
		{{.request = "host:version", FAKE_ANSWER("OKAY00040029")}},
		false};
	struct adb_server s = {0};
	struct err err = ERR_INIT;
	struct fake f;
	char address[64];

	fake_start(&f, &ssh, 1, FAKE_PLAIN);
	(void)snprintf(address, sizeof(address), "127.0.0.1:%d", f.server.port);
	CHECK(adb_server_join(&s, address, deadline_in(NULL, 3000), &err) ==
	      -1);
	CHECK(err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "53 53 48 2d");
	fake_stop(&f);
	CHECK(adb_server_join(&s, address, deadline_in(NULL, 3000), &err) ==
	      -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK(adb_server_join(&s, "nonsense:", deadline_in(NULL, 3000), &err) ==
	      -1);
	CHECK(err.code == ERR_INPUT);

	fake_start(&f, &adb, 1, FAKE_PLAIN);
	(void)snprintf(address, sizeof(address), "tcp:%d", f.server.port);
	(void)setenv("ADB_SERVER_SOCKET", address, 1);
	CHECK(adb_server_join(&s, NULL, deadline_in(NULL, 3000), &err) == 0);
	(void)unsetenv("ADB_SERVER_SOCKET");
	CHECK(s.version == 41 && !s.ours);
	adb_server_stop(&s, deadline_in(NULL, 1000));
	CHECK(f.played == 1); /* nothing was asked of a server not ours */
	fake_stop(&f);
}

static void
cleanup(void)
{
	struct err err = ERR_INIT;

	setup();
	CHECK(file_remove_tree(dir, &err) == 0);
	free(key);
	free(state);
}

CHECK_MAIN(CHECK_CASE("the genuine server starts and leaves nothing",
		      genuine_server_starts),
	   CHECK_CASE("it works without a HOME", works_without_home),
	   CHECK_CASE("a missing program has a cure",
		      missing_program_has_a_cure),
	   CHECK_CASE("a program that ends at once is shown with its output",
		      early_end_shows_output),
	   CHECK_CASE("a program that never answers ends in time",
		      silence_ends_in_time),
	   CHECK_CASE("a bad key or program is named", bad_key_is_told),
	   CHECK_CASE("what a killed patrol left is swept",
		      stale_homes_are_swept),
	   CHECK_CASE("joining tells adb, another program and nothing apart",
		      join_tells_apart),
	   CHECK_CASE("the folder can be removed", cleanup), )
