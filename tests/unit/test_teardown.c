#include "base/teardown.h"

#include "check.h"

static char order[64];

struct thing {
	char name;
	int rc;
	struct err saw; /* of deadline_check within the undo */
	int64_t left_ms;
};

static int
undo(void *arg, struct deadline dl, struct err *err)
{
	struct thing *t = arg;
	size_t len = strlen(order);

	order[len] = t->name;
	order[len + 1] = '\0';
	t->left_ms = deadline_left_ms(dl);
	(void)deadline_check(dl, &t->saw);
	if (t->rc)
		return err_set(err, ERR_REMOTE, "%c would not go", t->name);
	return 0;
}

static char reported[256];

static void
report(void *arg, const char *name, const struct err *err)
{
	(void)arg;
	snprintf(reported + strlen(reported),
		 sizeof(reported) - strlen(reported), "%s=%.60s ", name,
		 err->code ? err->msg : "ok");
}

static void
begin(void)
{
	order[0] = reported[0] = '\0';
}

static void
last_in_first_out(void)
{
	struct thing a = {.name = 'a'}, b = {.name = 'b', .rc = -1},
		     c = {.name = 'c'};
	struct err err = ERR_INIT;
	struct teardown td;

	begin();
	teardown_init(&td, NULL);
	CHECK(teardown_push(&td, "phone", undo, &a, 4000, &err) == 0);
	CHECK(teardown_push(&td, "app", undo, &b, 2000, &err) == 0);
	CHECK(teardown_push(&td, "log", undo, &c, 2000, &err) == 0);
	CHECK(teardown_run(&td, report, NULL) == 1);
	CHECK_STR(order, "cba");
	CHECK_STR(reported, "log=ok app=b would not go phone=ok ");
	CHECK(a.left_ms > 2000 && a.left_ms <= 4000);
	CHECK(c.left_ms > 0 && c.left_ms <= 2000);
	CHECK(teardown_run(&td, report, NULL) == 0);
	CHECK_STR(order, "cba");
}

static void
budget_is_a_promise(void)
{
	struct thing a = {.name = 'a'};
	struct err err = ERR_INIT;
	struct teardown td;

	begin();
	teardown_init(&td, NULL);
	CHECK(teardown_push(&td, "x", undo, &a, TEARDOWN_TOTAL_MS + 1, &err) ==
		      -1 &&
	      err.code == ERR_USAGE);
	CHECK(teardown_push(&td, "phone", undo, &a, 5000, &err) == 0);
	CHECK(teardown_push(&td, "app", undo, &a, 3001, &err) == -1);
	CHECK_STR(err.msg, "'app': 3001 ms to undo it do not fit: 5000 of "
			   "8000 ms are taken");
	CHECK(td.count == 1);
	CHECK(teardown_push(&td, "app", undo, &a, 3000, &err) == 0);
	/* What is undone gives its time back. */
	CHECK(teardown_now(&td, "phone", &a, &err) == 0);
	CHECK(teardown_push(&td, "log", undo, &a, 5000, &err) == 0);
	teardown_forget(&td, "log", &a);
	CHECK(teardown_push(&td, "log", undo, &a, 5000, &err) == 0);
	CHECK(teardown_run(&td, NULL, NULL) == 0);
}

static void
count_is_bounded(void)
{
	struct thing many[TEARDOWN_MAX];
	struct err err = ERR_INIT;
	struct teardown td;

	begin();
	teardown_init(&td, NULL);
	for (int i = 0; i < TEARDOWN_MAX; i++) {
		many[i] = (struct thing){.name = 'a'};
		CHECK(teardown_push(&td, "x", undo, &many[i], 1, &err) == 0);
	}
	CHECK(teardown_push(&td, "y", undo, &many[0], 1, &err) == -1 &&
	      err.code == ERR_USAGE);
	(void)teardown_run(&td, NULL, NULL);
	CHECK(strlen(order) == TEARDOWN_MAX);
}

static void
one_that_is_there_is_not_pushed_again(void)
{
	struct thing a = {.name = 'a'};
	struct err err = ERR_INIT;
	struct teardown td;

	begin();
	teardown_init(&td, NULL);
	CHECK(teardown_push(&td, "app", undo, &a, 5000, &err) == 0);
	CHECK(teardown_push(&td, "app", undo, &a, 5000, &err) == 0);
	CHECK(td.count == 1 && td.total_ms == 5000);
	(void)teardown_run(&td, NULL, NULL);
	CHECK(strcmp(order, "a") == 0);
}

static void
now_and_forget_pick_theirs(void)
{
	struct thing a = {.name = 'a'}, b = {.name = 'b', .rc = -1},
		     c = {.name = 'c'};
	struct err err = ERR_INIT;
	struct teardown td;

	begin();
	teardown_init(&td, NULL);
	(void)teardown_push(&td, "file", undo, &a, 100, &err);
	(void)teardown_push(&td, "file", undo, &b, 100, &err);
	(void)teardown_push(&td, "log", undo, &c, 100, &err);
	CHECK(teardown_now(&td, "file", &b, &err) == -1);
	CHECK_STR(err.msg, "b would not go");
	CHECK(teardown_now(&td, "file", &b, &err) == 0); /* once only */
	CHECK(teardown_now(&td, "never", &a, &err) == 0);
	CHECK(teardown_now(&td, "log", &a, &err) == 0); /* of another */
	CHECK_STR(order, "b");
	teardown_forget(&td, "log", &c);
	CHECK(teardown_run(&td, NULL, NULL) == 0);
	CHECK_STR(order, "ba");
}

static void
deaf_to_the_first_signal(void)
{
	struct thing a = {.name = 'a'}, b = {.name = 'b'};
	struct err err = ERR_INIT;
	struct teardown td;
	struct cancel c;

	begin();
	REQUIRE(deadline_cancel_init(&c, &err) == 0);
	teardown_init(&td, &c);
	(void)teardown_push(&td, "a", undo, &a, 4000, &err);
	(void)teardown_push(&td, "b", undo, &b, 4000, &err);
	deadline_cancel_raise(&c, 1);
	CHECK(teardown_now(&td, "b", &b, &err) == 0);
	CHECK(b.saw.code == ERR_NONE);
	deadline_cancel_raise(&c, 2);
	(void)teardown_run(&td, NULL, NULL);
	CHECK(a.saw.code == ERR_CANCELLED);
	deadline_cancel_done(&c);
}

CHECK_MAIN(CHECK_CASE("undone last in first out, a failure stops nothing",
		      last_in_first_out),
	   CHECK_CASE("budgets over eight seconds are refused when pushed",
		      budget_is_a_promise),
	   CHECK_CASE("no more steps than there is room", count_is_bounded),
	   CHECK_CASE("a step that is there already is not pushed twice",
		      one_that_is_there_is_not_pushed_again),
	   CHECK_CASE("one step can be undone or forgotten by name and thing",
		      now_and_forget_pick_theirs),
	   CHECK_CASE("an undo is deaf to the first signal, not to the second",
		      deaf_to_the_first_signal), )
