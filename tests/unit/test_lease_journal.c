#include "farm/lease_journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

static struct lease_journal_list list;
static struct err err;
static char *state;

static void
begin(void)
{
	free(state);
	state = file_join(getenv("TMPDIR"), "state");
	err_clear(&err);
	CHECK(file_remove_tree(state, &err) == 0);
}

/* A journal as a dead run leaves it. */
static void
left(const char *name, const char *text, size_t len)
{
	AUTO_FREE char *path = file_join(state, name);

	CHECK(file_mkdirs(state, &err) == 0);
	CHECK(file_write_raw(path, text, len, &err) == 0);
}
#define LEFT(name, text) left(name, text, sizeof(text) - 1)

static size_t
find(void)
{
	CHECK(lease_journal_find(state, &list, &err) == 0);
	return list.count;
}

static void
alive_is_left_alone(void)
{
	struct lease_journal j;

	begin();
	CHECK(find() == 0 && list.alive == 0); /* no folder yet */
	REQUIRE(lease_journal_open(&j, state, getenv("TMPDIR"), &err) == 0);
	CHECK(lease_journal_take(&j, "stf", "S1", "https://farm", &err) == 0);
	CHECK(lease_journal_have(&j, "stf", "S1", "T1", &err) == 0);
	CHECK(lease_journal_have(&j, "stf", "S2", "T2", &err) == 0);
	CHECK(fcntl(j.fd, F_GETFD) & FD_CLOEXEC);
	CHECK(find() == 0 && list.alive == 1);
	lease_journal_list_done(&list);
	/* Not given back: it stays and is now dead. */
	lease_journal_close(&j);
	REQUIRE(find() == 1 && list.alive == 0);
	REQUIRE(list.dead[0].count == 1);
	CHECK_STR(list.dead[0].item[0].what, "stf");
	CHECK_STR(list.dead[0].item[0].id, "S1");
	CHECK_STR(list.dead[0].item[0].detail, "https://farm");
	CHECK_STR(list.dead[0].item[0].since, "T1");
	CHECK(list.dead[0].out_dir && list.dead[0].out_dir[0] == '/');
	CHECK(lease_journal_settle(&list.dead[0], &err) == 0);
	lease_journal_list_done(&list);
	CHECK(find() == 0);
	lease_journal_list_done(&list);
}

static void
given_back_is_gone(void)
{
	struct lease_journal j;
	AUTO_FREE char *path = NULL;

	begin();
	REQUIRE(lease_journal_open(&j, state, "/dev/null/none", &err) == 0);
	path = mem_strdup(j.path);
	CHECK(lease_journal_take(&j, "stf", "S1", NULL, &err) == 0);
	CHECK(lease_journal_take(&j, "stf", "S2", NULL, &err) == 0);
	CHECK(lease_journal_gave(&j, "stf", "S2", &err) == 0);
	CHECK(lease_journal_gave(&j, "stf", "S1", &err) == 0);
	CHECK(lease_journal_gave(&j, "stf", "never", &err) == 0);
	CHECK(file_exists(path));
	lease_journal_close(&j);
	CHECK(!file_exists(path));
	lease_journal_close(&j); /* twice is fine */
}

static void
killed_run_is_found(void)
{
	int status;
	pid_t pid;

	begin();
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct lease_journal j;

		if (lease_journal_open(&j, state, "/tmp", &err) ||
		    lease_journal_take(&j, "stf", "S1", NULL, &err))
			_exit(1);
		(void)raise(SIGKILL);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	REQUIRE(find() == 1 && list.dead[0].count == 1);
	CHECK_STR(list.dead[0].item[0].id, "S1");
	lease_journal_list_done(&list);
}

static void
torn_lines_say_nothing(void)
{
	begin();
	LEFT("run-1-a.ndjson", "{\"run\":\"x\",\"out\":\"/o\"}\n"
			       "{\"take\":\"stf\",\"id\":\"S1\"}\n"
			       "{\"take\":\"stf\",\"id\":\"S2\"}\n"
			       "not json\n\n[1]\n{\"gave\":7}\n"
			       "\0\0\0\0\n"
			       "{\"gave\":\"stf\",\"id\":\"S1\"}\n"
			       "{\"gave\":\"stf\",\"id\":\"S2");
	REQUIRE(find() == 1 && list.dead[0].count == 1);
	CHECK_STR(list.dead[0].item[0].id, "S2");
	CHECK_STR(list.dead[0].out_dir, "/o");
	lease_journal_list_done(&list);
}

static void
several_are_found(void)
{
	struct lease_journal j;

	begin();
	LEFT("run-1-a.ndjson", "{\"take\":\"stf\",\"id\":\"S1\"}\n");
	LEFT("run-2-b.ndjson", "");
	LEFT("run-3-c.ndjson.part", "{\"take\":\"stf\",\"id\":\"S3\"}\n");
	LEFT("new-4-d", "{\"take\":\"stf\",\"id\":\"S4\"}\n");
	LEFT("other", "x");
	REQUIRE(lease_journal_open(&j, state, "/tmp", &err) == 0);
	CHECK(find() == 2 && list.alive == 1);
	/* Who finds them has them: nobody else settles them meanwhile. */
	{
		struct lease_journal_list second;

		CHECK(lease_journal_find(state, &second, &err) == 0);
		CHECK(second.count == 0 && second.alive == 3);
		lease_journal_list_done(&second);
	}
	lease_journal_list_done(&list);
	lease_journal_close(&j);
}

static void
all_of_a_kind(void)
{
	struct lease_journal j;

	begin();
	REQUIRE(lease_journal_open(&j, state, "/tmp", &err) == 0);
	CHECK(lease_journal_take(&j, "stf", "S1", NULL, &err) == 0);
	CHECK(lease_journal_take(&j, "adb_server", "7", NULL, &err) == 0);
	CHECK(lease_journal_take(&j, "stf", "S2", NULL, &err) == 0);
	CHECK(lease_journal_gave(&j, "stf", NULL, &err) == 0);
	lease_journal_close(&j);
	REQUIRE(find() == 1 && list.dead[0].count == 1);
	CHECK_STR(list.dead[0].item[0].what, "adb_server");
	lease_journal_list_done(&list);
}

static void
what_fails_is_told(void)
{
	struct lease_journal j;

	begin();
	CHECK(lease_journal_open(&j, "/dev/null/none", "/tmp", &err) == -1);
	CHECK_HAS(err.msg, "set PATROL_STATE_DIR to a folder");
	lease_journal_close(&j);
	REQUIRE(lease_journal_open(&j, state, "/tmp", &err) == 0);
	/* A full disk: nothing may be taken that is not written down. */
	close(j.fd);
	j.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	CHECK(lease_journal_take(&j, "stf", "S1", NULL, &err) == -1);
	CHECK_HAS(err.msg, "lease journal: write");
	lease_journal_close(&j);
	free(state);
	state = NULL;
}

CHECK_MAIN(CHECK_CASE("a run that lives is left alone", alive_is_left_alone),
	   CHECK_CASE("a journal goes when all was given back",
		      given_back_is_gone),
	   CHECK_CASE("a killed run is found with what it holds",
		      killed_run_is_found),
	   CHECK_CASE("a torn line says nothing and ends nothing",
		      torn_lines_say_nothing),
	   CHECK_CASE("several are found, each by one finder",
		      several_are_found),
	   CHECK_CASE("all of a kind can be given back", all_of_a_kind),
	   CHECK_CASE("what cannot be written down is told",
		      what_fails_is_told), )
