#include "plan/plan.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "check.h"

#define HEAD                                                \
	"patrol: 1\n"                                       \
	"screens: {a: {is: {nav: A}}, b: {is: {nav: B}}}\n" \
	"transitions: [{from: a, to: b, tap: //B}]\n"       \
	"route: {start: a, visit: [a, b]}\n"

static struct yaml_complaints c;
static struct buf said;

static struct plan *
load(const char *text)
{
	struct err err = ERR_INIT;
	struct plan *plan = NULL;

	if (plan_load_text("p.yaml", text, strlen(text), &plan, &c, &err)) {
		CHECK(err.code == ERR_INPUT);
		CHECK_STR(err.reason, "bad_plan");
	}
	buf_done(&said);
	buf_init(&said, 1 << 20);
	yaml_complaints_text(&c, &said);
	yaml_complaints_done(&c);
	return plan;
}

static struct plan *
good(const char *text)
{
	struct plan *plan = load(text);

	CHECK_STR(said.data, "");
	return plan;
}

static void
bad(const char *text, const char *words)
{
	struct plan *plan = load(text);

	CHECK(plan == NULL);
	CHECK_HAS(said.data, words);
	plan_free(plan);
}

static void
defaults_are_filled_in(void)
{
	struct plan *p = good(HEAD);

	REQUIRE(p);
	CHECK_STR(p->artifact.apk, "*.apk");
	CHECK(p->device.when_busy == PLAN_BUSY_SKIP);
	CHECK(p->device.reserve_ms == 600000);
	CHECK_STR(p->connect.protocol, "auto");
	CHECK(p->connect.port == 17320 && p->connect.timeout_ms == 60000);
	CHECK(p->limits.deadline_ms == 3000000);
	CHECK(p->limits.stop_margin_ms == 300000);
	CHECK(p->limits.max_restarts == 2);
	CHECK(p->limits.confirm == 0);
	CHECK(p->limits.max_transition_failures == 2);
	CHECK(p->limits.unreachable == PLAN_UNREACHABLE_SKIP);
	CHECK(p->fail_on == (PLAN_FAIL_CRASH | PLAN_FAIL_NOT_MEASURED));
	CHECK(p->defaults.click == PLAN_CLICK_RAYCAST);
	CHECK(p->screen[1].hold_ms == 10000);
	CHECK(p->screen[1].settle.nav_idle);
	CHECK(p->screen[1].settle.stable_ms == 500);
	CHECK(p->screen[1].settle.stable_frames == 10);
	CHECK(p->screen[1].settle.timeout_ms == 30000);
	CHECK(p->screen[1].evidence.screenshot == PLAN_ALWAYS);
	CHECK(p->screen[1].evidence.hierarchy == PLAN_ON_FAILURE);
	CHECK(p->screen[1].snapshot == PLAN_FIRST_VISIT);
	CHECK(p->transition[0].timeout_ms == 20000);
	CHECK(p->transition[0].retries == 1 && p->transition[0].cost == 1);
	CHECK(p->measure.profiler.frame_time_ms == 300);
	CHECK(p->measure.profiler.gc_alloc_bytes == 2000000);
	CHECK(strlen(p->sha256) == 64);
	CHECK(!p->measure.profiler.used && !p->measure.snapshot.used);
	plan_free(p);
}

static void
examples_of_this_repository_are_good(void)
{
	static const char *const files[] = {"plans/starfall.yaml",
					    "plans/minimal.yaml"};

	for (size_t i = 0; i < 2; i++) {
		struct err err = ERR_INIT;
		struct plan *p = NULL;

		CHECK(plan_load(files[i], &p, &c, &err) == 0);
		CHECK_STR(err.msg, "");
		if (p)
			CHECK(p->warnings.count == 0);
		plan_free(p);
		yaml_complaints_done(&c);
	}
}

