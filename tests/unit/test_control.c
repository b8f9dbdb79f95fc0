#include "control/control.h"

#include "check.h"
#include "pcp_fake.h"

static struct err err;
static struct control *c;
static char last_event[64];

static void
event(void *arg, const char *name, const cJSON *params)
{
	(void)arg;
	snprintf(last_event, sizeof(last_event), "%s:%d", name,
		 (int)json_int(params, "data.n", -1));
}

static int
open_at(struct pcp_fake *f)
{
	static struct secret token;
	struct control_spec spec = {
		.dial = pcp_dial, .arg = f, .token = &token, .event = event};

	secret_set(&token, "control-token-1");
	last_event[0] = '\0';
	c = NULL;
	err_clear(&err);
	pcp_start(f);
	return control_open(&c, &spec, pcp_dl(), &err);
}

static void
close_at(struct pcp_fake *f)
{
	control_close(c);
	pcp_stop(f);
}

/* One request; -1 is what failed, the answer's field "v" is in `v`. */
static int64_t v;

static int
ask(const char *method, struct buf *stream, int64_t ms)
{
	cJSON *result = NULL;
	int rc;

	err_clear(&err);
	v = -1;
	rc = control_request(c, method, NULL, -1, &result, stream,
			     deadline_in(NULL, ms), &err);
	if (rc == 0)
		v = json_int(result, "v", -1);
	cJSON_Delete(result);
	return rc;
}

static void
hello_tells(void)
{
	struct pcp_fake f = {.single_bytes = true};
	const struct control_info *i;

	REQUIRE(open_at(&f) == 0);
	i = control_info(c);
	CHECK_STR(i->server, "fake 1");
	CHECK_STR(i->package, "com.example");
	CHECK_STR(i->build, "5123");
	CHECK_STR(i->unity, "");
	CHECK(i->pid == 77 && i->action_count == 2);
	CHECK_STR(i->action[1], "win");
	CHECK(control_has(c, CONTROL_UI) && control_has(c, CONTROL_NAV));
	CHECK(control_has(c, CONTROL_ACTION));
	CHECK(!control_has(c, CONTROL_SCRIPT));
	CHECK_STR(control_cap_name(CONTROL_SNAPSHOT), "snapshot");
	close_at(&f);
}

static void
refuse_token(struct pcp_fake *f)
{
	AUTO_JSON cJSON *q = pcp_next(f);

	CHECK_STR(json_str(q, "params.token", ""), "control-token-1");
	CHECK(json_get(q, "params.versions"));
	pcp_json(f,
		 "{\"id\":%d,\"error\":{\"code\":-32009,\"message\":\"no\"}}",
		 (int)json_int(q, "id", 0));
}

