#include "stf/stf_lease.h"
#include "tests/unit/check.h"
#include "tests/unit/fake_http.h"

/* 12 zero bytes and their MD5: enough of a key for the farm and for us. */
#define KEY	  "AAAAAAAAAAAAAAAA me@host"
#define KEY_PRINT "8d:d6:bb:73:29:a7:14:49:b0:a1:b2:92:b5:99:91:64"

/* A farm of one phone, and what goes wrong with it. */
struct farm {
	struct fake_http http;
	char owner[64];		/* "" nobody */
	char print[64];		/* the account's key, "" none */
	const char *next_owner; /* appears `mine_after` polls later */
	int mine_after;
	int fail_status, fail_count; /* the next reserve or release */
	bool forbidden;		     /* GET /user is 403 */
	int lost;		     /* so many reserves are held, unanswered */
	int no_url;		     /* remoteConnect without URL */
	int connect_status;
	bool ignore_key, admin, stale, html, thief;
	bool keep_owner; /* a release that does nothing */
	bool late;	 /* says yes before the owner can be read */
	bool mute;	 /* no answer to who has it, while a yes is fresh */
	const char *since;
	int usage_after; /* so many reads show a former use */
};

static void
answer_device(struct farm *f, struct fake_reply *r, const char *open,
	      const char *close)
{
	char owner[128] = "null";
	char use[128] = "";

	if (f->next_owner && f->mine_after-- <= 0) {
		snprintf(f->owner, sizeof(f->owner), "%s", f->next_owner);
		f->next_owner = NULL;
	}
	if (*f->owner)
		snprintf(owner, sizeof(owner),
			 "{\"email\":\"%s\",\"name\":\"N\"}", f->owner);
	if (f->since && *f->owner && f->usage_after-- > 0)
		snprintf(use, sizeof(use),
			 ",\"usage\":null,\"usageChangedAt\":\"before\"");
	else if (f->since)
		snprintf(use, sizeof(use),
			 ",\"usage\":\"automation\",\"usageChangedAt\":\"%s\"",
			 f->since);
	fake_text(r, 200,
		  "{\"success\":true,%s{\"serial\":\"a:1\",\"present\":true,"
		  "\"ready\":true,\"status\":3,\"model\":\"Pixel 6\","
		  "\"using\":%s,\"owner\":%s%s}%s}",
		  open, *f->owner ? "true" : "false", owner, use, close);
}

static void
reserve(struct farm *f, struct fake_reply *r)
{
	if (f->lost > 0) {
		f->lost--;
		r->status = -1;
		snprintf(f->owner, sizeof(f->owner), "me@x");
	} else if (f->fail_count > 0) {
		f->fail_count--;
		fake_text(r, f->fail_status,
			  "{\"success\":false,\"description\":\"no\"}");
	} else if (*f->owner) {
		fake_text(r, 403,
			  "{\"success\":false,\"description\":"
			  "\"Device is being used or not available\"}");
	} else if (f->late) {
		f->next_owner = "me@x";
		f->mine_after = 2;
		fake_text(r, 200, "{\"success\":true}");
	} else {
		snprintf(f->owner, sizeof(f->owner), "%s",
			 f->thief ? "thief@x" : "me@x");
		fake_text(r, 200, "{\"success\":true}");
	}
}

static void
release(struct farm *f, struct fake_reply *r)
{
	if (f->fail_count > 0) {
		f->fail_count--;
		if (!f->keep_owner)
			f->owner[0] = '\0';
		fake_text(r, f->fail_status, "{\"success\":false}");
		return;
	}
	f->owner[0] = '\0';
	fake_text(r, 200, "{\"success\":true}");
}

static void
remote(struct farm *f, struct fake_reply *r)
{
	if (f->connect_status)
		fake_text(r, f->connect_status,
			  "{\"success\":false,\"description\":\"x\"}");
	else if (f->no_url-- > 0)
		fake_text(r, 200,
			  "{\"success\":true,\"remoteConnectUrl\":\"\"}");
	else
		fake_text(r, 200,
			  "{\"success\":true,\"remoteConnectUrl\":"
			  "\"127.0.0.1:7401\"}");
}

