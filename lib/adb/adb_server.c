#include "adb/adb_server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adb/adb_host.h"
#include "adb/adb_key.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "transport/sock.h"

/* Nothing of the user's adb may reach a server of ours. */
static const char *const not_ours[] = {
	"ADB_VENDOR_KEYS",
	"ADB_TRACE",
	"ADB_SERVER_SOCKET",
	"ADB_MDNS",
	"ADB_MDNS_OPENSCREEN",
	"ADB_MDNS_AUTO_CONNECT",
	"ADB_DELAYED_ACK",
	"ADB_BURST_MODE",
	"ADB_LIBUSB",
	"ADB_REJECT_KILL_SERVER",
	"ANDROID_ADB_SERVER_ADDRESS",
	"ANDROID_ADB_SERVER_PORT",
	"ANDROID_ADB_LOG_PATH",
	"ANDROID_SDK_HOME",
	"ANDROID_USER_HOME",
	"ANDROID_SERIAL",
	"XDG_RUNTIME_DIR",
	NULL,
};

/* A path as the child sees it, whatever its working directory. */
static char *
absolute(const char *path)
{
	AUTO_FREE char *cwd = NULL;

	if (path[0] == '/')
		return mem_strdup(path);
	cwd = getcwd(NULL, 0);
	return cwd ? file_join(cwd, path) : mem_strdup(path);
}

int
adb_server_find(char **program, struct err *err)
{
	static const char *const roots[] = {"ANDROID_HOME", "ANDROID_SDK_ROOT"};
	char *found = proc_find("adb");

	for (size_t i = 0; !found && i < sizeof(roots) / sizeof(roots[0]);
	     i++) {
		const char *root = getenv(roots[i]);
		char *at;

		if (!root || !*root)
			continue;
		at = file_join(root, "platform-tools/adb");
		if (access(at, X_OK) == 0)
			found = at;
		else
			free(at);
	}
	if (!found) {
		(void)err_set(err, ERR_NOTFOUND,
			      "the adb program is neither in PATH nor under "
			      "ANDROID_HOME or ANDROID_SDK_ROOT");
		(void)err_reason(err, "adb_missing");
		return err_hint(err, "install it (Debian: apt-get install adb) "
				     "or set ANDROID_HOME to the SDK");
	}
	*program = absolute(found);
	free(found);
	return 0;
}

/*
 * Under another name first: a kill in the middle may leave it without its
 * lock, and then it looks like one that is being made.
 */
static void
discard(const char *home)
{
	AUTO_FREE char *gone = mem_strdup(home);
	char *name = strrchr(gone, '/') + 1;
	struct err ignored = ERR_INIT;

	memcpy(name, "adb-gone", 8);
	if (file_remove_tree(rename(home, gone) ? home : gone, &ignored))
		log_debug("%s", ignored.msg);
}

static void
release(struct adb_server *s)
{
	if (s->home)
		discard(s->home);
	if (s->home && s->lock >= 0)
		close(s->lock);
	free(s->host);
	free(s->program);
	free(s->home);
	free(s->log);
	free(s->key_path);
	free(s->state_dir);
	*s = (struct adb_server){.proc.pidfd = -1};
}

