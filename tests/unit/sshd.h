#ifndef TEST_SSHD_H
#define TEST_SSHD_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/check.h"
#include "transport/proc.h"
#include "transport/sock.h"
#include "transport/ssh.h"

/*
 * The genuine sshd, one process for each connection (sshd -i), behind a
 * listener of ours, so that its port is the kernel's choice and a connection
 * can be cut as a network does it.  SSHD_NEEDED() leaves a test where there
 * is none.
 */
enum { SSHD_MAX = 64 };

struct sshd {
	char *dir; /* keys, settings, known_hosts, log */
	char *host_key, *user_key, *known;
	int listener, port;
	pthread_t thread;
	int stop[2];
	pthread_mutex_t lock;
	int conn[SSHD_MAX]; /* copies of the sockets */
	pid_t pid[SSHD_MAX];
	_Atomic int count; /* connections so far */
	_Atomic bool refuse;
};

static const char *
sshd_path_(void)
{
	return access("/usr/sbin/sshd", X_OK) == 0 ? "/usr/sbin/sshd" : NULL;
}

#define SSHD_NEEDED()                                              \
	do {                                                       \
		if (sshd_path_() == NULL) {                        \
			printf("# skipped: openssh-server is not " \
			       "installed\n");                     \
			return;                                    \
		}                                                  \
	} while (0)

/* A program to its end; its exit status. */
static int
sshd_tool_(const char *const *argv)
{
	AUTO_BUF struct buf out = BUF_INIT;
	struct proc_spec spec = {.argv = argv, .out_fd = -1};
	struct err err = ERR_INIT;
	int status = -1;

	if (proc_capture(&spec, &out, &status, deadline_in(NULL, 120000), &err))
		printf("# %s\n", err.msg);
	else if (status)
		printf("# %s: %s\n", argv[0], out.data);
	return status;
}

static inline int
sshd_keygen(const char *path, const char *type, const char *passphrase)
{
	const char *const argv[] = {"ssh-keygen", "-q", "-t", type, "-N",
				    passphrase,	  "-f", path, NULL};

	return sshd_tool_(argv);
}

static inline char *
sshd_text_(const char *path)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (file_read(path, &b, &err))
		printf("# %s\n", err.msg);
	return buf_take(&b);
}

static inline void
sshd_put_(const char *path, const char *text, mode_t mode)
{
	struct err err = ERR_INIT;

	if (file_write_raw(path, text, strlen(text), &err) || chmod(path, mode))
		printf("# %s\n", err.msg);
}

/* A known_hosts line for the public half of `key`. */
static inline char *
sshd_known_line(const struct sshd *d, const char *key)
{
	AUTO_FREE char *pub = mem_fmt("%s.pub", key);
	AUTO_FREE char *text = sshd_text_(pub);

	return mem_fmt("[127.0.0.1]:%d %s", d->port, text);
}