static void
norway_stays_a_country(void)
{
	struct plan *p =
		good("patrol: 1\n"
		     "screens: {NO: {is: {nav: NO}}, yes: {is: {nav: on}},\n"
		     "  On: {is: {nav: 1.10}}, off: {is: {text: y}},\n"
		     "  y: {is: {nav: ~}}, ~: {is: {nav: null}},\n"
		     "  null: {is: {nav: Null}}, Null: {is: {nav: 007}}}\n"
		     "transitions:\n"
		     "  - {from: NO, to: yes, tap: on}\n"
		     "  - {from: [NO, yes], to: On, tap: off}\n"
		     "  - {from: \"*\", to: off, key: BACK}\n"
		     "  - {from: off, to: y, key: BACK}\n"
		     "  - {from: y, to: ~, key: BACK}\n"
		     "  - {from: ~, to: null, key: BACK}\n"
		     "  - {from: null, to: Null, key: BACK}\n"
		     "route: {start: NO, visit: [NO, yes, On, off, y, ~, null,"
		     " Null]}\n");

	REQUIRE(p);
	CHECK(p->screen_count == 8);
	CHECK_STR(p->screen[0].name, "NO");
	CHECK_STR(p->screen[5].name, "~");
	CHECK_STR(p->screen[2].is->value, "1.10");
	CHECK_STR(p->screen[7].is->value, "007");
	plan_free(p);
	bad(HEAD "defaults: {settle: {nav_idle: yes}}\n",
	    "p.yaml:5:31: nav_idle must be true or false, not 'yes'");
	bad(HEAD "defaults: {settle: {nav_idle: \"true\"}}\n",
	    "not 'true' in quotes");
	bad(HEAD "on: 1\n", "p.yaml:5:1: unknown key 'on' in the plan");
}

static void
values_are_strict(void)
{
	bad(HEAD "defaults: {timeout: 20}\n", "p.yaml:5:21: timeout: ");
	bad(HEAD "defaults: {timeout: 20 s}\n", "p.yaml:5:21: timeout: ");
	bad(HEAD "defaults: {timeout: -1s}\n", "timeout");
	bad(HEAD "defaults: {timeout: 200h}\n", "must be from 1ms to 168h");
	bad(HEAD "defaults: {retries: 01}\n", "no leading zeros");
	bad(HEAD "defaults: {retries: 0x1}\n", "whole number");
	bad(HEAD "defaults: {retries: 1e3}\n", "whole number");
	bad(HEAD "defaults: {retries: \"1\"}\n", "no quotes");
	bad(HEAD "defaults: {retries: 99999999999999999999}\n",
	    "must be from 0 to 1000");
	/* A player's id would become another's. */
	bad(HEAD "setup: {call: {type: T, method: M, args: "
		 "[1234567890123456]}}\n",
	    "p.yaml:5:43: the number 1234567890123456 is too large to be kept "
	    "exactly: put it in quotes, as text");
	bad(HEAD "setup: {call: {type: T, method: M, args: [1e999]}}\n",
	    "the number 1e999 is too large");
	bad(HEAD "connect: {port: 70000}\n", "must be from 1 to 65535");
	bad(HEAD "measure: {profiler: {use: unity.profiler, gc_alloc: 2}}\n",
	    "gc_alloc: ");
	bad(HEAD "limits: {unreachable: ignore}\n",
	    "unreachable must be skip or fail, not 'ignore'");
	bad(HEAD "limits: {confirm: 6}\n",
	    "p.yaml:5:19: confirm must be from 0 to 5");
	bad(HEAD "limits: {confirm: true}\n", "confirm");
	bad(HEAD "fail_on: [crash, unreachd]\n",
	    "p.yaml:5:18: fail_on must be crash, not_measured, unreached, "
	    "regression or timed_out, not 'unreachd'");
	bad(HEAD "limits: {deadline: 5m}\n", "leaves nothing of the deadline");
	bad(HEAD "app: [x]\n", "p.yaml:5:6: app must be a map, not a list");
	bad(HEAD "meta: {title: }\n", "title is empty");
}

static void
unknown_keys_name_the_nearest(void)
{
	bad(HEAD "tranistions: []\n",
	    "p.yaml:5:1: unknown key 'tranistions' in the plan; did you mean "
	    "'transitions'?");
	bad("patrol: 1\n"
	    "screens: {a: {is: {nav: A}, hld: 3s}}\n"
	    "route: {start: a, visit: [a]}\n",
	    "p.yaml:2:29: unknown key 'hld' in a; did you mean 'hold'?");
	bad("patrol: 1\n"
	    "screens: {a: {is: {nav: A}}, b: {is: {nva: B}}}\n"
	    "transitions: [{from: a, to: b, tap: x, timout: 3s}]\n"
	    "route: {start: a, visit: [a]}\n",
	    "did you mean 'timeout'?");
	CHECK_HAS(said.data, "p.yaml:2:39: unknown key 'nva'");
	CHECK_HAS(said.data, "did you mean 'nav'?");
	bad("patrol: 1\n"
	    "screens: {home: {is: {nav: A}}}\n"
	    "route: {start: hoem, visit: [home]}\n",
	    "p.yaml:3:16: start: there is no screen 'hoem'; did you mean "
	    "'home'?");
}

