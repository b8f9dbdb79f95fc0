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
#include "tests/bench/side.h"

/*
 * Our client against the adb program, over the same private server and the
 * simulated phone, in turns.
 */
enum { SHELLS = 9 };
static const int64_t size = 256LL << 20;
static const char remote[] = "/data/local/tmp/patrol-bench";

struct bench {
	char *dir, *file, *back;
	struct adb_server server;
	struct adb_device dev;
	char *socket_env, *serial_env;
};

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
			side_fail(&err);
	close(fd);
}

static void
setup(struct bench *b)
{
	AUTO_FREE char *key = NULL, *state = NULL;
	struct adb_key k = {0};
	struct err err = ERR_INIT;
	const char *address = getenv("PATROL_FARM_PHONE");

	b->file = file_join(b->dir, "file");
	b->back = file_join(b->dir, "back");
	key = file_join(b->dir, "bench-key");
	state = file_join(b->dir, "bench-state");
	make_file(b);
	if (adb_key_ensure(key, &k, &err) ||
	    adb_server_start(&b->server,
			     &(struct adb_server_spec){.state_dir = state,
						       .key_path = key},
			     side_soon(), &err) ||
	    adb_wait_device(&b->server,
			    &(struct adb_wait_spec){.address = address},
			    side_soon(), &err) ||
	    adb_device_init(&b->dev, &b->server, address, side_soon(), &err) ||
	    adb_shell_probe(&b->dev, side_soon(), &err))
		side_fail(&err);
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

	side_spawn(argv, env);
}

static void
our_push(void *arg)
{
	struct bench *b = arg;
	struct adb_sync sync;
	struct err err = ERR_INIT;

	if (adb_sync_open(&b->dev, &sync, side_soon(), &err) ||
	    adb_sync_push(&sync, b->file, remote, 0644, NULL, NULL, side_soon(),
			  &err))
		side_fail(&err);
	adb_sync_close(&sync);
}

static void
adb_push(void *arg)
{
	struct bench *b = arg;
	spawn_adb(b, "push", b->file, remote);
}

static void
our_pull(void *arg)
{
	struct bench *b = arg;
	struct adb_sync sync;
	struct err err = ERR_INIT;

	(void)unlink(b->back);
	if (adb_sync_open(&b->dev, &sync, side_soon(), &err) ||
	    adb_sync_pull(&sync, remote, b->back, NULL, NULL, NULL, side_soon(),
			  &err))
		side_fail(&err);
	adb_sync_close(&sync);
}

static void
adb_pull(void *arg)
{
	struct bench *b = arg;
	(void)unlink(b->back);
	spawn_adb(b, "pull", remote, b->back);
}

static void
our_shell(void *arg)
{
	struct bench *b = arg;
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	adb_shell_result_init(&r, 1000);
	if (adb_shell_run(&b->dev, "true", &r, side_soon(), &err))
		side_fail(&err);
	adb_shell_result_done(&r);
}

static void
adb_shell(void *arg)
{
	struct bench *b = arg;
	spawn_adb(b, "shell", "true", NULL);
}

static void
rate(struct bench *b, const char *name, void (*ours)(void *),
     void (*theirs)(void *))
{
	struct side s = {.ours = ours, .theirs = theirs, .arg = b, .repeat = 1};
	struct side_times t = side_compare(&s);
	double mib = (double)size / (1 << 20);

	printf("adb.%s %.0f MiB/s\n", name, mib / (t.ours_us / 1e6));
	printf("adb.%s_program %.0f MiB/s\n", name, mib / (t.theirs_us / 1e6));
	printf("adb.%s_ratio %.2f x\n", name, t.theirs_us / t.ours_us);
}

static void
shell(struct bench *b)
{
	struct side s = {.ours = our_shell,
			 .theirs = adb_shell,
			 .arg = b,
			 .repeat = SHELLS};
	struct side_times t = side_compare(&s);

	printf("adb.shell %.2f ms\n", t.ours_us / 1e3);
	printf("adb.shell_program %.2f ms\n", t.theirs_us / 1e3);
	printf("adb.shell_ratio %.2f x\n", t.ours_us / t.theirs_us);
}

int
main(int argc, char **argv)
{
	struct bench b = {.dir = side_farm(argv, NULL)};

	(void)argc;
	setup(&b);
	shell(&b);
	rate(&b, "push", our_push, adb_push);
	rate(&b, "pull", our_pull, adb_pull);
	adb_server_stop(&b.server, deadline_in(NULL, 2000));
	adb_device_done(&b.dev);
	side_done(b.dir);
	free(b.file);
	free(b.back);
	free(b.socket_env);
	free(b.serial_env);
	return EXIT_SUCCESS;
}
