#ifndef OPS_H
#define OPS_H

/*
 * For programs that do each adb operation of ours against the genuine daemon:
 * one phone (adbd/phone.sh), a private server by the adb in PATH, a device.
 * adbd.sh sets OPS_PHONE (phone.sh), OPS_ADBD (the daemon) and OPS_DIR.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

#include "adb/adb_device.h"
#include "adb/adb_host.h"
#include "adb/adb_key.h"
#include "adb/adb_server.h"
#include "adb/adb_shell.h"
#include "adb/adb_wait.h"
#include "base/deadline.h"
#include "base/file.h"
#include "base/mem.h"
#include "transport/proc.h"

static struct {
	struct proc daemon;
	struct adb_server server;
	struct adb_device dev;
	char *dir;
	int port;
	char address[32];
} ops;

/* Plenty: nothing here waits for time to pass. */
#define OPS_SOON deadline_in(NULL, 60000)

/* Does the call, which is given &ops_err, succeed?  Else that is shown. */
static struct err ops_err;
#define OPS_OK(call)                                                \
	do {                                                        \
		err_clear(&ops_err);                                \
		if (call) {                                         \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, \
			       ops_err.msg);                        \
			check_failed_++;                            \
		}                                                   \
	} while (0)

static inline void
ops_die(const char *what, const struct err *err)
{
	printf("# %s: %s\nnot ok - %s\n", what, err->msg, what);
	exit(EXIT_FAILURE);
}

static inline const char *
ops_env(const char *name)
{
	const char *value = getenv(name);

	if (!value) {
		printf("# %s is not set\n", name);
		exit(2);
	}
	return value;
}

/* On `port`, or one of the kernel's choice (0); returns when it listens. */
static inline void
ops_daemon_start(int port)
{
	AUTO_FREE char *wanted = mem_fmt("LOOPBACK_PORT=%d", port);
	AUTO_FREE char *file = file_join(ops.dir, "port");
	const char *argv[] = {ops_env("OPS_PHONE"), ops_env("OPS_ADBD"),
			      ops.dir, NULL};
	const char *env[] = {wanted, NULL};
	struct proc_spec spec = {.argv = argv, .env = env, .out_fd = -1};
	AUTO_BUF struct buf text = BUF_INIT_MAX(64);
	struct err err = ERR_INIT;
	struct deadline dl = deadline_in(NULL, 15000);

	(void)unlink(file);
	if (proc_start(&ops.daemon, &spec, &err))
		ops_die("the daemon starts", &err);
	while (!file_exists(file))
		if (deadline_pause(dl, 10, &err))
			ops_die("the daemon listens", &err);
	if (file_read(file, &text, &err))
		ops_die("the daemon tells its port", &err);
	ops.port = (int)strtol(text.data, NULL, 10);
}

/* As if the phone lost its power. */
static inline void
ops_daemon_kill(void)
{
	proc_stop(&ops.daemon, 0);
}

static inline void
ops_end(void)
{
	adb_device_done(&ops.dev);
	adb_server_stop(&ops.server, deadline_in(NULL, 3000));
	ops_daemon_kill();
	free(ops.dir);
}

static inline void
ops_begin(void)
{
	AUTO_FREE char *key = NULL, *state = NULL;
	struct adb_server_spec spec = {0};
	struct adb_wait_spec wait = {.address = ops.address};
	struct adb_key public = {0};
	struct err err = ERR_INIT;

	ops.dir = mem_strdup(ops_env("OPS_DIR"));
	key = file_join(ops.dir, "adbkey");
	state = file_join(ops.dir, "state");
	spec.key_path = key;
	spec.state_dir = state;
	ops_daemon_start(0);
	(void)snprintf(ops.address, sizeof(ops.address), "127.0.0.1:%d",
		       ops.port);
	if (adb_key_ensure(key, &public, &err))
		ops_die("a key is made", &err);
	adb_key_done(&public);
	if (adb_server_start(&ops.server, &spec, OPS_SOON, &err))
		ops_die("the adb server starts", &err);
	if (adb_wait_device(&ops.server, &wait, OPS_SOON, &err) ||
	    adb_device_init(&ops.dev, &ops.server, ops.address, OPS_SOON,
			    &err) ||
	    adb_shell_probe(&ops.dev, OPS_SOON, &err))
		ops_die("the daemon connects", &err);
	(void)atexit(ops_end);
}

/* A command that has to succeed; its output, free() it. */
static inline char *
ops_shell(const char *command)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;

	if (adb_shell_text(&ops.dev, command, &out, OPS_SOON, &err)) {
		printf("# %s\n", err.msg);
		check_failed_++;
	}
	return buf_take(&out);
}

/* What userland.sh does from now on when it is called as `program`. */
static inline void
ops_mode(const char *program, const char *mode)
{
	AUTO_FREE char *command =
		mem_fmt("echo %s >/data/phone/mode-of-%s", mode, program);

	free(ops_shell(command));
}

#endif