static void
all_faults_at_once_by_place(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, "route: {start: x, visit: [y]}\nscreens: 3\n");
	for (int i = 0; i < 30; i++)
		buf_fmt(&b, "wrong%d: 1\n", i);
	bad(b.data, "p.yaml:1:1: 'patrol: 1' is missing");
	CHECK_HAS(said.data, "p.yaml:1:16: start: there is no screen 'x'\n"
			     "p.yaml:1:27: visit: there is no screen 'y'\n"
			     "p.yaml:2:10: screens must be a map, not '3'\n"
			     "p.yaml:3:1: ");
	CHECK_HAS(said.data, "and 14 more");
}

static void
top_level_is_a_map(void)
{
	bad("- a\n", "p.yaml:1:1: a plan must be a map, not a list");
	bad("text\n", "a plan must be a map");
	bad("patrol: 2\n", "reads plans of version 1, not 2");
	bad("", "the file is empty");
}

static void
actions_hold_one_thing(void)
{
	bad(HEAD "setup: [{tap: x, js: y}]\n",
	    "p.yaml:5:18: 'tap' and 'js' in one step");
	bad(HEAD "setup: [{timeout: 3s}]\n", "no action here: one of tap");
	bad(HEAD "setup: [{tpa: x}]\n", "did you mean 'tap'?");
	bad(HEAD "setup: [{key: back}]\n", "as BACK, HOME or ENTER");
	bad(HEAD "setup: [{android: kill}]\n",
	    "android must be allow, deny, wait or close");
	bad(HEAD "setup: [{call: {method: X}}]\n", "needs 'type' and 'method'");
	bad(HEAD "setup: [{swipe: {from: [0, 2], to: [0, 1]}}]\n",
	    "a number from 0 to 1, not '2'");
	bad(HEAD "setup: [{procedure: nothing}]\n",
	    "there is no procedure 'nothing'");
	bad(HEAD "setup: [{pull: {from: x, to: ../y}}]\n", "without '..'");
	bad(HEAD "setup: [{js: \"f('{commit}')\"}]\n",
	    "p.yaml:5:18: '{commit}' stands inside a string of JavaScript");
	bad(HEAD "setup: [{tap: \"//{scren}\"}]\n",
	    "p.yaml:5:18: '{scren}' is no name that patrol replaces; did you "
	    "mean '{screen}'?");
	bad(HEAD "setup: [{js: {file: /nowhere/x.js}}]\n", "/nowhere/x.js");
}

static void
actions_are_resolved(void)
{
	struct plan *p = good(
		HEAD
		"setup:\n"
		"  - {tap: \"//A/B\", timeout: 3s}\n"
		"  - {tap: {text: OK, index: 2}}\n"
		"  - {long_press: {target: Icon, for: 2s}}\n"
		"  - {text: {target: //Name, value: \"{var.NAME}\", submit: "
		"true}}\n"
		"  - {swipe: {from: [0.5, 0.8], to: [0.5, 0.2], for: 1s}}\n"
		"  - {call: {type: T, method: M, args: [1, \"1\", true, x, "
		"{a: null}, -999999999999999]}, idempotent: true, expect: "
		"{uploaded: true}}\n"
		"  - {wait: {not: {object: //Spinner}}, timeout: 9s}\n"
		"  - {intent: \"game://shop\"}\n"
		"  - {pull: {from: \"{files}/x\", to: x}}\n"
		"  - {procedure: p}\n"
		"procedures: {p: {sleep: 10ms}}\n");
	const struct plan_action *a;
	char *text;

	REQUIRE(p && p->setup.count == 10);
	a = p->setup.item;
	CHECK_STR(a[0].target.by, "path");
	CHECK(a[0].timeout_ms == 3000 && a[1].timeout_ms == 20000);
	CHECK_STR(a[0].path, "setup[0]");
	CHECK(a[0].at.line == 6 && a[0].at.col == 5);
	CHECK_STR(a[1].target.by, "text");
	CHECK(a[1].target.index == 2 && a[0].target.index == -1);
	CHECK_STR(a[2].target.by, "name");
	CHECK(a[2].duration_ms == 2000);
	CHECK_STR(a[3].value, "{var.NAME}");
	CHECK(a[3].submit);
	CHECK(a[4].from[1] > 0.79 && a[4].to[1] < 0.21);
	text = json_text(a[5].args);
	CHECK_STR(text, "[1,\"1\",true,\"x\",{\"a\":null},-999999999999999]");
	free(text);
	CHECK(a[5].idempotent && !a[0].idempotent && a[6].idempotent);
	CHECK(cJSON_IsTrue(cJSON_GetObjectItem(a[5].expect, "uploaded")));
	CHECK(a[6].until && a[6].until->kind == PLAN_PRED_NOT);
	CHECK_STR(a[7].data, "game://shop");
	CHECK_STR(a[8].to_path, "x");
	CHECK(a[9].procedure == 0);
	CHECK_STR(p->procedure[0].actions.item[0].path, "procedures.p");
	text = plan_action_text(&a[6]);
	CHECK_STR(text, "wait for not (object //Spinner)");
	free(text);
	plan_free(p);
}

