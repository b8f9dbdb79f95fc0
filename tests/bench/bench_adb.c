#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adb/adb_device.h"
#include "adb/adb_key.h"
#include "adb/adb_server.h"
#include "adb/adb_shell.h"
#include "adb/adb_sync.h"
#include "adb/adb_wait.h"
#include "base/file.h"
#include "base/mem.h"

/*
 * Our client against the adb program, over the same private server and the
 * simulated phone, in turns: medians of 9 rounds.  PATROL_FARM_PHONE names a
 * device ("host:port"); without it the farm is started around us.
 */
enum { ROUNDS = 9, SHELLS = 9 };
static const int64_t size = 256LL << 20;
static const char remote[] = "/data/local/tmp/patrol-bench";

struct bench {
	char *dir, *file, *back;
	struct adb_server server;
	struct adb_device dev;
	char *socket_env, *serial_env;
};

static _Noreturn void
fail(const struct err *err)
{
	fprintf(stderr, "bench_adb: %s\n", err->msg);
	exit(EXIT_FAILURE);
}

static struct deadline
soon(void)
{
	return deadline_in(NULL, 120000);
}

static void
under_the_farm(char **argv)
{
	const char *build = getenv("PATROL_BUILD");
	AUTO_FREE char *farm =
		file_join(build ? build : "build/plain", "patrol-farm");
	AUTO_FREE char *dir = mem_strdup("/dev/shm/patrol-bench-XXXXXX");

	if (!mkdtemp(dir))
		exit(EXIT_FAILURE);
	(void)setenv("PATROL_BENCH_DIR", dir, 1);
	execl(farm, farm, "--dir", dir, "--", argv[0], (char *)NULL);
	perror(farm);
	exit(EXIT_FAILURE);
}

