#include "check.h"

#include "adb_fake.h"

#include "adb/adb_shell.h"
#include "adb/adb_shell_v2.h"
#include "base/deadline.h"

struct heard {
	char out[256], err[256];
	size_t out_len, err_len;
};

static int
hear(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
     struct err *err)
{
	struct heard *h = arg;
	char *to = id == ADB_SHELL_V2_STDERR ? h->err : h->out;
	size_t *at = id == ADB_SHELL_V2_STDERR ? &h->err_len : &h->out_len;

	if (*at + len >= sizeof(h->out))
		return err_set(err, ERR_PROTO, "too much");
	memcpy(to + *at, data, len);
	*at += len;
	return 0;
}

static const char stream[] = "\1\3\0\0\0abc\2\2\0\0\0xy\1\0\0\0\0"
			     "\1\1\0\0\0d\3\1\0\0\0\7trailing";

static void
any_pieces(void)
{
	for (size_t piece = 1; piece < sizeof(stream); piece++) {
		struct adb_shell_v2 p = {0};
		struct heard h = {0};
		struct err err = ERR_INIT;
		size_t len = sizeof(stream) - 1;

		for (size_t at = 0; at < len; at += piece)
			REQUIRE(adb_shell_v2_feed(&p, stream + at,
						  len - at < piece ? len - at
								   : piece,
						  hear, &h, &err) == 0);
		CHECK(p.exited && p.status == 7);
		CHECK_STR(h.out, "abcd");
		CHECK_STR(h.err, "xy");
	}
}

static int
feed(const char *data, size_t len)
{
	struct adb_shell_v2 p = {0};
	struct heard h = {0};
	struct err err = ERR_INIT;

	return adb_shell_v2_feed(&p, data, len, hear, &h, &err);
}

static void
no_packets(void)
{
	CHECK(feed("hello", 5) == -1);
	CHECK(feed("\1\xff\xff\xff\xff", 5) == -1);
	CHECK(feed("\3\2\0\0\0ab", 7) == -1);
	CHECK(feed("\6\0\0\0\0", 5) == -1);
}

static void
words_are_quoted(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	adb_shell_quote(&b, "it's $HOME `x` \\ \"y\"\n");
	CHECK_STR(b.data, "'it'\\''s $HOME `x` \\ \"y\"\n'");
	buf_clear(&b);
	adb_shell_quote(&b, "");
	CHECK_STR(b.data, "''");
}

#define TRANSPORT                                                  \
	{                                                          \
		.request = "host:transport:S", FAKE_ANSWER("OKAY") \
	}

/*
 * The marker of the fallback is made anew for each command: this plays a
 * shell that echoes it.
 */
struct old_phone {
	const char *output; /* of the command */
	const char *end;    /* of lines */
	const char *status; /* behind the marker; NULL: cut before it */
	bool answers_v2;    /* garbage instead of a refusal */
	struct fake f;
};

static void *
old_main(void *arg)
{
	struct old_phone *p = arg;
	char head[5] = "", text[512], reply[1024];

	while (fake_wait(&p->f, p->f.listener, POLLIN)) {
		int fd = accept(p->f.listener, NULL, NULL);
		const char *marker;
		size_t len;

		if (fd < 0)
			break;
		(void)fake_request(&p->f, fd, "host:transport:S");
		fake_send(&p->f, fd, "OKAY", 4);
		if (!fake_read(&p->f, fd, head, 4))
			goto next;
		len = strtoul(head, NULL, 16);
		memset(text, 0, sizeof(text));
		if (len >= sizeof(text) || !fake_read(&p->f, fd, text, len))
			goto next;
		if (strncmp(text, "shell:", 6) != 0) {
			if (p->answers_v2)
				fake_send(&p->f, fd, "OKAYsh: syntax", 14);
			else
				fake_send(&p->f, fd, "FAIL0006closed", 14);
			goto next;
		}
		marker = strstr(text, "; echo ") + 7;
		len = (size_t)snprintf(reply, sizeof(reply), "OKAY%s",
				       p->output);
		if (p->status)
			len += (size_t)snprintf(reply + len,
						sizeof(reply) - len, "%.*s%s%s",
						(int)strcspn(marker, "$"),
						marker, p->status, p->end);
		fake_send(&p->f, fd, reply, len);
	next:
		(void)shutdown(fd, SHUT_WR);
		fake_until_closed(&p->f, fd);
		close(fd);
	}
	return NULL;
}

static int
run_old(struct old_phone *p, struct adb_shell_result *r, struct err *err)
{
	char serial[] = "S", features[] = "";
	struct adb_device dev = {
		.server = &p->f.server, .serial = serial, .features = features};
	int rc;

	if (sock_listen(&p->f.listener, &p->f.server.port, err) ||
	    pipe(p->f.stop))
		return -1;
	p->f.server.host = mem_strdup("127.0.0.1");
	if (pthread_create(&p->f.thread, NULL, old_main, p))
		return -1;
	rc = adb_shell_run(&dev, "cmd", r, deadline_in(NULL, 5000), err);
	CHECK(dev.shell == ADB_DEVICE_SHELL_MARKER);
	fake_stop(&p->f);
	return rc;
}

