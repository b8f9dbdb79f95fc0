#include <libssh2.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() (void)0
#define __lsan_enable()	 (void)0
#endif

#include "tests/unit/check.h"
#include "tests/unit/sshd.h"
#include "transport/ssh.h"

/* The session against a genuine sshd: who is let in, and what is said. */

static struct err err;

static int
get_in(const struct ssh_config *c)
{
	struct ssh s;

	err = (struct err)ERR_INIT;
	if (ssh_open(&s, c, deadline_in(NULL, 60000), &err))
		return -1;
	ssh_close(&s);
	return 0;
}

/* Another key than the server's or the user's. */
static char *
other_key(const struct sshd *d, const char *name, const char *type,
	  const char *passphrase)
{
	char *path = file_join(d->dir, name);

	if (sshd_keygen(path, type, passphrase))
		printf("# no key '%s'\n", path);
	return path;
}

static void
admit(const struct sshd *d, const char *key)
{
	AUTO_FREE char *auth = file_join(d->dir, "authorized_keys");
	AUTO_FREE char *pub = mem_fmt("%s.pub", key);
	AUTO_FREE char *text = sshd_text_(pub);

	sshd_put_(auth, text, 0600);
}

static void
known_key_gets_in(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *lines = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	CHECK(get_in(&c) == 0);
	if (err.code)
		printf("# %s\n", err.msg);
	/* Their texts instead of files; a secret loses its last newline. */
	text = sshd_text_(d.user_key);
	text[strlen(text) - 1] = '\0';
	lines = sshd_text_(d.known);
	c.key = text;
	c.known_hosts = lines;
	CHECK(get_in(&c) == 0);
	sshd_stop(&d);
}

static void
hashed_name_is_known(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *text = NULL;
	const char *argv[] = {"ssh-keygen", "-q", "-H", "-f", NULL, NULL};

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	argv[4] = d.known;
	CHECK(sshd_tool_(argv) == 0);
	text = sshd_text_(d.known);
	CHECK(strncmp(text, "|1|", 3) == 0);
	c = sshd_config(&d);
	CHECK(get_in(&c) == 0);
	sshd_stop(&d);
}

static void
every_kind_of_key(void)
{
	static const char *const types[] = {"ed25519", "ecdsa"};

	SSHD_NEEDED();
	for (size_t i = 0; i < 2; i++) {
		struct sshd d;
		struct ssh_config c;
		AUTO_FREE char *key = NULL;

		REQUIRE(sshd_start(&d, types[i], NULL) == 0);
		key = other_key(&d, "kind", types[i], "");
		admit(&d, key);
		c = sshd_config(&d);
		c.key = key;
		/* Libssh2 1.10 forgets OpenSSL's numbers of an ECDSA key. */
		__lsan_disable();
		CHECK(get_in(&c) == 0);
		__lsan_enable();
		if (err.code)
			printf("# %s: %s\n", types[i], err.msg);
		sshd_stop(&d);
	}
}

static void
stranger_is_refused(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *key = NULL;
	AUTO_FREE char *line = NULL;
	AUTO_FREE char *pub = NULL;
	AUTO_FREE char *empty = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	empty = file_join(d.dir, "none");
	sshd_put_(empty, "# nobody\n", 0600);
	c.known_hosts = empty;
	CHECK(get_in(&c) == -1 && err.code == ERR_AUTH);
	CHECK(err_is(&err, "ssh_host_unknown"));
	CHECK_HAS(err.msg, "ssh-ed25519 SHA256:");
	CHECK_HAS(err.msg, "ssh-keyscan -p ");
	CHECK_HAS(err.msg, empty);

	key = other_key(&d, "other", "ed25519", "");
	line = sshd_known_line(&d, key);
	sshd_put_(empty, line, 0600);
	CHECK(get_in(&c) == -1 && err.code == ERR_AUTH);
	CHECK(err_is(&err, "ssh_host_changed"));
	CHECK_HAS(err.msg, "none:1 has ssh-ed25519 SHA256:");

	free(line);
	line = sshd_known_line(&d, d.host_key);
	pub = mem_fmt("@revoked %s", line);
	sshd_put_(empty, pub, 0600);
	CHECK(get_in(&c) == -1 && err_is(&err, "ssh_host_revoked"));

	c.known_hosts = "/nowhere/known_hosts";
	CHECK(get_in(&c) == -1 && err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "ssh-keyscan");
	sshd_stop(&d);
}

