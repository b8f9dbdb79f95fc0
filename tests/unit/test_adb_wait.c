#include "check.h"

#include "adb_fake.h"

#include "adb/adb_wait.h"
#include "base/deadline.h"

/* Without track-devices it polls, which one thread can play. */
#define NO_TRACK                                                              \
	{                                                                     \
		{{.request = "host:track-devices", FAKE_ANSWER("FAIL0000")}}, \
			false                                                 \
	}
#define STATE(text)                                                        \
	{                                                                  \
		{{.request = "host:devices-l", FAKE_ANSWER("OKAY" text)}}, \
			false                                              \
	}
#define CONNECT                                                                \
	{                                                                      \
		{{.request = "host:connect:h:1",                               \
		  FAKE_ANSWER("OKAY0021failed to authenticate to h:1 now.")}}, \
			false                                                  \
	}
#define DISCONNECT                                                             \
	{                                                                      \
		{{.request = "host:disconnect:h:1", FAKE_ANSWER("OKAY0000")}}, \
			false                                                  \
	}

struct seen {
	char states[256];
};

static void
changed(void *arg, const char *words)
{
	struct seen *s = arg;
	size_t at = strlen(s->states);

	(void)snprintf(s->states + at, sizeof(s->states) - at, "%s ", words);
}

static int
wait_for(const struct fake_conn *conn, size_t count, int64_t ms,
	 struct seen *seen, struct err *err)
{
	struct fake f;
	struct adb_wait_spec spec = {.address = "h:1",
				     .fingerprint = "aa:bb",
				     .changed = changed,
				     .arg = seen};
	int rc;

	*seen = (struct seen){{0}};
	*err = (struct err)ERR_INIT;
	fake_start(&f, conn, count, FAKE_PLAIN);
	rc = adb_wait_device(&f.server, &spec, deadline_in(NULL, ms), err);
	CHECK(!f.unexpected);
	fake_stop(&f);
	return rc;
}

static void
words_are_ignored(void)
{
	static const struct fake_conn conn[] = {
		NO_TRACK,
		STATE("0000"),
		CONNECT,
		STATE("0011h:1 unauthorized\n"),
		STATE("000bh:1 device\n"),
	};
	struct seen seen;
	struct err err;

	CHECK(wait_for(conn, 5, 5000, &seen, &err) == 0);
	CHECK_STR(seen.states, "absent unauthorized device ");
}

static void
untrusted_key_is_told(void)
{
	static const struct fake_conn conn[] = {
		NO_TRACK,
		STATE("0011h:1 unauthorized\n"),
	};
	struct seen seen;
	struct err err;

	CHECK(wait_for(conn, 2, 400, &seen, &err) == -1);
	CHECK(err.code == ERR_AUTH);
	CHECK_STR(err.reason, "unauthorized");
	CHECK_HAS(err.msg, "aa:bb");
	CHECK_HAS(err.msg, "register the public key");
}

static void
offline_is_reconnected(void)
{
	static const struct fake_conn conn[] = {
		NO_TRACK,
		STATE("000ch:1 offline\n"),
		STATE("000ch:1 offline\n"),
		STATE("000ch:1 offline\n"),
		STATE("000ch:1 offline\n"),
		STATE("000ch:1 offline\n"),
		STATE("000ch:1 offline\n"),
		STATE("000ch:1 offline\n"),
		DISCONNECT,
		CONNECT,
		STATE("000bh:1 device\n"),
	};
	struct seen seen;
	struct err err;

	CHECK(wait_for(conn, sizeof(conn) / sizeof(conn[0]), 8000, &seen,
		       &err) == 0);
	CHECK_STR(seen.states, "offline device ");
}

static void
absent_keeps_adbs_words(void)
{
	static const struct fake_conn conn[] = {
		NO_TRACK,
		STATE("0000"),
		CONNECT,
		STATE("0000"),
	};
	struct seen seen;
	struct err err;

	CHECK(wait_for(conn, 4, 400, &seen, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.reason, "absent");
	CHECK_HAS(err.msg, "adb says failed to authenticate");
}

static void
bootloader_ends_at_once(void)
{
	static const struct fake_conn conn[] = {
		NO_TRACK,
		STATE("000dh:1 recovery\n"),
	};
	struct seen seen;
	struct err err;

	CHECK(wait_for(conn, 2, 5000, &seen, &err) == -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_STR(err.reason, "not_booted");
}

static int
choose(const char *list, size_t len, char **serial, struct err *err)
{
	struct fake_conn conn = {
		{{.request = "host:devices-l", .answer = list, .len = len}},
		false};
	struct fake f;
	int rc;

	*err = (struct err)ERR_INIT;
	fake_start(&f, &conn, 1, FAKE_PLAIN);
	rc = adb_wait_choose(&f.server, serial, deadline_in(NULL, 3000), err);
	fake_stop(&f);
	return rc;
}
#define CHOOSE(text) choose(text, sizeof(text) - 1, &serial, &err)

static void
one_device_is_chosen(void)
{
	char *serial = NULL;
	struct err err;

	CHECK(CHOOSE("OKAY0009X device\n") == 0);
	CHECK_STR(serial, "X");
	free(serial);
	CHECK(CHOOSE("OKAY0000") == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK(CHOOSE("OKAY0012X device\nY device\n") == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "X (device), Y (device)");
}

CHECK_MAIN(CHECK_CASE("the state decides, not adb's words", words_are_ignored),
	   CHECK_CASE("an untrusted key is told with its fingerprint",
		      untrusted_key_is_told),
	   CHECK_CASE("an offline device is reconnected",
		      offline_is_reconnected),
	   CHECK_CASE("an absent device keeps adb's words",
		      absent_keeps_adbs_words),
	   CHECK_CASE("a phone in recovery ends the wait",
		      bootloader_ends_at_once),
	   CHECK_CASE("exactly one device is chosen", one_device_is_chosen), )
