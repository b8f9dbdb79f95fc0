/* Files on the phone, with the genuine daemon. */
#include "tests/real/ops.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "adb/adb_sync.h"
#include "base/digest.h"

enum { BIG_MIB = 200 };

static struct adb_sync sync_;

static void
connects(void)
{
	ops_begin();
}

static void
open_sync(void)
{
	OPS_OK(adb_sync_open(&ops.dev, &sync_, OPS_SOON, &ops_err));
}

static char *
sum_of(const char *path)
{
	AUTO_FREE char *chunk = mem_alloc(1 << 20);
	struct digest *d = digest_new();
	char hex[DIGEST_HEX] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while ((n = read(fd, chunk, 1 << 20)) > 0)
		digest_feed(d, chunk, (size_t)n);
	OPS_OK(digest_finish(d, hex, &ops_err));
	digest_free(d);
	close(fd);
	return mem_strdup(hex);
}

/* No two blocks alike; a local file in OPS_DIR. */
static char *
make_file(const char *name, size_t mib, size_t more)
{
	char *path = file_join(ops.dir, name);
	AUTO_FREE uint64_t *block = mem_alloc(1 << 20);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	uint64_t x = 88172645463325252u;

	for (size_t i = 0; i <= mib; i++) {
		for (size_t k = 0; k < (1 << 20) / sizeof(*block); k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			block[k] = x;
		}
		OPS_OK(file_write_all(fd, block, i < mib ? 1 << 20 : more, path,
				      &ops_err));
	}
	close(fd);
	return path;
}