static void
predicates_become_conditions(void)
{
	struct plan *p = good(
		"patrol: 1\n"
		"screens:\n"
		"  a: {is: {all: [{nav: A}, {any: [{scene: S}, {not: "
		"{text: T}}]}, {object: //X, visible: true, interactable: "
		"false, count: 3}, {js: \"f({screen})\"}]}}\n"
		"route: {start: a, visit: [a]}\n"
		"interrupts:\n"
		"  - {name: x, when: {android_dialog: anr}, do: [{android: "
		"wait}]}\n"
		"  - {name: y, when: {all: [{activity: Y}, {nav: N}]}, do: "
		"{key: BACK}, max: 3, record: r}\n");
	struct plan_vars *none = NULL;
	struct err err = ERR_INIT;
	cJSON *o;
	char *text;

	REQUIRE(p);
	CHECK(plan_pred_where(p->screen[0].is) == PLAN_IN_APP);
	CHECK(plan_pred_where(p->interrupt[0].when) == PLAN_ON_PHONE);
	CHECK(plan_pred_where(p->interrupt[1].when) == PLAN_MIXED);
	CHECK(p->interrupt[0].max == 10 && p->interrupt[1].max == 3);
	CHECK_STR(p->interrupt[1].record, "r");
	CHECK(plan_pred_json(p->screen[0].is, none, &o, &err) == -1);
	CHECK_HAS(err.msg, "'{screen}' is not known here");
	plan_free(p);
	p = good(
		"patrol: 1\n"
		"screens:\n"
		"  a: {is: {all: [{nav: A}, {not: {object: //X, visible: true, "
		"count: 0}}]}}\n"
		"route: {start: a, visit: [a]}\n");
	REQUIRE(p);
	REQUIRE(plan_pred_json(p->screen[0].is, none, &o, &err) == 0);
	text = json_text(o);
	CHECK_STR(text,
		  "{\"all\":[{\"nav\":\"A\"},{\"not\":{\"object\":\"//X\","
		  "\"visible\":true,\"count\":0}}]}");
	free(text);
	cJSON_Delete(o);
	plan_free(p);
	bad(HEAD "interrupts: [{name: x, when: {nav: A, scene: B}, do: []}]\n",
	    "'nav' and 'scene' in one predicate");
	bad(HEAD "interrupts: [{name: x, when: {nav: A, count: 1}, do: []}]\n",
	    "'count' needs 'object' beside it");
	bad(HEAD "interrupts: [{name: x, when: {all: []}, do: []}]\n",
	    "all is empty");
	bad(HEAD "interrupts: [{name: x, when: {}, do: []}]\n",
	    "holds no predicate");
	bad(HEAD "interrupts: [{name: x, when: {android_dialog: toast}}]\n",
	    "must be anr, crash or permission");
}

