#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "report/notify.h"
#include "report/slack.h"
#include "results.h"
#include "transport/sock.h"

/*
 * A Slack of a few lines: answers from a list, one for each request, and
 * keeps the bodies that came.
 */
struct slack {
	pthread_t thread;
	int fd, port;
	const char *const *answers; /* NULL-ended */
	struct buf bodies;	    /* one a line */
	size_t served;
};

static void
serve_one(struct slack *s, int fd, const char *answer)
{
	struct deadline dl = deadline_in(NULL, 5000);
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	size_t want = 0;
	char *end = NULL;

	while (!end || b.len < (size_t)(end - b.data) + 4 + want) {
		char chunk[4096];
		ssize_t n = sock_recv(fd, chunk, sizeof(chunk), dl, &err);

		if (n <= 0)
			return;
		buf_add(&b, chunk, (size_t)n);
		end = strstr(b.data, "\r\n\r\n");
		if (end) {
			char *l = strcasestr(b.data, "content-length:");

			want = l && l < end ? strtoul(l + 15, NULL, 10) : 0;
		}
	}
	buf_str(&s->bodies, end + 4);
	buf_chr(&s->bodies, '\n');
	s->served++;
	(void)sock_write(fd, answer, strlen(answer), dl, &err);
}

static void *
serve(void *arg)
{
	struct slack *s = arg;
	struct err err = ERR_INIT;

	for (size_t i = 0; s->answers[i]; i++) {
		int fd;

		if (sock_accept(s->fd, &fd, deadline_in(NULL, 5000), &err))
			break;
		serve_one(s, fd, s->answers[i]);
		close(fd);
	}
	return NULL;
}