static void
sshd_serve_(struct sshd *d, int fd)
{
	AUTO_FREE char *config = file_join(d->dir, "sshd_config");
	AUTO_FREE char *log = file_join(d->dir, "log");
	pid_t pid = fork();

	if (pid == 0) {
		int flags = fcntl(fd, F_GETFL);

		(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
		(void)setpgid(0, 0);
		(void)dup2(fd, 0);
		(void)dup2(fd, 1);
		execl(sshd_path_(), "sshd", "-i", "-f", config, "-E", log,
		      (char *)NULL);
		_exit(127);
	}
	pthread_mutex_lock(&d->lock);
	d->conn[d->count] = fd;
	d->pid[d->count++] = pid;
	pthread_mutex_unlock(&d->lock);
}

static void *
sshd_main_(void *arg)
{
	struct sshd *d = arg;

	for (;;) {
		struct pollfd p[2] = {{.fd = d->listener, .events = POLLIN},
				      {.fd = d->stop[0], .events = POLLIN}};
		int fd;

		if (poll(p, 2, -1) < 0 || p[1].revents)
			return NULL;
		fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		if (d->refuse || d->count == SSHD_MAX)
			close(fd);
		else
			sshd_serve_(d, fd);
	}
}

/* `extra`: more lines of sshd_config; `host_type`: of the server's key. */
static inline int
sshd_start(struct sshd *d, const char *host_type, const char *extra)
{
	char dir[] = "/tmp/patrol-sshd-XXXXXX";
	AUTO_FREE char *config = NULL;
	AUTO_FREE char *auth = NULL;
	AUTO_FREE char *user_pub = NULL;
	AUTO_FREE char *config_text = NULL;
	AUTO_FREE char *pub_text = NULL;
	AUTO_FREE char *line = NULL;
	struct err err = ERR_INIT;

	*d = (struct sshd){.lock = PTHREAD_MUTEX_INITIALIZER};
	if (mkdtemp(dir) == NULL)
		return -1;
	if (geteuid() == 0)
		(void)mkdir("/run/sshd", 0755);
	d->dir = mem_strdup(dir);
	d->host_key = file_join(dir, "host");
	d->user_key = file_join(dir, "user");
	d->known = file_join(dir, "known_hosts");
	user_pub = file_join(dir, "user.pub");
	auth = file_join(dir, "authorized_keys");
	config = file_join(dir, "sshd_config");
	if (sshd_keygen(d->host_key, host_type, "") ||
	    sshd_keygen(d->user_key, "ed25519", "") ||
	    sock_listen(&d->listener, &d->port, &err) || pipe(d->stop))
		return -1;
	pub_text = sshd_text_(user_pub);
	sshd_put_(auth, pub_text, 0600);
	line = sshd_known_line(d, d->host_key);
	sshd_put_(d->known, line, 0600);
	config_text = mem_fmt("%s\n"
			      "HostKey %s\nAuthorizedKeysFile %s\n"
			      "StrictModes no\nUsePAM no\nPermitRootLogin yes\n"
			      "PidFile none\nLogLevel VERBOSE\n"
			      "PasswordAuthentication no\n"
			      "KbdInteractiveAuthentication no\n"
			      "Subsystem sftp internal-sftp\n",
			      extra ? extra : "", d->host_key, auth);
	sshd_put_(config, config_text, 0600);
	return pthread_create(&d->thread, NULL, sshd_main_, d);
}

/* The network between us and it fails, for all connections. */
static inline void
sshd_cut(struct sshd *d)
{
	pthread_mutex_lock(&d->lock);
	for (int i = 0; i < d->count; i++)
		(void)shutdown(d->conn[i], SHUT_RDWR);
	pthread_mutex_unlock(&d->lock);
}

/* The first session's server hangs. */
static inline int
sshd_hang(struct sshd *d)
{
	int rc;

	pthread_mutex_lock(&d->lock);
	rc = kill(-d->pid[0], SIGSTOP);
	pthread_mutex_unlock(&d->lock);
	return rc;
}

static inline void
sshd_stop(struct sshd *d)
{
	struct err err = ERR_INIT;

	if (write(d->stop[1], "", 1) != 1)
		return;
	(void)pthread_join(d->thread, NULL);
	for (int i = 0; i < d->count; i++) {
		(void)shutdown(d->conn[i], SHUT_RDWR);
		close(d->conn[i]);
		(void)kill(-d->pid[i], SIGKILL);
		(void)waitpid(d->pid[i], NULL, 0);
	}
	close(d->listener);
	close(d->stop[0]);
	close(d->stop[1]);
	(void)file_remove_tree(d->dir, &err);
	free(d->dir);
	free(d->host_key);
	free(d->user_key);
	free(d->known);
}

/* How to get in; borrows from `d`. */
static inline struct ssh_config
sshd_config(const struct sshd *d)
{
	return (struct ssh_config){
		.host = "127.0.0.1",
		.port = d->port,
		.user = geteuid() == 0 ? "root" : getenv("USER"),
		.known_hosts = d->known,
		.key = d->user_key,
	};
}

#endif
