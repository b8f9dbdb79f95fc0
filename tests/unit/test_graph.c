#include "plan/graph.h"

#include "base/mem.h"
#include "check.h"
#include "transport/proc.h"

static const char text[] =
	"patrol: 1\n"
	"screens:\n"
	"  home: {is: {nav: A}}\n"
	"  'q\"<&>; #\\\\': {is: {nav: B}, back: {key: BACK, to: home}}\n"
	"  \"esc\\e[2J\": {is: {nav: C}}\n"
	"transitions:\n"
	"  - {from: home, to: 'q\"<&>; #\\\\', tap: '//A\"B'}\n"
	"  - {from: \"*\", to: \"esc\\e[2J\", js: \"f(1)\", cost: 5}\n"
	"  - {from: home, to: home, tap: x, disabled: true}\n"
	"route: {start: home, visit: [home, 'q\"<&>; #\\\\', home]}\n";

static struct plan *plan;
static struct route route;

static void
setup(void)
{
	struct yaml_complaints c;
	struct err err = ERR_INIT;

	plan = NULL;
	if (plan_load_text("g.yaml", text, strlen(text), &plan, &c, &err))
		printf("# %s\n", err.msg);
	yaml_complaints_done(&c);
	if (plan && route_compute(plan, &route, &err))
		printf("# %s\n", err.msg);
}

static void
teardown(void)
{
	route_done(&route);
	plan_free(plan);
}

static void
dot_quotes_names(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	setup();
	REQUIRE(plan);
	graph_dot(plan, &route, &b);
	CHECK_HAS(b.data, "s1 [label=\"q\\\"<&>; #\\\\\\\\\"");
	CHECK_HAS(b.data, "any -> s2 [label=\"js f(1)\"");
	CHECK_HAS(b.data, "s0 -> s1 [label=\"tap //A\\\"B\", color=");
	CHECK_HAS(b.data, "s0 -> s0 [label=\"tap x\", style=dotted");
	CHECK_HAS(b.data, "penwidth=2, style=dashed");
	teardown();
}

static void
mermaid_quotes_names(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	setup();
	REQUIRE(plan);
	graph_mermaid(plan, &route, &b);
	CHECK_HAS(b.data, "s1[\"q#34;#60;#38;#62;#59; #35;\\\\\"]:::visited");
	CHECK_HAS(b.data, "s0 ==>|\"tap //A#34;B\"| s1");
	CHECK_HAS(b.data, "s0 -.->|\"tap x\"| s0");
	teardown();
}

static void
text_is_safe_to_print(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	setup();
	REQUIRE(plan);
	graph_text(plan, &route, &b);
	CHECK(!strchr(b.data, '\x1b'));
	CHECK_HAS(b.data, "from any screen\n  - esc\\x1b[2J  js f(1)  (cost 5)"
			  "\nhome  (visited)\n  * q\"");
	teardown();
}

static void
graphviz_draws_it(void)
{
	AUTO_FREE char *dot = proc_find("dot");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	setup();
	REQUIRE(plan);
	rc = graph_svg(plan, &route, &b, deadline_in(NULL, 60000), &err);
	if (dot) {
		CHECK_STR(err.msg, "");
		CHECK_HAS(b.data, "</svg>");
	} else {
		CHECK(rc == -1 && err.code == ERR_NOTFOUND);
		CHECK_HAS(err.msg, "install graphviz");
	}
	teardown();
}

CHECK_MAIN(CHECK_CASE("dot quotes every name", dot_quotes_names),
	   CHECK_CASE("mermaid quotes every name", mermaid_quotes_names),
	   CHECK_CASE("text is safe to print", text_is_safe_to_print),
	   CHECK_CASE("graphviz draws it, or its absence is told",
		      graphviz_draws_it), )