void
adb_server_sweep(const char *state_dir)
{
	DIR *dir = opendir(state_dir);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		AUTO_FREE char *home = file_join(state_dir, e->d_name);
		AUTO_FREE char *lock = NULL;
		struct err ignored = ERR_INIT;
		int fd;

		if (strncmp(e->d_name, "adb-gone-", 9) == 0)
			discard(home);
		if (strncmp(e->d_name, "adb-home-", 9) != 0)
			continue;
		lock = file_join(home, "lock");
		if (!file_exists(lock) || file_lock(lock, &fd, &ignored))
			continue;
		discard(home);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

static int
fill_home(struct adb_server *s, const struct adb_key *public, struct err *err)
{
	AUTO_FREE char *dir = file_join(s->home, ".android");
	AUTO_FREE char *key = file_join(dir, "adbkey");
	AUTO_FREE char *pub = file_join(dir, "adbkey.pub");
	AUTO_FREE char *lock = file_join(s->home, "lock");

	if (file_lock(lock, &s->lock, err))
		return -1;
	if (mkdir(dir, 0700))
		return err_sys(err, "make folder '%s'", dir);
	/* A link: no copy of the key can be left behind. */
	if (symlink(s->key_path, key))
		return err_sys(err, "link '%s'", key);
	return file_write_raw(pub, public->public_text,
			      strlen(public->public_text), err);
}

/*
 * A HOME with exactly one key: STF's bridge takes the first signature that
 * comes and loses the reservation when it is by another key than the public
 * one that follows.
 */
static int
make_home(struct adb_server *s, const struct adb_server_spec *spec,
	  struct err *err)
{
	AUTO_FREE char *made = file_join(spec->state_dir, "adb-home-XXXXXX");
	struct adb_key public = {0};
	int rc;

	if (file_mkdirs(spec->state_dir, err) ||
	    adb_key_read(spec->key_path, &public, err))
		return -1;
	adb_server_sweep(spec->state_dir);
	if (!mkdtemp(made)) {
		adb_key_done(&public);
		return err_sys(err, "make folder '%s'", made);
	}
	s->home = absolute(made);
	s->log = file_join(s->home, "server.log");
	rc = fill_home(s, &public, err);
	adb_key_done(&public);
	return rc;
}

static int
spawn(struct adb_server *s, int listener, enum adb_server_usb usb,
      struct err *err)
{
	AUTO_FREE char *home = mem_fmt("HOME=%s", s->home);
	AUTO_FREE char *tmp = mem_fmt("TMPDIR=%s", s->home);
	AUTO_FREE char *address = mem_fmt("acceptfd:%d", listener);
	AUTO_FD int out = -1;
	const char *argv[] = {s->program, "-L",	      address,
			      "server",	  "nodaemon", NULL};
	/* No scan for emulators: other jobs may be using them. */
	const char *env[] = {home,
			     tmp,
			     "ADB_EMU=0",
			     "ADB_LOCAL_TRANSPORT_MAX_PORT=5553",
			     "ADB_MDNS_AUTO_CONNECT=0",
			     usb == ADB_SERVER_USB ? "ADB_USB=1" : "ADB_USB=0",
			     NULL};
	struct proc_spec spec = {
		.argv = argv,
		.env = env,
		.unset = not_ours,
		.keep_fd = &listener,
		.keep_count = 1,
	};

	out = open(s->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (out < 0)
		return err_sys(err, "open '%s'", s->log);
	spec.out_fd = out;
	return proc_start(&s->proc, &spec, err);
}

/* What the server said, behind an error: its last 300 bytes. */
static int
with_output(const struct adb_server *s, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(1 << 20);
	AUTO_BUF struct buf shown = BUF_INIT;
	struct err ignored = ERR_INIT;
	size_t from;

	if (!s->log || file_read(s->log, &b, &ignored) || b.len == 0)
		return err_hint(err, "'%s' printed nothing", s->program);
	while (b.len && b.data[b.len - 1] == '\n')
		buf_truncate(&b, b.len - 1);
	from = b.len > 300 ? b.len - 300 : 0;
	buf_escaped(&shown, b.data + from, b.len - from);
	return err_hint(err, "'%s' printed: %s", s->program, shown.data);
}

static int
ask_version(struct adb_server *s, struct deadline dl, struct err *err)
{
	AUTO_FD int fd = -1;
	AUTO_BUF struct buf text = BUF_INIT_MAX(64);
	struct pollfd p[3] = {0};

	if (adb_host_dial(s, &fd, dl, err) ||
	    adb_host_send(fd, "host:version", 12, dl, err))
		return -1;
	p[0] = (struct pollfd){.fd = fd, .events = POLLIN};
	p[1] = (struct pollfd){.fd = s->proc.pidfd, .events = POLLIN};
	if (deadline_poll(dl, p, 2, -1, err))
		return err_wrap(err, "it does not answer");
	if (adb_host_okay(fd, dl, err) || adb_host_text(fd, &text, dl, err))
		return -1;
	s->version = (unsigned)strtoul(text.data, NULL, 16);
	return 0;
}

/*
 * Connecting works even before the server runs, since the listener is ours;
 * only an answer shows that it does.  Its end is watched meanwhile.
 */
static int
await_answer(struct adb_server *s, struct deadline dl, struct err *err)
{
	struct err second = ERR_INIT;
	int status = 0;

	if (ask_version(s, dl, err) == 0)
		return 0;
	if (err->code == ERR_CANCELLED || err->code == ERR_TIMEOUT ||
	    proc_wait(&s->proc, &status, deadline_cap(dl, 300), &second))
		return err_wrap(err, "'%s'", s->program);
	return err_set(err, ERR_IO, "'%s' ended at once (%s %d)", s->program,
		       WIFEXITED(status) ? "status" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status)
					 : WTERMSIG(status));
}

int
adb_server_start(struct adb_server *s, const struct adb_server_spec *spec,
		 struct deadline dl, struct err *err)
{
	struct adb_server made = {.ours = true, .lock = -1, .proc.pidfd = -1};
	AUTO_FD int listener = -1;

	if (spec->program)
		made.program = absolute(spec->program);
	else if (adb_server_find(&made.program, err))
		return -1;
	made.host = mem_strdup("127.0.0.1");
	made.key_path = absolute(spec->key_path);
	made.state_dir = absolute(spec->state_dir);
	made.usb = spec->usb;
	if (make_home(&made, spec, err))
		goto fail;
	if (sock_listen(&listener, &made.port, err))
		goto fail;
	/* adb's own loop wants to be woken for connections only. */
	if (fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) & ~O_NONBLOCK)) {
		(void)err_sys(err, "listener for adb");
		goto fail;
	}
	if (spawn(&made, listener, spec->usb, err))
		goto fail;
	close(listener);
	listener = -1;
	if (await_answer(&made, deadline_cap(dl, 15000), err)) {
		(void)with_output(&made, err);
		goto fail;
	}
	log_debug("adb server %s, version %u, on port %d", made.program,
		  made.version, made.port);
	*s = made;
	return 0;