/* A server with two keys, of which the less liked one is known. */
static void
known_kind_is_asked_for(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *key = NULL;
	AUTO_FREE char *line = NULL;
	AUTO_FREE char *config = NULL;
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *more = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	key = other_key(&d, "host2", "ecdsa", "");
	config = file_join(d.dir, "sshd_config");
	text = sshd_text_(config);
	more = mem_fmt("%sHostKey %s\n", text, key);
	sshd_put_(config, more, 0600);
	line = sshd_known_line(&d, key);
	c.known_hosts = line;
	CHECK(get_in(&c) == 0);
	sshd_stop(&d);
}

static void
rsa_gets_a_hint(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *key = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "rsa", NULL) == 0);
	c = sshd_config(&d);
	CHECK(get_in(&c) == -1);
	CHECK_HAS(err.msg, "RSA alone is not enough");
	CHECK_HAS(err.msg, "ed25519");
	sshd_stop(&d);

	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	key = other_key(&d, "rsa", "rsa", "");
	admit(&d, key);
	c.key = key;
	CHECK(get_in(&c) == -1 && err.code == ERR_AUTH);
	CHECK(err_is(&err, "ssh_login"));
	CHECK_HAS(err.msg, "ssh-keygen -t ed25519");
	sshd_stop(&d);
}

static void
passphrase(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *key = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	key = other_key(&d, "locked", "ed25519", "open sesame");
	admit(&d, key);
	c.key = key;
	CHECK(get_in(&c) == -1 && err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "is encrypted; set PATROL_SSH_KEY_PASSPHRASE");
	c.passphrase = "wrong";
	CHECK(get_in(&c) == -1 && err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "the right one?");
	c.passphrase = "open sesame";
	CHECK(get_in(&c) == 0);
	sshd_stop(&d);
}

static void
bad_keys_are_told(void)
{
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *key = NULL;
	AUTO_FREE char *pub = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	key = other_key(&d, "unknown", "ed25519", "");
	c.key = key;
	CHECK(get_in(&c) == -1 && err.code == ERR_AUTH);
	CHECK(err_is(&err, "ssh_login"));
	CHECK_HAS(err.msg, "this ssh-ed25519 key; it offers publickey");
	CHECK_HAS(err.msg, "authorized_keys");
	pub = mem_fmt("%s.pub", key);
	c.key = pub;
	CHECK(get_in(&c) == -1 && err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "no private key");
	CHECK_HAS(err.msg, pub);
	c.key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n";
	CHECK(get_in(&c) == -1 && err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "cut or damaged");
	c.key = "/nowhere/key";
	CHECK(get_in(&c) == -1 && err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "/nowhere/key");
	sshd_stop(&d);
}