static void
old_shells_work(void)
{
	struct old_phone cases[] = {
		{.output = "a\nb\n", .end = "\n", .status = "5"},
		{.output = "a\r\nb\r\n", .end = "\r\n", .status = "5"},
		{.output = "a\nb\n",
		 .end = "\n",
		 .status = "5",
		 .answers_v2 = true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct adb_shell_result r;
		struct err err = ERR_INIT;

		adb_shell_result_init(&r, 1000);
		CHECK(run_old(&cases[i], &r, &err) == 0);
		CHECK(r.status == 5);
		CHECK_STR(r.out.data, "a\nb\n");
		adb_shell_result_done(&r);
	}
}

static void
old_shell_without_newline(void)
{
	struct old_phone p = {.output = "no end", .end = "\n", .status = "0"};
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	adb_shell_result_init(&r, 1000);
	CHECK(run_old(&p, &r, &err) == 0);
	CHECK(r.status == 0);
	CHECK_STR(r.out.data, "no end");
	adb_shell_result_done(&r);
}

static void
old_shell_cut(void)
{
	struct old_phone p = {.output = "a\n", .end = "\n"};
	struct adb_shell_result r;
	struct err err = ERR_INIT;

	adb_shell_result_init(&r, 1000);
	CHECK(run_old(&p, &r, &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK_STR(err.reason, "cut");
	adb_shell_result_done(&r);
}

static int
run_v2(const char *packets, size_t len, size_t limit, struct err *err)
{
	struct fake_conn conn = {
		{TRANSPORT,
		 {.request = "shell,v2,raw:", FAKE_ANSWER("OKAY")},
		 {.answer = packets, .len = len}},
		false};
	char serial[] = "S", features[] = "";
	struct adb_shell_result r;
	struct fake f;
	struct adb_device dev = {.server = &f.server,
				 .serial = serial,
				 .features = features,
				 .shell = ADB_DEVICE_SHELL_V2};
	int rc;

	fake_start(&f, &conn, 1, FAKE_PLAIN);
	adb_shell_result_init(&r, limit);
	*err = (struct err)ERR_INIT;
	rc = adb_shell_run(&dev, "ls", &r, deadline_in(NULL, 3000), err);
	adb_shell_result_done(&r);
	fake_stop(&f);
	return rc;
}
#define RUN_V2(text, limit, err) run_v2(text, sizeof(text) - 1, limit, err)

static void
missing_exit_is_an_error(void)
{
	struct err err;

	CHECK(RUN_V2("\1\3\0\0\0abc", 100, &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK_HAS(err.msg, "before the exit status");
	CHECK(RUN_V2("\1\3\0\0\0abc\3\1\0\0\0\0", 100, &err) == 0);
}

static void
too_much_is_refused(void)
{
	struct err err;

	CHECK(RUN_V2("\1\5\0\0\0abcde\3\1\0\0\0\0", 4, &err) == -1);
	CHECK(err.code == ERR_PROTO);
}

static void
text_needs_success(void)
{
	static const char packets[] = "\2\4\0\0\0nope\3\1\0\0\0\1";
	struct fake_conn conn = {
		{TRANSPORT,
		 {.request = "shell,v2,raw:", FAKE_ANSWER("OKAY")},
		 {FAKE_ANSWER(packets)}},
		false};
	char serial[] = "S", features[] = "";
	struct fake f;
	struct adb_device dev = {.server = &f.server,
				 .serial = serial,
				 .features = features,
				 .shell = ADB_DEVICE_SHELL_V2};
	struct err err = ERR_INIT;

	fake_start(&f, &conn, 1, FAKE_PLAIN);
	CHECK(adb_shell_text(&dev, "ls", NULL, deadline_in(NULL, 3000), &err) ==
	      -1);
	CHECK(err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "exit status 1: nope");
	fake_stop(&f);
}

CHECK_MAIN(CHECK_CASE("packets come in any pieces", any_pieces),
	   CHECK_CASE("other bytes are no packets", no_packets),
	   CHECK_CASE("words are quoted for the phone", words_are_quoted),
	   CHECK_CASE("old shells work by marker", old_shells_work),
	   CHECK_CASE("output without an end of line keeps its marker apart",
		      old_shell_without_newline),
	   CHECK_CASE("an old shell that is cut is an error", old_shell_cut),
	   CHECK_CASE("a missing exit packet is an error",
		      missing_exit_is_an_error),
	   CHECK_CASE("more output than the limit is refused",
		      too_much_is_refused),
	   CHECK_CASE("a failed command keeps the phone's words",
		      text_needs_success), )