static void
start(struct slack *s, const char *const *answers)
{
	struct err err = ERR_INIT;

	*s = (struct slack){.answers = answers, .bodies = BUF_INIT};
	if (sock_listen(&s->fd, &s->port, &err) ||
	    pthread_create(&s->thread, NULL, serve, s)) {
		printf("# %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
}

static void
stop(struct slack *s)
{
	pthread_join(s->thread, NULL);
	close(s->fd);
	buf_done(&s->bodies);
}

enum way { WEBHOOK, TOKEN };

static int
send_to(struct slack *s, enum way way, const cJSON *message, struct err *err)
{
	AUTO_FREE char *hook = mem_fmt(
		"http://127.0.0.1:%d/services/T0/B0/sEcReTpArT", s->port);
	struct notify_target t = {0};
	int rc;

	if (way == WEBHOOK) {
		secret_set(&t.webhook, hook);
	} else {
		secret_set(&t.token, "xoxb-token-of-a-test");
		t.channel = mem_strdup("#perf");
	}
	t.api_url = mem_fmt("http://127.0.0.1:%d/api", s->port);
	err_clear(err);
	rc = notify_send(&t, message, deadline_in(NULL, 10000), err);
	notify_target_done(&t);
	return rc;
}

#define ANSWER(status, head, body)                             \
	"HTTP/1.1 " status "\r\n" head "Connection: close\r\n" \
	"Content-Type: text/plain\r\n\r\n" body

static void
webhook_ok(void)
{
	static const char *const answers[] = {ANSWER("200 OK", "", "ok"), NULL};
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_JSON cJSON *m = slack_message(r);
	struct err err = ERR_INIT;
	struct slack s;

	start(&s, answers);
	CHECK(send_to(&s, WEBHOOK, m, &err) == 0);
	pthread_join(s.thread, NULL);
	CHECK_HAS(s.bodies.data, "{\"text\":\"Starfall daily 30 Nov: fine.");
	CHECK(strstr(s.bodies.data, "channel\"") == NULL);
	close(s.fd);
	buf_done(&s.bodies);
}

/* What stands in front of Slack is not Slack. */
static void
webhook_page(void)
{
	static const char *const answers[] = {
		"HTTP/1.1 200 OK\r\nConnection: close\r\n"
		"Content-Type: text/html\r\n\r\n<html>Sign in</html>",
		NULL};
	AUTO_JSON cJSON *m = slack_missing(NULL);
	struct err err = ERR_INIT;
	struct slack s;

	start(&s, answers);
	CHECK(send_to(&s, WEBHOOK, m, &err) == -1);
	CHECK_HAS(err.msg, "HTML");
	stop(&s);
}

/* E7 */
static void
webhook_refused(void)
{
	static const struct {
		const char *answer[2], *cure;
		enum err_code code;
	} cases[] = {
		{{ANSWER("403 Forbidden", "", "invalid_token"), NULL},
		 "make a new one",
		 ERR_AUTH},
		{{ANSWER("404 Not Found", "", "no_service"), NULL},
		 "SLACK_WEBHOOK_URL",
		 ERR_AUTH},
		{{ANSWER("404 Not Found", "", "channel_not_found"), NULL},
		 "invite it",
		 ERR_REMOTE},
		{{ANSWER("410 Gone", "", "channel_is_archived"), NULL},
		 "unarchive",
		 ERR_REMOTE},
		{{ANSWER("500 Error", "", "rollup_error"), NULL},
		 "try again",
		 ERR_REMOTE},
		{{ANSWER("400 Bad Request", "", "no_text"), NULL},
		 "no_text",
		 ERR_REMOTE},
		{{ANSWER("502 Bad Gateway", "", ""), NULL},
		 "HTTP 502",
		 ERR_REMOTE},
	};
	AUTO_JSON cJSON *m = slack_missing(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		struct slack s;

		start(&s, cases[i].answer);
		CHECK(send_to(&s, WEBHOOK, m, &err) == -1);
		CHECK(err.code == cases[i].code);
		CHECK_HAS(err.msg, cases[i].cure);
		CHECK(strstr(err.msg, "sEcReTpArT") == NULL);
		stop(&s);
	}
}

static void
text_without_blocks(void)
{
	static const char *const answers[] = {
		ANSWER("400 Bad Request", "", "invalid_blocks"),
		ANSWER("200 OK", "", "ok"), NULL};
	AUTO_JSON cJSON *m = slack_missing(NULL);
	struct err err = ERR_INIT;
	struct slack s;

	start(&s, answers);
	CHECK(send_to(&s, WEBHOOK, m, &err) == 0);
	pthread_join(s.thread, NULL);
	const char *second = strchr(s.bodies.data, '\n');
	CHECK(second && strstr(second, "NOTHING MEASURED"));
	CHECK(second && !strstr(second, "blocks"));
	close(s.fd);
	buf_done(&s.bodies);
}

static void
told_to_wait(void)
{
	static const char *const answers[] = {
		ANSWER("429 Too Many", "Retry-After: 1\r\n", "rate_limited"),
		ANSWER("200 OK", "", "ok"), NULL};
	static const char *const too_long[] = {
		ANSWER("429 Too Many", "Retry-After: 600\r\n", "rate_limited"),
		NULL};
	AUTO_JSON cJSON *m = slack_missing(NULL);
	struct err err = ERR_INIT;
	struct slack s;

	start(&s, answers);
	CHECK(send_to(&s, WEBHOOK, m, &err) == 0);
	stop(&s);
	start(&s, too_long);
	CHECK(send_to(&s, WEBHOOK, m, &err) == -1);
	CHECK_HAS(err.msg, "rate_limited");
	stop(&s);
}

static void
api_says_no_in_200(void)
{
	static const char *const no[] = {
		ANSWER("200 OK", "",
		       "{\"ok\":false,\"error\":\"not_in_channel\"}"),
		NULL};
	static const char *const html[] = {
		ANSWER("200 OK", "", "<html>Sign in</html>"), NULL};
	static const char *const yes[] = {
		ANSWER("200 OK", "", "{\"ok\":true,\"ts\":\"1.2\"}"), NULL};
	AUTO_JSON cJSON *m = slack_missing(NULL);
	struct err err = ERR_INIT;
	struct slack s;

	start(&s, no);
	CHECK(send_to(&s, TOKEN, m, &err) == -1);
	CHECK_HAS(err.msg, "not_in_channel; invite the bot");
	stop(&s);
	start(&s, html);
	CHECK(send_to(&s, TOKEN, m, &err) == -1);
	stop(&s);
	start(&s, yes);
	CHECK(send_to(&s, TOKEN, m, &err) == 0);
	pthread_join(s.thread, NULL);
	CHECK_HAS(s.bodies.data, "\"channel\":\"#perf\"");
	close(s.fd);
	buf_done(&s.bodies);
}

static void
nothing_listens(void)
{
	static const char *const none[] = {NULL};
	AUTO_JSON cJSON *m = slack_missing(NULL);
	struct err err = ERR_INIT;
	struct slack s;

	start(&s, none);
	pthread_join(s.thread, NULL);
	close(s.fd);
	CHECK(send_to(&s, WEBHOOK, m, &err) == -1);
	CHECK(err.code == ERR_IO);
	CHECK(strstr(err.msg, "sEcReTpArT") == NULL);
	buf_done(&s.bodies);
}

static void
no_result(void)
{
	char dir[] = "/tmp/patrol-notify-XXXXXX";
	struct err err = ERR_INIT;

	REQUIRE(mkdtemp(dir) != NULL);
	AUTO_JSON cJSON *m = notify_message(dir, "https://github.com/a/b/1");
	CHECK_HAS(json_str(m, "text", ""), "did not even start");
	AUTO_FREE char *t = json_text(m);
	CHECK_HAS(t, "<https://github.com/a/b/1|Why>");
	AUTO_FREE char *path = file_join(dir, "result.json");
	CHECK(file_write(path, "{\"half", 6, &err) == 0);
	AUTO_JSON cJSON *half = notify_message(dir, NULL);
	CHECK_HAS(json_str(half, "text", ""), "did not even start");
	CHECK(file_remove_tree(dir, &err) == 0);
}

static void
no_target(void)
{
	struct notify_target t;
	struct err err = ERR_INIT;

	unsetenv("SLACK_WEBHOOK_URL");
	unsetenv("SLACK_BOT_TOKEN");
	unsetenv("SLACK_CHANNEL");
	CHECK(notify_target_from_env(&t, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "SLACK_WEBHOOK_URL");
	setenv("SLACK_BOT_TOKEN", "xoxb-something", 1);
	err_clear(&err);
	CHECK(notify_target_from_env(&t, &err) == -1);
	CHECK_HAS(err.msg, "SLACK_CHANNEL");
	unsetenv("SLACK_BOT_TOKEN");
}

CHECK_MAIN(CHECK_CASE("a page in front of a webhook has not sent anything",
		      webhook_page),
	   CHECK_CASE("a webhook gets text and blocks", webhook_ok),
	   CHECK_CASE("a webhook's refusal keeps Slack's word and has a cure",
		      webhook_refused),
	   CHECK_CASE("refused blocks are sent again as text alone",
		      text_without_blocks),
	   CHECK_CASE("429 is obeyed, within reason", told_to_wait),
	   CHECK_CASE("the API says no within HTTP 200", api_says_no_in_200),
	   CHECK_CASE("the webhook's address is in no error", nothing_listens),
	   CHECK_CASE("without a result the message says so", no_result),
	   CHECK_CASE("without an address the error says what to set",
		      no_target), )