/* Is it in our heap or stack?  What was freed counts, too. */
static bool
in_memory(const char *text, size_t len)
{
	static char all[16 << 20];
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	bool found = false;

	while (maps && fd >= 0 && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		ssize_t n;

		if ((!strstr(line, "[heap]") && !strstr(line, "[stack]")) ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		n = pread(fd, all, sizeof(all), (off_t)from);
		CHECK(n > 0 && n < (ssize_t)sizeof(all));
		found |= n > 0 && memmem(all, (size_t)n, text, len) != NULL;
	}
	if (maps)
		fclose(maps);
	if (fd >= 0)
		close(fd);
	return found;
}

/* Its text and what that stands for must be nowhere but here. */
static const char damaged_key[] =
	"-----BEGIN OPENSSH PRIVATE KEY-----\n"
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
	"VGhlcmUgaXMgbm8gc2VjcmV0IGhlcmUsIGJ1dCBpZiB0aGVyZSB3ZXJlIG9uZSBpdCB3\n"
	"b3VsZCBzdGFuZCBoZXJlIHVudGlsIGl0IGlzIHdpcGVkIG9mZiBvdXIgbWVtb3J5Li4u\n"
	"-----END OPENSSH PRIVATE KEY-----\n";

static void
refused_keys_are_wiped(void)
{
	static char key[4096];
	struct sshd d;
	struct ssh_config c;
	AUTO_FREE char *secret = NULL;
	AUTO_FREE char *damaged = NULL;
	const char *line = strstr(damaged_key, "VGhl");
	int fd;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	damaged = file_join(d.dir, "damaged");
	sshd_put_(damaged, damaged_key, 0600);
	c.key = damaged;
	CHECK(get_in(&c) == -1);
	CHECK_HAS(err.msg, "cut or damaged");
	CHECK(!in_memory(line, 68));
	CHECK(!in_memory("stand here until it is wiped", 28));
	secret = other_key(&d, "secret", "ed25519", "open sesame");
	c.key = secret;
	CHECK(get_in(&c) == -1);
	CHECK_HAS(err.msg, "PATROL_SSH_KEY_PASSPHRASE");
	fd = open(secret, O_RDONLY | O_CLOEXEC);
	CHECK(read(fd, key, sizeof(key)) > 300);
	close(fd);
	CHECK(!in_memory(key + 150, 100));
	sshd_stop(&d);
}

static void
methods_are_told(void)
{
	struct sshd d;
	struct ssh_config c;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519",
			   "PubkeyAuthentication no\n"
			   "PasswordAuthentication yes") == 0);
	c = sshd_config(&d);
	CHECK(get_in(&c) == -1 && err.code == ERR_AUTH);
	CHECK_HAS(err.msg, "it offers password");
	sshd_stop(&d);
}

/* `ssh-agent -D` with a key in it. */
static int
agent_start(struct proc *p, const char *socket, const char *key)
{
	const char *const argv[] = {"ssh-agent", "-D", "-a", socket, NULL};
	const char *const add[] = {"ssh-add", "-q", key, NULL};
	AUTO_FREE char *env = mem_fmt("SSH_AUTH_SOCK=%s", socket);
	const char *const envs[] = {env, NULL};
	struct proc_spec spec = {.argv = argv, .out_fd = -1};
	struct proc_spec adding = {.argv = add, .env = envs, .out_fd = -1};
	struct deadline dl = deadline_in(NULL, 10000);
	int status = 0;
	struct buf out = BUF_INIT;

	if (proc_start(p, &spec, &err))
		return -1;
	while (!file_exists(socket))
		if (deadline_pause(dl, 5, &err))
			return -1;
	if (key && proc_capture(&adding, &out, &status, dl, &err))
		return -1;
	buf_done(&out);
	return status;
}

static void
agent_signs(void)
{
	struct sshd d;
	struct ssh_config c;
	struct proc agent;
	AUTO_FREE char *socket = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	c.key = NULL;
	socket = file_join(d.dir, "agent");
	c.agent = socket;
	CHECK(get_in(&c) == -1);
	CHECK_HAS(err.msg, "ssh-agent '");
	CHECK(agent_start(&agent, socket, NULL) == 0);
	CHECK(get_in(&c) == -1 && err.code == ERR_AUTH);
	CHECK_HAS(err.msg, "has no keys; ssh-add one");
	proc_stop(&agent, 1000);
	(void)unlink(socket);
	CHECK(agent_start(&agent, socket, d.user_key) == 0);
	CHECK(get_in(&c) == 0);
	if (err.code)
		printf("# %s\n", err.msg);
	proc_stop(&agent, 1000);
	sshd_stop(&d);
}