/* What sync says about the file has to be what the phone's own shell says. */
static void
stat_tells(void)
{
	struct adb_sync_stat st = {0};
	struct err err = ERR_INIT;

	free(ops_shell("mkdir -p /sdcard/d && printf hello >/sdcard/d/f && "
		       "chmod 640 /sdcard/d/f && touch -d @1700000000 "
		       "/sdcard/d/f && ln -sf f /sdcard/d/link"));
	OPS_OK(adb_sync_stat(&sync_, "/sdcard/d/f", &st, OPS_SOON, &ops_err));
	CHECK(S_ISREG(st.mode) && (st.mode & 0777) == 0640);
	CHECK(st.size == 5 && st.mtime == 1700000000);
	OPS_OK(adb_sync_stat(&sync_, "/sdcard/d", &st, OPS_SOON, &ops_err));
	CHECK(S_ISDIR(st.mode));
	OPS_OK(adb_sync_stat(&sync_, "/sdcard/d/link", &st, OPS_SOON,
			     &ops_err));
	CHECK(sync_.stat_v2 ? S_ISREG(st.mode) : S_ISLNK(st.mode));
	CHECK(adb_sync_stat(&sync_, "/sdcard/none", &st, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
}

static void
list_tells(void)
{
	struct adb_sync_list list = {0};
	struct err err = ERR_INIT;
	uint64_t sum = 0;

	free(ops_shell("mkdir -p /sdcard/many && cd /sdcard/many && "
		       "i=0; while [ $i -lt 500 ]; do i=$((i + 1)); "
		       "printf '%0*d' $i 0 >\"file $i.txt\"; done"));
	OPS_OK(adb_sync_list(&sync_, "/sdcard/many", &list, OPS_SOON,
			     &ops_err));
	CHECK(list.count == 500);
	for (size_t i = 0; i < list.count; i++) {
		long n = strtol(list.item[i].name + 5, NULL, 10);

		CHECK(list.item[i].st.size == (uint64_t)n &&
		      S_ISREG(list.item[i].st.mode));
		sum += list.item[i].st.size;
	}
	CHECK(sum == 500 * 501 / 2);
	adb_sync_list_done(&list);
	OPS_OK(adb_sync_list(&sync_, "/sdcard/none", &list, OPS_SOON,
			     &ops_err));
	CHECK(list.count == 0);
	adb_sync_list_done(&list);
	CHECK(err.code == 0);
}

static void
last_progress(void *arg, int64_t now, int64_t total)
{
	int64_t *seen = arg;

	seen[0] = now;
	seen[1] = total;
}

static void
there_and_back(const char *name, size_t mib, size_t more)
{
	AUTO_FREE char *local = make_file(name, mib, more);
	AUTO_FREE char *back = mem_fmt("%s.back", local);
	AUTO_FREE char *remote = mem_fmt("/data/local/tmp/new/%s", name);
	AUTO_FREE char *command = mem_fmt("sha256sum '%s' | cut -c 1-64; "
					  "stat -c %%a '%s'",
					  remote, remote);
	AUTO_FREE char *sum = sum_of(local), *there = NULL, *again = NULL;
	AUTO_FREE char *wanted = mem_fmt("%s\n666", sum);
	int64_t bytes = 0, seen[2] = {0}, at[3];
	int64_t size = ((int64_t)mib << 20) + (int64_t)more;

	at[0] = deadline_now_us();
	OPS_OK(adb_sync_push(&sync_, local, remote, 0600, last_progress, seen,
			     OPS_SOON, &ops_err));
	at[1] = deadline_now_us();
	CHECK(seen[0] == size && seen[1] == size);
	there = ops_shell(command);
	CHECK_STR(there, wanted);
	at[2] = deadline_now_us();
	OPS_OK(adb_sync_pull(&sync_, remote, back, last_progress, seen, &bytes,
			     OPS_SOON, &ops_err));
	CHECK(bytes == size && seen[0] == size);
	again = sum_of(back);
	CHECK_STR(again, sum);
	if (mib)
		printf("# %zu MiB: pushed in %lld ms, pulled in %lld ms\n", mib,
		       (long long)(at[1] - at[0]) / 1000,
		       (long long)(deadline_now_us() - at[2]) / 1000);
	(void)unlink(local);
	(void)unlink(back);
	free(ops_shell("rm -r /data/local/tmp/new"));
}

static void
files_are_the_same(void)
{
	static const size_t size[] = {0,     1,	     65535,  65536,
				      65537, 131072, 1000003};

	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		there_and_back("small file", 0, size[i]);
	there_and_back("big", BIG_MIB, 12345);
}

static void
small_files_are_read(void)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(4096);
	struct err err = ERR_INIT;

	OPS_OK(adb_sync_read(&sync_, "/sdcard/d/f", &b, OPS_SOON, &ops_err));
	CHECK_STR(b.data, "hello");
	buf_clear(&b);
	CHECK(adb_sync_read(&sync_, "/sdcard/none", &b, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	/* The same connection is still good. */
	OPS_OK(adb_sync_read(&sync_, "/sdcard/d/f", &b, OPS_SOON, &ops_err));
	CHECK_STR(b.data, "hello");
}

static void
refusals_keep_the_words(void)
{
	AUTO_FREE char *local = make_file("refused", 1, 0);
	struct err err = ERR_INIT;

	CHECK(adb_sync_push(&sync_, local, "/proc/nosuch/file", 0600, NULL,
			    NULL, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "No such file or directory");
	adb_sync_close(&sync_);
	open_sync();
	(void)unlink(local);
}

/* The phone's disk is full in the middle: it says so while we send. */
static void
full_disk_is_told(void)
{
	AUTO_FREE char *local = make_file("too big", 300, 0);
	struct err err = ERR_INIT;

	CHECK(adb_sync_push(&sync_, local, "/data/local/tmp/too-big", 0600,
			    NULL, NULL, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "No space left on device");
	adb_sync_close(&sync_);
	free(ops_shell("rm -f /data/local/tmp/too-big"));
	open_sync();
	(void)unlink(local);
}

static void
without_v2(void)
{
	adb_sync_close(&sync_);
	free(ops.dev.features);
	ops.dev.features = mem_strdup("shell_v2,cmd");
	open_sync();
	CHECK(!sync_.stat_v2);
	stat_tells();
	list_tells();
	small_files_are_read();
	there_and_back("v1", 20, 7);
}

/* No regular file: nothing is removed, nothing is put in its place. */
static void
pull_to_a_device(void)
{
	struct stat st;
	int64_t bytes = 0;

	OPS_OK(adb_sync_pull(&sync_, "/sdcard/d/f", "/dev/null", NULL, NULL,
			     &bytes, OPS_SOON, &ops_err));
	CHECK(bytes == 5);
	CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void
kill_when_half(void *arg, int64_t now, int64_t total)
{
	(void)arg;
	if (ops.daemon.pid && now > total / 2)
		ops_daemon_kill();
}

static void
cut_transfer_leaves_nothing(void)
{
	AUTO_FREE char *local = make_file("cut", BIG_MIB, 0);
	AUTO_FREE char *back = file_join(ops.dir, "cut.back");
	AUTO_FREE char *part = mem_fmt("%s.part", back);
	struct adb_wait_spec wait = {.address = ops.address};
	struct err err = ERR_INIT;
	int port = ops.port;

	OPS_OK(adb_sync_push(&sync_, local, "/sdcard/cut", 0600, NULL, NULL,
			     OPS_SOON, &ops_err));
	CHECK(adb_sync_pull(&sync_, "/sdcard/cut", back, kill_when_half, NULL,
			    NULL, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK(!file_exists(back) && !file_exists(part));
	adb_sync_close(&sync_);
	ops_daemon_start(port);
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
	open_sync();
	err_clear(&err);
	CHECK(adb_sync_push(&sync_, local, "/sdcard/cut", 0600, kill_when_half,
			    NULL, OPS_SOON, &err) == -1);
	CHECK(err.code == ERR_IO);
	adb_sync_close(&sync_);
	ops_daemon_start(port);
	OPS_OK(adb_wait_device(&ops.server, &wait, OPS_SOON, &ops_err));
	open_sync();
	OPS_OK(adb_sync_pull(&sync_, "/sdcard/d/f", back, NULL, NULL, NULL,
			     OPS_SOON, &ops_err));
	adb_sync_close(&sync_);
	(void)unlink(local);
}

CHECK_MAIN(
	CHECK_CASE("patrol connects to the daemon", connects),
	CHECK_CASE("the file service opens", open_sync),
	CHECK_CASE("mode, size and time are the phone's", stat_tells),
	CHECK_CASE("a folder of 500 files is listed", list_tells),
	CHECK_CASE("files up to 200 MiB come back as they were pushed",
		   files_are_the_same),
	CHECK_CASE("small files are read; absence does not end the connection",
		   small_files_are_read),
	CHECK_CASE("a refusal keeps the phone's words",
		   refusals_keep_the_words),
	CHECK_CASE("a full disk is told in the middle of a push",
		   full_disk_is_told),
	CHECK_CASE("a pull to /dev/null leaves it a device", pull_to_a_device),
	CHECK_CASE("all of it works by version 1 of stat", without_v2),
	CHECK_CASE("a daemon that dies in a transfer leaves no half file",
		   cut_transfer_leaves_nothing), )
