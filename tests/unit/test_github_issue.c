#include "github/github_issue.h"

#include <strings.h>

#include "base/mem.h"
#include "check.h"
#include "fake_http.h"

#define SOON deadline_in(NULL, 20000)

/* GitHub: an answer for each call, in order, and what was asked. */
struct hub {
	struct fake_http http;
	struct {
		int status;
		const char *text, *headers;
	} say[8];
	int at;
	char path[8][300], body[8][600];
	struct github g;
	struct secret token;
	struct err err;
};

static void
on_call(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	struct hub *h = arg;
	int at = h->at < 7 ? h->at++ : 7;

	(void)snprintf(h->path[at], sizeof(h->path[at]), "%s %.280s", q->method,
		       q->path);
	(void)snprintf(h->body[at], sizeof(h->body[at]), "%.590s", q->body);
	r->headers = h->say[at].headers;
	fake_text(r, h->say[at].status ? h->say[at].status : 404, "%s",
		  h->say[at].text ? h->say[at].text : "{}");
}

static void
hub_begin(struct hub *h)
{
	memset(h, 0, sizeof(*h));
	fake_start(&h->http, on_call, h);
	secret_set(&h->token, "ghs_00000000000000000000");
	CHECK(github_init(&h->g, h->http.url, "o/r", &h->token, &h->err) == 0);
}

static void
hub_end(struct hub *h)
{
	github_done(&h->g);
	secret_done(&h->token);
	fake_stop(&h->http);
}

static int
count_open(void *arg, const struct github_issue *i, struct err *err)
{
	(void)err;
	*(int *)arg += i->open ? 1 : 100;
	return 0;
}

static void
lists_without_pulls(void)
{
	static char next[200];
	struct hub h;
	int seen = 0;

	hub_begin(&h);
	(void)snprintf(next, sizeof(next), "Link: <%s/page2>; rel=\"next\"\r\n",
		       h.http.url);
	h.say[0].status = 200;
	h.say[0].headers = next;
	h.say[0].text = "[{\"number\":7,\"state\":\"open\",\"body\":null,"
			"\"labels\":[\"a\",{\"name\":\"B\"},{\"name\":null}]},"
			"{\"number\":8,\"pull_request\":{}}]";
	h.say[1].status = 200;
	h.say[1].text = "[{\"number\":3,\"state\":\"closed\"}]";
	CHECK(github_issue_list(&h.g, "a b&c", "all", count_open, &seen, SOON,
				&h.err) == 0);
	CHECK(seen == 101);
	CHECK_STR(h.path[0], "GET /repos/o/r/issues?state=all&labels=a%20b%26c&"
			     "sort=created&direction=desc&per_page=50");
	CHECK_STR(h.path[1], "GET /page2");
	hub_end(&h);
}

static void
nonsense_is_refused(void)
{
	struct hub h;
	int seen = 0;

	hub_begin(&h);
	for (int i = 0; i < 4; i++)
		h.say[i].status = 200;
	h.say[0].text = "{\"number\":7}";
	h.say[1].text = "[{\"number\":\"7\"}]";
	h.say[2].text = "[{\"number\":-7}]";
	h.say[3].text = "[7]";
	for (int i = 0; i < 4; i++) {
		err_clear(&h.err);
		CHECK(github_issue_list(&h.g, "a", "all", count_open, &seen,
					SOON, &h.err) == -1);
		CHECK(h.err.code == ERR_PROTO);
	}
	CHECK(seen == 0);
	hub_end(&h);
}

static void
creates_within_limits(void)
{
	static const char *const labels[] = {"a", "b", NULL};
	struct github_issue_text text = {
		.title = "slow", .body = "very", .label = labels};
	AUTO_FREE char *longest = mem_alloc(GITHUB_ISSUE_BODY_MAX + 2);
	struct github_issue i = {0};
	struct hub h;

	hub_begin(&h);
	memset(longest, 'x', GITHUB_ISSUE_BODY_MAX + 1);
	text.body = longest;
	CHECK(github_issue_create(&h.g, &text, &i, SOON, &h.err) == -1);
	CHECK(h.err.code == ERR_INPUT && h.at == 0);
	text.body = "very";
	text.title = longest;
	err_clear(&h.err);
	CHECK(github_issue_create(&h.g, &text, &i, SOON, &h.err) == -1);
	CHECK(h.err.code == ERR_INPUT && h.at == 0);
	text.title = "slow";
	err_clear(&h.err);
	h.say[0].status = 201;
	h.say[0].text = "{\"number\":318,\"html_url\":\"https://x/318\","
			"\"labels\":[{\"name\":\"A\"}]}";
	REQUIRE(github_issue_create(&h.g, &text, &i, SOON, &h.err) == 0);
	CHECK(i.number == 318 && i.open);
	CHECK_STR(i.url, "https://x/318");
	CHECK(github_issue_has_label(&i, "a"));
	CHECK(!github_issue_has_label(&i, "b"));
	CHECK_STR(h.path[0], "POST /repos/o/r/issues");
	CHECK_STR(h.body[0], "{\"title\":\"slow\",\"body\":\"very\","
			     "\"labels\":[\"a\",\"b\"]}");
	github_issue_done(&i);
	hub_end(&h);
}