/* One that takes the question and asks its user for ever. */
static void
silent_agent_is_left(void)
{
	struct sshd d;
	struct ssh_config c;
	struct ssh s;
	struct proc agent;
	AUTO_FREE char *socket = NULL;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	c.key = NULL;
	socket = file_join(d.dir, "agent");
	c.agent = socket;
	CHECK(agent_start(&agent, socket, d.user_key) == 0);
	CHECK(kill(agent.pid, SIGSTOP) == 0);
	err = (struct err)ERR_INIT;
	CHECK(ssh_open(&s, &c, deadline_in(NULL, 700), &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK(kill(agent.pid, SIGCONT) == 0);
	proc_stop(&agent, 1000);
	sshd_stop(&d);
}

static void *
say_http(void *arg)
{
	static const char words[] = "HTTP/1.0 400 Bad Request\r\n\r\n";
	int listener = *(int *)arg, fd = -1;
	struct err e = ERR_INIT;

	if (sock_accept(listener, &fd, deadline_in(NULL, 10000), &e) == 0) {
		(void)sock_write(fd, words, sizeof(words) - 1,
				 deadline_in(NULL, 10000), &e);
		close(fd);
	}
	return NULL;
}

static void
other_servers_are_told(void)
{
	struct ssh_config c = {.host = "127.0.0.1",
			       .user = "me",
			       .known_hosts = "h ssh-ed25519 AAAA",
			       .key = "/nowhere"};
	pthread_t thread;
	int listener;

	err = (struct err)ERR_INIT;
	REQUIRE(sock_listen(&listener, &c.port, &err) == 0);
	REQUIRE(pthread_create(&thread, NULL, say_http, &listener) == 0);
	CHECK(get_in(&c) == -1);
	CHECK_HAS(err.msg, "is what answers there an SSH server");
	CHECK_HAS(err.msg, "SSH to 'me@127.0.0.1:");
	pthread_join(thread, NULL);
	close(listener);
	CHECK(get_in(&c) == -1 && err.code == ERR_IO);
	CHECK_HAS(err.msg, "refused");
}

static void
addresses_are_split(void)
{
	static const struct {
		const char *text, *user, *host;
		int port;
	} good[] = {
		{"me@bastion", "me", "bastion", 22},
		{"me@bastion:2222", "me", "bastion", 2222},
		{"me@corp@bastion", "me@corp", "bastion", 22},
		{"me@[::1]:2222", "me", "::1", 2222},
		{"me@[::1]", "me", "::1", 22},
		{"me@fe80::1", "me", "fe80::1", 22},
	};
	static const char *const bad[] = {
		"",	     "@host",	      "me@",
		"me@host:x", "ssh://me@host", "me@host:70000",
		"a b@host",  "me@[::1",	      "me:pw@host"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		AUTO_FREE char *user = NULL;
		AUTO_FREE char *host = NULL;
		int port = 0;

		err = (struct err)ERR_INIT;
		CHECK(ssh_split(good[i].text, &user, &host, &port, &err) == 0);
		CHECK_STR(user, good[i].user);
		CHECK_STR(host, good[i].host);
		CHECK(port == good[i].port);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *user = NULL, *host = NULL;
		int port;

		err = (struct err)ERR_INIT;
		CHECK(ssh_split(bad[i], &user, &host, &port, &err) == -1 &&
		      err.code == ERR_USAGE);
		CHECK(strstr(err.msg, "pw") == NULL);
	}
}

CHECK_MAIN(
	CHECK_CASE("a known server lets a known key in", known_key_gets_in),
	CHECK_CASE("a host is known by its hashed name", hashed_name_is_known),
	CHECK_CASE("ed25519 and ecdsa, of host and user", every_kind_of_key),
	CHECK_CASE("an unknown, changed or revoked host key is refused",
		   stranger_is_refused),
	CHECK_CASE("the kind of host key that is known is asked for",
		   known_kind_is_asked_for),
	CHECK_CASE("RSA alone gets a hint", rsa_gets_a_hint),
	CHECK_CASE("an encrypted key wants its passphrase", passphrase),
	CHECK_CASE("a key that is not taken or can't be read is told",
		   bad_keys_are_told),
	CHECK_CASE("a key that is not used is wiped", refused_keys_are_wiped),
	CHECK_CASE("a refusal tells what the server offers", methods_are_told),
	CHECK_CASE("the agent's key gets in", agent_signs),
	CHECK_CASE("an agent that asks its user is not waited for",
		   silent_agent_is_left),
	CHECK_CASE("what is no SSH server is told", other_servers_are_told),
	CHECK_CASE("addresses are split", addresses_are_split))
