#include "farm/phone_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

#define FARM "https://stf.example.com/"

static struct err err;
static char *state;

static void
begin(void)
{
	free(state);
	state = file_join(getenv("TMPDIR"), "locks");
	err_clear(&err);
	CHECK(file_remove_tree(state, &err) == 0);
}

static int
take(struct phone_locks *l, const char *farm, const char *serial)
{
	err_clear(&err);
	return phone_lock_take(l, state, farm, serial, "/tmp", &err);
}

static void
second_is_told_who_has_it(void)
{
	struct phone_locks a = {0}, b = {0};
	AUTO_FREE char *me = mem_fmt("process %ld since 20", (long)getpid());

	begin();
	CHECK(take(&a, FARM, "S1") == 0);
	CHECK(take(&a, FARM, "S1") == 0 && a.count == 1);
	CHECK(take(&b, FARM, "S1") == -1 && err.code == ERR_BUSY);
	CHECK(err_is(&err, "device_busy"));
	CHECK_HAS(err.msg, me);
	CHECK_HAS(err.msg, "results in '/tmp'");
	/* The farm's address may be written in several ways. */
	CHECK(take(&b, "https://STF.example.com:443/api/v1", "S1") == -1);
	CHECK(take(&b, "https://other.example.com", "S1") == 0);
	CHECK(take(&b, FARM, "S2") == 0);
	phone_lock_drop(&a, "S1");
	CHECK(take(&b, FARM, "S1") == 0);
	phone_lock_drop_all(&a);
	phone_lock_drop_all(&b);
}

static void
holder_is_asked_without_harm(void)
{
	struct phone_locks a = {0};
	AUTO_BUF struct buf b = BUF_INIT;

	begin();
	phone_lock_holder(state, FARM, "S1", &b);
	CHECK_STR(b.data, "");
	CHECK(take(&a, FARM, "S1") == 0);
	phone_lock_holder(state, FARM, "S1", &b);
	CHECK_HAS(b.data, "process ");
	phone_lock_drop_all(&a);
	buf_clear(&b);
	phone_lock_holder(state, FARM, "S1", &b);
	CHECK_STR(b.data, "");
}

/* A process that dies with the lock. */
static void
dies_with(const char *serial)
{
	pid_t pid = fork();
	int status;

	REQUIRE(pid >= 0);
	if (pid == 0) {
		struct phone_locks l = {0};

		_exit(take(&l, FARM, serial) == 0 ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void
dead_process_locks_nothing(void)
{
	struct phone_locks l = {0};
	AUTO_BUF struct buf b = BUF_INIT;

	begin();
	dies_with("S1");
	phone_lock_holder(state, FARM, "S1", &b);
	CHECK_STR(b.data, "");
	CHECK(take(&l, FARM, "S1") == 0);
	phone_lock_drop_all(&l);
}

static void
odd_serials_stay_in_the_folder(void)
{
	struct phone_locks l = {0};

	begin();
	CHECK(take(&l, FARM, "../../etc/passwd") == 0);
	REQUIRE(l.count == 1);
	CHECK(strncmp(l.item[0].path, state, strlen(state)) == 0);
	CHECK(strchr(l.item[0].path + strlen(state) + 1, '/') == NULL);
	phone_lock_drop_all(&l);
}

CHECK_MAIN(CHECK_CASE("the second is told who has the phone",
		      second_is_told_who_has_it),
	   CHECK_CASE("asking who has it takes nothing",
		      holder_is_asked_without_harm),
	   CHECK_CASE("the lock of a dead process blocks nobody",
		      dead_process_locks_nothing),
	   CHECK_CASE("no serial leads out of the folder",
		      odd_serials_stay_in_the_folder), )