static void
transitions_are_numbered_in_file_order(void)
{
	struct plan *p =
		good("patrol: 1\n"
		     "transitions:\n"
		     "  - {from: [a, b], to: c, do: [{tap: x}, {key: BACK}], "
		     "timeout: 5s}\n"
		     "  - {from: \"*\", to: b, js: f(), except: [c, a], "
		     "disabled: true}\n"
		     "  - {from: a, to: b, js: f(), timeout: 7s, idempotent: "
		     "true, when: {nav: X}}\n"
		     "screens: {a: {is: {nav: A}}, b: {is: {nav: B}, back: "
		     "{key: BACK, to: a}, timeout: 9s}, c: {is: {nav: C}, "
		     "back: {tap: Z, to: b}}}\n"
		     "route: {start: a, visit: [a, c]}\n");
	const struct plan_transition *t;

	REQUIRE(p && p->transition_count == 6);
	t = p->transition;
	CHECK(t[0].from == 0 && t[1].from == 1 && t[1].to == 2);
	CHECK_STR(t[1].path, "transitions[0]");
	CHECK_STR(t[1].actions.item[1].path, "transitions[0].do[1]");
	CHECK(t[0].timeout_ms == 5000);
	CHECK(t[2].from == PLAN_ANY_SCREEN && t[2].except_count == 2);
	CHECK(t[2].except[0] == 0 && t[2].except[1] == 2);
	CHECK(!plan_leaves(&t[2], 1));
	CHECK(t[3].timeout_ms == 7000);
	CHECK(t[3].actions.item[0].timeout_ms == 7000);
	CHECK(t[3].actions.item[0].idempotent && t[3].when);
	CHECK(t[4].origin == PLAN_FROM_BACK && t[4].from == 1);
	CHECK_STR(t[5].path, "screens.c.back");
	CHECK(t[5].timeout_ms == 9000);
	plan_free(p);
	bad("patrol: 1\n"
	    "screens: {a: {is: {nav: A}}, b: {is: {nav: B}}}\n"
	    "transitions: [{from: a, to: b, do: []}, {from: a, tap: x},\n"
	    "  {to: b, tap: x}, {from: a, to: b, tap: x, do: [{tap: y}]},\n"
	    "  {from: a, to: b, tap: x, except: [a]}]\n"
	    "route: {start: a, visit: [a]}\n",
	    "p.yaml:3:36: 'do' is empty");
	CHECK_HAS(said.data, "transitions[1]: 'to' is missing");
	CHECK_HAS(said.data, "transitions[2]: 'from' is missing");
	CHECK_HAS(said.data, "unknown key 'tap' in a transition with 'do'");
	CHECK_HAS(said.data, "'except' needs from: \"*\"");
}

static void
measures_name_procedures_and_builtins(void)
{
	struct plan *p = good(
		HEAD
		"measure:\n"
		"  profiler: {start: s, stop: e, frame_time: 200ms, gc_alloc: "
		"2MiB, max_output: 1.5GB}\n"
		"  snapshot: {use: unity.snapshot}\n"
		"  graphics_states: {use: unity.graphics_states, pull: "
		"\"{files}/g\"}\n"
		"  metadata: s\n"
		"procedures: {s: [{js: f()}], e: [{procedure: s}]}\n");

	REQUIRE(p);
	CHECK(p->measure.profiler.stop.kind == PLAN_HOOK_PROCEDURE);
	CHECK(p->measure.profiler.stop.procedure == 1);
	CHECK(p->measure.profiler.gc_alloc_bytes == 2 << 20);
	CHECK(p->measure.profiler.max_output_bytes == 1500000000);
	CHECK(p->measure.snapshot.take.kind == PLAN_HOOK_USE);
	CHECK(p->measure.snapshot.take.use == PLAN_UNITY_SNAPSHOT);
	CHECK(p->measure.graphics_states.stop.kind == PLAN_HOOK_USE);
	CHECK_STR(p->measure.graphics_states.pull, "{files}/g");
	CHECK(p->measure.metadata.procedure == 0);
	CHECK(p->measure.nav.kind == PLAN_HOOK_NONE);
	plan_free(p);
	bad(HEAD "measure: {profiler: {start: x}}\n", "profiler needs 'use");
	bad(HEAD "measure: {snapshot: {use: unity.profiler}}\n",
	    "here it is 'unity.snapshot'");
	bad(HEAD "measure: {metadata: x}\n", "there is no procedure 'x'");
	bad(HEAD "procedures: {a: [{procedure: b}], b: [{procedure: a}]}\n",
	    "procedure 'a' calls itself through 'b'");
}