static void
user(struct farm *f, struct fake_reply *r)
{
	if (f->forbidden) {
		fake_text(r, 403, "{\"success\":false,\"description\":\"no\"}");
		return;
	}
	fake_text(r, 200,
		  "{\"success\":true,\"user\":{\"email\":\"me@x\",\"name\":"
		  "\"Me\",\"privilege\":\"%s\"%s%s%s}}",
		  f->admin ? "admin" : "user",
		  *f->print ? ",\"adbKeys\":[{\"title\":\"t\","
			      "\"fingerprint\":\""
			    : "",
		  f->print, *f->print ? "\"}]" : "");
}

static void
handle(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	struct farm *f = arg;
	const char *p = q->path;

	if (f->html) {
		r->status = 200;
		r->type = "text/html; charset=utf-8";
		snprintf(r->text, sizeof(r->text), "<html>login</html>");
	} else if (f->stale) {
		fake_text(r, 500,
			  "{\"success\":false,\"description\":"
			  "\"Internal Server Error\"}");
	} else if (strncmp(p, "/stf/api/v1/", 12) != 0) {
		fake_text(r, 404, "Cannot GET");
		r->type = "text/html";
	} else if (!strcasestr(q->head, "authorization: Bearer secret-token")) {
		fake_text(r, 401,
			  "{\"success\":false,\"description\":"
			  "\"Bad Credentials\"}");
	} else if (strcmp(p + 11, "/user") == 0) {
		user(f, r);
	} else if (strcmp(p + 11, "/user/adbPublicKeys") == 0) {
		if (!f->ignore_key)
			stf_key_fingerprint(KEY, f->print,
					    &(struct err)ERR_INIT);
		fake_text(r, 200, "{\"success\":true}");
	} else if (strcmp(p + 11, "/user/devices") == 0) {
		reserve(f, r);
	} else if (strstr(p, "/remoteConnect")) {
		remote(f, r);
	} else if (strncmp(p + 11, "/user/devices/a%3A1", 19) == 0) {
		release(f, r);
	} else if (strncmp(p + 11, "/devices/", 9) == 0 && f->mute) {
		r->status = -1;
	} else if (strncmp(p + 11, "/devices/", 9) == 0) {
		answer_device(f, r, "\"device\":", "");
	} else {
		answer_device(f, r, "\"devices\":[", "]");
	}
}

struct bench {
	struct farm farm;
	struct secret token;
	struct stf stf;
	struct stf_lease lease;
	struct err err;
};

static struct stf_match match_6[] = {{"model", "Pixel 6"}};
static struct stf_want want_6 = {.match = match_6, .match_count = 1};
static struct stf_lease_ask ask_6 = {
	.want = &want_6, .want_count = 1, .idle_ms = 60000};

static void
start(struct bench *b)
{
	char url[128];

	memset(&b->err, 0, sizeof(b->err));
	b->token = (struct secret)SECRET_INIT;
	secret_set(&b->token, "secret-token");
	fake_start(&b->farm.http, handle, &b->farm);
	snprintf(url, sizeof(url), "%s/stf/api/v1/", b->farm.http.url);
	CHECK(stf_init(&b->stf, url, &b->token, &b->err) == 0);
	stf_lease_init(&b->lease, &b->stf);
}

static void
stop(struct bench *b)
{
	stf_lease_done(&b->lease);
	stf_done(&b->stf);
	fake_stop(&b->farm.http);
	secret_done(&b->token);
}

static struct deadline
in(int64_t ms)
{
	return deadline_in(NULL, ms);
}

static void
whole_lease(void)
{
	struct bench b = {.farm.no_url = 2};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(b.lease.ours);
	CHECK_STR(b.lease.serial, "a:1");
	CHECK_STR(b.lease.device.model, "Pixel 6");
	CHECK(stf_lease_key(&b.lease, KEY, "patrol", in(9000), &b.err) == 0);
	CHECK(stf_lease_key(&b.lease, KEY, "patrol", in(9000), &b.err) == 0);
	CHECK(fake_count(&b.farm.http, "POST /stf/api/v1/user/adbP") == 1);
	CHECK(stf_lease_connect(&b.lease, in(9000), &b.err) == 0);
	CHECK_STR(b.lease.endpoint, "127.0.0.1:7401");
	CHECK(stf_lease_keep_due_ms(&b.lease) > 15000);
	CHECK(stf_lease_keep(&b.lease, in(9000), &b.err) == 0);
	CHECK(stf_lease_check(&b.lease, in(9000), &b.err) == 0);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK_STR(b.farm.owner, "");
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK(fake_count(&b.farm.http,
			 "DELETE /stf/api/v1/user/devices/a%3A1 ") == 1);
	CHECK(b.err.code == ERR_NONE);
	stop(&b);
}

