#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "adb_fake.h"

#include "adb/adb_sync.h"
#include "base/deadline.h"
#include "base/file.h"

#define TRANSPORT                                                  \
	{                                                          \
		.request = "host:transport:S", FAKE_ANSWER("OKAY") \
	}
#define SYNC                                            \
	TRANSPORT,                                      \
	{                                               \
		.request = "sync:", FAKE_ANSWER("OKAY") \
	}
/* "/f" is there, 5 bytes; version 1 */
#define STAT                                                               \
	{                                                                  \
		.raw = 10, FAKE_ANSWER("STAT\xa4\x81\0\0\5\0\0\0\7\0\0\0") \
	}

struct session {
	struct fake f;
	struct adb_device dev;
	struct adb_sync sync;
	char serial[2], features[1];
};

static void
begin(struct session *s, const struct fake_conn *conn)
{
	struct err err = ERR_INIT;

	memset(s, 0, sizeof(*s));
	s->serial[0] = 'S';
	fake_start(&s->f, conn, 1, FAKE_PLAIN);
	s->dev = (struct adb_device){.server = &s->f.server,
				     .serial = s->serial,
				     .features = s->features};
	if (adb_sync_open(&s->dev, &s->sync, deadline_in(NULL, 3000), &err))
		printf("# %s\n", err.msg);
}

static void
end(struct session *s)
{
	adb_sync_close(&s->sync);
	fake_stop(&s->f);
}

static int
read_file(const char *answer, size_t len, struct err *err)
{
	struct fake_conn conn = {
		{SYNC, STAT, {.raw = 10, .answer = answer, .len = len}}, false};
	AUTO_BUF struct buf b = BUF_INIT;
	struct session s;
	int rc;

	*err = (struct err)ERR_INIT;
	begin(&s, &conn);
	rc = adb_sync_read(&s.sync, "/f", &b, deadline_in(NULL, 3000), err);
	if (rc == 0)
		CHECK_STR(b.data, "hello");
	end(&s);
	return rc;
}
#define READ(text) read_file(text, sizeof(text) - 1, &err)

static void
broken_pulls_are_errors(void)
{
	struct err err;

	CHECK(READ("DATA\5\0\0\0helloDONE\0\0\0\0") == 0);
	CHECK(READ("DATA\0\0\0\0DATA\5\0\0\0helloDONE\0\0\0\0") == 0);
	CHECK(READ("DATA\5\0\0\0hello") == -1);
	CHECK(err.code == ERR_IO);
	CHECK(READ("DATA\5\0\0\0helloFAIL\5\0\0\0whoa!") == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "whoa!");
	CHECK(READ("DATA\1\0\1\0hello") == -1);
	CHECK(err.code == ERR_PROTO);
	CHECK(READ("FAIL\xff\xff\xff\xff") == -1);
	CHECK(err.code == ERR_PROTO);
	CHECK(READ("WHAT\0\0\0\0") == -1);
	CHECK(err.code == ERR_PROTO);
	CHECK(READ("DATA\5\0\0\0helloDONE\0\0\0\0more") == -1);
	CHECK(err.code == ERR_PROTO);
}

static void
pull_leaves_no_half_file(void)
{
	static const struct fake_conn conn = {
		{SYNC, STAT, {.raw = 10, FAKE_ANSWER("DATA\5\0\0\0hel")}},
		false};
	char dir[] = "/tmp/patrol-pull-XXXXXX";
	AUTO_FREE char *path = NULL, *part = NULL;
	struct err err = ERR_INIT;
	struct session s;

	REQUIRE(mkdtemp(dir));
	path = file_join(dir, "f");
	part = file_join(dir, "f.part");
	begin(&s, &conn);
	CHECK(adb_sync_pull(&s.sync, "/f", path, NULL, NULL, NULL,
			    deadline_in(NULL, 3000), &err) == -1);
	CHECK(!file_exists(path) && !file_exists(part));
	end(&s);
	(void)rmdir(dir);
}

static void
special_files_stay(void)
{
	static const struct fake_conn conn = {
		{SYNC,
		 STAT,
		 {.raw = 10, FAKE_ANSWER("DATA\5\0\0\0helloDONE\0\0\0\0")}},
		true};
	struct err err = ERR_INIT;
	struct session s;
	struct stat st;
	int64_t bytes = 0;

	begin(&s, &conn);
	CHECK(adb_sync_pull(&s.sync, "/f", "/dev/null", NULL, NULL, &bytes,
			    deadline_in(NULL, 3000), &err) == 0);
	CHECK(bytes == 5);
	CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
	end(&s);
}

static void
absent_is_told_apart(void)
{
	static const struct fake_conn conn = {
		{SYNC,
		 {.raw = 10, FAKE_ANSWER("STAT\0\0\0\0\0\0\0\0\0\0\0\0")}},
		true};
	struct err err = ERR_INIT;
	struct adb_sync_stat st;
	struct session s;

	begin(&s, &conn);
	CHECK(adb_sync_stat(&s.sync, "/f", &st, deadline_in(NULL, 3000),
			    &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	end(&s);
}

static void
failure_in_the_middle(void)
{
	/* A full disk: the phone says so and stops reading. */
	static const struct fake_conn conn = {
		{SYNC,
		 {.raw = 16 + 8 + 1000,
		  FAKE_ANSWER("FAIL\x17\0\0\0No space left on device")}},
		true};
	char path[] = "/tmp/patrol-push-XXXXXX";
	int fd = mkstemp(path);
	struct err err = ERR_INIT;
	struct session s;

	REQUIRE(fd >= 0 && ftruncate(fd, 64 << 20) == 0);
	close(fd);
	begin(&s, &conn);
	CHECK(adb_sync_push(&s.sync, path, "/f", 0644, NULL, NULL,
			    deadline_in(NULL, 5000), &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "No space left on device");
	end(&s);
	(void)unlink(path);
}

static void
names_are_checked(void)
{
	static const struct fake_conn conn = {
		{SYNC,
		 {.raw = 10,
		  FAKE_ANSWER("DENT\xa4\x81\0\0\5\0\0\0\7\0\0\0\7\0\0\0"
			      "../evil")}},
		true};
	struct adb_sync_list list = {0};
	struct err err = ERR_INIT;
	struct session s;

	begin(&s, &conn);
	CHECK(adb_sync_list(&s.sync, "/d", &list, deadline_in(NULL, 3000),
			    &err) == -1);
	CHECK(err.code == ERR_PROTO);
	end(&s);
}

CHECK_MAIN(CHECK_CASE("a broken pull is an error", broken_pulls_are_errors),
	   CHECK_CASE("a pull leaves no half file", pull_leaves_no_half_file),
	   CHECK_CASE("a pull does not replace a special file",
		      special_files_stay),
	   CHECK_CASE("an absent file is told apart", absent_is_told_apart),
	   CHECK_CASE("a failure in the middle of a push keeps its text",
		      failure_in_the_middle),
	   CHECK_CASE("names of a folder's entries are checked",
		      names_are_checked), )