static void
device_says_which_phone(void)
{
	struct plan *p = good(HEAD "device: {match: {model: \"Pixel 6\", sdk: "
				   "\">= 29\"}, when_busy: {wait: 20m}}\n"
				   "farm: {stf: https://f, ssh: {host: b}}\n");

	REQUIRE(p && p->device.match_count == 2);
	CHECK(p->device.match[0].op == PLAN_EQ);
	CHECK_STR(p->device.match[0].value, "Pixel 6");
	CHECK(p->device.match[1].op == PLAN_GE);
	CHECK_STR(p->device.match[1].value, "29");
	CHECK(p->device.when_busy == PLAN_BUSY_WAIT);
	CHECK(p->device.wait_ms == 1200000);
	CHECK(p->farm.ssh.used && p->farm.ssh.port == 22);
	plan_free(p);
	bad(HEAD "device: {match: {sdk: \">=new\"}}\n", "compares numbers");
	p = good(HEAD "device: {match: [{model: A, sdk: '30'}, {model: B}]}\n");
	REQUIRE(p && p->device.match_count == 3 && p->device.candidates == 2);
	CHECK(p->device.match[1].candidate == 0);
	CHECK(p->device.match[2].candidate == 1);
	CHECK_STR(p->device.match[2].value, "B");
	plan_free(p);
	bad(HEAD "device: {match: []}\n", "empty list");
	bad(HEAD "device: {match: [{}]}\n", "fits any phone");
	bad(HEAD "device: {match: [x]}\n", "match must be");
	bad(HEAD "device: {match: {a: b}, serial: x}\n", "keep one");
	bad(HEAD "device: {when_busy: wait}\n", "how long?");
	bad(HEAD "farm: {stf: f.example.com}\n", "must be a URL");
	bad(HEAD "farm: {stf: https://f, ssh: {user: u}}\n", "needs 'host'");
	bad(HEAD "farm: {stf: https://f, ssh: {host: b, key: k, agent: true}}"
		 "\n",
	    "not both");
}

static void
the_whole_is_checked(void)
{
	bad("patrol: 1\n"
	    "screens: {a: {is: {nav: A}}, b: {}, lone: {is: {nav: L}}}\n"
	    "transitions: [{from: a, to: b, tap: x}, {from: a, to: lone, tap: "
	    "x, disabled: true}]\n"
	    "route: {start: a, visit: [a, b]}\n",
	    "p.yaml:2:30: screen 'b' is visited and has no 'is'");
	CHECK_HAS(said.data,
		  "p.yaml:2:37: no way leads from 'a' to screen 'lone'");
}

static void
warnings_do_not_refuse(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct plan *p =
		good("patrol: 1\n"
		     "limits: {deadline: 2m, stop_margin: 1m}\n"
		     "screens: {t: {is: {nav: T}}, h: {is: {nav: H}},\n"
		     "  p: {is: {nav: P}, back: {key: BACK, to: h}},\n"
		     "  end: {is: {nav: H}}, hid: {back: {key: BACK, to: h}}}\n"
		     "transitions:\n"
		     "  - {from: t, to: h, tap: x}\n"
		     "  - {from: h, to: p, tap: x}\n"
		     "  - {from: h, to: end, tap: x}\n"
		     "  - {from: h, to: hid, tap: x}\n"
		     "route: {start: t, visit: [h, end, p]}\n");

	REQUIRE(p);
	yaml_complaints_text(&p->warnings, &b);
	CHECK_HAS(b.data, "p.yaml:5:3: no way leads from 'end' home to 'h' "
			  "without a restart");
	CHECK(!strstr(b.data, "from 'p' home"));
	CHECK_HAS(b.data, "screen 'hid' has no 'is'");
	CHECK_HAS(b.data, "p.yaml:5:3: screen 'end' is recognised by the same "
			  "as 'h' (line 3): nav H");
	CHECK_HAS(b.data, "p.yaml:11:8: in the worst case the route takes ");
	plan_free(p);
}