static void
taken_after_504(void)
{
	struct bench b = {.farm = {.fail_status = 504,
				   .fail_count = 1,
				   .next_owner = "me@x",
				   .mine_after = 3}};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(b.lease.ours);
	CHECK(fake_count(&b.farm.http, "POST /stf/api/v1/user/devices") == 1);
	stop(&b);
}

static void
anothers_after_504(void)
{
	struct bench b = {.farm = {.fail_status = 504,
				   .fail_count = 1,
				   .next_owner = "you@x",
				   .mine_after = 2}};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_BUSY);
	CHECK_STR(b.err.reason, "device_busy");
	CHECK(!b.lease.asked);
	CHECK(fake_count(&b.farm.http, "POST /stf/api/v1/user/devices") == 1);
	stop(&b);
}

static void
taken_with_a_lost_answer(void)
{
	struct bench b = {.farm.lost = 1};
	struct deadline dl;

	start(&b);
	dl = in(9000);
	/* The call's own limit is long; cut the server's end instead. */
	CHECK(stf_lease_take(&b.lease, &ask_6, deadline_cap(dl, 1500),
			     &b.err) == -1);
	CHECK(b.lease.asked);
	err_clear(&b.err);
	CHECK(stf_lease_undo(&b.lease, in(4000), &b.err) == 0);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

/* The farm, and not the phone: such a day is not skipped. */
static void
silence_is_asked_again(void)
{
	struct bench b = {.farm.admin = false};

	b.farm.fail_status = 502;
	b.farm.fail_count = 1;
	start(&b);
	b.stf.late_ms = 700;
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(b.lease.ours);
	CHECK(fake_count(&b.farm.http, "POST /stf/api/v1/user/devices") == 2);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	b.farm.fail_count = 1000;
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_REMOTE);
	CHECK_HAS(b.err.msg, "reserve device 'a:1'");
	stop(&b);
}

static void
refused_question_is_not_busy(void)
{
	struct bench b = {.farm.forbidden = true};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_AUTH);
	CHECK_STR(b.err.reason, "forbidden");
	stop(&b);
}

static void
tries_again_after_503(void)
{
	struct bench b = {.farm = {.fail_status = 503, .fail_count = 2}};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(fake_count(&b.farm.http, "POST /stf/api/v1/user/devices") == 3);
	stop(&b);
}

static void
owner_is_read_after_200(void)
{
	struct bench b = {.farm.thief = true};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_BUSY && !b.lease.ours);
	err_clear(&b.err);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK(fake_count(&b.farm.http, "DELETE") == 0);
	CHECK_STR(b.farm.owner, "thief@x");
	stop(&b);
}

