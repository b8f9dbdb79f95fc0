#include <libssh2.h>

#include "tests/unit/check.h"
#include "tests/unit/sshd.h"
#include "transport/ssh.h"

static struct err err;

static int
get_in(const struct ssh_config *c)
{
	struct ssh s;

	err = (struct err)ERR_INIT;
	if (ssh_open(&s, c, deadline_in(NULL, 10000), &err))
		return -1;
	ssh_close(&s);
	return 0;
}

static void
known_key_gets_in(void)
{
	struct sshd d;
	struct ssh_config c;

	SSHD_NEEDED();
	REQUIRE(sshd_start(&d, "ed25519", NULL) == 0);
	c = sshd_config(&d);
	CHECK(get_in(&c) == 0);
	if (err.code)
		printf("# %s\n", err.msg);
	sshd_stop(&d);
}

CHECK_MAIN(CHECK_CASE("a known server lets a known key in", known_key_gets_in))