static void
visits_can_be_chosen(void)
{
	static const char *const one[] = {"b"}, *const none[] = {"bb"};
	struct plan *p = good(HEAD);
	struct err err = ERR_INIT;

	REQUIRE(p);
	CHECK(plan_set_visits(p, one, 1, &err) == 0);
	CHECK(p->route.visit_count == 1 && p->route.visit[0] == 1);
	CHECK(!p->screen[0].visited && p->screen[1].visited);
	CHECK(plan_set_visits(p, none, 1, &err) == -1);
	CHECK(err.code == ERR_USAGE);
	CHECK_HAS(err.msg, "did you mean 'b'?");
	plan_free(p);
}

static void
files_stand_beside_the_plan(void)
{
	char dir[] = "/tmp/patrol-test-XXXXXX";
	struct err err = ERR_INIT;
	struct plan *p = NULL;

	REQUIRE(mkdtemp(dir));
	AUTO_FREE char *script = file_join(dir, "x.js");
	AUTO_FREE char *wrong = file_join(dir, "y.js");
	AUTO_FREE char *path = file_join(dir, "p.yaml");
	static const char code[] = "login({secret.PW});\n";
	static const char bad_code[] = "a();\n  b('{commit}');\n";
	static const char plan[] = HEAD "setup: [{js: {file: x.js}}]\n";
	static const char bad_plan[] = HEAD "setup: [{js: {file: y.js}}]\n";
	static const char states[] =
		HEAD "measure: {graphics_states: {use: unity.graphics_states, "
		     "base: a/b.graphicsstate}}\n";
	AUTO_FREE char *base = file_join(dir, "a/b.graphicsstate");

	REQUIRE(file_write_raw(script, code, strlen(code), &err) == 0);
	REQUIRE(file_write_raw(wrong, bad_code, strlen(bad_code), &err) == 0);
	REQUIRE(file_write_raw(path, plan, strlen(plan), &err) == 0);
	CHECK(plan_load(path, &p, &c, &err) == 0);
	REQUIRE(p);
	CHECK_STR(p->setup.item[0].value, code);
	CHECK_STR(p->setup.item[0].file, "x.js");
	plan_free(p);
	yaml_complaints_done(&c);
	REQUIRE(file_write_raw(path, bad_plan, strlen(bad_plan), &err) == 0);
	CHECK(plan_load(path, &p, &c, &err) == -1);
	CHECK_HAS(err.msg, "p.yaml:5:14: y.js:2:6: '{commit}' stands inside a "
			   "string");
	yaml_complaints_done(&c);
	REQUIRE(file_write_raw(path, states, strlen(states), &err) == 0);
	CHECK(plan_load(path, &p, &c, &err) == 0);
	REQUIRE(p);
	CHECK_STR(p->measure.graphics_states.base, base);
	plan_free(p);
	yaml_complaints_done(&c);
	CHECK(plan_load("/nowhere/p.yaml", &p, &c, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK(c.count == 0);
	(void)file_remove_tree(dir, &err); /* in /tmp */
}

CHECK_MAIN(CHECK_CASE("defaults are filled in", defaults_are_filled_in),
	   CHECK_CASE("the examples of this repository are good",
		      examples_of_this_repository_are_good),
	   CHECK_CASE("words that YAML 1.1 takes for booleans stay words",
		      norway_stays_a_country),
	   CHECK_CASE("values are strict", values_are_strict),
	   CHECK_CASE("an unknown key names the nearest",
		      unknown_keys_name_the_nearest),
	   CHECK_CASE("all faults are told at once, by place",
		      all_faults_at_once_by_place),
	   CHECK_CASE("the top level is a map of version 1",
		      top_level_is_a_map),
	   CHECK_CASE("an action is one thing", actions_hold_one_thing),
	   CHECK_CASE("actions are resolved", actions_are_resolved),
	   CHECK_CASE("predicates become conditions",
		      predicates_become_conditions),
	   CHECK_CASE("transitions are numbered in file order",
		      transitions_are_numbered_in_file_order),
	   CHECK_CASE("measures name procedures and built-ins",
		      measures_name_procedures_and_builtins),
	   CHECK_CASE("the device part says which phone",
		      device_says_which_phone),
	   CHECK_CASE("the whole is checked", the_whole_is_checked),
	   CHECK_CASE("warnings do not refuse a plan", warnings_do_not_refuse),
	   CHECK_CASE("visits can be chosen", visits_can_be_chosen),
	   CHECK_CASE("files stand beside the plan",
		      files_stand_beside_the_plan), )
