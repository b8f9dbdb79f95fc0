#include "base/mem.h"
#include "tests/unit/check.h"
#include "transport/ssh_agent.h"
#include "transport/ssh_key.h"
#include "transport/ssh_known.h"

/* Keys of nobody: the format's length, its name, and a tail that differs. */
#define ED(tail) "AAAAC3NzaC1lZDI1NTE5AAAA" tail
#define A	 ED("AAAA")
#define B	 ED("BBBB")

static size_t
known(const char *text, const char *host, int port)
{
	struct ssh_known k = {0};
	size_t n;

	ssh_known_parse(&k, text, "file", host, port);
	n = k.count;
	ssh_known_done(&k);
	return n;
}

static void
names_fit(void)
{
	static const struct {
		const char *names, *host;
		int port;
		size_t count;
	} cases[] = {
		{"bastion", "bastion", 22, 1},
		{"bastion", "BASTION", 22, 1},
		{"Bastion", "bastion", 22, 1},
		{"bastion", "other", 22, 0},
		{"a,bastion,b", "bastion", 22, 1},
		{"[bastion]:2222", "bastion", 2222, 1},
		{"[bastion]:2222", "bastion", 22, 0},
		{"[bastion]:2222", "bastion", 2223, 0},
		{"bastion", "bastion", 2222, 1},
		{"*.example.com", "a.b.example.com", 22, 1},
		{"*.example.com", "example.com", 22, 0},
		{"b?stion", "bastion", 22, 1},
		{"b?stion", "bstion", 22, 0},
		{"*", "anything", 2222, 1},
		{"*,!bastion", "bastion", 22, 0},
		{"*,!bastion", "other", 22, 1},
		{"!bastion", "other", 22, 0},
		{"[*]:2222", "bastion", 2222, 1},
		{"::1", "::1", 22, 1},
		{"***a***b", "xaxb", 22, 1},
		/* ssh-keygen -H of "bastion" and "[bastion]:2222" */
		{"|1|w0A3OmnrqGkEI9yBuiGYAbEtfhk=|"
		 "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		 "bastion", 22, 0},
		{"|1|", "bastion", 22, 0},
		{"|1|AAAA", "bastion", 22, 0},
		{"|1|||", "bastion", 22, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_FREE char *line =
			mem_fmt("%s ssh-ed25519 %s\n", cases[i].names, A);

		if (known(line, cases[i].host, cases[i].port) !=
		    cases[i].count) {
			printf("# '%s' and %s:%d\n", cases[i].names,
			       cases[i].host, cases[i].port);
			CHECK(!"as expected");
		}
	}
}

static void
strange_lines_hide_no_others(void)
{
	static const char text[] =
		"\n# bastion ssh-ed25519 " A "\n"
		"bastion\n"
		"bastion ssh-ed25519\n"
		"bastion ssh-ed25519 !!!!\n"
		"bastion ssh-rsa " A "\n"
		"bastion 1024 35 1234567\n"
		"@strange bastion ssh-ed25519 " A "\n"
		"\tbastion \t ssh-ed25519 " A " a comment\r\n"
		"bastion ssh-ed25519 " B;
	struct ssh_known k = {0};

	ssh_known_parse(&k, text, "file", "bastion", 22);
	CHECK(k.count == 2 && !k.authority);
	CHECK_STR(k.item[0].at, "file:9");
	CHECK_STR(k.item[1].at, "file:10");
	ssh_known_done(&k);
	ssh_known_parse(&k, "@cert-authority * ssh-ed25519 " A, "f", "b", 22);
	CHECK(k.count == 0 && k.authority);
	ssh_known_done(&k);
}

static enum ssh_known_verdict
verdict(const char *text, int port)
{
	const struct ssh_known_key *which;
	enum ssh_known_verdict v;
	struct ssh_known a = {0}, k = {0};

	ssh_known_parse(&a, "b ssh-ed25519 " A, "a", "b", 22);
	ssh_known_parse(&k, text, "file", "b", port);
	v = ssh_known_check(&k, a.item[0].blob, a.item[0].len, &which);
	CHECK((v == SSH_KNOWN_NEW) == (which == NULL));
	ssh_known_done(&a);
	ssh_known_done(&k);
	return v;
}

static void
verdicts(void)
{
	CHECK(verdict("", 22) == SSH_KNOWN_NEW);
	CHECK(verdict("b ssh-ed25519 " A, 22) == SSH_KNOWN_OK);
	CHECK(verdict("b ssh-ed25519 " B, 22) == SSH_KNOWN_CHANGED);
	CHECK(verdict("b ssh-ed25519 " B "\nb ssh-ed25519 " A, 22) ==
	      SSH_KNOWN_OK);
	CHECK(verdict("@revoked * ssh-ed25519 " A "\nb ssh-ed25519 " A, 22) ==
	      SSH_KNOWN_REVOKED);
	CHECK(verdict("b ssh-ed25519 " A "\n@revoked * ssh-ed25519 " A, 22) ==
	      SSH_KNOWN_REVOKED);
	CHECK(verdict("@revoked b ssh-ed25519 " B, 22) == SSH_KNOWN_NEW);
	/* Without its port it can vouch and not accuse. */
	CHECK(verdict("b ssh-ed25519 " A, 2222) == SSH_KNOWN_OK);
	CHECK(verdict("b ssh-ed25519 " B, 2222) == SSH_KNOWN_NEW);
	CHECK(verdict("[b]:2222 ssh-ed25519 " B, 2222) == SSH_KNOWN_CHANGED);
}

static void
known_kinds_come_first(void)
{
	struct ssh_known k = {0};
	struct buf b = BUF_INIT;

	ssh_known_prefer(&k, &b);
	CHECK_STR(b.data, "ssh-ed25519,ecdsa-sha2-nistp256,"
			  "ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,ssh-rsa");
	buf_clear(&b);
	/* string "ecdsa-sha2-nistp384" */
	ssh_known_parse(&k,
			"b ecdsa-sha2-nistp384 "
			"AAAAE2VjZHNhLXNoYTItbmlzdHAzODQA",
			"f", "b", 22);
	CHECK(k.count == 1);
	ssh_known_prefer(&k, &b);
	CHECK_STR(b.data, "ecdsa-sha2-nistp384,ssh-ed25519,"
			  "ecdsa-sha2-nistp256,ecdsa-sha2-nistp521,ssh-rsa");
	buf_done(&b);
	ssh_known_done(&k);
}

static void
private_keys_are_looked_at(void)
{
	static const char *const bad[] = {
		"",
		"ssh-ed25519 AAAA me@here",
		"-----BEGIN PUBLIC KEY-----\n",
		"-----BEGIN OPENSSH PRIVATE KEY-----\n",
		"-----BEGIN OPENSSH PRIVATE KEY-----\n-----END",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END",
		"-----BEGIN OPENSSH PRIVATE KEY-----\n"
		"b3BlbnNzaC1rZXktdjEA/////w==\n-----END",
	};
	struct ssh_key_facts f;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err = (struct err)ERR_INIT;
		CHECK(ssh_key_look(bad[i], &f, &err) == -1 &&
		      err.code == ERR_INPUT);
	}
	CHECK(ssh_key_look("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: "
			   "4,ENCRYPTED\n",
			   &f, &err) == 0);
	CHECK(f.encrypted);
	CHECK_STR(f.type, "ssh-rsa");
	ssh_key_facts_done(&f);
	CHECK(ssh_key_look("-----BEGIN PRIVATE KEY-----\n", &f, &err) == 0);
	CHECK(!f.encrypted && f.type == NULL);
}

static int
agent_keys(const char *data, size_t len)
{
	struct ssh_agent a = {.fd = -1};
	struct err err = ERR_INIT;
	int rc = ssh_agent_parse_keys(&a, data, len, &err);
	int count = (int)a.count;

	ssh_agent_done(&a);
	return rc ? -1 : count;
}

#define BYTES(s) s, sizeof(s) - 1

static void
agents_are_bounded(void)
{
	struct buf sig = BUF_INIT;
	struct err err = ERR_INIT;

	CHECK(agent_keys(BYTES("\x0c\0\0\0\0")) == 0);
	CHECK(agent_keys(BYTES("\x0c\0\0\0\1\0\0\0\7\0\0\0\3abc\0\0\0\1x")) ==
	      1);
	CHECK(agent_keys(BYTES("\x0c\0\0\0\2\0\0\0\7\0\0\0\3abc\0\0\0\1x")) ==
	      -1);
	CHECK(agent_keys(BYTES("\x0c\xff\xff\xff\xff")) == -1);
	CHECK(agent_keys(BYTES("\x0c\0\0\0\1\xff\xff\xff\xff")) == -1);
	CHECK(agent_keys(BYTES("\x05")) == -1);
	CHECK(agent_keys(BYTES("")) == -1);
	CHECK(ssh_agent_parse_signature(
		      BYTES("\x0e\0\0\0\x0d\0\0\0\3abc\0\0\0\2xy"), &sig,
		      &err) == 0);
	CHECK_STR(sig.data, "xy");
	CHECK(ssh_agent_parse_signature(
		      BYTES("\x0e\0\0\0\x0d\0\0\0\3abc\0\0\0\3xy"), &sig,
		      &err) == -1);
	CHECK(ssh_agent_parse_signature(BYTES("\x05"), &sig, &err) == -1);
	buf_done(&sig);
}

CHECK_MAIN(CHECK_CASE("names fit as OpenSSH does it", names_fit),
	   CHECK_CASE("strange lines hide no others",
		      strange_lines_hide_no_others),
	   CHECK_CASE("known, new, changed, revoked", verdicts),
	   CHECK_CASE("kinds of keys that are known come first",
		      known_kinds_come_first),
	   CHECK_CASE("what a private key is, without opening it",
		      private_keys_are_looked_at),
	   CHECK_CASE("an agent's answers are bounded", agents_are_bounded))