static void
http_server(struct pcp_fake *f)
{
	pcp_raw(f, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
}

static void
hang_up(struct pcp_fake *f)
{
	(void)pcp_await(f, "hello");
	(void)shutdown(f->fd, SHUT_RDWR);
}

static void
half_frame(struct pcp_fake *f)
{
	(void)pcp_await(f, "hello");
	pcp_raw(f, "\377\0\0\0{\"half", 10);
	(void)shutdown(f->fd, SHUT_RDWR);
}

static void
garbage(struct pcp_fake *f)
{
	(void)pcp_await(f, "hello");
	pcp_raw(f, "\5\0\0\0{\"a\":", 9);
}

static void
deep(struct pcp_fake *f)
{
	char *text = mem_alloc(200001);

	(void)pcp_await(f, "hello");
	memset(text, '[', 200000);
	pcp_json(f, "%s", text);
	free(text);
}

static void
bad_hellos(void)
{
	static const struct {
		const char *hello;
		void (*play)(struct pcp_fake *f);
		enum err_code code;
		const char *words;
	} rows[] = {
		{"", refuse_token, ERR_AUTH, "this run's token"},
		{"", http_server, ERR_PROTO, "it sent 'HTTP/1.1 400"},
		{"", hang_up, ERR_IO, "closed the connection"},
		{"", half_frame, ERR_IO, "closed the connection"},
		{"", garbage, ERR_PROTO, "the app's message is not JSON"},
		{"", deep, ERR_PROTO, "is not JSON"},
		{"{\"version\":2}", NULL, ERR_PROTO, "speaks no PCP/1"},
		{"null", NULL, ERR_PROTO, "speaks no PCP/1"},
		{"[]", NULL, ERR_PROTO, "speaks no PCP/1"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pcp_fake f = {.hello = rows[i].hello,
				     .play = rows[i].play};

		CHECK(open_at(&f) == -1 && !c);
		CHECK(err.code == rows[i].code);
		CHECK_HAS(err.msg, rows[i].words);
		close_at(&f);
	}
}

static void
late_and_double(struct pcp_fake *f)
{
	long long id = pcp_await(f, "a");

	pcp_result(f, id - 1, "{\"v\":100}"); /* late: of hello */
	pcp_result(f, 999, "{\"v\":101}");    /* of nobody */
	pcp_json(f, "[1,2]");
	pcp_json(f, "{\"id\":\"%lld\",\"result\":{}}", id); /* no number */
	pcp_json(f, "{\"id\":7000,\"method\":\"what\",\"params\":{}}");
	pcp_json(f, "{\"method\":\"event\",\"params\":{\"name\":\"log\","
		    "\"data\":{\"n\":3}}}");
	pcp_result(f, id, "{\"v\":1}");
	pcp_result(f, id, "{\"v\":2}"); /* double */
	id = pcp_await(f, "b");
	pcp_result(f, id, "{\"v\":3}");
}

static void
strangers_are_ignored(void)
{
	struct pcp_fake f = {.play = late_and_double, .single_bytes = true};

	REQUIRE(open_at(&f) == 0);
	CHECK(ask("a", NULL, 60000) == 0 && v == 1);
	CHECK_STR(last_event, "log:3");
	CHECK(ask("b", NULL, 60000) == 0 && v == 3);
	close_at(&f);
}

static void
refuse_kinds(struct pcp_fake *f)
{
	pcp_json(f,
		 "{\"id\":%lld,\"error\":{\"code\":-32004,\"message\":"
		 "\"in the way\\u001b[2J\",\"data\":{\"kind\":\"Covered\","
		 "\"by\":\"Popup\",\"detail\":\"it is\"}}}",
		 pcp_await(f, "a"));
	pcp_json(f,
		 "{\"id\":%lld,\"error\":{\"code\":-32001,\"message\":\"m\"}}",
		 pcp_await(f, "b"));
	pcp_json(f,
		 "{\"id\":%lld,\"error\":{\"code\":5,\"message\":\"m\","
		 "\"data\":{\"kind\":\"Brand\\u006eew\"}}}",
		 pcp_await(f, "c"));
	pcp_json(f, "{\"id\":%lld,\"error\":{\"code\":-32601}}",
		 pcp_await(f, "d"));
	pcp_json(f, "{\"id\":%lld,\"error\":\"text\"}", pcp_await(f, "e"));
}

static void
refusals_keep_their_kind(void)
{
	struct pcp_fake f = {.play = refuse_kinds};

	REQUIRE(open_at(&f) == 0);
	CHECK(ask("a", NULL, 60000) == -1 && err.code == ERR_REMOTE);
	CHECK(err_is(&err, "Covered"));
	CHECK_STR(err.msg, "a: Covered: in the way\\x1b[2J, by Popup: it is");
	CHECK(ask("b", NULL, 60000) == -1 && err_is(&err, "NotFound"));
	CHECK(ask("c", NULL, 60000) == -1 && err_is(&err, "RemoteError"));
	CHECK(ask("d", NULL, 60000) == -1 && err_is(&err, "NotSupported"));
	/* An answer of nothing is an answer. */
	CHECK(ask("e", NULL, 60000) == 0 && v == -1);
	close_at(&f);
}

static void
streams(struct pcp_fake *f)
{
	long long id = pcp_await(f, "a");

	pcp_chunk(f, 5, 0, "before ");
	pcp_result(f, id, "{\"v\":1,\"stream\":5}");
	pcp_result(f, id, "{\"v\":9,\"stream\":5}"); /* double */
	pcp_chunk(f, 6, 0, "another's ");
	pcp_chunk(f, 5, 1, "after");
	id = pcp_await(f, "b");
	pcp_chunk(f, 7, 0, "all ");
	pcp_chunk(f, 7, 1, "before");
	pcp_result(f, id, "{\"v\":2,\"stream\":7}");
	id = pcp_await(f, "c");
	pcp_result(f, id, "{\"stream\":8}");
	pcp_chunk(f, 8, 0, "half");
	pcp_chunk(f, 8, 2, "");
	id = pcp_await(f, "d");
	pcp_chunk(f, 9, 0, "x");
	pcp_chunk(f, 9, 2, ""); /* an abort that comes early */
	pcp_result(f, id, "{\"stream\":9}");
	id = pcp_await(f, "e");
	pcp_chunk(f, 10, 1, "of nobody");
	pcp_result(f, id, "{\"v\":5}");
}

static void
chunks_find_their_call(void)
{
	struct pcp_fake f = {.play = streams};
	AUTO_BUF struct buf b = BUF_INIT;

	REQUIRE(open_at(&f) == 0);
	CHECK(ask("a", &b, 60000) == 0 && v == 1);
	CHECK_STR(b.data, "before after");
	CHECK(ask("b", &b, 60000) == 0 && v == 2);
	CHECK_STR(b.data, "all before");
	CHECK(ask("c", &b, 60000) == -1 && err.code == ERR_REMOTE);
	CHECK_HAS(err.msg, "c: the app ended the stream");
	CHECK(ask("d", &b, 60000) == -1 && err.code == ERR_REMOTE);
	CHECK(ask("e", &b, 60000) == 0 && v == 5);
	CHECK_STR(b.data, "");
	close_at(&f);
}

static void
rest_of_abandoned(struct pcp_fake *f)
{
	long long id = pcp_await(f, "shot");

	pcp_result(f, id, "{\"stream\":1}");
	pcp_chunk(f, 1, 0, "first half ");
	(void)pcp_await(f, "cancel");
	id = pcp_await(f, "again");
	pcp_chunk(f, 1, 0, "second half ");
	pcp_chunk(f, 1, 2, "");
	pcp_chunk(f, 2, 0, "whole");
	pcp_result(f, id, "{\"v\":4,\"stream\":2}");
	pcp_chunk(f, 2, 1, "");
}

static void
abandoned_streams_do_not_mix(void)
{
	struct pcp_fake f = {.play = rest_of_abandoned};
	AUTO_BUF struct buf b = BUF_INIT;

	REQUIRE(open_at(&f) == 0);
	CHECK(ask("shot", &b, 100) == -1 && err.code == ERR_TIMEOUT);
	CHECK(ask("again", &b, 60000) == 0 && v == 4);
	CHECK_STR(b.data, "whole");
	close_at(&f);
}

static void
too_much(struct pcp_fake *f)
{
	char *text = mem_alloc((256 << 10) + 1);
	long long id = pcp_await(f, "a");

	memset(text, 'x', 256 << 10);
	pcp_result(f, id, "{\"stream\":1}");
	for (int i = 0; i < 257; i++)
		pcp_chunk(f, 1, 0, text);
	pcp_chunk(f, 1, 1, "");
	id = pcp_await(f, "b");
	pcp_chunk(f, 2, 1, text);
	pcp_result(f, id, "{\"stream\":2}");
	(void)pcp_await(f, "c");
	pcp_raw(f, "\1\0\100\0", 4); /* 4 MiB and one */
	free(text);
}

static void
limits_hold(void)
{
	struct pcp_fake f = {.play = too_much};
	AUTO_BUF struct buf b = BUF_INIT_MAX(1000);
	cJSON *params = json_obj();
	char *text = mem_alloc(CONTROL_MAX_MESSAGE + 1);

	memset(text, 'x', CONTROL_MAX_MESSAGE);
	REQUIRE(open_at(&f) == 0);
	json_set_str(params, "code", text);
	CHECK(control_request(c, "script.eval", params, -1, NULL, NULL,
			      pcp_dl(), &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "over the server's limit");
	CHECK(ask("a", &b, 60000) == -1 && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "a: the stream is larger than 67108864 bytes");
	CHECK(ask("b", &b, 60000) == -1 && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "b is larger than 1000 bytes");
	CHECK(ask("c", NULL, 60000) == -1 && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "a frame of 4194305 bytes, over the limit");
	CHECK(err_is(&err, "control_lost"));
	free(text);
	close_at(&f);
}

static void
taken_over(struct pcp_fake *f)
{
	(void)pcp_await(f, "a");
	pcp_json(f, "{\"method\":\"bye\",\"params\":{\"reason\":\"taken "
		    "over\"}}");
}

static void
bye_is_a_loss(void)
{
	struct pcp_fake f = {.play = taken_over};

	REQUIRE(open_at(&f) == 0);
	CHECK(ask("a", NULL, 60000) == -1 && err.code == ERR_IO);
	CHECK(err_is(&err, "control_lost"));
	CHECK_HAS(err.msg, "the app said bye (taken over)");
	close_at(&f);
}

static void
silent_then_pings(struct pcp_fake *f)
{
	(void)pcp_await(f, "a");
	pcp_result(f, pcp_await(f, "ping"), "{\"mainThreadAgeMs\":12.5}");
	(void)pcp_await(f, "b");
	pcp_result(f, pcp_await(f, "ping"), "{\"mainThreadAgeMs\":1e300}");
}

static int
ask_short(const char *method)
{
	err_clear(&err);
	return control_request(c, method, NULL, 0, NULL, NULL, pcp_dl(), &err);
}

static void
silence_is_diagnosed(void)
{
	struct pcp_fake f = {.play = silent_then_pings};

	REQUIRE(open_at(&f) == 0);
	CHECK(ask_short("a") == -1 && err.code == ERR_REMOTE);
	CHECK(err_is(&err, "Timeout"));
	CHECK(ask_short("b") == -1 && err.code == ERR_TIMEOUT);
	CHECK(err_is(&err, "app_hung"));
	CHECK(ask_short("c") == -1 && err.code == ERR_IO);
	CHECK(err_is(&err, "control_lost"));
	close_at(&f);
}

static void *
raise_now(void *arg)
{
	deadline_cancel_raise(arg, 1);
	return NULL;
}

static void
signal_ends_a_request(void)
{
	struct pcp_fake f = {0};
	struct cancel cancel;
	pthread_t t;

	REQUIRE(open_at(&f) == 0);
	REQUIRE(deadline_cancel_init(&cancel, &err) == 0);
	REQUIRE(pthread_create(&t, NULL, raise_now, &cancel) == 0);
	CHECK(control_request(c, "a", NULL, 3000000, NULL, NULL,
			      deadline_in(&cancel, 3600000), &err) == -1);
	CHECK(err.code == ERR_CANCELLED);
	pthread_join(t, NULL);
	close_at(&f);
	deadline_cancel_done(&cancel);
}

static void
chatter(struct pcp_fake *f)
{
	struct err e = ERR_INIT;
	AUTO_BUF struct buf b = BUF_INIT;

	control_frame_json(&b, "{\"method\":\"event\"}", 18);
	while (sock_write(f->fd, b.data, b.len, pcp_dl(), &e) == 0)
		;
}

static void
chatter_is_no_answer(void)
{
	struct pcp_fake f = {.play = chatter};

	REQUIRE(open_at(&f) == 0);
	CHECK(ask("a", NULL, 100) == -1 && err.code == ERR_TIMEOUT);
	close_at(&f);
}

static void
both_at_once(struct pcp_fake *f)
{
	long long call = pcp_await(f, "wait"), ping = pcp_await(f, "ping");

	pcp_result(f, ping, "{\"frame\":9,\"paused\":true}");
	pcp_result(f, call, "{\"v\":6}");
}

static void
ping_overtakes(void)
{
	struct pcp_fake f = {.play = both_at_once};
	struct control_call call;
	struct control_ping p = {0};

	REQUIRE(open_at(&f) == 0);
	CHECK(control_begin(c, "wait", NULL, 1000, &call, pcp_dl(), &err) == 0);
	CHECK(control_ping(c, &p, pcp_dl(), &err) == 0);
	CHECK(p.frame == 9 && p.paused && p.focused);
	while (!call.done) {
		REQUIRE(deadline_wait(pcp_dl(), control_fd(c), POLLIN, &err) ==
			0);
		REQUIRE(control_pump(c, &err) == 0);
	}
	CHECK(!call.failed && json_int(call.result, "v", 0) == 6);
	control_call_done(&call);
	CHECK(control_silent_ms(c) >= 0);
	close_at(&f);
}

CHECK_MAIN(CHECK_CASE("hello tells of the app, also in single bytes",
		      hello_tells),
	   CHECK_CASE("a hello that fails says how", bad_hellos),
	   CHECK_CASE("late, double and unknown messages are ignored",
		      strangers_are_ignored),
	   CHECK_CASE("a refusal keeps its kind and is escaped",
		      refusals_keep_their_kind),
	   CHECK_CASE("chunks find their call, before and after its answer",
		      chunks_find_their_call),
	   CHECK_CASE("the rest of an abandoned stream is not the next one's",
		      abandoned_streams_do_not_mix),
	   CHECK_CASE("requests, streams and frames are bounded", limits_hold),
	   CHECK_CASE("a bye is a lost connection", bye_is_a_loss),
	   CHECK_CASE("silence is told apart: slow, hung, dead",
		      silence_is_diagnosed),
	   CHECK_CASE("a signal ends a request", signal_ends_a_request),
	   CHECK_CASE("a server that only chatters is a timeout",
		      chatter_is_no_answer),
	   CHECK_CASE("a ping overtakes a call", ping_overtakes), )
