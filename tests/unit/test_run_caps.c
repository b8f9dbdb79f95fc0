#include "check.h"
#include "pcp_fake.h"
#include "run/run_stage.h"

#define PLAN                                                         \
	"patrol: 1\n"                                                \
	"screens:\n"                                                 \
	"  a: {is: {nav: A}}\n"                                      \
	"  b: {is: {object: //B}}\n"                                 \
	"transitions:\n"                                             \
	"  - {from: a, to: b, do: [{js: 'go()'}, {action: skip}]}\n" \
	"route: {start: a, visit: [a, b]}\n"

static struct err err;

/* Check the plan against a server of these capabilities. */
static int
check(const char *caps)
{
	AUTO_FREE char *hello = mem_fmt("{\"version\":1,%s}", caps);
	struct pcp_fake f = {.hello = hello};
	struct control_spec spec = {.dial = pcp_dial, .arg = &f};
	struct yaml_complaints complaints;
	struct control *c = NULL;
	struct plan *plan = NULL;
	int rc = -2;

	err_clear(&err);
	if (plan_load_text("p.yaml", PLAN, strlen(PLAN), &plan, &complaints,
			   &err))
		printf("# %s\n", err.msg);
	yaml_complaints_done(&complaints);
	pcp_start(&f);
	if (plan && control_open(&c, &spec, pcp_dl(), &err) == 0)
		rc = run_caps_check(plan, c, &err);
	control_close(c);
	pcp_stop(&f);
	plan_free(plan);
	return rc;
}

static void
enough_is_enough(void)
{
	CHECK(check("\"capabilities\":[\"ui\",\"nav:x\",\"wait\",\"script\"],"
		    "\"actions\":[\"win\",\"skip\"]") == 0);
}

static void
each_lack_has_its_place(void)
{
	CHECK(check("\"capabilities\":[\"wait\",\"nav\"],\"actions\":[]") ==
	      -1);
	CHECK(err.code == ERR_INPUT && err_is(&err, "capability_missing"));
	CHECK_HAS(err.msg, "p.yaml:4:");
	CHECK_HAS(err.msg, "object wants 'ui'");
	CHECK_HAS(err.msg, "p.yaml:6:");
	CHECK_HAS(err.msg, "js wants 'script'");
	CHECK_HAS(err.msg, "has registered no action 'skip'");
	CHECK(!strstr(err.msg, "'nav'") && !strstr(err.msg, "'wait'"));
}

static void
nothing_lacks_all(void)
{
	CHECK(check("\"capabilities\":null") == -1);
	CHECK_HAS(err.msg, "the walk wants 'wait'");
	CHECK_HAS(err.msg, "nav wants 'nav'");
}

CHECK_MAIN(CHECK_CASE("a server that has all is enough", enough_is_enough),
	   CHECK_CASE("each thing that is missing is named with its place",
		      each_lack_has_its_place),
	   CHECK_CASE("a server that tells nothing has nothing",
		      nothing_lacks_all), )
