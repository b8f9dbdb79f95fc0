#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/bench/side.h"
#include "transport/proc.h"
#include "transport/sock.h"
#include "transport/ssh_tunnel.h"

/*
 * Our tunnel against `ssh -L` through the same sshd, with the same cipher and
 * MAC, in turns; bytes come from and go to a server of ours behind it.
 */
enum { CHUNK = 64 << 10 };
static const int64_t size = 64LL << 20;
static const char scenario[] =
	"bastion:\n"
	"  config: [Ciphers aes128-ctr, MACs hmac-sha2-256]\n";

struct bench {
	char *dir, *ssh_path; /* ssh listens on a socket of that name */
	int listener, behind; /* the server's, and its port */
	struct ssh_tunnel *tunnel;
	int port; /* of the tunnel */
	struct proc ssh;
	pthread_t server;
};

static void
check(int rc, const struct err *err)
{
	if (rc)
		side_fail(err);
}

/* 'd': sends `size` bytes; 'u': takes them and says so. */
static void *
serve(void *arg)
{
	const struct bench *b = arg;
	AUTO_FREE char *data = mem_alloc(CHUNK);
	struct err err = ERR_INIT;
	int fd;

	while (sock_accept(b->listener, &fd, side_soon(), &err) == 0) {
		int rc = sock_read(fd, data, 1, side_soon(), &err);
		char verb = data[0];

		if (rc) { /* somebody only looked whether we are here */
			err_clear(&err);
			close(fd);
			continue;
		}
		for (int64_t n = 0; rc == 0 && n < size; n += CHUNK)
			rc = verb == 'd' ? sock_write(fd, data, CHUNK,
						      side_soon(), &err)
					 : sock_read(fd, data, CHUNK,
						     side_soon(), &err);
		if (rc == 0 && verb == 'u')
			rc = sock_write(fd, ".", 1, side_soon(), &err);
		check(rc, &err);
		/* The reader has counted; what closes first does not matter. */
		close(fd);
	}
	return NULL;
}

static void
move(int fd, char verb)
{
	AUTO_FREE char *data = mem_alloc(CHUNK);
	struct err err = ERR_INIT;

	check(sock_write(fd, &verb, 1, side_soon(), &err), &err);
	for (int64_t n = 0; n < size; n += CHUNK)
		check(verb == 'd'
			      ? sock_read(fd, data, CHUNK, side_soon(), &err)
			      : sock_write(fd, data, CHUNK, side_soon(), &err),
		      &err);
	if (verb == 'u')
		check(sock_read(fd, data, 1, side_soon(), &err), &err);
	close(fd);
}

static int
to_ssh(const struct bench *b)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(a.sun_path, b->ssh_path, strlen(b->ssh_path) + 1);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void
our_way(const struct bench *b, char verb)
{
	struct err err = ERR_INIT;
	int fd;

	check(sock_connect("127.0.0.1", b->port, &fd, side_soon(), &err), &err);
	move(fd, verb);
}

static void
our_down(void *arg)
{
	our_way(arg, 'd');
}

static void
our_up(void *arg)
{
	our_way(arg, 'u');
}

static void
ssh_down(void *arg)
{
	move(to_ssh(arg), 'd');
}

static void
ssh_up(void *arg)
{
	move(to_ssh(arg), 'u');
}

static void
start_ssh(struct bench *b, const char *host, int port, const char *user)
{
	AUTO_FREE char *port_text = mem_fmt("%d", port);
	AUTO_FREE char *known = mem_fmt("-oUserKnownHostsFile=%s",
					getenv("PATROL_SSH_KNOWN_HOSTS"));
	AUTO_FREE char *forward =
		mem_fmt("%s:127.0.0.1:%d", b->ssh_path, b->behind);
	AUTO_FREE char *to = mem_fmt("%s@%s", user, host);
	const char *const argv[] = {"ssh",
				    "-F/dev/null",
				    "-N",
				    "-oBatchMode=yes",
				    "-oExitOnForwardFailure=yes",
				    known,
				    "-i",
				    getenv("PATROL_SSH_KEY"),
				    "-p",
				    port_text,
				    "-L",
				    forward,
				    to,
				    NULL};
	struct err err = ERR_INIT;
	int fd;

	check(proc_start(&b->ssh,
			 &(struct proc_spec){.argv = argv, .out_fd = -1}, &err),
	      &err);
	while ((fd = to_ssh(b)) < 0)
		check(deadline_pause(side_soon(), 20, &err), &err);
	close(fd);
}

static void
setup(struct bench *b)
{
	struct ssh_config c = {
		.key = getenv("PATROL_SSH_KEY"),
		.known_hosts = getenv("PATROL_SSH_KNOWN_HOSTS"),
	};
	AUTO_FREE char *user = NULL, *host = NULL;
	struct err err = ERR_INIT;

	check(ssh_split(getenv("PATROL_SSH"), &user, &host, &c.port, &err),
	      &err);
	c.user = user;
	c.host = host;
	b->ssh_path = file_join(b->dir, "ssh.sock");
	check(sock_listen(&b->listener, &b->behind, &err), &err);
	check(ssh_tunnel_open(&b->tunnel, &c, SSH_TUNNEL_KEEP_MS, 15000,
			      side_soon(), &err) ||
		      ssh_tunnel_forward(b->tunnel, "127.0.0.1", b->behind,
					 &b->port, &err),
	      &err);
	start_ssh(b, c.host, c.port, c.user);
	if (pthread_create(&b->server, NULL, serve, b))
		abort();
}

static double
rate(struct bench *b, const char *name, void (*ours)(void *),
     void (*theirs)(void *))
{
	struct side s = {.ours = ours, .theirs = theirs, .arg = b, .repeat = 1};
	struct side_times t = side_compare(&s);
	double mib = (double)size / (1 << 20), ratio = t.theirs_us / t.ours_us;

	printf("tunnel.%s %.0f MiB/s\n", name, mib / (t.ours_us / 1e6));
	printf("tunnel.%s_ssh %.0f MiB/s\n", name, mib / (t.theirs_us / 1e6));
	printf("tunnel.%s_ratio %.2f x\n", name, ratio);
	return ratio;
}

int
main(int argc, char **argv)
{
	struct bench b = {.dir = side_farm(argv, scenario)};
	double down, up;

	(void)argc;
	setup(&b);
	down = rate(&b, "down", our_down, ssh_down);
	up = rate(&b, "up", our_up, ssh_up);
	printf("tunnel.ratio %.2f x\n", down < up ? down : up);
	ssh_tunnel_close(b.tunnel);
	proc_stop(&b.ssh, 1000);
	/* Ends the server's wait. */
	(void)shutdown(b.listener, SHUT_RDWR);
	pthread_join(b.server, NULL);
	close(b.listener);
	side_done(b.dir);
	free(b.ssh_path);
	return EXIT_SUCCESS;
}