static void
make_file(struct bench *b)
{
	AUTO_FREE char *chunk = mem_alloc(1 << 20);
	struct err err = ERR_INIT;
	uint32_t x = 1;
	int fd = open(b->file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	/* Not all zeros: compression would have it easy. */
	for (size_t i = 0; i < 1 << 20; i++) {
		x = x * 1664525 + 1013904223;
		chunk[i] = (char)(x >> 24);
	}
	for (int64_t done = 0; done < size; done += 1 << 20)
		if (fd < 0 || file_write_all(fd, chunk, 1 << 20, b->file, &err))
			fail(&err);
	close(fd);
}

static void
setup(struct bench *b)
{
	AUTO_FREE char *key = NULL, *state = NULL;
	struct adb_key k = {0};
	struct err err = ERR_INIT;
	const char *address = getenv("PATROL_FARM_PHONE");

	b->dir = mem_strdup(getenv("PATROL_BENCH_DIR"));
	if (!b->dir) {
		b->dir = mem_strdup("/dev/shm/patrol-bench-XXXXXX");
		if (!mkdtemp(b->dir))
			exit(EXIT_FAILURE);
	}
	b->file = file_join(b->dir, "file");
	b->back = file_join(b->dir, "back");
	key = file_join(b->dir, "bench-key");
	state = file_join(b->dir, "bench-state");
	make_file(b);
	if (adb_key_ensure(key, &k, &err) ||
	    adb_server_start(&b->server,
			     &(struct adb_server_spec){.state_dir = state,
						       .key_path = key},
			     soon(), &err) ||
	    adb_wait_device(&b->server,
			    &(struct adb_wait_spec){.address = address}, soon(),
			    &err) ||
	    adb_device_init(&b->dev, &b->server, address, soon(), &err) ||
	    adb_shell_probe(&b->dev, soon(), &err))
		fail(&err);
	adb_key_done(&k);
	b->socket_env =
		mem_fmt("ADB_SERVER_SOCKET=tcp:127.0.0.1:%d", b->server.port);
	b->serial_env = mem_fmt("ANDROID_SERIAL=%s", address);
}

static void
spawn_adb(const struct bench *b, const char *verb, const char *from,
	  const char *to)
{
	const char *argv[] = {b->server.program, verb, from, to, NULL};
	const char *env[] = {b->socket_env, b->serial_env, NULL};
	struct proc_spec spec = {.argv = argv, .env = env, .out_fd = -1};
	AUTO_BUF struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	int status = 0;

	if (proc_capture(&spec, &out, &status, soon(), &err))
		fail(&err);
	if (status) {
		fprintf(stderr, "bench_adb: adb %s: %s\n", verb, out.data);
		exit(EXIT_FAILURE);
	}
}

static void
our_push(struct bench *b)
{
	struct adb_sync sync;
	struct err err = ERR_INIT;

	if (adb_sync_open(&b->dev, &sync, soon(), &err) ||
	    adb_sync_push(&sync, b->file, remote, 0644, NULL, NULL, soon(),
			  &err))
		fail(&err);
	adb_sync_close(&sync);
}

static void
adb_push(struct bench *b)
{
	spawn_adb(b, "push", b->file, remote);
}

static void
our_pull(struct bench *b)
{
	struct adb_sync sync;
	struct err err = ERR_INIT;

	(void)unlink(b->back);
	if (adb_sync_open(&b->dev, &sync, soon(), &err) ||
	    adb_sync_pull(&sync, remote, b->back, NULL, NULL, NULL, soon(),
			  &err))
		fail(&err);
	adb_sync_close(&sync);
}

static void
adb_pull(struct bench *b)
{
	(void)unlink(b->back);
	spawn_adb(b, "pull", remote, b->back);
}

static void
our_shell(struct bench *b)
{
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	adb_shell_result_init(&r, 1000);
	if (adb_shell_run(&b->dev, "true", &r, soon(), &err))
		fail(&err);
	adb_shell_result_done(&r);
}

static void
adb_shell(struct bench *b)
{
	spawn_adb(b, "shell", "true", NULL);
}

static int
by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Median times of ours and adb's, in turns; us. */
static void
compare(struct bench *b, void (*ours)(struct bench *),
	void (*adbs)(struct bench *), int repeat, double *us, double *adb_us)
{
	int64_t took[2][ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		for (int side = 0; side < 2; side++) {
			int which = (side + i) % 2; /* none is always first */
			int64_t began = deadline_now_us();

			for (int n = 0; n < repeat; n++)
				(which ? adbs : ours)(b);
			took[which][i] = deadline_now_us() - began;
		}
	for (int side = 0; side < 2; side++)
		qsort(took[side], ROUNDS, sizeof(took[0][0]), by_size);
	*us = (double)took[0][ROUNDS / 2] / repeat;
	*adb_us = (double)took[1][ROUNDS / 2] / repeat;
}

static void
print_rate(const char *name, double us, double adb_us)
{
	double mib = (double)size / (1 << 20);

	printf("adb.%s %.0f MiB/s\n", name, mib / (us / 1e6));
	printf("adb.%s_program %.0f MiB/s\n", name, mib / (adb_us / 1e6));
	printf("adb.%s_ratio %.2f x\n", name, adb_us / us);
}

int
main(int argc, char **argv)
{
	struct bench b = {0};
	struct err err = ERR_INIT;
	double us, adb_us;

	(void)argc;
	if (!getenv("PATROL_FARM_PHONE"))
		under_the_farm(argv);
	setup(&b);
	compare(&b, our_shell, adb_shell, SHELLS, &us, &adb_us);
	printf("adb.shell %.2f ms\nadb.shell_program %.2f ms\n", us / 1e3,
	       adb_us / 1e3);
	printf("adb.shell_ratio %.2f x\n", us / adb_us);
	compare(&b, our_push, adb_push, 1, &us, &adb_us);
	print_rate("push", us, adb_us);
	compare(&b, our_pull, adb_pull, 1, &us, &adb_us);
	print_rate("pull", us, adb_us);
	adb_server_stop(&b.server, deadline_in(NULL, 2000));
	adb_device_done(&b.dev);
	if (file_remove_tree(b.dir, &err))
		fprintf(stderr, "bench_adb: %s\n", err.msg);
	free(b.dir);
	free(b.file);
	free(b.back);
	free(b.socket_env);
	free(b.serial_env);
	return EXIT_SUCCESS;
}