fail:
	proc_stop(&made.proc, 500);
	release(&made);
	(void)err_reason(err, err->reason ? err->reason : "adb_server");
	return err_wrap(err, "start a private adb server");
}

/* "tcp:host:port", "tcp:port", "host:port" or "port". */
static int
parse_address(const char *text, char **host, int *port, struct err *err)
{
	AUTO_FREE char *full = NULL;

	if (strncmp(text, "tcp:", 4) == 0)
		text += 4;
	if (strncmp(text, "local", 5) == 0)
		return err_set(err, ERR_INPUT,
			       "adb server '%s': only tcp addresses are known",
			       text);
	full = strchr(text, ':') ? mem_strdup(text)
				 : mem_fmt("127.0.0.1:%s", text);
	if (sock_split(full, host, port, err))
		return err_wrap(err, "address of the adb server");
	return 0;
}

static int
address_from_env(char **host, int *port, struct err *err)
{
	const char *socket = getenv("ADB_SERVER_SOCKET");
	const char *name = getenv("ANDROID_ADB_SERVER_ADDRESS");
	const char *number = getenv("ANDROID_ADB_SERVER_PORT");
	AUTO_FREE char *text = NULL;

	if (socket && *socket)
		return parse_address(socket, host, port, err);
	text = mem_fmt("%s:%s", name && *name ? name : "127.0.0.1",
		       number && *number ? number : "5037");
	return parse_address(text, host, port, err);
}

int
adb_server_join(struct adb_server *s, const char *address, struct deadline dl,
		struct err *err)
{
	struct adb_server made = {.proc.pidfd = -1};

	dl = deadline_cap(dl, 10000);
	if (address ? parse_address(address, &made.host, &made.port, err)
		    : address_from_env(&made.host, &made.port, err))
		return -1;
	/* One look-up now, none at each of a run's hundreds of requests. */
	if (sock_resolve(&made.host, dl, err) == 0 &&
	    adb_host_version(&made, &made.version, dl, err) == 0) {
		*s = made;
		return 0;
	}
	if (err->sys == ECONNREFUSED) {
		err->code = ERR_NOTFOUND;
		(void)err_reason(err, "adb_server_absent");
		(void)err_hint(err, "start it with `adb start-server`, or name "
				    "another with --adb-server HOST:PORT");
	} else if (err->code == ERR_PROTO) {
		(void)err_hint(err, "another program has port %d", made.port);
	}
	release(&made);
	return err_wrap(err, "join the adb server");
}

void
adb_server_stop(struct adb_server *s, struct deadline dl)
{
	struct err err = ERR_INIT;
	AUTO_FD int fd = -1;
	int status;

	if (s->ours && s->proc.pid > 0) {
		struct deadline soon = deadline_cap(dl, 1000);

		if (adb_host_dial(s, &fd, soon, &err) == 0 &&
		    adb_host_send(fd, "host:kill", 9, soon, &err) == 0)
			(void)proc_wait(&s->proc, &status, soon, &err);
		proc_stop(&s->proc, (int)deadline_left_ms(soon));
	}
	release(s);
}

int
adb_server_again(struct adb_server *s, struct deadline dl, struct err *err)
{
	const struct adb_server_spec spec = {.program = s->program,
					     .state_dir = s->state_dir,
					     .key_path = s->key_path,
					     .usb = s->usb};
	struct adb_server made;

	if (adb_server_start(&made, &spec, dl, err))
		return -1;
	proc_stop(&s->proc, 0); /* it does not answer */
	release(s);
	*s = made;
	return 0;
}