static void
refusals_have_their_cure(void)
{
	struct github_issue_text text = {.title = "t"};
	struct github_issue i = {0};
	struct hub h;

	hub_begin(&h);
	h.say[0].status = 403;
	h.say[0].text = "{\"message\":\"Resource not accessible by "
			"integration\"}";
	CHECK(github_issue_create(&h.g, &text, &i, SOON, &h.err) == -1);
	CHECK(h.err.code == ERR_AUTH);
	CHECK_HAS(h.err.msg, "`permissions: issues: write`");
	h.say[1].status = 410;
	err_clear(&h.err);
	CHECK(github_issue_create(&h.g, &text, &i, SOON, &h.err) == -1);
	CHECK(h.err.code == ERR_NOTFOUND);
	CHECK_STR(h.err.reason, "issues_disabled");
	/* An issue that was deleted is something else. */
	h.say[2].status = 410;
	err_clear(&h.err);
	CHECK(github_issue_get(&h.g, 5, &i, SOON, &h.err) == -1);
	CHECK_STR(h.err.reason, "gone");
	CHECK(h.g.permission == NULL);
	hub_end(&h);
}

static void
labels_are_made_once(void)
{
	static const struct github_issue_label label = {
		.name = "to do", .color = "d93f0b", .text = "what is slow"};
	struct hub h;

	hub_begin(&h);
	h.say[0].status = 200;
	CHECK(github_issue_label_ensure(&h.g, &label, SOON, &h.err) == 0);
	CHECK_STR(h.path[0], "GET /repos/o/r/labels/to%20do");
	/* Absent, and another runner is faster. */
	h.say[1].status = 404;
	h.say[2].status = 422;
	h.say[3].status = 200;
	CHECK(github_issue_label_ensure(&h.g, &label, SOON, &h.err) == 0);
	CHECK(h.err.code == ERR_NONE);
	CHECK_STR(h.body[2], "{\"name\":\"to do\",\"color\":\"d93f0b\","
			     "\"description\":\"what is slow\"}");
	/* Refused for another reason. */
	h.say[4].status = 404;
	h.say[5].status = 422;
	h.say[6].status = 404;
	CHECK(github_issue_label_ensure(&h.g, &label, SOON, &h.err) == -1);
	CHECK(h.err.code == ERR_REMOTE);
	hub_end(&h);
}

static void
a_page_is_no_label(void)
{
	struct hub h;

	hub_begin(&h);
	for (int i = 0; i < 2; i++) {
		h.say[i].status = 200;
		h.say[i].text = "<html><title>Sign in</title></html>";
		err_clear(&h.err);
		CHECK((i ? github_issue_label_remove(&h.g, 5, "a", SOON, &h.err)
			 : github_issue_label_add(&h.g, 5, "a", SOON,
						  &h.err)) == -1);
		CHECK_HAS(h.err.msg, "an HTML page");
	}
	hub_end(&h);
}

static void
labels_move(void)
{
	struct hub h;

	hub_begin(&h);
	h.say[0].status = 200;
	CHECK(github_issue_label_add(&h.g, 5, "good", SOON, &h.err) == 0);
	CHECK_STR(h.path[0], "POST /repos/o/r/issues/5/labels");
	CHECK_STR(h.body[0], "{\"labels\":[\"good\"]}");
	/* It was not there: fine. */
	CHECK(github_issue_label_remove(&h.g, 5, "a/b", SOON, &h.err) == 0);
	CHECK_STR(h.path[1], "DELETE /repos/o/r/issues/5/labels/a%2Fb");
	CHECK(h.err.code == ERR_NONE);
	hub_end(&h);
}

static void
no_secret_is_sent(void)
{
	struct github_issue_text text = {.title = "t ghs_00000000000000000000",
					 .body = "b ghs_00000000000000000000"};
	struct github_issue_comment c = {NULL, NULL};
	struct github_issue i = {0};
	struct hub h;

	hub_begin(&h);
	h.say[0].status = h.say[1].status = 201;
	h.say[0].text = "{\"number\":1}";
	REQUIRE(github_issue_create(&h.g, &text, &i, SOON, &h.err) == 0);
	CHECK_STR(h.body[0], "{\"title\":\"t ***\",\"body\":\"b ***\"}");
	REQUIRE(github_issue_comment(&h.g, 1, text.body, &c, SOON, &h.err) ==
		0);
	CHECK_STR(h.body[1], "{\"body\":\"b ***\"}");
	github_issue_comment_done(&c);
	github_issue_done(&i);
	hub_end(&h);
}

CHECK_MAIN(CHECK_CASE("all pages are listed, without pull requests",
		      lists_without_pulls),
	   CHECK_CASE("what is no issue is refused", nonsense_is_refused),
	   CHECK_CASE("an issue is created, within GitHub's limits",
		      creates_within_limits),
	   CHECK_CASE("a refusal names what issues need",
		      refusals_have_their_cure),
	   CHECK_CASE("a label is made unless it is there",
		      labels_are_made_once),
	   CHECK_CASE("a label is moved", labels_move),
	   CHECK_CASE("a page for people is no label that was put on",
		      a_page_is_no_label),
	   CHECK_CASE("no secret is sent", no_secret_is_sent), )