static void
yes_comes_before_the_owner(void)
{
	struct bench b = {.farm.late = true};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(b.lease.ours && b.lease.since == NULL);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

static void
slow_to_say_is_no_yes(void)
{
	struct bench b = {.farm.mute = true};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_BUSY && b.lease.doubt_count == 1);
	err_clear(&b.err);
	pthread_mutex_lock(&b.farm.http.lock);
	b.farm.mute = false;
	pthread_mutex_unlock(&b.farm.http.lock);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

static void
begun_anew_is_anothers(void)
{
	struct bench b = {.farm = {.since = "T1", .usage_after = 2}};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK_STR(b.lease.since, "T1");
	CHECK(stf_lease_check(&b.lease, in(4000), &b.err) == 0);
	b.farm.since = "T2";
	CHECK(stf_lease_check(&b.lease, in(4000), &b.err) == -1);
	CHECK_STR(b.err.reason, "lease_lost");
	CHECK_HAS(b.err.msg, "another run of me@x");
	err_clear(&b.err);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK(stf_lease_reap(&b.stf, "a:1", "T1", 60000, in(4000), &b.err) ==
	      0);
	CHECK_STR(b.farm.owner, "me@x");
	CHECK(stf_lease_reap(&b.stf, "a:1", "T2", 60000, in(4000), &b.err) ==
	      0);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

static void
admin_never_takes_from_others(void)
{
	struct bench b = {.farm.admin = true};

	start(&b);
	snprintf(b.farm.owner, sizeof(b.farm.owner), "jane@x");
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_BUSY);
	CHECK_STR(b.err.reason, "device_busy");
	err_clear(&b.err);
	CHECK(stf_lease_reap(&b.stf, "a:1", NULL, 60000, in(4000), &b.err) ==
	      0);
	CHECK(fake_count(&b.farm.http, "DELETE") == 0);
	CHECK_STR(b.farm.owner, "jane@x");
	stop(&b);
}

static void
reap_gives_back_what_is_ours(void)
{
	struct bench b = {.farm.admin = false};

	start(&b);
	snprintf(b.farm.owner, sizeof(b.farm.owner), "me@x");
	CHECK(stf_lease_reap(&b.stf, "a:1", NULL, 60000, in(4000), &b.err) ==
	      0);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

static void
reap_waits_for_what_may_come(void)
{
	struct bench b = {.farm = {.next_owner = "me@x", .mine_after = 2}};

	start(&b);
	/* Asked for just now, and not there yet: it comes at the third look. */
	CHECK(stf_lease_reap(&b.stf, "a:1", NULL, 500, in(9000), &b.err) == 0);
	CHECK(fake_count(&b.farm.http, "DELETE") > 0);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

static void
waits_for_a_busy_phone(void)
{
	struct bench b = {.farm = {.next_owner = "", .mine_after = 2}};
	struct stf_lease_ask ask = ask_6;

	start(&b);
	snprintf(b.farm.owner, sizeof(b.farm.owner), "jane@x");
	ask.wait_ms = 5000;
	CHECK(stf_lease_take(&b.lease, &ask, in(9000), &b.err) == 0);
	CHECK(b.lease.ours);
	stop(&b);
}

static int
note_before(void *arg, const struct stf_device *d, struct err *err)
{
	(void)d;
	++*(int *)arg;
	return err_set(err, ERR_IO, "the journal's disk is full");
}

static void
journal_comes_first(void)
{
	struct bench b = {.farm.admin = false};
	struct stf_lease_ask ask = ask_6;
	int called = 0;

	start(&b);
	ask.before = note_before;
	ask.arg = &called;
	CHECK(stf_lease_take(&b.lease, &ask, in(9000), &b.err) == -1);
	CHECK(called == 1 && b.err.code == ERR_IO);
	CHECK(fake_count(&b.farm.http, "POST") == 0);
	stop(&b);
}

static int
not_this_one(void *arg, const struct stf_device *d, struct err *err)
{
	(void)d;
	++*(int *)arg;
	return err_set(err, ERR_BUSY, "somebody here has it");
}

static void
refused_by_us_is_not_asked_for(void)
{
	struct bench b = {.farm.admin = false};
	struct stf_lease_ask ask = ask_6;
	int called = 0;

	start(&b);
	ask.before = not_this_one;
	ask.arg = &called;
	CHECK(stf_lease_take(&b.lease, &ask, in(9000), &b.err) == -1);
	CHECK(called == 1 && b.err.code == ERR_BUSY);
	CHECK_STR(b.err.msg, "somebody here has it");
	CHECK(fake_count(&b.farm.http, "POST") == 0);
	/* It is looked for again as long as the caller waits. */
	ask.wait_ms = 1200;
	CHECK(stf_lease_take(&b.lease, &ask, in(9000), &b.err) == -1);
	CHECK(called > 2 && b.err.code == ERR_BUSY);
	stop(&b);
}

static void
unanswered_is_not_forgotten(void)
{
	struct bench b = {.farm.admin = false};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	/* As a signal leaves it before the farm has said yes. */
	b.lease.ours = false;
	b.farm.owner[0] = '\0';
	CHECK(stf_lease_give_back(&b.lease, in(6000), &b.err) == 0);
	CHECK(b.lease.unsure);
	snprintf(b.farm.owner, sizeof(b.farm.owner), "me@x");
	CHECK(stf_lease_reap(&b.stf, "a:1", NULL, 60000, in(4000), &b.err) ==
	      0);
	CHECK_STR(b.farm.owner, "");
	/* Where it came in time there is no doubt. */
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	b.lease.ours = false;
	CHECK(stf_lease_give_back(&b.lease, in(6000), &b.err) == 0);
	CHECK(!b.lease.unsure);
	CHECK_STR(b.farm.owner, "");
	stop(&b);
}

static int
note_refused(void *arg, const char *serial, struct err *err)
{
	(void)err;
	CHECK_STR(serial, "a:1");
	++*(int *)arg;
	return 0;
}

static void
refused_is_told(void)
{
	struct bench b = {.farm = {.fail_status = 403, .fail_count = 1}};
	struct stf_lease_ask ask = ask_6;
	int called = 0;

	start(&b);
	ask.refused = note_refused;
	ask.arg = &called;
	CHECK(stf_lease_take(&b.lease, &ask, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_BUSY && called == 1);
	stop(&b);
}

static void
key_in_another_account(void)
{
	struct bench b = {.farm.ignore_key = true};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(stf_lease_key(&b.lease, KEY, "patrol", in(2000), &b.err) == -1);
	CHECK(b.err.code == ERR_AUTH);
	CHECK_STR(b.err.reason, "adb_key_elsewhere");
	CHECK_HAS(b.err.msg, "PATROL_ADB_KEY");
	stop(&b);
}

static void
lost_lease_is_told(void)
{
	struct bench b = {.farm.admin = false};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	CHECK(stf_lease_connect(&b.lease, in(9000), &b.err) == 0);
	snprintf(b.farm.owner, sizeof(b.farm.owner), "jane@x");
	b.farm.connect_status = 403;
	CHECK(stf_lease_keep(&b.lease, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_REMOTE);
	CHECK_STR(b.err.reason, "lease_lost");
	CHECK_HAS(b.err.msg, "jane@x");
	err_clear(&b.err);
	b.farm.owner[0] = '\0';
	CHECK(stf_lease_check(&b.lease, in(9000), &b.err) == -1);
	CHECK_STR(b.err.reason, "lease_lost");
	err_clear(&b.err);
	CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
	CHECK(fake_count(&b.farm.http, "DELETE") == 0);
	stop(&b);
}

static void
keep_that_cannot_tell(void)
{
	struct bench b = {.farm.admin = false};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	b.farm.connect_status = 504;
	CHECK(stf_lease_keep(&b.lease, in(9000), &b.err) == -1);
	CHECK(!b.err.reason || strcmp(b.err.reason, "lease_lost") != 0);
	CHECK(stf_lease_keep_due_ms(&b.lease) <= 6000);
	stop(&b);
}

static void
release_is_repeated(void)
{
	static const int status[] = {403, 404, 500, 502, 503, 504};

	for (size_t i = 0; i < sizeof(status) / sizeof(status[0]); i++) {
		struct bench b = {.farm.keep_owner = i > 1};

		start(&b);
		CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
		b.farm.fail_status = status[i];
		b.farm.fail_count = 1;
		CHECK(stf_lease_give_back(&b.lease, in(4000), &b.err) == 0);
		CHECK_STR(b.farm.owner, "");
		CHECK(fake_count(&b.farm.http, "DELETE") == (i > 1 ? 2 : 1));
		stop(&b);
	}
}

static void
release_that_never_works(void)
{
	struct bench b = {.farm.keep_owner = true};

	start(&b);
	CHECK(stf_lease_take(&b.lease, &ask_6, in(9000), &b.err) == 0);
	b.farm.fail_status = 500;
	b.farm.fail_count = 1000;
	CHECK(stf_lease_give_back(&b.lease, in(1500), &b.err) == -1);
	CHECK_HAS(b.err.msg, "release device 'a:1'");
	CHECK(b.lease.asked);
	stop(&b);
}

static void
tokens_and_pages(void)
{
	struct bench b = {.farm.stale = true};
	struct stf_user u;

	start(&b);
	CHECK(stf_user(&b.stf, &u, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_AUTH);
	CHECK_STR(b.err.reason, "stale_token");
	CHECK_HAS(b.err.msg, "STF_TOKEN");
	err_clear(&b.err);
	b.farm.stale = false;
	b.farm.html = true;
	CHECK(stf_user(&b.stf, &u, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_AUTH);
	CHECK_STR(b.err.reason, "login_page");
	err_clear(&b.err);
	b.farm.html = false;
	secret_set(&b.token, "another-token");
	CHECK(stf_user(&b.stf, &u, in(9000), &b.err) == -1);
	CHECK(b.err.code == ERR_AUTH);
	CHECK_STR(b.err.reason, "bad_token");
	CHECK_HAS(b.err.msg, "Bad Credentials");
	CHECK(!strstr(b.err.msg, "another-token"));
	stop(&b);
}

static void
urls(void)
{
	static const struct {
		const char *url, *api;
	} cases[] = {
		{"http://h", "http://h/api/v1"},
		{"http://h///", "http://h/api/v1"},
		{"https://h:8/x/api/v1/", "https://h:8/x/api/v1"},
		{"stf.example.com", NULL},
		{"ftp://h", NULL},
		{"", NULL},
		{"http://h/?a=b", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		struct stf s;

		if (stf_init(&s, cases[i].url, NULL, &err)) {
			CHECK(cases[i].api == NULL);
			CHECK(err.code == ERR_INPUT);
			continue;
		}
		CHECK_STR(s.api, cases[i].api);
		stf_done(&s);
	}
}

static void
fingerprints(void)
{
	static const char *const bad[] = {"", "abc", "-----BEGIN KEY-----",
					  "????????????????", "a b"};
	struct err err = ERR_INIT;
	char print[48];

	CHECK(stf_key_fingerprint(" " KEY "\n", print, &err) == 0);
	CHECK_HAS(print, KEY_PRINT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(stf_key_fingerprint(bad[i], print, &err) == -1);
		CHECK(err.code == ERR_INPUT);
	}
}

CHECK_MAIN(
	CHECK_CASE("a lease from taking to giving back", whole_lease),
	CHECK_CASE("a phone that comes after a 504 is ours", taken_after_504),
	CHECK_CASE("a phone that another has after a 504 is busy",
		   anothers_after_504),
	CHECK_CASE("a reservation without an answer is given back",
		   taken_with_a_lost_answer),
	CHECK_CASE("a reservation without an answer is asked for again",
		   silence_is_asked_again),
	CHECK_CASE("a question that is refused finds no phone busy",
		   refused_question_is_not_busy),
	CHECK_CASE("a farm too busy is asked again", tries_again_after_503),
	CHECK_CASE("the owner is read after a yes", owner_is_read_after_200),
	CHECK_CASE("a yes may come before the owner can be read",
		   yes_comes_before_the_owner),
	CHECK_CASE("a farm too slow to say who has it is no farm that failed",
		   slow_to_say_is_no_yes),
	CHECK_CASE("a reservation begun anew is another run's",
		   begun_anew_is_anothers),
	CHECK_CASE("an admin's token never takes from others",
		   admin_never_takes_from_others),
	CHECK_CASE("a phone that the caller refuses is not asked for",
		   refused_by_us_is_not_asked_for),
	CHECK_CASE("reap gives back what is ours",
		   reap_gives_back_what_is_ours),
	CHECK_CASE("reap waits for a reservation that may come yet",
		   reap_waits_for_what_may_come),
	CHECK_CASE("a busy phone is waited for", waits_for_a_busy_phone),
	CHECK_CASE("the journal knows before the farm", journal_comes_first),
	CHECK_CASE("a reservation that was cut off is not forgotten",
		   unanswered_is_not_forgotten),
	CHECK_CASE("the journal forgets what the farm refused",
		   refused_is_told),
	CHECK_CASE("a key that landed in another account is told",
		   key_in_another_account),
	CHECK_CASE("a lost lease is told with its new holder",
		   lost_lease_is_told),
	CHECK_CASE("a keep without an answer is no lost lease",
		   keep_that_cannot_tell),
	CHECK_CASE("a refused release is looked at and repeated",
		   release_is_repeated),
	CHECK_CASE("a release that never works is an error",
		   release_that_never_works),
	CHECK_CASE("stale and bad tokens and login pages are told apart",
		   tokens_and_pages),
	CHECK_CASE("the URL with and without the API's path", urls),
	CHECK_CASE("fingerprints are the farm's", fingerprints), )
